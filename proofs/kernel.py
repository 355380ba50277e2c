"""The kernel: a theorem is a value that only the rules below can make, in the manner of LCF.

A theorem `hypotheses |- conclusion` says: whatever the sorts are and whatever the uninterpreted symbols stand for, if
all hypotheses hold, so does the conclusion. Each rule says in a sentence why that is so of what it returns, compares
formulas and never names, and raises `Refused` where it does not apply. What is to be trusted is this page,
`language.interpret`, and that z3 and cvc5 do not both err on one question. (Where `some` names symbols, the theorem
says that they can be chosen so that the conclusion holds; such a theorem stands at the top, no rule takes it further.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import InitVar, dataclass, replace
from functools import lru_cache

import z3

from proofs.language import (
    INT,
    Formula,
    Meaning,
    constant,
    evaluated,
    exists,
    for_all,
    function,
    interpret,
    symbols,
    unbound,
)
from proofs.language import both as _all
from proofs.premises import Premise, Role

_KEY = object()
Decide = Callable[[Sequence[Formula]], str | bool]
"""Both solvers find that these formulas cannot hold together; the name of the question, where it has one."""


class Refused(ValueError):
    """A rule does not apply; the message says what was found and what was wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class Thm:
    """`hypotheses |- conclusion`, the rule that made it, and from what."""

    hypotheses: tuple[Premise, ...]
    conclusion: Formula
    rule: str
    sentence: str
    parents: tuple[Thm, ...] = ()
    some: tuple[z3.FuncDeclRef, ...] = ()
    question: str = ""
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        if key is not _KEY:
            raise Refused("a theorem is made by a rule of the kernel, not by hand")


def _made(
    rule: str,
    sentence: str,
    hypotheses: Iterable[Premise],
    conclusion: Formula,
    parents: Sequence[Thm],
    some: tuple[z3.FuncDeclRef, ...] = (),
    question: str = "",
) -> Thm:
    return Thm(_distinct(hypotheses), conclusion, rule, sentence, tuple(parents), some, question, _KEY)


def _distinct(premises: Iterable[Premise]) -> tuple[Premise, ...]:
    """Each formula once. (z3 keeps equal terms once, under one number.)"""
    return tuple({p.formula.get_id(): p for p in premises}.values())


def _among(formula: Formula, premises: Iterable[Premise]) -> bool:
    return any(formula.eq(p.formula) for p in premises)


def _need(condition: bool, reason: str) -> None:
    if not condition:
        raise Refused(reason)


def _same(found: Formula, wanted: Formula, what: str) -> None:
    if not found.eq(wanted):
        raise Refused(f"{what}: found {_short(found)}, wanted {_short(wanted)}")


def _short(formula: Formula) -> str:
    text = " ".join(str(formula).split())
    return text if len(text) < 160 else text[:150] + "..."


def _plain(*theorems: Thm) -> None:
    for t in theorems:
        _need(isinstance(t, Thm), "this is no theorem")
        _need(not t.some, f"'{t.sentence}' says that something can be chosen; it stands at the top")


def _closed_terms(*terms: z3.ExprRef) -> None:
    """A variable that no quantifier binds would be bound by the next one that comes."""
    for term in terms:
        _need(not unbound(term), f"a variable stands free in {_short(term)}")


def _without(premises: Iterable[Premise], *formulas: Formula) -> tuple[Premise, ...]:
    return tuple(p for p in premises if not any(p.formula.eq(f) for f in formulas))


def _free_of(constants: Iterable[z3.FuncDeclRef], premises: Iterable[Premise], what: str) -> None:
    wanted = set(constants)
    for p in premises:
        found = wanted & symbols(p.formula)
        _need(not found, f"{what}: the hypothesis '{p.name}' speaks of {', '.join(map(str, found))}")


