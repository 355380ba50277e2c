"""Claims of the catalogue, written anew with the public words, have the catalogue's verdicts and lengths."""

from __future__ import annotations

from typing import Any

import pytest

from checker.engines import engine
from checker.engines.search_options import SearchOptions
from model import Monitor, always, conserved, leads_to, on_action, on_cut, on_snapshot, stable
from model.claims import property_of
from model.properties import PROPERTIES, chosen
from model.property import Property
from model.system import System
from model.verdict import Outcome
from tests.manifest import Entry, entries

ENTRIES = [entry for entry in entries(300)][::2]
NOT_SAID = {
    "consistent-cut": "what is in a channel at the cut is no state of the run: no word shows it",
    "channel-exact": "the same",
    "equivalent": "the run with its white actions first is another run",
    "non-interference": "that a state stays reachable is told by all runs together, and no word speaks of these",
    "no-new-deadlock": "no word says that nothing can happen",
}
"""Claims of the catalogue that cannot be said with the public words, and why."""


class OneMarker(Monitor):
    """Of each channel: how many markers are in it, whether one was accepted, and whether there was one too many."""

    claim = "one marker a channel"
    initial = ()

    def next(self, value: Any, event: Any) -> Any:
        found = dict(value)
        for channel in event.markers_accepted:
            inside, accepted, wrong = found.get(channel, (0, False, False))
            found[channel] = inside - 1, True, wrong or accepted
        for channel in event.markers_sent:
            inside, accepted, wrong = found.get(channel, (0, False, False))
            found[channel] = inside + 1, accepted, wrong or inside > 0
        return tuple(sorted(found.items()))

    def error(self, value: Any) -> bool:
        return any(wrong for _, (_, _, wrong) in value)


class Underway:
    """Reachability in the underlying computation, by a search of the test's own."""

    def __init__(self, system: System) -> None:
        self.alone, self.known = system.alone(), dict[Any, dict[Any, set[Any]]]()

    def reached(self, start: Any) -> dict[Any, set[Any]]:
        """The states reachable from here, by what would be recorded of them."""
        if start not in self.known:
            found, waiting = {start}, [start]
            while waiting:
                state = waiting.pop()
                after = {self.alone.step(state, event) for event in self.alone.events(state)} - found
                found |= after
                waiting += after
            by_view = self.known[start] = dict[Any, set[Any]]()
            for state in found:
                by_view.setdefault(self.alone.view(self.alone.project(state)), set()).add(state)
        return self.known[start]

    def through(self, s0: Any, sss: Any, s1: Any) -> bool:
        """Whether S0 leads to a state recorded as SSS, and this to S1."""
        end = self.alone.embed(s1)
        goal = self.alone.view(s1)
        middle = self.reached(self.alone.embed(s0)).get(sss, ())
        return any(end in self.reached(start).get(goal, ()) for start in middle)


def anew(system: System) -> dict[str, list[Property]]:
    """By the catalogue's name, the claims that say the same together."""
    program = system.program
    found = {
        "no-red-in-white": [on_action("whites accept white", lambda act: act.red or not act.red_accepted)],
        "all-red": [leads_to("all turn red", lambda v: v.begun, lambda v: all(v.red))],
    }
    faults = bool(system.assumptions.faults)
    if system.protocol.marks and not faults:
        found["one-marker-per-channel"] = [named(OneMarker())]
    if not faults:
        found["reachable"] = [on_cut("SSS lies on a way", Underway(system).through)]
    if system.protocol.records and not system.protocol.completes_on_empty_channels:
        found["completes"] = [leads_to("it completes", lambda v: v.begun, lambda v: v.complete)]
    if program.conserves is not None:
        start = system.view(system.project(system.initial_states()[0]))

        def total(machines: Any, channels: Any) -> int:
            held = sum(program.held(m, state) for m, state in enumerate(machines))
            return held + sum(program.carried(payload) for content in channels for payload in content)

        def recorded(machines: Any) -> list[Any]:
            return [program.record(m, state) for m, state in enumerate(machines)]

        wanted = total(*start)
        found["conservation"] = [
            always("the sum stays", lambda v: total(recorded(v.machines), v.channels) == wanted),
            on_snapshot("the sum is recorded", lambda sss: total(*sss) == wanted),
            conserved("it is conserved", program.held, program.carried),
        ]
    if program.stable_predicates():

        def kept(s0: Any, sss: Any, s1: Any) -> bool:
            views = (system.view(s0), sss, system.view(s1))
            truths = [[bool(holds(view)) for view in views] for holds in program.stable_predicates().values()]
            return all((b or not a) and (c or not b) for a, b, c in truths)

        found["stable-sound"] = [on_cut("what is stable stays", kept)]
        found["stable-sound"] += [stable(f"{n} is stable", p) for n, p in program.stable_predicates().items()]
    return found


def named(monitor: Monitor) -> Property:
    found = property_of(monitor)
    assert found is not None
    return found


def compared(name: str, chosen_entries: list[Entry]) -> tuple[set[str], int]:
    """An engine's verdicts on the claims said anew are the manifest's; which claims were compared, how many broken."""
    said, violated = set[str](), 0
    for entry in chosen_entries:
        system = entry.system()
        if system.protocol.snapshots != 1:
            continue
        claims = anew(system)
        own = [claim for several in claims.values() for claim in several]
        verdict = engine(name)(system, chosen(system, own), SearchOptions(), lambda *counts: None)
        lengths = {p.name: p.length for p in verdict.properties}
        for catalogue, several in claims.items():
            if not PROPERTIES[catalogue].applies(system):
                continue
            broken = [length for claim in several if (length := lengths[claim.name]) is not None]
            assert min(broken, default=None) == entry.violated.get(catalogue), (str(entry), catalogue)
            said.add(catalogue)
            violated += bool(broken)
        assert not [p for p in verdict.properties if p.outcome is Outcome.UNKNOWN]
    return said, violated


@pytest.mark.parametrize("name", ["reference", "native"])
def test_the_same_verdicts_and_lengths(name: str) -> None:
    said, violated = compared(name, ENTRIES)
    assert violated > 10
    judged_by_default = {name for entry in ENTRIES for name in (*entry.violated, *entry.vacuous)}
    assert judged_by_default & set(PROPERTIES) - said - set(NOT_SAID) == set()


@pytest.mark.slow
def test_the_whole_manifest() -> None:
    said, violated = compared("native", entries())
    assert len(said) > 6 and violated > 30


def test_there_are_entries() -> None:
    assert len({entry.protocol for entry in ENTRIES}) > 5 and isinstance(ENTRIES[0], Entry)
