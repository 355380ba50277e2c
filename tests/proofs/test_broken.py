"""Broken theories fail, each with a counterexample to induction in words; controls are still proved."""

from __future__ import annotations

import pytest

from model.errors import InputError
from proofs import broken_theories, prove
from proofs.broken import broken
from proofs.results import PROVED, REFUTED

FAILS_AT = {
    "late-marker": "step: marker ahead",
    "missing-marker": "step: marker at once",
    "late-record": "step: closed by the red",
    "no-channel-state": "as if by magic",
    "keep-recording": "as if by magic",
    "overwrite": "step: recorded is the rest",
    "magic,guard=false": "white action moves",
    "observer,observer_tags=false": "step: tags are honest",
    "observer,save=after": "condition",
    "barrier,align=false": "aligned: condition",
    "aligned": "then the action",
}
CONTROLS = ("lazy-marker", "marker, markers duplicated")


def test_every_broken_theory_has_its_expectation() -> None:
    theories = broken_theories()
    assert {name for name, theory in theories.items() if not theory.control} == set(FAILS_AT)
    assert {name for name, theory in theories.items() if theory.control} == set(CONTROLS)


@pytest.mark.parametrize("name", FAILS_AT)
def test_a_broken_theory_fails_with_a_counterexample_to_induction(name: str) -> None:
    (result,) = prove((name,))
    failed = result.obligations[-1]
    assert result.verdict == REFUTED
    assert failed.name == FAILS_AT[name]
    assert (failed.z3, failed.cvc5) == (REFUTED, REFUTED)
    assert (failed.counterexample and "before:" in failed.counterexample) or "state:" in str(failed.counterexample)
    assert all(obligation.verdict == PROVED for obligation in result.obligations[:-1])


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_is_proved(name: str) -> None:
    (result,) = prove((name,))
    assert result.verdict == PROVED


def test_a_counterexample_reads_like_a_computation() -> None:
    """The red message that `late-marker` sends before its marker is there to be seen."""
    (result,) = prove(("late-marker",))
    text = str(result.obligations[-1].counterexample)
    step = next(line for line in text.splitlines() if line.startswith("step:"))
    assert "(red)" in step and "sends" in step and "puts a marker" not in step
    assert "red x" in text.split("after:")[1]


def test_an_unknown_broken_theory_is_refused() -> None:
    with pytest.raises(InputError, match="late-maker"):
        broken("late-maker")
