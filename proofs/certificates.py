"""Certificates: all that a theorem rests on, as files that can be checked without us.

DIR/README.md                  how to check all of it
DIR/SHA256SUMS                 of every other file, for `sha256sum -c`
DIR/manifest.json              what each question answers (`exports`)
DIR/06-markers/condition.smt2  a question, and
DIR/06-markers/condition.cpc   cvc5's proof of it, which refers to that file: for the proof checker ethos
DIR/06-markers/tree.json       the theorem: the rules of the kernel, each with its formulas and what it was applied to

`check` asks no solver where ethos is at hand: the sums, every proof by ethos, and every theorem made anew by the
kernel, which takes for shown what is a question of the folder, formula for formula, and nothing else.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import z3

from model.errors import InputError
from proofs import kernel
from proofs.deriving import derive, order
from proofs.exports import MANIFEST, slug
from proofs.kernel import Refused, Thm
from proofs.language import Formula
from proofs.registry import THEORIES, theorem
from proofs.solvers import UNSAT, Question, ask_cvc5

SUMS, TREE, README = "SHA256SUMS", "tree.json", "README.md"
ETHOS = "REDWHITE_ETHOS"
"""The environment variable that holds the command for ethos, the rules of cvc5's proofs included."""

TIMEOUT = 60.0
"""Seconds for one proof."""


def folder_of(name: str) -> str:
    """The folder of a theorem: its number and its name."""
    return f"{list(THEORIES).index(name) + 1:02d}-{name}"


def write_trees(folder: Path, theorems: Sequence[Thm]) -> None:
    """The trees of these theorems, in one file: each rule after what it was applied to, each formula once."""
    folder.mkdir(exist_ok=True)
    (folder / TREE).write_text(json.dumps(_trees(theorems), indent=1) + "\n", encoding="utf-8")


def _trees(theorems: Sequence[Thm]) -> dict[str, object]:
    nodes = order(theorems)
    numbers = {id(t): k for k, t in enumerate(nodes)}
    formulas: dict[str, int] = {}

    def number(formula: Formula) -> int:
        return formulas.setdefault(_text(formula), len(formulas))

    written = [
        {
            "rule": t.rule,
            "sentence": t.sentence,
            "hypotheses": [{"name": h.name, "role": h.role.value, "formula": number(h.formula)} for h in t.hypotheses],
            "conclusion": number(t.conclusion),
            "of": [numbers[id(p)] for p in t.parents],
            "some": [str(s) for s in t.some],
            "question": f"{slug(t.question)}.smt2" if t.question else None,
        }
        for t in nodes
    ]
    return {"theorems": [numbers[id(t)] for t in theorems], "nodes": written, "formulas": list(formulas)}


def _text(formula: Formula) -> str:
    """The formula in SMT-LIB; unlike a whole file's, the text is the same in every process."""
    return " ".join(formula.sexpr().split())


def seal(root: Path) -> None:
    """The README and the sums, over everything that is in the folder."""
    (root / README).write_text(_readme(), encoding="utf-8")
    (root / SUMS).write_text("".join(f"{_sum(p)}  {_name(p, root)}\n" for p in _files(root)), encoding="utf-8")


def _files(root: Path) -> list[Path]:
    return sorted(p for p in root.rglob("*") if p.is_file() and p.name != SUMS)


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _readme() -> str:
    """How to check the folder with other people's programs only."""
    rules = (t for t in vars(kernel).values() if inspect.isfunction(t) and t.__module__ == kernel.__name__)
    said = {t.__name__: " ".join((inspect.getdoc(t) or "").split()) for t in rules if not t.__name__.startswith("_")}
    listed = "\n".join(f"- `{name}`: {text}" for name, text in said.items() if text)
    return _README.format(z3=version("z3-solver"), cvc5=version("cvc5"), rules=listed)


