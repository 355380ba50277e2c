"""Broken theories: an algorithm with one rule changed, and the theorem that it does not satisfy.

Each forgets one thing, and the theorem fails to be proved, with a counterexample to induction: a state that has all
the invariants, and a step that the changed rule allows, after which one is lost. Lest that be the fault of weak
invariants, a run from S0 shows the harm done (`harm`). Two are controls: the change does no harm, and the theorem must
still be proved. The names are those of the contract, where it has one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from z3 import Implies, Or

from proofs import marker_invariants as inv
from proofs import mutants, t04_white, t06_markers, t07_record, t11_colour, t12_barriers, t13_interference, t14_sentence
from proofs.claims import Induction, Parts, Theorem
from proofs.computation import Protocol, State, Step, destination
from proofs.language import CHANNEL, Formula, Scope, for_all
from proofs.premises import Premise
from proofs.protocols import ALIGNED, MARKER, last_barrier_turns
from proofs.runs import Goal, blocked, red_in_white, wrong_record, wrong_when_red
from proofs.t04_white import faults
from proofs.t06_markers import reliable_fifo
from proofs.transition import Transition, inductive

_CYCLIC = t14_sentence.algorithm("cyclic-sentence")
_NOT_AT_ONCE = tuple(name for name in inv.CONDITION_INVARIANTS if name != "marker at once")
_RECORD = tuple(name for name in inv.names() if name != "marker at once")
_MARKERS_COPIED = tuple(name for name in inv.names() if name not in ("one marker", "none once closed"))


@dataclass(frozen=True, slots=True)
class Broken:
    """An algorithm that forgets something, and the obligations of a theorem for it; a control forgets nothing.

    `harm` is what a run from S0 comes to; a control has none.
    """

    name: str
    forgets: str
    theorem: str
    obligations: Callable[[], Parts]
    harm: Goal | None = None

    @property
    def control(self) -> bool:
        return self.harm is None

    def theory(self) -> Theorem:
        """The theorem as it would be for this algorithm."""
        return Theorem(
            number=0,
            name=self.name,
            title=f"{self.name}: {'a control: ' if self.control else 'forgets '}{self.forgets}",
            source="CONTRACT, section 3, mutants",
            argument=f"the obligations of theorem `{self.theorem}`, with the changed rule",
            parts=self.obligations(),
            goals=(self.harm,) if self.harm is not None else (),
        )


_Assumed = Callable[[State, Step], tuple[Premise, ...]]


def _accepts_red(protocol: Protocol, assumed: _Assumed) -> Goal:
    return Goal("harm", "a red message is accepted in a white action", protocol, assumed, red_in_white)


def _records_wrong(protocol: Protocol, assumed: _Assumed = reliable_fifo, scope: Scope | None = None) -> Goal:
    sentence = "the snapshot is complete, and what is recorded is not what was sent white and not accepted white"
    return Goal("harm", sentence, protocol, assumed, wrong_record, scope=scope or Scope(written_out=True))


def _all_barriers_in(q: State, e: Step) -> Formula:
    return for_all(CHANNEL, lambda c: Implies(destination(c) == e.machine, Or(q.closed(c), e.hears(c))))


def _aligned_channels(q: State, e: Step) -> tuple[Premise, ...]:
    return (*reliable_fifo(q, e), last_barrier_turns(q, e))


def _markers_copied(q: State, e: Step) -> tuple[Premise, ...]:
    return tuple(premise for premise in reliable_fifo(q, e) if premise.name != "no marker duplicated")


def _with_copied_markers(protocol: Protocol) -> Parts:
    """The exact record, markers being duplicated by the environment."""
    parts = t07_record.obligations(protocol, _MARKERS_COPIED, but=("no marker duplicated",))
    return tuple(part for part in parts if isinstance(part, Induction) or part.name != "one marker put")


BROKEN: tuple[Broken, ...] = (
    Broken(
        "late-marker",
        "that the marker goes before any message sent after turning red",
        "markers",
        lambda: t06_markers.obligations(mutants.LATE_MARKER, _NOT_AT_ONCE),
        _accepts_red(mutants.LATE_MARKER, reliable_fifo),
    ),
    Broken(
        "missing-marker",
        "one output channel",
        "markers",
        lambda: t06_markers.obligations(mutants.MISSING_MARKER),
        _accepts_red(mutants.MISSING_MARKER, reliable_fifo),
    ),
    Broken(
        "late-record",
        "to record before the markers are put",
        "record",
        lambda: t07_record.obligations(mutants.LATE_RECORD),
        _records_wrong(mutants.LATE_RECORD),
    ),
    Broken(
        "no-channel-state",
        "to record channels",
        "record",
        lambda: t07_record.obligations(mutants.NO_CHANNEL_STATE),
        _records_wrong(mutants.NO_CHANNEL_STATE),
    ),
    Broken(
        "keep-recording",
        "that the marker of a channel ends the record of that channel",
        "record",
        lambda: t07_record.obligations(mutants.KEEP_RECORDING),
        _records_wrong(mutants.KEEP_RECORDING),
    ),
    Broken(
        "overwrite",
        "that a closed record is closed, whatever comes, a second marker for one",
        "record",
        lambda: _with_copied_markers(mutants.OVERWRITE),
        _records_wrong(mutants.OVERWRITE, _markers_copied, Scope(channels=1, written_out=True)),
    ),
    Broken(
        "early-complete",
        "that the snapshot is complete only when all channels are closed, not when all machines are red",
        "record",
        lambda: t07_record.obligations(MARKER, announced=t07_record.complete_early),
        Goal(
            "harm",
            "all machines are red, and what is recorded is not what was sent white and not accepted white",
            MARKER,
            reliable_fifo,
            wrong_when_red,
            scope=Scope(written_out=True),
        ),
    ),
    Broken(
        "magic,guard=false",
        "that no red message is accepted in a white action",
        "white",
        lambda: t04_white.obligations(mutants.UNGUARDED),
        _accepts_red(mutants.UNGUARDED, faults),
    ),
    Broken(
        "observer,observer_tags=false",
        "that the observer's own messages need the tag",
        "colour",
        lambda: t11_colour.obligations(mutants.UNTAGGED),
        _accepts_red(mutants.UNTAGGED, faults),
    ),
    Broken(
        "observer,save=after",
        "to record before the tagged message is handled",
        "colour",
        lambda: t11_colour.obligations(mutants.SAVE_AFTER),
        _accepts_red(mutants.SAVE_AFTER, faults),
    ),
    Broken(
        "barrier,align=false",
        "to block a channel behind its barrier",
        "barriers",
        lambda: t12_barriers.aligned_obligations(mutants.UNALIGNED_BARRIER),
        _accepts_red(mutants.UNALIGNED_BARRIER, _aligned_channels),
    ),
    Broken(
        "barrier,cyclic=true,variant=printed",
        "that the log of a loop input ends with the barrier of that input (Algorithm 2 as printed)",
        "cyclic-sentence",
        lambda: (inductive(Transition.of(mutants.PRINTED, _CYCLIC.assumed), _CYCLIC.facts, written_out=True),),
        _records_wrong(mutants.PRINTED, _CYCLIC.assumed),
    ),
    Broken(
        "aligned",
        "that the program goes on meanwhile (aligned barriers are right otherwise: theorem 12)",
        "interference",
        lambda: t13_interference.blocked_nowhere(ALIGNED, (inv.POSITIONS, "one marker"), _all_barriers_in),
        Goal("harm", "a message waits in a channel that is blocked", ALIGNED, _aligned_channels, blocked),
    ),
    Broken(
        "lazy-marker",
        "each marker may go out later, yet before anything else on its channel",
        "record",
        lambda: (
            *t06_markers.obligations(mutants.LAZY_MARKER, _NOT_AT_ONCE),
            *t07_record.obligations(mutants.LAZY_MARKER, _RECORD),
        ),
    ),
    Broken(
        "marker, markers duplicated",
        "a second marker on a channel is ignored, so the record stays exact",
        "record",
        lambda: _with_copied_markers(MARKER),
    ),
)
