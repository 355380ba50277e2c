"""`redwhite prove` as a function: what it prints, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from model.errors import InputError
from proofs import prove
from proofs.command import as_json, exit_code, run, theorems
from proofs.registry import THEORIES, select
from proofs.results import REFUTED, UNKNOWN, TheoremResult


def test_a_named_theorem_is_proved_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("3",)) == 0
    printed = capsys.readouterr().out
    assert "inversions" in printed
    assert (
        "assumption red then white: the action exchanged first is red and the other white: used by `across`" in printed
    )
    assert "theorem: an exchange removes one inversion" in printed and "induction of" in printed
    assert "1 of 1 proved" in printed


def test_a_broken_theory_is_violated_and_its_counterexample_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("late-marker",)) == 1
    printed = capsys.readouterr().out
    assert "step: marker ahead: refuted (z3 refuted, cvc5 refuted)" in printed
    assert "0 of 1 proved" in printed


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("commute", "inversions"), json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "holds"
    assert found["coverage"]["kind"] == "inductive"
    assert set(found["solvers"]) == {"z3", "cvc5"}
    assert [theorem["name"] for theorem in found["theorems"]] == ["commute", "inversions"]
    theorem = found["theorems"][0]
    assert theorem["verdict"] == theorem["z3"] == theorem["cvc5"] == "proved"
    assert {"name", "sentence", "status", "obligation", "counterexample"} == set(theorem["assumptions"][0])


@pytest.mark.parametrize("name", ["99", "0", "markres", "Commute", ""])
def test_an_unknown_name_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(InputError) as refusal:
        run((name,))
    assert f"'{name}'" in str(refusal.value)
    assert "commute" in str(refusal.value) and "late-marker" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_names_numbers_and_repetitions() -> None:
    assert select(()) == tuple(THEORIES)
    assert select(("1", "commute", "13", "late-marker")) == ("commute", "interference", "late-marker")


def test_unknown_is_never_success(results: dict[str, TheoremResult]) -> None:
    """One obligation that one solver does not know: exit 3; one that is refuted: 1; premises without a model: 1."""
    good = results["inversions"]
    first, *rest = good.obligations

    def with_first(**changes: object) -> TheoremResult:
        return replace(good, obligations=(replace(first, **changes), *rest))  # type: ignore[arg-type]

    assert exit_code([good]) == 0
    assert exit_code([good, with_first(cvc5=UNKNOWN)]) == 3
    assert exit_code([good, with_first(z3=UNKNOWN)]) == 3
    assert exit_code([good, with_first(witness_cvc5=UNKNOWN)]) == 3
    assert exit_code([good, with_first(cvc5=UNKNOWN), with_first(z3=REFUTED)]) == 1
    assert exit_code([with_first(witness=None, witness_z3="unsat")]) == 1

    def with_run(**changes: object) -> TheoremResult:
        found = results["record"]
        return replace(found, runs=(replace(found.runs[0], **changes),))  # type: ignore[arg-type]

    assert exit_code([with_run(length=None, run=None, z3="unsat", cvc5=UNKNOWN)]) == 1
    assert exit_code([with_run(length=None, run=None, z3=UNKNOWN, cvc5=UNKNOWN)]) == 3
    assert exit_code([with_run(cvc5=UNKNOWN)]) == 3
    lost = replace(good, assumptions=(replace(good.assumptions[0], status=UNKNOWN), *good.assumptions[1:]))
    assert exit_code([lost]) == 3
    assert as_json([lost], 1.0, exit_code([lost]))["verdict"] == "unknown"


@pytest.mark.parametrize("timeout", [0.001, 0.003, 0.01])
def test_a_timeout_is_unknown_and_never_a_violation(timeout: float) -> None:
    """Whatever is cut off, proofs, witnesses or runs: nothing was refuted."""
    found = prove(("white", "inversions"), timeout=timeout)
    assert exit_code(found) in (0, 3)
    assert timeout > 0.001 or exit_code(found) == 3


def test_an_interrupt_shows_what_is_done_and_is_no_success(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, results: dict[str, TheoremResult]
) -> None:
    def interrupted(*args: object, progress: Callable[[TheoremResult], None], **options: object) -> None:
        progress(results["inversions"])
        raise KeyboardInterrupt

    monkeypatch.setattr("proofs.proving.prove", interrupted)
    assert run(("commute", "inversions")) == 3
    printed = capsys.readouterr().out
    assert "inversions: each exchange" in " ".join(printed.split())
    assert "interrupted: 1 of 2 not reached" in printed
    assert "1 of 2 proved" in printed


def test_the_list_has_a_sentence_for_each_theorem() -> None:
    listed = theorems()
    assert list(listed) == list(THEORIES)
    assert all(sentence.endswith(".") for sentence in listed.values())
