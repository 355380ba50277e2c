"""Every theorem is proved by both solvers, its premises can be met, each assumption is needed or known not to be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from proofs import render
from proofs.claims import Theorem
from proofs.registry import THEORIES, sentences
from proofs.results import NOT_NEEDED, PROVED, USED, TheoremResult
from proofs.table import table
from tests.proofs.conftest import STEPWISE

CHANNELS = {"own channels", "no clairvoyance"}
FAITHFUL = CHANNELS | {"faithful channels"}
NO_LOSS = {"no message lost", "no marker lost"}
NO_COPIES = {"no message duplicated", "no marker duplicated"}
FIFO = {"no overtaking of markers", "no overtaking by markers", "no overtaking among messages"}
MARKER = {"a marker turns red", "markers at once"}
PROJECTION = FAITHFUL | {
    "colours",
    "turns once",
    "no red in white",
    "no message lost",
    "no message duplicated",
    "S0 is white",
}

NEEDS: dict[str, set[str]] = {
    "commute": CHANNELS | NO_LOSS | NO_COPIES | {"different machines", "nothing handed over"},
    "exchange": CHANNELS | NO_LOSS | NO_COPIES | {"colours", "no red in white", "markers apart"},
    "inversions": {"red then white"},
    "white": PROJECTION,
    "red": PROJECTION,
    "markers": FAITHFUL | MARKER | {"colours", "no overtaking of markers", "no marker lost", "S0 is white"},
    "record": FAITHFUL | MARKER | FIFO | NO_LOSS | NO_COPIES | {"colours", "turns once", "S0 is white"},
    "completion": FAITHFUL
    | MARKER
    | {"no overtaking of markers", "no overtaking among messages"}
    | {"turns once", "S0 is white", "no marker lost", "no marker duplicated"},
    "sharpness": FAITHFUL | {"remembers", "all different", "colours", "turns once", "S0 is white", "S0 remembers"},
    "stability": set(),
    "conservation": set(),
    "exactly-once": set(),
    "exchanges": set(),
    "obtainable": set(),
    "colour": FAITHFUL
    | {"colours", "every message is tagged", "record before handling", "S0 is white", "S0 is untagged"}
    | {"no message lost", "no message duplicated"},
    "barriers": FAITHFUL
    | NO_LOSS
    | {"no message duplicated"}
    | MARKER
    | {"colours", "S0 is white", "alignment", "last barrier"}
    | {"no overtaking of markers", "no overtaking by markers"},
    "interference": FAITHFUL
    | {"no message lost", "no message duplicated", "no marker duplicated"}
    | {"S0 is white", "turns once", "markers at once"},
}

# Results: what one would take for granted and the theorem does without.
FREE: dict[str, set[str]] = {
    "markers": {"no overtaking by markers", "no overtaking among messages", "no message lost"} | NO_COPIES,
    "barriers": {"no overtaking among messages", "no marker duplicated", "sources start"},
    "interference": {"a marker turns red"},
}


@pytest.mark.parametrize("name", STEPWISE)
def test_both_solvers_prove_every_obligation(results: dict[str, TheoremResult], name: str) -> None:
    result = results[name]
    for obligation in result.obligations:
        assert (obligation.z3, obligation.cvc5) == (PROVED, PROVED), obligation
    assert result.verdict == PROVED


@pytest.mark.parametrize("name", STEPWISE)
def test_premises_are_met_by_a_witness_that_both_solvers_find(
    results: dict[str, TheoremResult], built: dict[str, Theorem], name: str
) -> None:
    for obligation in results[name].obligations if not built[name].composed else ():
        assert obligation.witness, obligation.name
        assert (obligation.witness_z3, obligation.witness_cvc5) == ("sat", "sat"), obligation.name


# Steps of the shortest run from S0 in which the algorithm does what its theorem is about.
RUNS = {
    "white": [3],
    "stability": [3],
    "conservation": [3],
    "exactly-once": [4],
    "obtainable": [3],
    "record": [4],
    "colour": [3],
    "barriers": [4, 4, 3],
}


@pytest.mark.parametrize("name", STEPWISE)
def test_a_run_completes_a_snapshot_with_something_in_it(results: dict[str, TheoremResult], name: str) -> None:
    runs = results[name].runs
    assert [run.length for run in runs] == RUNS.get(name, [])
    for run in runs:
        assert run.run and (run.z3, run.cvc5) == ("sat", "sat")
        assert run.run.startswith("S0:") and "turns red" in run.run


@pytest.mark.parametrize("name", STEPWISE)
def test_each_assumption_is_needed_or_a_finding(results: dict[str, TheoremResult], name: str) -> None:
    result = results[name]
    assert set(result.used()) == NEEDS[name]
    assert set(result.not_needed()) == FREE.get(name, set())
    for assumption in result.assumptions:
        assert assumption.status in (USED, NOT_NEEDED)
        if assumption.status == USED:
            assert assumption.obligation and assumption.counterexample, assumption.name


def test_colour_needs_no_order_of_delivery_and_the_condition_no_reliability(built: dict[str, Theorem]) -> None:
    """Theorem 11's title: no FIFO; and its condition is proved without any assumption about faults."""
    theorem = built["colour"]
    assert not FIFO & set(theorem.assumptions())
    (condition,) = [o for o in theorem.obligations if o.name == "condition"]
    assert not (NO_LOSS | NO_COPIES) & {p.name for p in condition.premises}


