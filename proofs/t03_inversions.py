"""Theorem 3: each exchange removes exactly one inversion.

A run is a sequence of actions 0, 1, 2, ...; `red(j)` is the colour of the j-th. An inversion is a pair i < j with i red
and j white. An exchange swaps actions k (red) and k + 1 (white); by theorem 2 nobody changes colour. The claim is made
twice, because each way says something the other does not:

* by pairs, for runs of any length: swapping is a one-to-one map of the inversions before, except the pair (k, k + 1),
  onto the inversions after;
* by numbers: `reds(j)` counts the red actions before j, `inversions(n)` sums `reds(j)` over the white j < n. Both are
  defined by recursion; `inversions(n)` of the exchanged run is less by exactly one for every n >= k + 2.

With it: the number is never negative; as long as it is positive there is a red action directly followed by a white
one; and when it is zero all white actions precede all red ones. So exactly `inversions(n)` exchanges, made anywhere,
turn a run of n actions into one with all white actions first: Dijkstra's equivalent computation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import z3
from z3 import And, Implies, Not, Or

from proofs import kernel
from proofs.claims import Obligation, Parts, Theorem
from proofs.deriving import Derivation, by_definition, by_induction
from proofs.kernel import Thm
from proofs.language import BOOL, INT, Formula, Scope, both, constant, for_all, function
from proofs.premises import Premise, Role

_Colour = Callable[[z3.ArithRef], Formula]

red = function("red", INT, BOOL)
k = constant("k", INT)
j = constant("j", INT)
n = constant("n", INT)


def swapped(i: z3.ArithRef) -> z3.ArithRef:
    """Where the action at place i of the exchanged run stood before."""
    return z3.If(i == k, k + 1, z3.If(i == k + 1, k, i))


def red_later(i: z3.ArithRef) -> Formula:
    return red(swapped(i))


class Count:
    """`reds` and `inversions` of a run, defined by recursion over the run."""

    def __init__(self, colour: _Colour, tag: str = "") -> None:
        self.colour = colour
        self.reds = function("reds" + tag, INT, INT)
        self.inversions = function("inversions" + tag, INT, INT)

    def definition(self, *places: z3.ArithRef) -> Premise:
        """The recursion, unfolded at these places: where an obligation needs no more, it is given no more."""

        def unfold(i: z3.ArithRef) -> Formula:
            return And(
                self.reds(i + 1) == self.reds(i) + z3.If(self.colour(i), 1, 0),
                self.inversions(i + 1) == self.inversions(i) + z3.If(self.colour(i), 0, self.reds(i)),
            )

        return Premise(
            "counting",
            "reds(j) counts the red actions before j; inversions(n) sums reds(j) over the white j < n",
            both(self.reds(0) == 0, self.inversions(0) == 0, *(Implies(i >= 0, unfold(i)) for i in places)),
            Role.DEFINITION,
        )

    def recursion(self) -> list[Premise]:
        """The recursion, at all places."""
        reds = self.reds(j) + z3.If(self.colour(j), 1, 0)
        inversions = self.inversions(j) + z3.If(self.colour(j), 0, self.reds(j))
        zero = z3.IntVal(0)
        return [
            Premise("counting", "counts red actions", kernel.recursive(self.reds, zero, j, reds), Role.DEFINITION),
            Premise("counting", "sums", kernel.recursive(self.inversions, zero, j, inversions), Role.DEFINITION),
        ]


before, later = Count(red), Count(red_later, "_later")


def _case(name: str, formula: Formula) -> Premise:
    return Premise(name, name, formula, Role.CASE)


def _known(name: str, formula: Formula) -> Premise:
    return Premise(name, name, formula, Role.HYPOTHESIS)


def _obligation(
    name: str, sentence: str, given: tuple[Premise, ...], claim: Formula, headline: bool = False
) -> Obligation:
    def read(model: z3.ModelRef) -> str:
        last = max(model.eval(term, model_completion=True).as_long() for term in (k + 1, j + 1, n, z3.IntVal(1)))
        places = range(min(last, 8) + 1)
        line = " ".join("red" if z3.is_true(model.eval(red(i), model_completion=True)) else "white" for i in places)
        values = ", ".join(f"{term} = {model.eval(term, model_completion=True)}" for term in (k, j, n))
        return f"actions: {line}; {values}"

    bounds = (And(k >= 0, k <= 4), And(j >= 0, j <= 5), And(n >= 0, n <= 6))
    return Obligation(name, sentence, given, claim, read, (), bounds, Scope(), headline)


_exchange = Premise(
    "red then white", "the action exchanged first is red and the other white", And(k >= 0, red(k), Not(red(k + 1)))
)
_place = _case("k is a place in the run", k >= 0)


def _pairs() -> list[Obligation]:
    def inversion(colour: _Colour, i: z3.ArithRef, m: z3.ArithRef) -> Formula:
        return And(i >= 0, i < m, colour(i), Not(colour(m)))

    def other(i: z3.ArithRef, m: z3.ArithRef) -> Formula:
        return And(i >= 0, i < m, Not(And(i == k, m == k + 1)))

    return [
        _obligation(
            "the pair itself",
            "the exchanged pair was an inversion and is none",
            (_place, _exchange),
            And(inversion(red, k, k + 1), Not(inversion(red_later, k, k + 1))),
        ),
        _obligation(
            "all other pairs",
            "any other pair keeps its order and is an inversion if and only if it was one before, at its old places",
            (_place, _exchange),
            for_all(
                INT,
                INT,
                lambda i, m: Implies(
                    other(i, m),
                    And(
                        swapped(i) < swapped(m),
                        inversion(red_later, i, m) == inversion(red, swapped(i), swapped(m)),
                    ),
                ),
            ),
        ),
        _obligation(
            "one to one",
            "swapping maps pairs to pairs one to one: swapped twice, each place is itself",
            (_place,),
            for_all(INT, lambda i: swapped(swapped(i)) == i),
        ),
    ]


def alike(i: z3.ArithRef) -> Formula:
    return And(later.reds(i) == before.reds(i), later.inversions(i) == before.inversions(i))


def one_less(i: z3.ArithRef) -> Formula:
    return And(later.reds(i) == before.reds(i), later.inversions(i) == before.inversions(i) - 1)


def never_negative(i: z3.ArithRef) -> Formula:
    return And(before.reds(i) >= 0, before.inversions(i) >= 0)


def ordered(i: z3.ArithRef) -> Formula:
    return And(before.inversions(i) == 0, before.reds(i) >= 0, Implies(before.reds(i) > 0, And(i > 0, red(i - 1))))


def no_exchange(i: z3.ArithRef) -> Formula:
    """No red action stands directly before a white one at place i."""
    return Not(And(i > 0, red(i - 1), Not(red(i))))


def _numbers() -> list[Obligation]:
    given = (before.definition(j, k, k + 1), later.definition(j, k, k + 1), _place, _exchange)

    return [
        _obligation("ahead: base", "nothing is counted before the first action", given, alike(z3.IntVal(0))),
        _obligation(
            "ahead: step",
            "up to place k both runs count alike",
            (*given, _case("ahead of the exchange", And(j >= 0, j < k)), _known("alike so far", alike(j))),
            alike(j + 1),
        ),
        _obligation(
            "across",
            "behind the exchanged pair there is one inversion less, and as many red actions",
            (*given, _known("alike so far", alike(k))),
            one_less(k + 2),
            headline=True,
        ),
        _obligation(
            "behind",
            "and so it stays, however long the run goes on",
            (*given, _case("behind the exchange", j >= k + 2), _known("one less so far", one_less(j))),
            one_less(j + 1),
        ),
    ]


def _ordering() -> list[Obligation]:
    count, here = before.definition(j), _case("j is a place in the run", j >= 0)
    none = _case("no red action directly before a white one", no_exchange(j))
    return [
        _obligation("never negative: base", "both numbers start at zero", (count,), never_negative(z3.IntVal(0))),
        _obligation(
            "never negative: step",
            "neither number falls as the run goes on",
            (count, here, _known("so far", never_negative(j))),
            And(
                never_negative(j + 1),
                before.reds(j + 1) >= before.reds(j),
                before.inversions(j + 1) >= before.inversions(j),
            ),
        ),
        _obligation("something to exchange: base", "an empty run has no inversion", (count,), ordered(z3.IntVal(0))),
        _obligation(
            "something to exchange: step",
            "a run in which no red action directly precedes a white one has no inversion",
            (count, here, none, _known("so far", ordered(j))),
            ordered(j + 1),
        ),
        _obligation(
            "none left",
            "with no inversion, no red action precedes a white one: one more white action means no red one so far",
            (
                count,
                here,
                _known("never negative", never_negative(j)),
                _case("no inversion up to j + 1", before.inversions(j + 1) == 0),
            ),
            And(before.inversions(j) == 0, Or(red(j), before.reds(j) == 0)),
        ),
        _obligation(
            "no red so far",
            "where the count of red actions is zero, none was red",
            (
                count,
                here,
                _known("never negative", never_negative(j)),
                _case("no red up to j + 1", before.reds(j + 1) == 0),
            ),
            And(before.reds(j) == 0, Not(red(j))),
        ),
    ]


@dataclass(frozen=True, slots=True)
class Counted:
    """What is shown of the numbers, of a word of which the first n colours count."""

    behind: Thm
    """An exchange at place k removes one inversion: of all j >= k + 2."""
    natural: Thm
    """Neither number is negative."""
    ordered: Thm
    """Where there is nothing to exchange among the first n, there is no inversion among them."""
    whites_first: Thm
    """Where there is no inversion, all white actions precede all red ones."""


def counted(d: Derivation) -> Counted:
    """The obligations about one place, joined by induction over places."""
    decide, one = d.decide, before.recursion()
    both_of = [*one, *later.recursion()]
    shown = {o.name: by_definition(decide, d.shown(o.name), both_of) for o in _numbers()}
    shown |= {o.name: by_definition(decide, d.shown(o.name), one) for o in _ordering()}

    def rule(name: str) -> Thm:
        """The obligation as an implication: cases and hypotheses imply the claim."""
        conditions = [h.formula for h in shown[name].hypotheses if h.role in (Role.CASE, Role.HYPOTHESIS)]
        return kernel.discharge(shown[name], conditions)

    def each(claim: Formula, base: Sequence[Thm], step: Sequence[Thm], what: str) -> Thm:
        return by_induction(decide, claim, j, base, step, what)

    place = kernel.given(_place)
    ahead = each(
        Implies(j <= k, alike(j)), [rule("ahead: base"), place], [rule("ahead: step"), place], "ahead, both count alike"
    )
    after = [rule("across"), rule("behind"), kernel.specialise(ahead, k), place]
    behind = each(Implies(j >= k + 2, one_less(j)), [place], after, "an exchange removes one inversion")
    natural = each(never_negative(j), [rule("never negative: base")], [rule("never negative: step")], "never negative")
    steps = [rule("something to exchange: step"), kernel.specialise(kernel.given(NOTHING_TO_EXCHANGE), j)]
    what = "with none to exchange, no inversion"
    ordered_ = each(Implies(j <= n, ordered(j)), [rule("something to exchange: base")], steps, what)
    no_red = Implies(before.reds(j) == 0, for_all(INT, lambda i: Implies(And(i >= 0, i < j), Not(red(i)))))
    here = kernel.specialise(natural, j)
    none_red = each(no_red, [], [rule("no red so far"), here], "where the count of red actions is zero, none was red")
    sorted_ = Implies(before.inversions(j) == 0, whites_first(red, j))
    left = [rule("none left"), here, kernel.specialise(none_red, j)]
    first = each(sorted_, [], left, "with no inversion, all white actions precede all red ones")
    return Counted(behind, natural, ordered_, first)


def whites_first(colour: _Colour, end: z3.ArithRef) -> Formula:
    """Among the first `end` actions, none after a red one is white."""
    return for_all(INT, INT, lambda i, m: Implies(And(i >= 0, i < m, m < end, colour(i)), colour(m)))


NOTHING_TO_EXCHANGE = _case(
    "no red action directly before a white one", for_all(INT, lambda i: Implies(i < n, no_exchange(i)))
)


def _conclude(d: Derivation) -> list[Thm]:
    found = counted(d)
    return [*(d.shown(o.name) for o in _pairs()), found.behind, found.natural, found.ordered, found.whites_first]


def counting() -> Parts:
    """The obligations about numbers."""
    return (*_numbers(), *_ordering())


def theorem() -> Theorem:
    return Theorem(
        number=3,
        name="inversions",
        title="each exchange removes exactly one inversion",
        source="EWD864a, the number of inversions",
        argument=(
            "by pairs: direct. By numbers: induction over places, `ahead` from 0 to k, `across` from k to k + 2, "
            "`behind` from there on; the last six by induction over places too. That exchanges come to an end, with "
            "all white actions first, is theorem 22"
        ),
        parts=(*_pairs(), *counting()),
        conclude=_conclude,
        uses=("exchange",),
    )
