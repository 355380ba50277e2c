"""Theorem 11: the colour piggybacked on every message implies the condition, with no FIFO at all.

The algorithm (`laiyang`; and `observer` as repaired, whose token is the tag): every message carries a tag that tells
whether its sender is red; a white machine that is about to accept a tagged message records its state and turns red
first. Machines may also turn red unprompted (an initiator; the observer's request). There are no markers.

* `condition`: so no red message is accepted in a white action, in whatever order messages are accepted, and whether
  or not they are lost or duplicated: nothing of the kind is assumed.
* A red machine records the untagged messages it accepts; the invariants of theorem 4 hold, so theorems 4 and 5 do.
* Completion needs counting, since no marker says that a channel is empty: the source of a channel counts the white
  messages it sends on it, the destination those it accepts from it. `white_sent(j)` and `white_gone(j)` are these
  numbers among the first j items, defined by recursion. `accepting counts`, `counters: ...`: the machines' counters
  are those numbers. `equal means empty`: where the two are equal, no white message is still in the channel. With all
  machines red, that is the premise of theorem 4, and the collected counters tell when it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import z3
from z3 import And, Implies, Not, Or

from proofs import kernel
from proofs import marker_invariants as inv
from proofs.assumptions import accepts_no_red, initial
from proofs.claims import Obligation, Parts, Theorem
from proofs.computation import Protocol, State, marker, tinted
from proofs.deriving import Derivation, by_definition, by_induction
from proofs.kernel import Thm
from proofs.language import BOOL, CHANNEL, INT, Formula, Scope, both, constant, for_all, number
from proofs.language import function as f
from proofs.premises import Fact, Premise, Role
from proofs.protocols import TAGGED
from proofs.protocols import tags as tag_of
from proofs.runs import Goal, arrived_with_a_message
from proofs.t04_white import faults
from proofs.transition import Transition, inductive

HONEST = Fact(
    "tags are honest",
    "a message that was put is tagged if and only if it is red",
    lambda q: for_all(
        CHANNEL, INT, lambda c, i: Implies(And(q.within(c, i), Not(marker(c, i))), tag_of(c, i) == tinted(c, i))
    ),
)


def untagged(q: State) -> tuple[Premise, ...]:
    nothing = for_all(CHANNEL, INT, lambda c, i: Implies(q.within(c, i), Not(tag_of(c, i))))
    return (initial(q), Premise("S0 is untagged", "at first no message in a channel carries a tag", nothing))


def obligations(protocol: Protocol) -> Parts:
    """The condition, and the invariants of theorem 4, for an algorithm that tags messages."""
    free = Transition.of(protocol, but=("turns once",))
    faultless = Transition.of(protocol, faults, but=("turns once",))
    honest = (HONEST.premise(free.before),)
    return (
        free.obligation(
            "condition",
            "no red message is accepted in a white action",
            accepts_no_red(free.before, free.step),
            honest,
            free.busy(),
            headline=True,
        ),
        inductive(free, (HONEST,), start=untagged),
        inductive(faultless, inv.facts(inv.COLOUR_INVARIANTS), honest),
    )


_j, _place, _sent = (constant(name, INT) for name in ("j", "place", "sent"))


class Counts:
    """Among the first j items of one channel: the white ones, and the white ones that have left it; by recursion."""

    white = f("white", INT, BOOL)
    white_sent = f("white_sent", INT, INT)

    def __init__(self, gone: Callable[[z3.ArithRef], Formula], name: str) -> None:
        self.gone = gone
        self.white_gone = f(name, INT, INT)

    def definition(self, j: z3.ArithRef) -> Premise:
        """The recursion, at the empty sequence and from j to j + 1."""
        more = z3.If(And(self.white(j), self.gone(j)), 1, 0)
        return Premise(
            "counting",
            "white_sent(j), white_gone(j) count, among the first j items, the white ones and those of them that left",
            both(
                self.white_sent(0) == 0,
                self.white_gone(0) == 0,
                Implies(j >= 0, self.white_sent(j + 1) == self.white_sent(j) + z3.If(self.white(j), 1, 0)),
                Implies(j >= 0, self.white_gone(j + 1) == self.white_gone(j) + more),
            ),
            Role.DEFINITION,
        )

    def recursion(self) -> list[Premise]:
        """The recursion, at all items."""
        sent = self.white_sent(_j) + z3.If(self.white(_j), 1, 0)
        gone = self.white_gone(_j) + z3.If(And(self.white(_j), self.gone(_j)), 1, 0)
        zero = z3.IntVal(0)
        return [
            Premise("counting", "white items", kernel.recursive(self.white_sent, zero, _j, sent), Role.DEFINITION),
            Premise("counting", "those gone", kernel.recursive(self.white_gone, zero, _j, gone), Role.DEFINITION),
        ]


_gone = f("gone", INT, BOOL)
_got, _told = constant("got", INT), constant("told", INT)
now = Counts(_gone, "white_gone")
_later = Counts(lambda i: Or(_gone(i), i == _place), "white_gone_later")
_ZERO = z3.IntVal(0)

_accepted = Premise(
    "accepted", "the item at `place`, in the channel, is accepted", And(_place >= 0, Not(_gone(_place))), Role.CASE
)
_natural = Premise("j is a number of items", "j is a number of items", _j >= 0, Role.CASE)


def _count(name: str, sentence: str, given: tuple[Premise, ...], claim: Formula) -> Obligation:
    def read(model: z3.ModelRef) -> str:
        return ", ".join(f"{t} = {model.eval(t, model_completion=True)}" for t in (_j, _place, _sent, _got, _told))

    return Obligation(name, sentence, given, claim, read, (), (_j <= 3, _place <= 3, _sent <= 3), Scope())


def _so_far(formula: Formula) -> Premise:
    return Premise("so far", "the same of j", formula, Role.HYPOTHESIS)


def one_more(i: z3.ArithRef) -> Formula:
    return _later.white_gone(i) == now.white_gone(i) + number(And(_place < i, now.white(_place)))


def all_arrived(i: z3.ArithRef) -> Formula:
    left = for_all(INT, lambda m: Implies(And(m >= 0, m < i, now.white(m)), _gone(m)))
    return And(now.white_gone(i) <= now.white_sent(i), Implies(now.white_gone(i) == now.white_sent(i), left))


def _accepting() -> Parts:
    """Accepting an item raises the count over any j items by one, if the item is white and among them."""
    recursion = (now.definition(_j), _later.definition(_j))
    sentence = "accepting an item raises the number of white items gone by one if the item is white"
    counters = Premise(
        "counters",
        "the destination's counter is white_gone and the source's is white_sent, over all items sent",
        And(_got == now.white_gone(_sent), _told == now.white_sent(_sent)),
        Role.CASE,
    )
    counted = Premise("accepting counts", "the claim of that name, at `sent`", one_more(_sent), Role.LEMMA)
    inside = Premise("place was used", "the accepted item was sent", _place < _sent, Role.CASE)
    fresh = Premise("positions", "what was not sent has not left", And(_sent >= 0, Not(_gone(_sent))), Role.CASE)
    white_next = number(now.white(_sent))
    return (
        _count("accepting counts: base", f"of no items, {sentence}", (*recursion, _accepted), one_more(_ZERO)),
        _count(
            "accepting counts: step",
            sentence,
            (*recursion, _accepted, _natural, _so_far(one_more(_j))),
            one_more(_j + 1),
        ),
        _count(
            "counters: accept",
            "the destination's counter stays right when it accepts",
            (counters, counted, inside, _accepted),
            _got + number(now.white(_place)) == _later.white_gone(_sent),
        ),
        _count(
            "counters: send",
            "both counters stay right when the source sends",
            (counters, fresh, now.definition(_sent)),
            And(_told + white_next == now.white_sent(_sent + 1), _got == now.white_gone(_sent + 1)),
        ),
    )


def equality() -> Parts:
    """Where both counts are equal, no white message is in the channel."""
    recursion = now.definition(_j)
    sentence = "where as many white items have left as were sent, none is left in the channel"
    return (
        _count("equal means empty: base", f"of no items, {sentence}", (recursion,), all_arrived(_ZERO)),
        _count(
            "equal means empty: step", sentence, (recursion, _natural, _so_far(all_arrived(_j))), all_arrived(_j + 1)
        ),
    )


def _each(d: Derivation, name: str, claim: Formula, defined: Sequence[Premise]) -> Thm:
    """The claim of any number of items, from what is shown of none and of one more."""
    base, step = (by_definition(d.decide, d.shown(f"{name}: {part}"), defined) for part in ("base", "step"))
    known = [h.formula for h in step.hypotheses if h.role is Role.HYPOTHESIS or h.formula.eq(_natural.formula)]
    return by_induction(d.decide, claim, _j, [base], [kernel.discharge(step, known)], name)


def equal_means_empty(d: Derivation) -> Thm:
    """Of any number of items at most as many have left as were sent; where as many have, none is in the channel."""
    return _each(d, "equal means empty", all_arrived(_j), now.recursion())


def _conclude(d: Derivation) -> list[Thm]:
    """The invariants at every instant; and the counts, by induction over the number of items."""
    counting = [p for counts in (now, _later) for p in counts.recursion()]
    more, arrived = _each(d, "accepting counts", one_more(_j), counting), equal_means_empty(d)
    counted = kernel.assume(kernel.specialise(more, _sent), "items were sent")
    accept = kernel.use(by_definition(d.decide, d.shown("counters: accept"), counting), counted)
    send = by_definition(d.decide, d.shown("counters: send"), counting)
    return [*d.always, d.lifted["condition"], more, arrived, accept, send]


def theorem() -> Theorem:
    return Theorem(
        number=11,
        name="colour",
        title="the piggybacked colour (`laiyang`, `observer` repaired) implies the condition with no FIFO",
        source="Lai & Yang 1987; EWD864a, first part",
        argument=(
            "induction over the run for `tags are honest` and the invariants of theorem 4; induction over the number "
            "of items for the counts, over the run for the counters"
        ),
        parts=(*obligations(TAGGED), *_accepting(), *equality()),
        conclude=_conclude,
        goals=(
            Goal(
                "a snapshot with a message in a channel",
                "all machines turn red, all white messages arrive, and one of them is recorded",
                TAGGED,
                faults,
                arrived_with_a_message,
            ),
        ),
    )
