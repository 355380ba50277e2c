"""Systems at the edges: no channels, sums beyond 64 bits, and whatever else random search once got wrong."""

from __future__ import annotations

import pytest

from checker import reference
from checker.bounds import Bounds
from checker.native import engine
from checker.native.images import INVARIANT
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from tests.native.agreement import differences


@pytest.mark.parametrize(
    ("topology", "program", "relax"),
    [
        ("complete:1", "dataflow,records=20", ""),  # more states of a machine than its tables begin with, no channel
        ("complete:1", "dataflow,records=20", "crash:1"),
        ("ring:2", "transfer,b=4611686018427387904", "loss:1"),  # two of 2^62 are more than a signed word holds
        ("ring:2", "transfer,b=100000000000000000000", "duplication:1"),
        ("ring:1", "transfer,b=9223372036854775807,s=2", "loss:1,duplication:1"),
    ],
)
def test_native_agrees_with_the_reference_at_the_edges(topology: str, program: str, relax: str) -> None:
    system = build_system(parse(topology)[0], program, "marker", "0", relax)
    properties = chosen(system)
    assert differences(engine.judge(system, properties), reference.judge(system, properties)) == []
    invariant = [p for p in properties if p.name in INVARIANT]
    on = engine.judge(system, invariant, Bounds(symmetry=True))
    assert [(p.name, p.outcome, p.length) for p in on.properties] == [
        (p.name, p.outcome, p.length) for p in engine.judge(system, invariant).properties
    ]
