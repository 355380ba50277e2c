"""Claims of the catalogue, written anew with the public words, have the catalogue's verdicts and lengths."""

from __future__ import annotations

from typing import Any

import pytest

from checker.engines import engine
from checker.engines.search_options import SearchOptions
from model import always, leads_to, on_action, on_cut, on_snapshot
from model.properties import PROPERTIES, chosen
from model.property import Property
from model.system import System
from model.verdict import Outcome
from tests.manifest import Entry, entries

ENTRIES = [entry for entry in entries(300)][::2]


def anew(system: System) -> dict[str, list[Property]]:
    """By the catalogue's name, the claims that say the same together."""
    program = system.program
    found = {
        "no-red-in-white": [on_action("whites accept white", lambda act: act.red or not act.red_accepted)],
        "all-red": [leads_to("all turn red", lambda v: v.begun, lambda v: all(v.red))],
    }
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
        ]
    if program.stable_predicates():

        def kept(s0: Any, sss: Any, s1: Any) -> bool:
            views = (system.view(s0), sss, system.view(s1))
            truths = [[bool(holds(view)) for view in views] for holds in program.stable_predicates().values()]
            return all((b or not a) and (c or not b) for a, b, c in truths)

        found["stable-sound"] = [on_cut("what is stable stays", kept)]
    return found


@pytest.mark.parametrize("name", ["reference", "native"])
def test_the_same_verdicts_and_lengths(name: str) -> None:
    compared = violated = 0
    for entry in ENTRIES:
        system = entry.system()
        if not system.protocol.snapshots or system.protocol.snapshots > 1:
            continue
        claims = anew(system)
        own = [claim for several in claims.values() for claim in several]
        verdict = engine(name)(system, chosen(system, own), SearchOptions(), lambda *counts: None)
        lengths = {p.name: p.length for p in verdict.properties}
        for catalogue, several in claims.items():
            broken = [length for claim in several if (length := lengths[claim.name]) is not None]
            assert min(broken, default=None) == entry.violated.get(catalogue), (str(entry), catalogue)
            compared += 1
            violated += bool(broken)
        assert not [p for p in verdict.properties if p.outcome is Outcome.UNKNOWN]
    assert compared > 40 and violated > 10
    assert set(anew(ENTRIES[0].system())) <= set(PROPERTIES)


def test_there_are_entries() -> None:
    assert len({entry.protocol for entry in ENTRIES}) > 5 and isinstance(ENTRIES[0], Entry)
