"""Checking a theorem: each obligation proved by both solvers, its premises met, and each assumption dropped in turn.

Three questions are asked of an obligation. Do the premises imply the claim (no model of premises and not claim)? Can
the premises be met (a model, found in a small scope and shown)? And for each assumption: do the other premises still
imply the claim? A model that shows they do not is a counterexample to induction: a state and a step that the dropped
assumption excludes. Every question is asked of z3, and of cvc5 by the text that is exported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf

import z3

from proofs import kernel
from proofs.claims import Obligation, Theorem
from proofs.deriving import derive, tree
from proofs.kernel import Refused, Thm
from proofs.language import Formula
from proofs.premises import Premise, Reader, formulas
from proofs.results import (
    BY_RUN,
    NOT_NEEDED,
    PROVED,
    REFUTED,
    UNKNOWN,
    USED,
    AssumptionResult,
    ObligationResult,
    RunResult,
    TheoremResult,
    Tree,
)
from proofs.runs import Goal
from proofs.solvers import SAT, UNSAT, Answer, Question, Solvers

Export = Callable[[str, str, str, str], None]
"""Told of every question whose answer counts: its name within the theorem, the SMT-LIB text, the expected answer, and
cvc5's proof where it was asked for one."""

QUICK = 1.0
"""Seconds after which a claim that z3 has not proved is tried in a small scope: proofs take milliseconds."""

_PROVED = "Proved if unsatisfiable: the premises, and not the claim."
_VERDICTS = {UNSAT: PROVED, SAT: REFUTED}


@dataclass(frozen=True, slots=True)
class Found:
    """z3's verdict on a question that should be satisfiable; where it is, the model in words and cvc5's verdict."""

    verdict: str
    text: str | None = None
    cvc5: str = UNKNOWN


