"""The two solvers, asked the same question in the same words.

z3 is asked through its Python interface, which also gives models. cvc5 is asked by text: the SMT-LIB 2 file that is
exported, so what it confirms is what a reader can give to any other solver.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import cvc5
import z3

from proofs.language import Formula
from proofs.watchdog import Ask

SAT, UNSAT, UNKNOWN = "sat", "unsat", "unknown"

# cvc5's default instantiation is quick and incomplete: it gives up on some valid formulas that enumeration, or looking
# for models of the quantifiers, decides at once. For satisfiable formulas only the last can answer.
_PROVING = ((), (("enum-inst", "true"),), (("mbqi", "true"),))
_REFUTING = ((("mbqi", "true"),),)
_CPC = (
    ("produce-proofs", "true"),
    ("proof-format-mode", "cpc"),
    ("proof-granularity", "dsl-rewrite"),
    ("proof-print-reference", "true"),  # its symbols are those of the file, and not declared once more
)


@dataclass(frozen=True, slots=True)
class Answer:
    """`sat`, `unsat` or `unknown`, the seconds it took, and cvc5's proof (CPC) where one was asked for."""

    verdict: str
    seconds: float
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """Are these formulas satisfiable together? `expected` is what the theory says; `title` becomes the file's head."""

    title: tuple[str, ...]
    formulas: tuple[Formula, ...]
    expected: str

    def text(self) -> str:
        """The question as a self-contained SMT-LIB 2 file."""
        solver = z3.Solver()
        solver.add(*self.formulas)
        body = [line for line in solver.to_smt2().splitlines() if not line.startswith((";", "(set-info"))]
        # Not as `:status`: a solver that finds otherwise would report an error, and not what it found.
        head = [f"; {line}" for line in (*self.title, f"Expected answer: {self.expected}")]
        return "\n".join([*head, "(set-logic ALL)", *body]) + "\n"


class Solvers:
    """Both solvers, asked under a watch: `ask` is told of every question first, and may forbid it (`watchdog`).

    With `proofs`, cvc5 is asked for a proof of what it finds to be unsatisfiable.
    """

    def __init__(self, ask: Ask, timeout: float, proofs: bool = False) -> None:
        self.ask, self.timeout, self.proofs = ask, timeout, proofs

    def z3(self, name: str, formulas: Sequence[Formula], most: float = inf) -> tuple[Answer, z3.ModelRef | None]:
        """z3's answer, and its model if there is one; `most` seconds at most."""
        seconds = min(self.timeout, most)
        with self.ask(f"z3, {seconds} s: {name}", seconds) as allowed:
            return ask_z3(formulas, seconds) if allowed else (Answer(UNKNOWN, seconds), None)

    def cvc5(self, name: str, text: str, expected: str) -> Answer:
        with self.ask(f"cvc5: {name}", self.timeout * len(_PROVING)) as allowed:
            return ask_cvc5(text, expected, self.timeout, self.proofs) if allowed else Answer(UNKNOWN, self.timeout)


def ask_z3(formulas: Sequence[Formula], timeout: float) -> tuple[Answer, z3.ModelRef | None]:
    """z3's answer within `timeout` seconds, and its model if there is one."""
    solver = z3.Solver()
    solver.set(timeout=max(1, int(timeout * 1000)))
    solver.add(*formulas)
    start = time.perf_counter()
    verdict = str(solver.check())
    answer = Answer(verdict, time.perf_counter() - start)
    return answer, solver.model() if verdict == SAT else None


def ask_cvc5(text: str, expected: str, timeout: float, proof: bool = False) -> Answer:
    """cvc5's answer to an SMT-LIB 2 text; the timeout is for each of the few ways in which it is tried."""
    start = time.perf_counter()
    verdict, found = UNKNOWN, ""
    for options in _REFUTING if expected == SAT else _PROVING:
        verdict, found = _run_cvc5(text, (*options, *(_CPC if proof and expected == UNSAT else ())), timeout)
        if verdict != UNKNOWN:
            break
    return Answer(verdict, time.perf_counter() - start, found)


def _run_cvc5(text: str, options: Sequence[tuple[str, str]], timeout: float) -> tuple[str, str]:
    """What it answers; and its proof, if it was to keep one."""
    solver = cvc5.Solver(cvc5.TermManager())
    for name, value in (*options, ("tlimit-per", str(max(1, int(timeout * 1000))))):
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    symbols = parser.getSymbolManager()
    verdict = UNKNOWN
    while not (command := parser.nextCommand()).isNull():
        printed = command.invoke(solver, symbols).strip()
        if printed:
            verdict = printed
    if verdict == UNSAT and set(_CPC) <= set(options):
        printed = solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.CPC).decode()
        return UNSAT, printed.strip().removeprefix("(").removesuffix(")").strip() + "\n"
    return verdict if verdict in (SAT, UNSAT) else UNKNOWN, ""
