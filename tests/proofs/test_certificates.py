"""Certificates can be checked without us; whatever is changed in them is refused, also where the sums are mended."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from model.errors import InputError
from proofs import prove
from proofs.certificates import ETHOS, TREE, check, seal
from proofs.command import check as command
from proofs.exports import slug

NAMES = ("commute", "inversions")
ETHOS_AT_HAND = pytest.mark.skipif(ETHOS not in os.environ, reason=f"no ethos at hand ({ETHOS} is its command)")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificates of two theorems."""
    root = tmp_path_factory.mktemp("certificates")
    assert {r.verdict for r in prove(NAMES, out=root, certified=True)} == {"proved"}
    return root


@pytest.fixture
def no_ethos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ETHOS, raising=False)


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """One theorem's certificates, to be changed."""
    root = tmp_path / "certificates"
    shutil.copytree(written, root)
    shutil.rmtree(root / "03-inversions")
    seal(root)
    return root


def test_they_are_what_they_should_be(written: Path, no_ethos: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(written) == 0
    said = capsys.readouterr().out
    assert "2 theorems made anew by the kernel" in said and "cvc5, asked again (no ethos at hand)" in said


def test_every_step_that_solvers_showed_has_its_question_and_proof(written: Path) -> None:
    for place in ("01-commute", "03-inversions"):
        tree = json.loads((written / place / TREE).read_text(encoding="utf-8"))
        by_solvers = [n for n in tree["nodes"] if n["rule"] == "solvers"]
        assert by_solvers and all((n["question"] is not None) == (n["rule"] == "solvers") for n in tree["nodes"])
        for node in by_solvers:
            proof = (written / place / node["question"]).with_suffix(".cpc")
            assert proof.read_text(encoding="utf-8").startswith(f'(reference "{node["question"]}")\n')
        assert all(parent < k for k, n in enumerate(tree["nodes"]) for parent in n["of"])
    (red_then_white,) = {
        h["name"] for k in tree["theorems"] for h in tree["nodes"][k]["hypotheses"] if h["role"] == "assumption"
    }
    assert red_then_white == "red then white"


def test_the_readme_says_what_each_rule_does(written: Path) -> None:
    text = (written / "README.md").read_text(encoding="utf-8")
    rules = {n["rule"] for p in written.glob(f"*/{TREE}") for n in json.loads(p.read_text(encoding="utf-8"))["nodes"]}
    assert "sha256sum -c SHA256SUMS" in text and "ethos" in text
    assert all(word in text for word in ("`induction`", "`descent`", "`instance`")) and "induction" in rules


QUESTION, PROOF = (f"{slug('same state')}.{end}" for end in ("smt2", "cpc"))


def _replace(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "01-commute" / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def _another_proof(folder: Path) -> None:
    place = folder / "01-commute"
    other = (place / "first-follows.cpc").read_text(encoding="utf-8")
    (place / PROOF).write_text(other, encoding="utf-8")


def _fewer_hypotheses(folder: Path) -> None:
    path = folder / "01-commute" / TREE
    tree = json.loads(path.read_text(encoding="utf-8"))
    tree["nodes"][tree["theorems"][0]]["hypotheses"].pop()
    path.write_text(json.dumps(tree), encoding="utf-8")


def _remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "01-commute" / name).unlink()


CHANGES: list[tuple[str, Callable[[Path], None]]] = [
    ("the question asks less", _replace(QUESTION, "(not ", "(and false ")),
    ("the question asks something else", _replace(QUESTION, "(check-sat)", "(assert false)\n(check-sat)")),
    ("a hypothesis is gone from the tree", _fewer_hypotheses),
    ("the tree is gone", _remove(TREE)),
    ("a proof is gone", _remove(PROOF)),
    ("the tree says another question", _replace(TREE, f'"{QUESTION}"', '"first-follows.smt2"')),
]


@pytest.mark.parametrize("change", [pytest.param(change, id=what) for what, change in CHANGES])
def test_what_is_changed_is_refused(folder: Path, change: Callable[[Path], None], no_ethos: None) -> None:
    """The sums are mended after it: the rest tells."""
    change(folder)
    seal(folder)
    assert check(folder).wrong


def test_a_proof_that_is_changed_is_not_as_it_was(folder: Path, no_ethos: None) -> None:
    """Without ethos nobody reads it; the sums do."""
    _another_proof(folder)
    assert check(folder).wrong == (f"01-commute/{PROOF}: not as it was written",)


@ETHOS_AT_HAND
def test_ethos_finds_every_proof_correct(written: Path) -> None:
    found = check(written)
    assert (found.checker, found.wrong) == ("ethos", ()) and found.proofs > 40


@ETHOS_AT_HAND
@pytest.mark.parametrize(
    "change",
    [
        _another_proof,
        _replace(PROOF, ":rule chain_m_resolution", ":rule refl"),
        _replace(PROOF, QUESTION, "first-follows.smt2"),
    ],
)
def test_a_proof_that_is_changed_is_refused_by_ethos(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    seal(folder)
    (wrong,) = check(folder).wrong
    assert wrong.startswith(f"01-commute/{PROOF}: ")


def test_a_folder_that_holds_no_certificates_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no folder of certificates"):
        check(tmp_path)
    (tmp_path / "SHA256SUMS").write_text("", encoding="utf-8")
    monkeypatch.setenv(ETHOS, "no-such-program --include=x")
    with pytest.raises(InputError, match="no such program"):
        check(tmp_path)


def test_no_question_has_a_conjunction_of_one(written: Path) -> None:
    """cvc5 reads `(and f)` as f, ethos as something else: such a proof was not found to be of its file."""
    for path in written.glob("*/*.smt2"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\((and|or) (\S+?|\([^()]*\))\)", text), path