def test_completion_rests_on_weak_fairness_and_on_messages_not_overtaking(results: dict[str, TheoremResult]) -> None:
    """A marker may overtake, then it closes its channel the sooner; but each marker's turn must come."""
    (tree,) = results["completion"].trees
    assert {"weakly fair channels", "reachability", "initiators turn", "finitely many machines"} < set(tree.assumes)
    assert FIFO & set(tree.assumes) == {"no overtaking of markers", "no overtaking among messages"}


def test_theorems_come_in_order_and_say_what_they_are(built: dict[str, Theorem]) -> None:
    for number, (name, theorem) in enumerate(built.items(), start=1):
        assert (theorem.number, theorem.name) == (number, name)
        assert theorem.title and theorem.source and theorem.argument
        assert len({o.name for o in theorem.obligations}) == len(theorem.obligations)
        assert set(theorem.uses) < set(THEORIES)
        assert sentences()[name].startswith(f"Theorem {number}")


@pytest.mark.parametrize("name", STEPWISE)
def test_the_kernel_makes_the_theorem_of_what_was_shown(results: dict[str, TheoremResult], name: str) -> None:
    result = results[name]
    assert result.refusal is None and result.trees
    shown = {o.sentence for o in result.obligations}
    for tree in result.trees:
        numbers = [number for number, *_ in tree.nodes]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(parent < number for number, _, _, parents in tree.nodes for parent in parents)
        assert any(rule == "solvers" and sentence in shown for _, rule, sentence, _ in tree.nodes)


def test_on_a_narrow_terminal_nothing_is_cut(results: dict[str, TheoremResult]) -> None:
    text = table(list(results.values()), 80)
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.replace("│", " ").split())
    assert "…" not in text and "..." not in text
    for name, result in results.items():
        assert f"{name}:" in words and f"{len(result.obligations)} proved" in words


def test_the_table_names_every_theorem_solver_and_assumption(results: dict[str, TheoremResult]) -> None:
    text = render(list(results.values()))
    assert max(map(len, text.splitlines())) <= 126
    words = " ".join(text.replace("│", " ").split())
    for column in ("theorem", "source", "z3", "cvc5", "assumptions"):
        assert column in words
    for name, result in results.items():
        assert f"{name}:" in words
        assert f"{len(result.obligations)} proved" in words


@pytest.mark.parametrize("module", ["proofs", "proofs.command"])
def test_importing_loads_no_solver(module: str) -> None:
    script = f"import sys, {module}; sys.exit(any(name in sys.modules for name in ('z3', 'cvc5', 'tabulate')))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