def solved(decide: Decide, premises: Sequence[Premise], lemmas: Sequence[Thm], claim: Formula, sentence: str) -> Thm:
    """Premises, lemmas and the negated claim cannot hold together: both solvers say so."""
    _plain(*lemmas)
    known = [*(p.formula for p in premises), *(t.conclusion for t in lemmas)]
    shown = decide([*known, z3.Not(claim)])
    _need(bool(shown), f"not shown by both solvers: {sentence}")
    hypotheses = (*premises, *(h for t in lemmas for h in t.hypotheses))
    return _made("solvers", sentence, hypotheses, claim, lemmas, question=str(shown))


def given(premise: Premise) -> Thm:
    """A |- A."""
    _closed_terms(premise.formula)
    return _made("hypothesis", premise.sentence, (premise,), premise.formula, ())


def use(theorem: Thm, *lemmas: Thm) -> Thm:
    """A hypothesis that is, formula for formula, the conclusion of a lemma is replaced by the lemma's hypotheses."""
    _plain(theorem, *lemmas)
    for t in lemmas:
        _need(_among(t.conclusion, theorem.hypotheses), f"'{theorem.sentence}' does not assume '{t.sentence}'")
    left = _without(theorem.hypotheses, *(t.conclusion for t in lemmas))
    hypotheses = (*left, *(h for t in lemmas for h in t.hypotheses))
    return _made("lemma", theorem.sentence, hypotheses, theorem.conclusion, (theorem, *lemmas))


def discharge(theorem: Thm, formulas: Sequence[Formula]) -> Thm:
    """From H, A |- C follows H |- A implies C."""
    _plain(theorem)
    if not formulas:
        return theorem
    _closed_terms(*formulas)
    conclusion = z3.Implies(_all(*formulas), theorem.conclusion)
    return _made("discharge", theorem.sentence, _without(theorem.hypotheses, *formulas), conclusion, (theorem,))


def assume(theorem: Thm, name: str) -> Thm:
    """From H |- A implies C follows H, A |- C."""
    _plain(theorem)
    _need(z3.is_implies(theorem.conclusion), f"'{theorem.sentence}' is no implication")
    condition, claim = theorem.conclusion.children()
    case = Premise(name, name, condition, Role.CASE)
    return _made("assume", theorem.sentence, (*theorem.hypotheses, case), claim, (theorem,))


def specialise(theorem: Thm, *terms: z3.ExprRef) -> Thm:
    """What holds of everything holds of these."""
    _plain(theorem)
    formula = theorem.conclusion
    _need(z3.is_quantifier(formula) and formula.is_forall(), f"'{theorem.sentence}' is not about everything")
    _need([formula.var_sort(k) for k in range(formula.num_vars())] == [t.sort() for t in terms], "other sorts")
    _closed_terms(*terms)
    conclusion = z3.substitute_vars(formula.body(), *reversed(terms))
    return _made("specialise", theorem.sentence, theorem.hypotheses, conclusion, (theorem,))


def instance(theorem: Thm, meaning: Mapping[z3.FuncDeclRef, Meaning], sentence: str = "") -> Thm:
    """A theorem holds whatever its symbols stand for, so also where they stand for these terms."""
    _plain(theorem)
    _arbitrary(*meaning)
    meaning = {symbol: evaluated(symbol, means) for symbol, means in meaning.items()}
    hypotheses = (Premise(p.name, p.sentence, interpret(p.formula, meaning), p.role) for p in theorem.hypotheses)
    conclusion = interpret(theorem.conclusion, meaning)
    return _made("instance", sentence or theorem.sentence, hypotheses, conclusion, (theorem,))


def generalise(theorem: Thm, *constants: z3.ExprRef) -> Thm:
    """What holds of a constant of which nothing is assumed holds of everything."""
    _plain(theorem)
    _arbitrary(*(c.decl() for c in constants))
    _free_of((c.decl() for c in constants), theorem.hypotheses, "generalise")
    conclusion = _closed(theorem.conclusion, constants)
    return _made("generalise", theorem.sentence, theorem.hypotheses, conclusion, (theorem,))


