"""Theorem 22: every run can be rearranged by finitely many exchanges, so that all white actions come first.

Runs are elements of a sort; `word(r, i)` is whether the i-th action of run r is red, and `exchanged(r, k)` is the run
in which actions k and k + 1 have changed places. Let `goal` be anything that may be said of a run. If it holds of every
run whose white actions come first, and holds of a run whenever it holds of one that comes from it by the exchange of a
red action and the white one that follows it, then it holds of all runs: by descent of the number of inversions, a
natural number that each exchange lowers by one (theorem 3), and as long as it is not zero there is something to
exchange.

`colours`: the word of the exchanged run is that of the two steps of theorem 2, exchanged.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not

from proofs import kernel, t02_exchange
from proofs.claims import Obligation, Theorem
from proofs.deriving import Derivation, only
from proofs.kernel import Thm
from proofs.language import BOOL, INT, Formula, Meaning, constant, for_all, function, interpret
from proofs.premises import Premise, Role
from proofs.t01_commute import Exchange
from proofs.t03_inversions import before, counted, counting, j, k, later, n, no_exchange, red, red_later, swapped
from proofs.t03_inversions import whites_first as first_white

RUN = z3.DeclareSort("Run")
_r = constant("r", RUN)
word = function("word", RUN, INT, BOOL)
exchanged = function("exchanged", RUN, INT, RUN)
goal = function("goal", RUN, BOOL)
_reds, _inversions = (function(f"{name} of", RUN, INT, INT) for name in ("reds", "inversions"))


def _of_run(r: z3.ExprRef) -> dict[z3.FuncDeclRef, Meaning]:
    """What theorem 3 speaks of, for a run and what it becomes when places k and k + 1 are exchanged."""
    other = exchanged(r, k)
    return {
        red: lambda i: word(r, i),
        before.reds: lambda i: _reds(r, i),
        before.inversions: lambda i: _inversions(r, i),
        later.reds: lambda i: _reds(other, i),
        later.inversions: lambda i: _inversions(other, i),
    }


def _definitions() -> list[Premise]:
    """Counting, in every run; and what an exchange is."""
    counting = [for_all(RUN, lambda r, p=p: interpret(p.formula, _of_run(r))) for p in before.recursion()]

    def swap(r: z3.ExprRef, i: z3.ArithRef, at: z3.ArithRef) -> Formula:
        return Implies(And(i >= 0, at >= 0), word(exchanged(r, at), i) == word(r, z3.substitute(swapped(i), (k, at))))

    return [
        *(Premise("counting", "red actions and inversions, of every run", f, Role.DEFINITION) for f in counting),
        Premise("exchanged", "two places of the run, exchanged", for_all(RUN, INT, INT, swap), Role.DEFINITION),
    ]


_WHITES_FIRST = Premise(
    "whites first",
    "the goal holds of a run whose white actions come first",
    for_all(RUN, lambda r: Implies(first_white(lambda i: word(r, i), n), goal(r))),
)


def _backwards(r: z3.ExprRef, at: z3.ArithRef) -> Formula:
    exchange = And(at >= 0, at + 2 <= n, word(r, at), Not(word(r, at + 1)))
    return Implies(And(exchange, goal(exchanged(r, at))), goal(r))


_EXCHANGES = Premise(
    "exchanges",
    "the goal holds of a run if it holds of what the exchange of a red action and the next, a white one, makes of it",
    for_all(RUN, INT, _backwards),
)


def _conclude(d: Derivation) -> list[Thm]:
    decide, meaning, definitions = d.decide, _of_run(_r), _definitions()
    defined = [kernel.specialise(kernel.given(p), _r) for p in definitions[:-1]]
    other = [kernel.specialise(kernel.given(p), exchanged(_r, k)) for p in definitions[:-1]]
    swap = kernel.specialise(kernel.given(definitions[-1]), _r, j, k)
    swap = kernel.generalise(swap, j)
    here = kernel.given(Premise("k is a place in the run", "k is a place in the run", k >= 0, Role.CASE))
    changed = [
        kernel.solved(decide, (), (*other, swap, here), interpret(p.formula, meaning), "after an exchange")
        for p in later.recursion()
    ]
    numbers, found = [*defined, *changed], counted(d)

    def of_run(theorem: Thm) -> Thm:
        theorem = kernel.instance(theorem, meaning)
        return kernel.use(theorem, *(t for t in numbers if any(t.conclusion.eq(h.formula) for h in theorem.hypotheses)))

    def at_n(theorem: Thm) -> Thm:
        return kernel.specialise(of_run(theorem), n)

    measure, natural = _inversions(_r, n), at_n(found.natural)
    some = Premise("n", "n actions", n >= 0, Role.CASE)
    bounded = kernel.solved(decide, (some,), (natural,), measure >= 0, "inversions are a natural number")
    one_less = kernel.discharge(at_n(found.behind), [k >= 0, And(k >= 0, word(_r, k), Not(word(_r, k + 1)))])
    one_less = kernel.generalise(one_less, k)
    none = interpret(for_all(INT, lambda i: Implies(i < n, no_exchange(i))), meaning)
    ordered = kernel.discharge(at_n(found.ordered), [none])
    smaller = Premise(
        "smaller", "of runs with fewer inversions", kernel.smaller(_r, measure, goal(_r)), Role.HYPOTHESIS
    )
    lemmas = [one_less, ordered, at_n(found.whites_first)]
    back = kernel.specialise(kernel.given(_EXCHANGES), _r, k)
    step = kernel.solved(
        decide,
        (some, smaller),
        (*lemmas, kernel.generalise(back, k), kernel.specialise(kernel.given(_WHITES_FIRST), _r)),
        goal(_r),
        "one exchange less",
    )
    what = "finitely many exchanges put all white actions first"
    top = kernel.descent(kernel.generalise(bounded, _r), step, _r, measure, goal(_r), what)
    return [only(top, n >= 0), _word(d)]


def _word(d: Derivation) -> Thm:
    """Theorem 2's steps have the colours of theorem 3's word, before the exchange and after it."""
    x = Exchange()
    at_two = And(red(k) == x.first.is_red(x.start), red(k + 1) == x.second.is_red(x.middle))
    steps = Premise("the two steps", "the steps at places k and k + 1 are those of theorem 2", at_two, Role.CASE)

    def after(i: z3.ArithRef) -> Formula:
        return z3.If(i == k, x.second.is_red(x.start), z3.If(i == k + 1, x.first.is_red(x.other), red(i)))

    claim = for_all(INT, lambda i: after(i) == red_later(i))
    colours = d.shown("colours kept")
    case = [kernel.given(h) for h in colours.hypotheses if h.role is Role.CASE]
    what = "the word of the exchanged run is the word, exchanged"
    return kernel.solved(d.decide, (steps,), (colours, *case), claim, what)


def _colours_kept() -> Obligation:
    (found,) = (o for o in t02_exchange.theorem().obligations if o.name == "colours kept")
    return found


def theorem() -> Theorem:
    return Theorem(
        number=22,
        name="exchanges",
        title="every run can be rearranged by finitely many exchanges, so that all white actions come first",
        source="EWD864a, the number of inversions decreases",
        argument="descent of the number of inversions",
        parts=(_colours_kept(), *counting()),
        conclude=_conclude,
        uses=("exchange", "inversions"),
        composed=True,
    )