_README = """# Proofs for every number of machines

Made with z3 {z3} and cvc5 {cvc5}. Nothing here needs the program that wrote it.

**Is it all here, and as it was?** `sha256sum -c SHA256SUMS`

**What was asked.** Each `.smt2` file is a question in SMT-LIB 2; its head says in words what it is about and what the
answer should be (`manifest.json` lists them all). `unsat` is a proof: the premises cannot hold without the claim.
`sat` shows that premises can be met, or that the claim fails without some assumption. Any solver can be asked:
`cvc5 06-markers/condition.smt2`, `z3 06-markers/condition.smt2`.

**The proofs.** Each `.cpc` file is cvc5's proof that the `.smt2` file of the same name is unsatisfiable: its first line
refers to that file, so that its assumptions are looked up there. Check it with ethos (github.com/cvc5/ethos) and the
rules that come with cvc5 (its folder `proofs/eo/cpc`):

    for f in */*.cpc; do
      ethos --include=$CPC/Cpc.eo --include=$CPC/expert/CpcExpert.eo --require-proof-of-false $f || echo $f
    done

**The theorems.** `tree.json` holds each theorem and all it rests on. `formulas` are SMT-LIB 2 terms; a node gives by
number its hypotheses, its conclusion, and the nodes that its rule was applied to (`of`); `theorems` are the last ones.
A node of the rule `solvers` names its question: the conclusions of what it was applied to, the premises among its
hypotheses, and the negation of its conclusion. A hypothesis whose role is `assumption` is what the theorem takes for
granted; where `some` names symbols, the theorem says that they can be chosen so. What else a rule does:

{rules}

All of it at once, the theorems made anew: `redwhite prove --check DIR`, with the command for ethos in the environment
variable `REDWHITE_ETHOS`.
"""


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check` found: the theorems made anew, how many proofs were checked and by whom, and what is wrong."""

    theorems: tuple[str, ...]
    proofs: int
    checker: str
    wrong: tuple[str, ...]


def check(root: Path) -> Checked:
    """Whether the folder holds what it says; `InputError` where it is no folder of certificates."""
    if not (root / SUMS).is_file():
        raise InputError(f"--check {root}: no folder of certificates (it has no {SUMS})")
    wrong = list(_sums(root))
    ethos = _ethos()
    proofs = sorted(root.glob("*/*.cpc"))
    for proof in proofs:
        said = _by_ethos(ethos, proof) if ethos else _by_cvc5(proof.with_suffix(".smt2"))
        wrong += [f"{_name(proof, root)}: {said}"] if said else []
    names = [name for name in THEORIES if (root / folder_of(name)).is_dir()]
    for name in names:
        said = _made_anew(name, root / folder_of(name))
        wrong += [f"{folder_of(name)}: {said}"] if said else []
    return Checked(
        tuple(names), len(proofs), "ethos" if ethos else "cvc5, asked again (no ethos at hand)", tuple(wrong)
    )


def _sums(root: Path) -> Iterable[str]:
    lines = [line.split("  ", 1) for line in (root / SUMS).read_text(encoding="utf-8").splitlines()]
    sums = {line[1]: line[0] for line in lines if len(line) == 2}
    for path in _files(root):
        name = _name(path, root)
        if sums.pop(name, None) != _sum(path):
            yield f"{name}: not as it was written"
    yield from (f"{name}: missing" for name in sums)
    if not (root / MANIFEST).is_file():
        yield f"{MANIFEST}: missing"


def _ethos() -> list[str] | None:
    command = os.environ.get(ETHOS, "")
    if command and shutil.which(shlex.split(command)[0]) is None:
        raise InputError(f"{ETHOS}={command}: no such program; give the command for ethos, with the rules it includes")
    return shlex.split(command) or None


def _by_ethos(ethos: Sequence[str], proof: Path) -> str:
    """What is wrong with the proof, if anything: it must be one of the file beside it."""
    first = proof.read_text(encoding="utf-8").split("\n", 1)[0]
    if first != f'(reference "{proof.with_suffix(".smt2").name}")':
        return f"refers to {first}, not to the question beside it"
    command = [*ethos, "--require-proof-of-false", str(proof)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    said = " ".join((done.stdout + done.stderr).split())
    return "" if (done.returncode, said) == (0, "correct") else f"ethos: {said[-200:] or done.returncode}"


def _by_cvc5(question: Path) -> str:
    found = ask_cvc5(question.read_text(encoding="utf-8"), UNSAT, TIMEOUT).verdict if question.is_file() else "missing"
    return "" if found == UNSAT else f"cvc5: {found}"


def _made_anew(name: str, folder: Path) -> str:
    """What is wrong with the theorem, if anything: the kernel is to make it of the questions that have proofs."""
    questions: dict[tuple[str, ...], str] = {}
    first: dict[str, str] = {}
    for path in sorted(p.with_suffix(".smt2") for p in folder.glob("*.cpc")):
        try:
            asked = _asked(path.read_text(encoding="utf-8"))
        except (OSError, z3.Z3Exception):
            continue  # whatever rests on it will not be shown
        first[path.name] = f"{questions.setdefault(asked, path.stem)}.smt2"

    def decide(formulas: Sequence[Formula]) -> str:
        return questions.get(_asked(Question((), tuple(formulas), UNSAT).text()), "")

    stated = theorem(name)
    try:
        shown = {o.name: kernel.solved(decide, o.premises, (), o.claim, o.sentence) for o in stated.obligations}
        trees = _trees(derive(stated, shown, decide))
    except Refused as refusal:
        return str(refusal)
    path = folder / TREE
    written = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"nodes": []}
    for node in written["nodes"]:  # the same question may have been asked twice, under two names
        node["question"] = first.get(node["question"], node["question"])
    return "" if written == json.loads(json.dumps(trees)) else f"{TREE} is not the tree of this theorem"


def _asked(text: str) -> tuple[str, ...]:
    """The formulas of a question, whatever names it has for what they share."""
    return tuple(_text(formula) for formula in z3.parse_smt2_string(text))


def report(found: Checked, say: Callable[[str], None] = print) -> int:
    """What was found, in lines; the exit code."""
    for line in found.wrong:
        say(f"refused: {line}")
    say(f"{found.proofs} proofs checked by {found.checker}; {len(found.theorems)} theorems made anew by the kernel")
    say("not as they should be" if found.wrong else "all as they should be")
    return 1 if found.wrong else 0