def _closed(formula: Formula, constants: Sequence[z3.ExprRef]) -> Formula:
    sorts = [c.sort() for c in constants]
    return for_all(*sorts, lambda *x: z3.substitute(formula, *zip(constants, x, strict=True)))


def at_all_instants(formula: Formula, t: z3.ArithRef) -> Formula:
    return for_all(INT, lambda u: z3.Implies(u >= 0, z3.substitute(formula, (t, u))))


def induction(base: Thm, step: Thm, t: z3.ArithRef, claim: Formula, sentence: str) -> Thm:
    """What holds of 0, and of t + 1 whenever it holds of a t >= 0 of which nothing else is assumed, holds of all."""
    _plain(base, step)
    _arbitrary(t.decl())
    _same(base.conclusion, z3.substitute(claim, (t, z3.IntVal(0))), "induction, base")
    _same(step.conclusion, z3.substitute(claim, (t, t + 1)), "induction, step")
    rest = _without(step.hypotheses, claim, t >= 0)
    _free_of([t.decl()], (*rest, *base.hypotheses), "induction")
    return _made("induction", sentence, (*base.hypotheses, *rest), at_all_instants(claim, t), (base, step))


def descent(bounded: Thm, step: Thm, x: z3.ExprRef, measure: z3.ArithRef, claim: Formula, sentence: str) -> Thm:
    """If what holds of all whose measure, a natural number, is smaller than that of x holds of x, it holds of all."""
    _plain(bounded, step)
    _arbitrary(x.decl())
    _need(measure.sort() == INT, f"descent: {measure.sort()} is no sort of whole numbers")
    _same(bounded.conclusion, _closed(measure >= 0, [x]), "descent, the measure is bounded below")
    _same(step.conclusion, claim, "descent, step")
    rest = _without(step.hypotheses, smaller(x, measure, claim))
    _free_of([x.decl()], rest, "descent")
    return _made("descent", sentence, (*bounded.hypotheses, *rest), _closed(claim, [x]), (bounded, step))


def smaller(x: z3.ExprRef, measure: z3.ArithRef, claim: Formula) -> Formula:
    """The hypothesis of a descent: the claim, of all that is strictly smaller."""
    return for_all(
        x.sort(), lambda y: z3.Implies(z3.substitute(measure, (x, y)) < measure, z3.substitute(claim, (x, y)))
    )


_FINITELY = "finitely many "


def _arbitrary(*symbols: z3.FuncDeclRef) -> None:
    """They may stand for anything: not what is of logic or arithmetic, nor that a set is finite (see `maximum`)."""
    for s in symbols:
        free = s.kind() == z3.Z3_OP_UNINTERPRETED and not str(s).startswith(_FINITELY)
        _need(free, f"'{s}' has a meaning of its own")


def finitely_many(sort: z3.SortRef) -> Premise:
    """The one assumption about the size of a set; what it means is the rule `maximum`."""
    name = f"{_FINITELY}{str(sort).lower()}s"
    return Premise(name, f"there are {name}", constant(f"{_FINITELY}{sort}s", z3.BoolSort()))


def maximum(sort: z3.SortRef, number: Meaning, sentence: str) -> Thm:
    """Finitely many numbers, one for each element of a finite set, have a natural number that none exceeds."""
    bounded = exists(INT, lambda b: z3.And(b >= 0, for_all(sort, lambda x: number(x) <= b)))
    return _made("maximum", sentence, (finitely_many(sort),), bounded, ())


def choose(
    there_is: Thm, theorem: Thm, chosen: z3.FuncDeclRef, x: z3.ExprRef, y: z3.ExprRef, relation: Formula, sentence: str
) -> Thm:
    """Where for every x there is a y, a function that is mentioned nowhere else may be taken to give one."""
    _plain(there_is)
    _arbitrary(chosen)
    _same(there_is.conclusion, _closed(exists(y.sort(), lambda v: z3.substitute(relation, (y, v))), [x]), "choose")
    picked = for_all(x.sort(), lambda u: z3.substitute(relation, (x, u), (y, chosen(u))))
    _need(chosen not in symbols(relation), f"choose: {chosen} occurs in what it is chosen by")
    return _defined("choice", theorem, chosen, picked, there_is.hypotheses, (theorem, there_is), sentence)