class Prover:
    """The two solvers, and where the questions go."""

    def __init__(self, solvers: Solvers, export: Export) -> None:
        self.solvers, self.export = solvers, export
        self._shown: dict[str, Thm] = {}
        self.derived: Sequence[Thm] = ()
        self._between = 0
        self._witnesses: dict[tuple[Formula, ...], Found] = {}

    def check(self, theorem: Theorem) -> TheoremResult:
        """Every obligation, what the kernel makes of them, and every assumption dropped."""
        start = time.perf_counter()
        obligations = tuple(self.obligation(o, not theorem.composed) for o in theorem.obligations)
        trees, refusal = self._derived(theorem)
        tried = {} if theorem.composed else theorem.assumptions()
        assumptions = tuple(self.dropped(theorem, name, text) for name, text in tried.items())
        runs = tuple(self.run(goal) for goal in theorem.goals)
        return self._result(theorem, obligations, assumptions, runs, start, trees, refusal)

    def _derived(self, theorem: Theorem) -> tuple[tuple[Tree, ...], str | None]:
        """The trees of the theorems that the kernel makes of what was shown; or why it refuses."""
        try:
            self.derived = derive(theorem, self._shown, self._decide)
        except Refused as refusal:
            return (), str(refusal)
        return tuple(tree(t) for t in self.derived), None

    def _decide(self, formulas: Sequence[Formula]) -> str:
        """The name of the question, if both solvers find that the formulas cannot hold together."""
        self._between += 1
        name = f"between {self._between:03}"
        question = Question(("A step between obligations, in the kernel's tree.",), tuple(formulas), UNSAT)
        return name if self._both(name, question)[2] else ""

    def _both(self, name: str, question: Question, most: float = inf) -> tuple[Answer, Answer, bool]:
        """z3's answer, cvc5's if z3 finds no model, and whether the claim is proved by both."""
        first, _ = self.solvers.z3(name, question.formulas, most)
        second = self._confirm(name, question) if first.verdict == UNSAT else Answer(UNKNOWN, 0.0)
        return first, second, (first.verdict, second.verdict) == (UNSAT, UNSAT)

    def check_broken(self, theory: Theorem) -> TheoremResult:
        """The obligations up to the first that is refuted: one counterexample is enough."""
        start = time.perf_counter()
        obligations: list[ObligationResult] = []
        for o in theory.obligations:
            obligations.append(self.obligation(o))
            if obligations[-1].counterexample is not None:
                break
        runs = tuple(self.run(goal) for goal in theory.goals)
        return self._result(theory, tuple(obligations), (), runs, start)

    def _result(
        self,
        theorem: Theorem,
        obligations: tuple[ObligationResult, ...],
        assumptions: tuple[AssumptionResult, ...],
        runs: tuple[RunResult, ...],
        start: float,
        trees: tuple[Tree, ...] = (),
        refusal: str | None = None,
    ) -> TheoremResult:
        return TheoremResult(
            number=theorem.number,
            name=theorem.name,
            title=theorem.title,
            source=theorem.source,
            argument=theorem.argument,
            obligations=obligations,
            assumptions=assumptions,
            runs=runs,
            uses=theorem.uses,
            trees=trees,
            refusal=refusal,
            seconds=time.perf_counter() - start,
        )

    def obligation(self, o: Obligation, witnessed: bool = True) -> ObligationResult:
        """Both solvers on the claim, and a witness of the premises; where none is looked for, the run to a goal is."""
        (first, second), counter = self._claim(o, QUICK), Found(UNKNOWN)
        if first.verdict != UNSAT:
            counter = self._counterexample(o, o.premises, None)
        if counter.verdict == SAT:
            verdicts = [REFUTED, REFUTED if counter.cvc5 == SAT else UNKNOWN]
        else:
            if first.verdict != UNSAT:
                first, second = self._claim(o, inf)
            verdicts = [_VERDICTS.get(answer.verdict, UNKNOWN) for answer in (first, second)]
        witness = self._witness(o) if witnessed else Found(BY_RUN, None, BY_RUN)
        return ObligationResult(
            name=o.name,
            sentence=o.sentence,
            z3=verdicts[0],
            cvc5=verdicts[1],
            z3_seconds=first.seconds,
            cvc5_seconds=second.seconds,
            witness=witness.text,
            witness_z3=witness.verdict,
            witness_cvc5=witness.cvc5,
            counterexample=counter.text,
        )

    def _claim(self, o: Obligation, most: float) -> tuple[Answer, Answer]:
        """What both solvers say; where they prove it, the kernel has it from then on."""
        answers = [Answer(UNKNOWN, 0.0)] * 2

        def decide(formulas: Sequence[Formula]) -> str:
            head = (*_head(o, o.premises, f"Claim: {o.sentence}."), _PROVED)
            *answers[:], proved = self._both(o.name, Question(head, tuple(formulas), UNSAT), most)
            return o.name if proved else ""

        with suppress(Refused):
            self._shown[o.name] = kernel.solved(decide, o.premises, (), o.claim, o.sentence)
        return answers[0], answers[1]

    def dropped(self, theorem: Theorem, name: str, sentence: str) -> AssumptionResult:
        """The theorem without one assumption: the first counterexample, headlines first; or proofs of everything."""
        concerned = sorted((o for o in theorem.obligations if o.assumes(name)), key=lambda o: not o.headline)
        for o in concerned:
            found = self._counterexample(o, o.without(name), name)
            if found.verdict == SAT:
                status = USED if found.cvc5 == SAT else UNKNOWN
                return AssumptionResult(name, sentence, status, o.name, found.text)
        for o in concerned:
            question = self._implication(o, o.without(name), f"Without the assumption: {sentence}.")
            mine, other = (
                self.solvers.z3(f"{o.name} without {name}", question.formulas)[0],
                self._confirm(f"{o.name} without {name}", question),
            )
            if (mine.verdict, other.verdict) != (UNSAT, UNSAT):
                return AssumptionResult(name, sentence, UNKNOWN, o.name)
        return AssumptionResult(name, sentence, NOT_NEEDED)

    def _implication(self, o: Obligation, premises: tuple[Premise, ...], title: str) -> Question:
        """The premises and not the claim, for sets of any size."""
        head = (*_head(o, premises, title), _PROVED)
        return Question(head, (*formulas(premises), z3.Not(o.claim)), UNSAT)

    def _confirm(self, name: str, question: Question) -> Answer:
        """cvc5's answer, to the very text that is exported."""
        text = question.text()
        answer = self.solvers.cvc5(name, text, question.expected)
        self.export(name, text, question.expected, answer.proof)
        return answer

    def run(self, goal: Goal) -> RunResult:
        """The shortest run to the goal that the scope has."""
        for length in range(1, goal.longest + 1):
            unrolled = goal.unroll(length)
            wanted = goal.scope.confine([*unrolled.formulas, goal.reached(unrolled)])
            title = (f"{goal.name}: {goal.sentence}.", f"Satisfiable: a run of {length} steps from S0 gets there.")
            question = Question(title, tuple(wanted), SAT)
            # One question a length; the one that has an answer gives the file its name.
            found = self._model(f"run {goal.name}", question, unrolled.reader(goal.scope))
            if found.verdict == SAT:
                return RunResult(goal.name, goal.sentence, length, found.text, SAT, found.cvc5)
            if found.verdict == UNKNOWN:
                break
        return RunResult(goal.name, goal.sentence, None, None, found.verdict, UNKNOWN)

    def _witness(self, o: Obligation) -> Found:
        """A model of the premises in which something happens."""
        question = Question(
            _head(o, o.premises, "The premises can be met, in a small scope."),
            tuple(o.scope.confine([*formulas(o.premises), *o.interesting, *o.bounds])),
            SAT,
        )
        # The steps of one induction have the same premises: one witness serves them all.
        if question.formulas not in self._witnesses:
            self._witnesses[question.formulas] = self._model(f"{o.name} witness", question, o.read)
        return self._witnesses[question.formulas]

    def _counterexample(self, o: Obligation, premises: tuple[Premise, ...], dropped: str | None) -> Found:
        """A model of the premises in which the claim fails."""
        name, title = f"{o.name} fails", "A counterexample, in a small scope."
        if dropped is not None:
            name, title = f"{o.name} without {dropped}", f"A counterexample without the assumption: {dropped}."
        wanted = [*formulas(premises), z3.Not(o.claim)]
        by_hand = o.by_hand.get(dropped or "")
        if by_hand is None:
            question = Question(_head(o, premises, title), tuple(o.scope.confine([*wanted, *o.bounds])), SAT)
            return self._model(name, question, o.read)
        defined = tuple(z3.substitute_funs(formula, *by_hand.definitions) for formula in wanted)
        question = Question(_head(o, premises, f"{title} Its functions are defined by hand."), defined, SAT)
        return self._model(name, question, lambda model: by_hand.text)

    def _model(self, name: str, question: Question, read: Reader) -> Found:
        """z3's model in words, if it has one; then cvc5 is asked whether there is one."""
        answer, model = self.solvers.z3(name, question.formulas)
        if answer.verdict != SAT or model is None:
            return Found(answer.verdict)
        return Found(SAT, read(model), self._confirm(name, question).verdict)


def _head(o: Obligation, premises: tuple[Premise, ...], title: str) -> tuple[str, ...]:
    """What a file is about: the claim, the question, and the premises it holds."""
    return (f"{o.name}: {o.sentence}.", title, *(f"  {p.role.value}: {p.name}: {p.sentence}" for p in premises))
