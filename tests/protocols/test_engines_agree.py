"""The native engine finds of every protocol here what the reference finds: counts, outcomes, lengths, snapshots."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.sweep.matrix import PROTOCOLS, RELAXATIONS
from model.verdict import Verdict

SYSTEMS: list[tuple[str, str, str, str, str, tuple[str, ...]]] = [
    ("biring:3", "token", "marker", "0", "", ("completes", "completes-unfair")),
    ("biring:2", "resources", "marker", "0", "", ()),
    ("biring:2", "resources", "marker", "0", "fifo", ()),
    ("biring:2", "resources", "laiyang", "0", "", ("stability", "stable-sound")),
    ("biring:2", "transfer", "concurrent", "0", "", ()),
    ("biring:2", "transfer", "concurrent,by=0-1", "0,1", "", ("snapshots-ordered",)),
    ("biring:2", "transfer", "concurrent", "0", "fifo", ()),
    ("biring:2", "transfer", "concurrent", "0", "marker-duplication:1", ()),
    ("ring:3", "transfer", "missing-marker,channel=2,cut=recorded", "0", "", ()),
    ("biring:2", "transfer", "marker,cut=recorded", "0", "marker-loss:1", ()),
    ("biring:2", "free,s=2", "laiyang,numbered=false", "0", "overtake:1", ()),
    ("ring:3", "transfer", "laiyang,convenience=false", "0", "", ()),
    ("ring:3", "transfer", "observer,requests=inband", "0", "", ()),
]
SYSTEMS += [
    ("biring:2", "transfer", f"observer,{reading}", "0", "", ())
    for reading in ("observer_tags=false", "observer_logs=false", "save=after", "done=naive", "requests=none")
]


def facts(verdict: Verdict) -> object:
    """All that engines must agree on."""
    counts = verdict.counts
    return (
        (counts.states, counts.transitions, counts.depth),
        [(p.name, p.outcome, p.length) for p in verdict.properties],
        set(verdict.snapshots),
    )


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: " ".join(map(str, s)))
def test_on_one_system(system: tuple[str, str, str, str, str, tuple[str, ...]]) -> None:
    topology, program, protocol, initiators, relax, properties = system
    one, two = (
        check(topology, program, protocol, initiators=initiators, relax=relax, properties=properties, engine=engine)
        for engine in ("reference", "native")
    )
    assert facts(one) == facts(two)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_on_every_cell_of_the_matrix_on_two_machines(protocol: str) -> None:
    for relax in RELAXATIONS:
        one, two = (check("complete:2", protocol=protocol, relax=relax, engine=e) for e in ("reference", "native"))
        assert facts(one) == facts(two), relax
