"""Every engine gives the figures of this folder's manifest: protocol by relaxation, loops, sinks, incidents."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from checker.engines import ENGINES, engine
from checker.engines.search_options import SearchOptions
from model.properties import chosen
from tests.manifest import Entry, expected, figures

EXACT = [name for name in ("reference", "native") if name in ENGINES]


def entries() -> list[Entry]:
    """The systems of manifest.toml, in its order."""
    data = tomllib.loads(Path(__file__).with_name("manifest.toml").read_text(encoding="utf-8"))
    return [Entry(**{**row, "vacuous": tuple(row.get("vacuous", ()))}) for row in data["system"]]


ENTRIES = entries()


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_the_figures_are_the_manifests(name: str, entry: Entry) -> None:
    system = entry.system()
    verdict = engine(name)(system, chosen(system), SearchOptions(), lambda *counts: None)
    assert figures(verdict) == expected(entry)
    for found in verdict.properties:
        if found.counterexample is not None:
            trace = found.counterexample.trace
            for state, event in zip(trace.states(), trace.events, strict=False):
                assert event in list(system.events(state))


def test_a_barrier_on_a_cycle_is_the_marker_algorithm() -> None:
    # Begun at one machine of a ring, Algorithm 2 with the ring's back-edge does what markers do: the known 298, 629.
    entry = next(e for e in ENTRIES if e.topology == "ring:3")
    assert (entry.states, entry.transitions) == (298, 629)