def recursion(
    theorem: Thm, defined: z3.FuncDeclRef, base: z3.ExprRef, t: z3.ArithRef, value: z3.ExprRef, sentence: str
) -> Thm:
    """A function on the natural numbers may be defined by its value at 0 and, from that at t, its value at t + 1."""
    _arbitrary(defined, t.decl())
    definition = recursive(defined, base, t, value)
    inside = symbols(z3.substitute(value, (defined(t), z3.FreshConst(defined.range())))) | symbols(base)
    _need(defined not in inside, f"recursion: {defined} is defined by more of itself than its value before")
    return _defined("recursion", theorem, defined, definition, (), (theorem,), sentence)


def recursive(defined: Meaning, base: z3.ExprRef, t: z3.ArithRef, value: z3.ExprRef) -> Formula:
    """The two equations of a definition by recursion; `value`, over t and defined(t), is that at t + 1."""
    return z3.And(defined(z3.IntVal(0)) == base, at_all_instants(defined(t + 1) == value, t))


def _defined(
    rule: str,
    theorem: Thm,
    symbol: z3.FuncDeclRef,
    definition: Formula,
    more: Iterable[Premise],
    parents: Sequence[Thm],
    sentence: str,
) -> Thm:
    """The definition of a symbol that no other hypothesis mentions is no hypothesis."""
    _need(_among(definition, theorem.hypotheses), f"{rule}: '{theorem.sentence}' does not assume the definition")
    left = (*_without(theorem.hypotheses, definition), *more)
    _free_of([symbol], left, rule)
    some = (symbol,) if symbol in symbols(theorem.conclusion) else ()
    return _made(rule, sentence, left, theorem.conclusion, parents, (*some, *theorem.some))


@dataclass(frozen=True, slots=True)
class Dynamics:
    """How a run goes on: the symbols of a state and of a step, of the state after it, and of a run at an instant.

    `timed[s]` is `s` with the instant as first argument; `after[s]` is the state's next value, over state and step.
    """

    state: tuple[z3.FuncDeclRef, ...]
    later: tuple[z3.FuncDeclRef, ...]
    step: tuple[z3.FuncDeclRef, ...]
    after: tuple[Meaning, ...]

    def __post_init__(self) -> None:
        _arbitrary(*self.state, *self.later, *self.step)
        after = (evaluated(s, means) for s, means in zip(self.state, self.after, strict=False))
        object.__setattr__(self, "after", tuple(after))
        timed = {self.timed(s) for s in (*self.state, *self.step)}
        distinct = {*self.state, *self.later, *self.step, *timed}
        _need(len(distinct) == 3 * len(self.state) + 2 * len(self.step), "a run's symbols are not all different")

    def timed(self, symbol: z3.FuncDeclRef) -> z3.FuncDeclRef:
        sorts = [symbol.domain(k) for k in range(symbol.arity())]
        timed: z3.FuncDeclRef = function(f"{str(symbol).removesuffix('0')}@", INT, *sorts, symbol.range())
        return timed

    def at(self, t: z3.ArithRef) -> dict[z3.FuncDeclRef, Meaning]:
        """State and step, at instant t of the run; and the state after, at t + 1."""
        now = {s: self._at(s, t) for s in (*self.state, *self.step)}
        return now | {s1: self._at(s, t + 1) for s, s1 in zip(self.state, self.later, strict=True)}

    def _at(self, symbol: z3.FuncDeclRef, t: z3.ArithRef) -> Meaning:
        return lambda *x: self.timed(symbol)(t, *x)

    def written_out(self, formula: Formula) -> Formula:
        """The state after the step replaced by what it is."""
        return interpret(formula, dict(zip(self.later, self.after, strict=True)))

    def goes_on(self, mentioned: Set[z3.FuncDeclRef]) -> list[Premise]:
        """Hypotheses on a run: these parts of a state (as in `later`) are at t + 1 what the step at t makes them."""
        return [
            _always(
                Premise(f"run: {str(s).removesuffix('0')}", "the run goes on as its steps say", equal, Role.DEFINITION),
                self,
            )
            for s, s1, after in zip(self.state, self.later, self.after, strict=True)
            if s1 in mentioned
            for equal in [_equal(s1, after)]
        ]


