"""Completion without markers: every machine turns red, and the white messages arrive, in whatever order.

Assumed are that each machine turns red in the end (Lai & Yang: at its own convenience; the observer: when its request
is accepted) and *weak fairness of messages*: one that stays in its channel is accepted in the end. Nothing is said of
the order: without FIFO it is not enough that something is accepted from each channel. Steps of the proof:

1. A red machine sends no white message, so those of a channel were all sent by the instant at which its source is red.
2. Each of them leaves the channel in the end, so there is an instant at which all have: by induction over positions.
3. Machines and channels are finitely many, so there is an instant at which all are red and no white message waits.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not

from proofs import kernel
from proofs.claims import Parts
from proofs.computation import marker, source, white_message
from proofs.deriving import by_induction
from proofs.kernel import Thm
from proofs.language import CHANNEL, INT, MACHINE, Formula, constant, exists, for_all, function
from proofs.premises import Premise
from proofs.progress import Lasting, Progress, lasting
from proofs.t04_white import arrived
from proofs.transition import Transition, state_at, step_at

_t, _u, _d, _i, _start = (constant(name, INT) for name in ("t", "u", "d", "i", "start"))
_c, _m = constant("c", CHANNEL), constant("m", MACHINE)


def obligations(t: Transition) -> Parts:
    """What is for ever, that what is accepted leaves its channel, and that the red send nothing white."""
    q, e, later = t.before, t.step, t.later

    def is_new(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return And(i >= q.sent(c), i < later.sent(c), white_message(c, i))

    return (
        *lasting(t),
        t.obligation(
            "accepted is gone",
            "what is accepted leaves its channel",
            for_all(CHANNEL, INT, lambda c, i: Implies(And(e.takes(c), e.at(c) == i), later.gone(c, i))),
            interesting=t.busy(),
        ),
        t.obligation(
            "the red send red",
            "no white message is put on a channel whose source is red",
            for_all(CHANNEL, INT, lambda c, i: Implies(q.red(source(c)), Not(is_new(c, i)))),
            interesting=t.busy(),
        ),
    )


class Arrival(Progress):
    """The steps of the proof, for one algorithm that colours messages."""

    def theorem(self) -> Thm:
        all_turn = kernel.given(
            Premise(
                "every machine records",
                "each machine turns red in the end: at its own convenience, or on request",
                for_all(MACHINE, self.turns),
            )
        )
        empty = self._emptied(all_turn)
        each = kernel.generalise(self._show(exists(INT, lambda t: self.empty(_c, t)), empty, what="it empties"), _c)
        claim = Implies(And(_t >= 0, _u >= _t, self.empty(_c, _t)), self.empty(_c, _u))
        ever = kernel.generalise(self._show(claim, what="what is empty stays so"), _t, _u, _c)
        emptying = Lasting(_c, self.empty, each, ever, function("empty at", CHANNEL, INT))
        return self.at_once(lambda t: arrived(state_at(self.run, t)), self.turning(all_turn), emptying)

    def empty(self, c: z3.ExprRef, t: z3.ArithRef) -> Formula:
        """From t on no white message is in the channel."""
        never = for_all(INT, INT, lambda u, i: Implies(u >= t, Not(state_at(self.run, u).holds_white(c, i))))
        return And(t >= 0, never)

    def fairness(self) -> Premise:
        def fair(t: z3.ArithRef, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
            stays = for_all(INT, lambda u: Implies(u >= t, state_at(self.run, u).holds(c, i)))
            taken = exists(INT, lambda u: And(u >= t, step_at(self.run, u).takes(c), step_at(self.run, u).at(c) == i))
            return Implies(And(t >= 0, Not(marker(c, i)), stays), taken)

        sentence = "a message that stays in its channel from some instant on is accepted later"
        return Premise("weakly fair messages", sentence, for_all(INT, CHANNEL, INT, fair))

    def _leaves(self) -> Thm:
        """A message that was put on a channel by t has left it at some later instant."""
        now, then = state_at(self.run, _t), state_at(self.run, _u)
        never = for_all(INT, lambda v: Implies(v >= _t, Not(state_at(self.run, v).gone(_c, _i))))
        since = (_t >= 0, now.within(_c, _i), Not(marker(_c, _i)))
        grown = self._later(self.sent, _t, _u, _c)
        inside = self._show(then.holds(_c, _i), grown, given=(*since, never, _u >= _t), what="it is still there")
        inside = kernel.generalise(kernel.discharge(inside, [_u >= _t]), _u)
        taken = kernel.generalise(self._at("accepted is gone", _u, _c, _i), _u)
        fair = kernel.specialise(kernel.given(self.fairness()), _t, _c, _i)
        once = self._show(Not(never), inside, taken, fair, given=(*since, never), what="it leaves in the end")
        once = kernel.discharge(once, [never])
        left = exists(INT, lambda v: And(v >= _t, state_at(self.run, v).gone(_c, _i)))
        shown = self._show(left, once, given=since, what="a message leaves its channel")
        return kernel.discharge(shown, since)

    def _all_leave(self) -> Thm:
        """All messages put on a channel by `start` have left it at some later instant."""
        run = self.run

        def all_gone(u: z3.ArithRef, i: z3.ArithRef) -> Formula:
            return for_all(INT, lambda j: Implies(And(j >= 0, j < i, Not(marker(_c, j))), state_at(run, u).gone(_c, j)))

        def reached(i: z3.ArithRef) -> Formula:
            return exists(INT, lambda v: And(v >= _start, all_gone(v, i)))

        kept = self.lasts_gone()
        leaves = kernel.generalise(self._leaves(), _t)
        grown = kernel.generalise(kernel.specialise(kernel.specialise(self.sent, _start, _c), _u - _start), _u)
        claim = Implies(And(_start >= 0, _i <= state_at(run, _start).sent(_c)), reached(_i))
        shown = by_induction(self.decide, claim, _i, [], [leaves, kept, grown], "messages leave their channel")
        return kernel.generalise(shown, _start, _c)

    def lasts_gone(self) -> Thm:
        """What has left a channel by t has left it by u."""
        before, after = state_at(self.run, _t).gone(_c, _i), state_at(self.run, _u).gone(_c, _i)
        claim = Implies(And(_t >= 0, _u >= _t, before), after)
        by_then = self._show(claim, self._later(self.gone, _t, _u, _c, _i), what="gone by then")
        return kernel.generalise(by_then, _t, _u, _i)

    def _emptied(self, all_turn: Thm) -> Thm:
        """A channel is empty of white messages from some instant on."""
        run, turned = self.run, state_at(self.run, _t)
        red, red_on = turned.red(source(_c)), kernel.specialise(kernel.specialise(self.red, _t, source(_c)), _d)
        after = Implies(
            And(_t >= 0, red, white_message(_c, _i), state_at(run, _t + _d).within(_c, _i)), _i < turned.sent(_c)
        )
        sends_red = self._at("the red send red", _t + _d, _c, _i)
        sent_by = by_induction(self.decide, after, _d, [], [sends_red, red_on], "the white ones were sent by then")
        sent_by = kernel.generalise(kernel.specialise(sent_by, _u - _t), _u, _i)
        gone = kernel.specialise(kernel.specialise(self._all_leave(), _t, _c), turned.sent(_c))
        positions = self._at_invariant("positions", _t)
        flushed = self._show(
            Implies(And(_t >= 0, red), exists(INT, lambda v: self.empty(_c, v))),
            gone,
            self.lasts_gone(),
            sent_by,
            positions,
            what="once its source is red, a channel empties",
        )
        return self._show(
            exists(INT, lambda v: self.empty(_c, v)),
            kernel.generalise(flushed, _t),
            kernel.specialise(all_turn, source(_c)),
            what="each channel empties",
        )
