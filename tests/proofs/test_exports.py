"""The exported files are SMT-LIB 2 that any solver can read, and they answer as the manifest says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import z3

from model.errors import InputError
from proofs import prove
from proofs.certificates import folder_of
from proofs.claims import Theorem
from proofs.exports import slug
from proofs.results import USED, TheoremResult
from proofs.solvers import SAT, UNKNOWN, UNSAT, ask_cvc5


def manifest(folder: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return found


def test_every_obligation_and_every_dropped_assumption_has_its_file(
    results: dict[str, TheoremResult], built: dict[str, Theorem], folder: Path
) -> None:
    files = manifest(folder)
    for name, result in results.items():
        place = folder_of(name)
        for obligation in result.obligations:
            assert files[f"{place}/{slug(obligation.name)}.smt2"] == UNSAT
        for assumption in result.assumptions:
            if assumption.status == USED:
                assert assumption.obligation
                file = f"{place}/{slug(assumption.obligation)}-without-{slug(assumption.name)}.smt2"
                assert files[file] == SAT
        proof = "-run-" if built[name].composed else "-witness"
        assert (built[name].composed and not built[name].goals) or any(
            file.startswith(place) and proof in file.replace("/", "-") for file in files
        )
    assert set(files) == {path.relative_to(folder).as_posix() for path in folder.rglob("*.smt2")}


def test_every_file_states_its_claim_its_premises_and_its_status(
    results: dict[str, TheoremResult], folder: Path
) -> None:
    for file, expected in manifest(folder).items():
        head = (folder / file).read_text(encoding="utf-8").split("(set-logic ALL)")[0]
        assert all(line.startswith(";") for line in head.strip().splitlines())
        assert f"; Expected answer: {expected}" in head
    text = (folder / "06-markers" / "condition.smt2").read_text(encoding="utf-8")
    assert "; condition: no red message is accepted in a white action." in text
    rule = ";   assumption: no overtaking of markers: no message overtakes a marker"
    assert rule in text
    without = (folder / "06-markers" / "condition-without-no-overtaking-of-markers.smt2").read_text(encoding="utf-8")
    assert rule not in without and "without the assumption: no overtaking of markers" in without


@pytest.mark.parametrize("name", ["inversions", "markers"])
def test_both_solvers_answer_the_files_themselves_as_the_manifest_says(
    results: dict[str, TheoremResult], folder: Path, name: str
) -> None:
    place = f"{folder_of(name)}/"
    checked = 0
    for file, expected in manifest(folder).items():
        if file.startswith(place):
            solver = z3.Solver()
            solver.from_file(str(folder / file))
            assert str(solver.check()) == expected, file
            assert ask_cvc5((folder / file).read_text(encoding="utf-8"), expected, 20.0).verdict == expected, file
            checked += 1
    assert checked >= len(results[name].obligations)


def test_a_contradiction_in_a_file_is_not_hidden_by_what_is_expected() -> None:
    """The expected answer only chooses how to search; it is not the answer."""
    text = "(set-logic ALL)\n(declare-const p Bool)\n(assert p)\n{}(check-sat)\n"
    assert ask_cvc5(text.format(""), UNSAT, 5.0).verdict == SAT
    assert ask_cvc5(text.format("(assert (not p))\n"), SAT, 5.0).verdict == UNSAT
    assert ask_cvc5("(set-logic ALL)\n(declare-const p Bool)\n", SAT, 5.0).verdict == UNKNOWN


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="--out"):
        prove(("stability",), out=tmp_path / "file" / "folder")


def test_a_second_run_adds_to_the_manifest(tmp_path: Path) -> None:
    prove(("stability",), out=tmp_path)
    first = manifest(tmp_path)
    prove(("inversions",), out=tmp_path)
    assert first.items() < manifest(tmp_path).items()
