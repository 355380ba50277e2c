"""Exported Promela, run in SPIN, has as many states and transitions as the system has in the reference engine."""

import pytest

from benchmarks import spin
from checker.check import check
from checker.export.promela import promela
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family

needs_spin = pytest.mark.skipif(spin.missing() is not None, reason=str(spin.missing()))

SYSTEMS = [
    ("ring:3", "transfer", "marker", "0", ""),
    ("edges:0>1,0>1,1>0", "transfer,atomic=joint", "marker,mixed=true", "any", ""),
    ("ring:2", "transfer,b=1,s=2", "magic", "0", ""),
    ("ring:3", "transfer", "simultaneous", "0", ""),
    ("ring:2", "transfer,b=2,s=2", "marker", "0", "fifo"),
    ("ring:2", "free,s=2-1", "marker", "0", "overtake:1"),
    ("ring:2", "transfer", "marker", "0", "loss:1,duplication:1,marker-duplication:1"),
    ("ring:2", "transfer", "marker", "0", "fifo,marker-loss:1,duplication:1,crash:1"),
    ("edges:0>0,0>1,1>0", "token,hops=3", "late-record", "0", ""),
    ("ring:2", "transfer", "observer", "0", ""),
    ("vee", "dataflow,records=1", "barrier", "0", ""),
]


@needs_spin
@pytest.mark.parametrize(("topology", "program", "protocol", "initiators", "relax"), SYSTEMS)
def test_spin_finds_as_many_states_and_transitions(
    topology: str, program: str, protocol: str, initiators: str, relax: str
) -> None:
    system = build_system(parse_family(topology), program, protocol, initiators, relax)
    counts = check(system, properties=["no-red-in-white"], engine="reference").counts
    found = spin.run(promela(system), flags=("-O0",))
    assert (found.states, found.transitions) == (counts.states, counts.transitions)


def test_messages_that_overtake_are_refused() -> None:
    with pytest.raises(InputError, match="wait their turn"):
        promela(build_system(parse_family("vee"), "dataflow,records=1", "unaligned,overtake=true"))


def test_a_system_beyond_the_bound_is_refused() -> None:
    with pytest.raises(InputError, match="more than 100 states"):
        promela(build_system(parse_family("ring:3")), most_states=100)
