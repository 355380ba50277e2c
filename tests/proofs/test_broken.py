"""Broken theories fail, each with a counterexample to induction and a run that shows the harm; controls are proved."""

from __future__ import annotations

import pytest

from proofs import broken_theories
from proofs.results import PROVED, REFUTED, TheoremResult

# Name -> the obligation that fails, and the steps of the shortest run from S0 to the harm.
FAILS_AT = {
    "late-marker": ("step: marker ahead", 2),
    "missing-marker": ("step: marker at once", 2),
    "late-record": ("step: closed by the red", 3),
    "no-channel-state": ("as if by magic", 4),
    "keep-recording": ("as if by magic", 4),
    "overwrite": ("step: recorded is the rest", 5),
    "early-complete": ("complete", 3),
    "magic,guard=false": ("white action moves", 2),
    "observer,observer_tags=false": ("step: tags are honest", 2),
    "observer,save=after": ("condition", 2),
    "barrier,align=false": ("aligned: condition", 3),
    "barrier,cyclic=true,variant=printed": ("step: recorded is the rest", 5),
    "aligned": ("then the action", 2),
}
CONTROLS = ("lazy-marker", "marker, markers duplicated")


def test_every_broken_theory_has_its_expectation() -> None:
    theories = broken_theories()
    assert {name for name, theory in theories.items() if not theory.control} == set(FAILS_AT)
    assert {name for name, theory in theories.items() if theory.control} == set(CONTROLS)


@pytest.mark.parametrize("name", FAILS_AT)
def test_a_broken_theory_fails_and_a_run_shows_the_harm(outcomes: dict[str, TheoremResult], name: str) -> None:
    result = outcomes[name]
    obligation, length = FAILS_AT[name]
    failed = result.obligations[-1]
    assert result.verdict == REFUTED
    assert failed.name == obligation
    assert (failed.z3, failed.cvc5) == (REFUTED, REFUTED)
    assert failed.counterexample is not None
    shown = ("state:",) if name == "early-complete" else ("step: ", "action: ")  # what is announced takes no step
    assert any(word in failed.counterexample for word in shown)
    assert all(earlier.verdict == PROVED for earlier in result.obligations[:-1])
    (harm,) = result.runs
    assert harm.length == length and (harm.z3, harm.cvc5) == ("sat", "sat") and harm.run is not None
    assert f"step {length}: " in harm.run


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_is_proved(outcomes: dict[str, TheoremResult], name: str) -> None:
    assert outcomes[name].verdict == PROVED


def test_a_counterexample_reads_like_a_computation(outcomes: dict[str, TheoremResult]) -> None:
    """The red message that `late-marker` sends before its marker is there to be seen."""
    text = str(outcomes["late-marker"].obligations[-1].counterexample)
    step = next(line for line in text.splitlines() if line.startswith("step:"))
    assert "(red)" in step and "sends" in step and "puts a marker" not in step
    assert "red x" in text.split("after:")[1]
