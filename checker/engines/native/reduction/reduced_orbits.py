"""`--reduce on --symmetry on`: of the representatives' actions, those of one closed set of machines are explored.

**Lemma.** The graph explored is the quotient of a reduced graph of the whole system, as `persistent_sets` means it.

1. Let the state s stand under the representative r, s = g(r), and let M be the closed set chosen in r. An automorphism
   carries empty channels to empty ones, senders to senders, enabled actions to enabled actions. So g(M) is closed in s,
   and its actions are persistent there: choose it in s.
2. What g(M) does in s is what M does in r, relabelled by g. So where these actions lead are images of where those lead,
   and the reduced graph so chosen has the images of the representatives as its states, at the same distances.
3. If every transition of the quotient leads to its next level, so does every transition of that reduced graph: it has
   no cycle, and what follows from that follows here.

What both argue about local transitions holds of images too: that these behave alike is checked as for symmetry alone
(Emerson, Jha, Peled, "Combining partial order and symmetry reductions", 1997). A property must be judged by both.
"""

from __future__ import annotations

from dataclasses import replace

from checker.engines.native.reduction import persistent_sets, symmetry
from checker.engines.native.reduction.persistent_sets import Reduced, ReducedSearch
from checker.engines.native.reduction.symmetry import SymmetricFindings, SymmetricSearch, SymmetricSnapshots
from checker.engines.native.reduction.symmetry_group import Group
from checker.engines.search_options import Progress, SearchOptions, StopCondition
from checker.judging.completed_snapshots import Snapshots
from checker.judging.results import Results
from model.kinds import KeepsGoing
from model.property import Property
from model.system import System
from model.verdict import Counts, Verdict


def judge(system: System, properties: list[Property], options: SearchOptions, progress: Progress) -> Verdict:
    """The verdict on all `properties`; `InputError` for what cannot be judged both ways."""
    persistent_sets.refuse(system, properties, options)
    symmetry.refuse(properties, options)
    return symmetry.under_a_group(system, lambda group: ReducedOrbits(system, properties, options, progress, group))


class ReducedOrbitSearch(SymmetricSearch, ReducedSearch):
    """The search of representatives, by one closed set of machines each."""

    way = "reduce on, symmetry on"

    def change(self, low: int, done: int, produced: int) -> int:
        """Those of one closed set are left, each as its least image."""
        left = ReducedSearch.change(self, low, done, produced)
        return SymmetricSearch.change(self, low, done, left)


class ReducedOrbits(Reduced):
    """One check in progress, over the quotient of a reduced graph."""

    representatives: ReducedOrbitSearch

    def __init__(
        self, system: System, properties: list[Property], options: SearchOptions, progress: Progress, group: Group
    ) -> None:
        self.group = group
        super().__init__(system, properties, options, progress)

    def reduced(self, system: System, stop_condition: StopCondition, progress: Progress) -> ReducedSearch:
        """Of representatives."""
        self.representatives = ReducedOrbitSearch(system, self.watched, stop_condition, progress, self.group)
        return self.representatives

    def completed_snapshots(self) -> Snapshots:
        """Those of all states that the representatives stand for."""
        return SymmetricSnapshots(self.representatives)

    def no_results(self) -> Results:
        """To be filled with runs of the system itself."""
        return SymmetricFindings(self.search, self.properties)

    def _judge_runs(self, claims: list[Property]) -> None:
        if any(isinstance(p.on_state, KeepsGoing) for p in self.properties):
            self.representatives.images.check_program()
        super()._judge_runs(claims)

    def _counts(self) -> Counts:
        return replace(super()._counts(), symmetries=len(self.group.members))
