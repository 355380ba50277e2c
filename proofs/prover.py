"""Checking a theorem: each obligation proved by both solvers, its premises met, and each assumption dropped in turn.

Three questions are asked of an obligation. Do the premises imply the claim (no model of premises and not claim)? Can
the premises be met (a model, found in a small scope and shown)? And for each assumption: do the other premises still
imply the claim? A model that shows they do not is a counterexample to induction: a state and a step that the dropped
assumption excludes. Every question is asked of z3, and of cvc5 by the text that is exported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import z3

from proofs.claims import Obligation, Premise, Theorem, formulas
from proofs.language import Formula
from proofs.results import (
    NEEDED,
    NOT_NEEDED,
    PROVED,
    REFUTED,
    UNKNOWN,
    AssumptionResult,
    ObligationResult,
    TheoremResult,
)
from proofs.solvers import SAT, UNSAT, Answer, Question, ask_cvc5, ask_z3

Export = Callable[[str, str, str], None]
"""Told of every question whose answer counts: its name within the theorem, the SMT-LIB text, the expected answer."""

QUICK = 1.0
"""Seconds after which a claim that z3 has not proved is tried in a small scope: proofs take milliseconds."""

_VERDICTS = {UNSAT: PROVED, SAT: REFUTED}


class Prover:
    """Seconds allowed to a solver for one question, and where the questions go."""

    def __init__(self, timeout: float, export: Export) -> None:
        self.timeout, self.export = timeout, export
        self._witnesses: dict[tuple[Formula, ...], tuple[str | None, bool]] = {}

    def check(self, theorem: Theorem) -> TheoremResult:
        """Every obligation, then every assumption dropped."""
        start = time.perf_counter()
        obligations = tuple(self.obligation(o) for o in theorem.obligations)
        assumptions = tuple(self.dropped(theorem, name, text) for name, text in theorem.assumptions().items())
        return self._result(theorem, obligations, assumptions, start)

    def check_broken(self, theory: Theorem) -> TheoremResult:
        """The obligations up to the first that is refuted: one counterexample is enough."""
        start = time.perf_counter()
        obligations: list[ObligationResult] = []
        for o in theory.obligations:
            obligations.append(self.obligation(o))
            if obligations[-1].counterexample is not None:
                break
        return self._result(theory, tuple(obligations), (), start)

    def _result(
        self,
        theorem: Theorem,
        obligations: tuple[ObligationResult, ...],
        assumptions: tuple[AssumptionResult, ...],
        start: float,
    ) -> TheoremResult:
        return TheoremResult(
            number=theorem.number,
            name=theorem.name,
            title=theorem.title,
            source=theorem.source,
            argument=theorem.argument,
            obligations=obligations,
            assumptions=assumptions,
            uses=theorem.uses,
            seconds=time.perf_counter() - start,
        )

    def obligation(self, o: Obligation) -> ObligationResult:
        """Both solvers on the claim, and a witness of the premises."""
        question = self._implication(o, o.premises, f"Claim: {o.sentence}.")
        first, second = ask_z3(question.formulas, min(QUICK, self.timeout))[0], Answer(UNKNOWN, 0.0)
        counterexample, confirmed = None, False
        if first.verdict != UNSAT:
            counterexample, confirmed = self._counterexample(o, o.premises, None)
        if counterexample is not None:
            verdicts = [REFUTED, REFUTED if confirmed else UNKNOWN]
        else:
            if first.verdict != UNSAT:
                first, _ = ask_z3(question.formulas, self.timeout)
            second = self._confirm(o.name, question)
            verdicts = [_VERDICTS.get(answer.verdict, UNKNOWN) for answer in (first, second)]
        witness, met = self._witness(o)
        return ObligationResult(
            name=o.name,
            sentence=o.sentence,
            z3=verdicts[0],
            cvc5=verdicts[1],
            z3_seconds=first.seconds,
            cvc5_seconds=second.seconds,
            witness=witness,
            witness_cvc5=met,
            counterexample=counterexample,
        )

    def dropped(self, theorem: Theorem, name: str, sentence: str) -> AssumptionResult:
        """The theorem without one assumption: the first counterexample, headlines first; or proofs of everything."""
        concerned = sorted((o for o in theorem.obligations if o.assumes(name)), key=lambda o: not o.headline)
        for o in concerned:
            text, confirmed = self._counterexample(o, o.without(name), name)
            if text is not None:
                status = NEEDED if confirmed else UNKNOWN
                return AssumptionResult(name, sentence, status, o.name, text)
        for o in concerned:
            question = self._implication(o, o.without(name), f"Without the assumption: {sentence}.")
            mine, other = (
                ask_z3(question.formulas, self.timeout)[0],
                self._confirm(f"{o.name} without {name}", question),
            )
            if (mine.verdict, other.verdict) != (UNSAT, UNSAT):
                return AssumptionResult(name, sentence, UNKNOWN, o.name)
        return AssumptionResult(name, sentence, NOT_NEEDED)

    def _implication(self, o: Obligation, premises: tuple[Premise, ...], title: str) -> Question:
        """The premises and not the claim, for sets of any size."""
        head = (*_head(o, title), "Proved if unsatisfiable: the premises, and not the claim.")
        return Question(head, (*formulas(premises), z3.Not(o.claim)), UNSAT)

    def _confirm(self, name: str, question: Question) -> Answer:
        """cvc5's answer, to the very text that is exported."""
        text = question.text()
        self.export(name, text, question.expected)
        return ask_cvc5(text, question.expected, self.timeout)

    def _witness(self, o: Obligation) -> tuple[str | None, bool]:
        """A model of the premises in which something happens, in words; and whether cvc5 finds one too."""
        question = Question(
            (*_head(o, "The premises can be met."), "Satisfiable: the premises, in a small scope."),
            tuple(o.scope.confine([*formulas(o.premises), *o.interesting, *o.bounds])),
            SAT,
        )
        # The steps of one induction have the same premises: one witness serves them all.
        if question.formulas not in self._witnesses:
            self._witnesses[question.formulas] = self._model(o, question, f"{o.name} witness")
        return self._witnesses[question.formulas]

    def _counterexample(
        self, o: Obligation, premises: tuple[Premise, ...], dropped: str | None
    ) -> tuple[str | None, bool]:
        """A model of the premises in which the claim fails, in words; and whether cvc5 finds one too."""
        title = f"A counterexample without the assumption: {dropped}." if dropped else "A counterexample."
        wanted = [*formulas(premises), z3.Not(o.claim)]
        given = o.by_hand.get(dropped or "")
        if given is not None:
            confined = [z3.substitute_funs(formula, *given.definitions) for formula in wanted]
            title += " Functions are defined by hand: the model is infinite."
        else:
            confined = o.scope.confine([*wanted, *o.bounds])
        question = Question((*_head(o, title), "Satisfiable."), tuple(confined), SAT)
        text, confirmed = self._model(o, question, f"{o.name} without {dropped}" if dropped else f"{o.name} fails")
        if text is not None and given is not None:
            text = given.text
        return text, confirmed

    def _model(self, o: Obligation, question: Question, name: str) -> tuple[str | None, bool]:
        answer, model = ask_z3(question.formulas, self.timeout)
        if answer.verdict != SAT or model is None:
            return None, False
        return o.read(model), self._confirm(name, question).verdict == SAT


def _head(o: Obligation, title: str) -> Iterator[str]:
    yield f"{o.name}: {o.sentence}."
    yield title
    yield from (f"  {p.role.value}: {p.name}: {p.sentence}" for p in o.premises)
