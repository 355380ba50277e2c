"""The hand-written Promela has the state graph of Redwhite's own systems, so the benchmark compares like with like."""

import pytest

from benchmarks import spin
from benchmarks.promela import STYLES, promela
from checker.check import check
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family

needs_spin = pytest.mark.skipif(spin.missing() is not None, reason=str(spin.missing()))

GRAPHS = [
    ("ring:3", "transfer", "0", (298, 629)),
    ("complete:3", "transfer", "0", (20963, 72078)),  # too many for plain Python in a quick test
    ("ring:2", "transfer,b=2,s=1-3", "any", None),
    ("edges:0>1,0>1,1>0,1>1", "transfer,b=1-0,s=2", "1", None),
]


@needs_spin
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("topology", "program", "initiators", "known"), GRAPHS)
def test_spin_finds_as_many_states_and_transitions(
    topology: str, program: str, initiators: str, known: tuple[int, int] | None, style: str
) -> None:
    system = build_system(parse_family(topology), program, initiators=initiators)
    if known is None:
        counts = check(system, properties=["all-red"], engine="reference").counts
        known = counts.states, counts.transitions
    found = spin.run(promela(system, style), flags=("-O0",))
    assert (found.states, found.transitions) == known


@pytest.mark.parametrize(
    ("program", "protocol", "relax"),
    [("free", "marker", ""), ("transfer", "magic", ""), ("transfer", "marker", "fifo"),
     ("transfer,atomic=joint", "marker", ""), ("transfer", "late-marker", "")],
)  # fmt: skip
def test_other_systems_are_refused(program: str, protocol: str, relax: str) -> None:
    with pytest.raises(InputError, match="transfer with marker"):
        promela(build_system(parse_family("ring:2"), program, protocol, relax=relax))


@needs_spin
def test_a_model_that_spin_refuses_is_an_error_with_its_words() -> None:
    with pytest.raises(spin.SpinFailed, match="undeclared variable: nonsense"):
        spin.run("init { nonsense nonsense }")