def _equal(symbol: z3.FuncDeclRef, meaning: Meaning) -> Formula:
    sorts = [symbol.domain(k) for k in range(symbol.arity())]
    return for_all(*sorts, lambda *x: symbol(*x) == meaning(*x)) if sorts else symbol() == meaning()


def _always(p: Premise, run: Dynamics) -> Premise:
    """The premise, of every instant of the run; as it is, where it does not speak of state or step."""
    if not symbols(p.formula) & {*run.state, *run.step, *run.later}:
        return p
    return replace(p, formula=_at_all(p.formula, run.state, run.later, run.step))


@lru_cache(maxsize=4096)
def _at_all(
    formula: Formula,
    state: tuple[z3.FuncDeclRef, ...],
    later: tuple[z3.FuncDeclRef, ...],
    step: tuple[z3.FuncDeclRef, ...],
) -> Formula:
    t = z3.FreshInt("t")
    return at_all_instants(interpret(formula, Dynamics(state, later, step, ()).at(t)), t)


def every_instant(theorem: Thm, run: Dynamics, claim: Formula, sentence: str = "") -> Thm:
    """What holds of any state, step and state after holds at every instant of a run whose hypotheses hold at every one.

    `claim` speaks of the state after by its own symbols; the theorem, of what the step makes of the state.
    """
    _plain(theorem)
    _same(theorem.conclusion, run.written_out(claim), "every instant")
    _free_of(run.later, theorem.hypotheses, "every instant")
    hypotheses = [*(_always(h, run) for h in theorem.hypotheses), *run.goes_on(symbols(claim))]
    conclusion = _always(Premise("", "", claim), run).formula
    return _made("every instant", sentence or theorem.sentence, hypotheses, conclusion, (theorem,))


def over_run(run: Dynamics, invariants: Sequence[Premise], bases: Sequence[Thm], steps: Sequence[Thm]) -> list[Thm]:
    """What holds at first, and what each step keeps, given exactly these invariants before it, holds always."""
    _plain(*bases, *steps)
    _need(len(invariants) == len(bases) == len(steps), "induction over the run: a base and a step for each invariant")
    formulas = [p.formula for p in invariants]
    hypotheses, assumed, mentioned = list[Premise](), list[Premise](), set[z3.FuncDeclRef]()
    for p, base, step in zip(invariants, bases, steps, strict=True):
        later = interpret(
            p.formula, {s: (lambda *x, s1=s1: s1(*x)) for s, s1 in zip(run.state, run.later, strict=True)}
        )
        _free_of((*run.step, *run.later), (p, *base.hypotheses), f"induction over the run, {p.name}")
        _same(base.conclusion, p.formula, f"induction over the run, base of '{p.name}'")
        _same(step.conclusion, run.written_out(later), f"induction over the run, step of '{p.name}'")
        _free_of(run.later, step.hypotheses, f"induction over the run, step of '{p.name}'")
        first = run.at(z3.IntVal(0))
        hypotheses += [Premise(h.name, h.sentence, interpret(h.formula, first), h.role) for h in base.hypotheses]
        assumed += _without(step.hypotheses, *formulas)
        mentioned |= symbols(later)
    hypotheses += [*(_always(h, run) for h in _distinct(assumed)), *run.goes_on(mentioned)]
    parents = (*bases, *steps)
    return [
        _made("induction over the run", f"always: {p.sentence}", hypotheses, _always(p, run).formula, parents)
        for p in invariants
    ]
