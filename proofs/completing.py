"""Completion, from weak fairness: what is put in a channel is accepted in the end, and so the snapshot completes.

A run is a state at each instant 0, 1, 2, ... (one that ends goes on with steps in which nothing happens). *Weak
fairness of channels*: where a channel is never empty from some instant on, nor blocked behind its barrier, something
is accepted from it at some later instant. That includes that the program accepts what comes. Steps of the proof:

1. All that was put on a channel by some instant has left it at some later one, or the channel is closed by then: by
   induction over the positions, since what is accepted is the oldest there, or a marker. (`flushed`)
2. So a channel on which a marker was put is closed in the end (`closing`), since a marker that has left closes it.
3. Machines turn red one after the other, by descent of a measure that is a natural number. (`every_machine`)
4. With finitely many machines and channels there is an instant at which all are red and closed: the latest of theirs,
   for red and closed are for ever. (`at_once`)
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not, Or

from proofs import kernel
from proofs.claims import Parts
from proofs.computation import destination, source
from proofs.deriving import Derivation, by_induction, from_some
from proofs.kernel import Dynamics, Thm
from proofs.language import CHANNEL, INT, MACHINE, Formula, constant, exists, for_all, function
from proofs.premises import Premise, Role
from proofs.progress import Lasting, Progress, lasting
from proofs.protocols import Into
from proofs.transition import Transition, state_at, step_at

_t, _u, _d, _i = (constant(name, INT) for name in ("t", "u", "d", "i"))
_c, _m = constant("c", CHANNEL), constant("m", MACHINE)


def obligations(t: Transition) -> Parts:
    """What is for ever, and that the oldest item of a channel is accepted first, or a marker."""
    q, e, later = t.before, t.step, t.later

    def first(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        older = for_all(INT, lambda j: Implies(And(j >= 0, j < i), q.gone(c, j)))
        return Implies(And(e.takes(c), q.holds(c, i), older), Or(later.gone(c, i), later.closed(c)))

    return (
        t.obligation(
            "the oldest first",
            "what is accepted from a channel is its oldest item, or the marker that closes it",
            for_all(CHANNEL, INT, first),
            interesting=t.busy(),
        ),
        t.obligation(
            "closed stays",
            "a closed channel stays so",
            for_all(CHANNEL, lambda c: Implies(q.closed(c), later.closed(c))),
        ),
        *lasting(t),
    )


class Completion(Progress):
    """The steps of the proof, for one algorithm with markers."""

    def __init__(self, d: Derivation, run: Dynamics) -> None:
        super().__init__(d, run)
        self.closed = self._ever("closed stays", lambda t: state_at(run, t).closed(_c), _c)

    def waiting(self, u: z3.ArithRef, c: z3.ExprRef) -> Formula:
        """Something is in the channel, and its destination, if closed, is not waiting for other barriers."""
        q = state_at(self.run, u)
        return And(exists(INT, lambda i: q.holds(c, i)), Or(Not(q.closed(c)), q.red(destination(c))))

    def fairness(self) -> Premise:
        def fair(t: z3.ArithRef, c: z3.ExprRef) -> Formula:
            always = for_all(INT, lambda u: Implies(u >= t, self.waiting(u, c)))
            return Implies(And(t >= 0, always), exists(INT, lambda u: And(u >= t, step_at(self.run, u).takes(c))))

        sentence = "from a channel that stays non-empty and unblocked from some instant on, something is accepted later"
        return Premise("weakly fair channels", sentence, for_all(INT, CHANNEL, fair))

    def flushed(self) -> Thm:
        """What was put on a channel by t has left it at some later instant, or the channel is closed by then."""
        run, decide = self.run, self.decide

        def all_gone(u: z3.ArithRef, i: z3.ArithRef) -> Formula:
            return for_all(INT, lambda j: Implies(And(j >= 0, j < i), state_at(run, u).gone(_c, j)))

        def over(u: z3.ArithRef, i: z3.ArithRef) -> Formula:
            return Or(state_at(run, u).closed(_c), all_gone(u, i))

        at_u = state_at(run, _u)
        since = (_t >= 0, _i >= 0, _i < state_at(run, _t).sent(_c), all_gone(_t, _i))
        never = for_all(
            INT, lambda v: Implies(v >= _t, Not(Or(state_at(run, v).closed(_c), state_at(run, v).gone(_c, _i))))
        )
        kept = kernel.generalise(
            self._show(
                Implies(And(_t >= 0, _u >= _t, state_at(run, _t).gone(_c, _i)), at_u.gone(_c, _i)),
                self._later(self.gone, _t, _u, _c, _i),
                what="gone by then",
            ),
            _i,
        )
        older = self._show(all_gone(_u, _i), kept, given=(*since, _u >= _t), what="all before it are gone")
        inside = self._show(
            at_u.holds(_c, _i),
            self._later(self.sent, _t, _u, _c),
            given=(*since, never, _u >= _t),
            what="it is still there",
        )
        waits = self._show(self.waiting(_u, _c), inside, given=(never, _u >= _t), what="so the channel is not empty")
        waits = kernel.generalise(kernel.discharge(waits, [_u >= _t]), _u)
        oldest = self._at("the oldest first", _u, _c, _i)
        taken = self._show(
            Not(step_at(run, _u).takes(_c)),
            oldest,
            older,
            inside,
            given=(*since, never, _u >= _t),
            what="it is not accepted, so nothing is",
        )
        taken = kernel.generalise(kernel.discharge(taken, [_u >= _t]), _u)
        fair = kernel.specialise(kernel.given(self.fairness()), _t, _c)
        once = self._show(Not(never), waits, taken, fair, given=(*since, never), what="it leaves in the end")
        once = kernel.discharge(once, [never])
        kept_all = kernel.generalise(kernel.discharge(older, [_u >= _t]), _u)
        goal = exists(INT, lambda v: And(v >= _t, over(v, _i + 1)))
        next_ = self._show(goal, once, kept_all, given=since, what="one item more is gone")
        next_ = kernel.generalise(kernel.discharge(next_, since), _t)
        start = constant("start", INT)

        def reached(i: z3.ArithRef) -> Formula:
            return exists(INT, lambda v: And(v >= start, over(v, i)))

        claim = Implies(And(start >= 0, state_at(run, start).sent(_c) >= _i), reached(_i))
        grown = kernel.generalise(
            self._show(
                Implies(And(start >= 0, _u >= start), state_at(run, start).sent(_c) <= at_u.sent(_c)),
                self._later(self.sent, start, _u, _c),
                what="sent by then",
            ),
            _u,
        )
        flushed = by_induction(decide, claim, _i, [], [next_, grown], "what was put on a channel leaves it")
        return kernel.generalise(flushed, start, _c)

    def closing(self) -> Thm:
        """A channel on which a marker was put is closed at some instant from then on."""
        q = state_at(self.run, _t)
        closed = exists(INT, lambda v: And(v >= _t, state_at(self.run, v).closed(_c)))
        at_i = kernel.specialise(kernel.specialise(self.flushed(), _t, _c), q.sent(_c))
        lemmas = [at_i, self._at_invariant("marker on its way", _t, _c), self._at_invariant("positions", _t)]
        left = kernel.generalise(self._at("left means closed", _u, _c, _i), _u, _i)
        claim = Implies(And(_t >= 0, q.marked(_c)), closed)
        return kernel.generalise(self._show(claim, *lemmas, left, what="its marker is accepted"), _t, _c)

    def closes(self, c: z3.ExprRef) -> Formula:
        return exists(INT, lambda t: And(t >= 0, state_at(self.run, t).closed(c)))

    def closes_after(self) -> Thm:
        """If the source of a channel turns red, the channel is closed in the end."""
        at_once = self._at_invariant("marker at once", _t, _c)
        then = kernel.specialise(self.closing(), _t, _c)
        claim = Implies(And(_t >= 0, state_at(self.run, _t).red(source(_c))), self.closes(_c))
        shown = kernel.generalise(self._show(claim, at_once, then, what="its source turns red"), _t)
        claim = Implies(self.turns(source(_c)), self.closes(_c))
        return kernel.generalise(self._show(claim, shown, what="a channel from a red machine is closed"), _c)

    def _all_red_by(self, bounded: Thm, measure: z3.ArithRef, *step: Thm) -> Thm:
        """Every machine turns red: by descent of the measure."""
        smaller = Premise(
            "smaller", "those before turn red", kernel.smaller(_m, measure, self.turns(_m)), Role.HYPOTHESIS
        )
        shown = kernel.solved(
            self.decide, (smaller,), step, self.turns(_m), "a machine turns red if those before it do"
        )
        return kernel.descent(bounded, shown, _m, measure, self.turns(_m), "every machine turns red")

    def by_first_marker(self, closes: Thm) -> Thm:
        """Every machine turns red: it is reachable from an initiator, and turns at its first marker."""
        initiator, rank = function("initiator", MACHINE, z3.BoolSort()), function("rank", MACHINE, INT)

        def nearer(m: z3.ExprRef) -> Formula:
            return exists(CHANNEL, lambda c: And(destination(c) == m, rank(source(c)) < rank(m)))

        reachable = Premise(
            "reachability",
            "there is a path of channels from an initiator to every machine; `rank` is the length of one",
            for_all(MACHINE, lambda m: And(rank(m) >= 0, Or(initiator(m), nearer(m)))),
        )
        start = for_all(MACHINE, lambda m: Implies(initiator(m), self.turns(m)))
        begins = Premise("initiators turn", "each initiator eventually turns red", start)
        claim = Implies(And(_t >= 0, state_at(self.run, _t).closed(_c)), state_at(self.run, _t).red(destination(_c)))
        closed_red = self._show(claim, self._at_invariant("closed by the red", _t, _c), what="only the red close")
        bounded = for_all(MACHINE, lambda m: rank(m) >= 0)
        natural = kernel.solved(self.decide, (reachable,), (), bounded, "a rank is a natural number")
        given = [kernel.given(reachable), kernel.given(begins), closes, kernel.generalise(closed_red, _t, _c)]
        return self._all_red_by(natural, rank(_m), *given)

    def by_last_barrier(self, closes: Thm, into: Into) -> Thm:
        """Every machine turns red: the graph is acyclic, and a machine turns when its last barrier is in."""
        level, chosen = function("level", MACHINE, INT), function("closed at", CHANNEL, INT)
        rises = for_all(CHANNEL, lambda c: Implies(into(c, destination(c)), level(source(c)) < level(destination(c))))
        bounded = for_all(MACHINE, lambda m: level(m) >= 0)
        sentence = "along every channel the level, the length of the longest path from a source, rises"
        acyclic = Premise("acyclic", sentence, And(bounded, rises))
        no_input = for_all(MACHINE, lambda m: Or(exists(CHANNEL, lambda c: into(c, m)), self.turns(m)))
        inject = Premise("sources inject", "each machine without input channels eventually turns red", no_input)
        natural = kernel.solved(self.decide, (acyclic,), (), bounded, "a level is a natural number")
        before = Premise(
            "smaller", "those before turn red", kernel.smaller(_m, level(_m), self.turns(_m)), Role.HYPOTHESIS
        )

        def relation(c: z3.ExprRef, t: z3.ArithRef) -> Formula:
            return And(t >= 0, Implies(into(c, _m), state_at(self.run, t).closed(c)))

        each = for_all(CHANNEL, lambda c: exists(INT, lambda t: relation(c, t)))
        there_is = kernel.solved(
            self.decide, (acyclic, before), (closes,), each, "each input is closed at some instant"
        )
        picked = for_all(CHANNEL, lambda c: relation(c, chosen(c)))
        picks = kernel.given(Premise("closed at", "the instant at which it is closed", picked, Role.DEFINITION))
        latest = kernel.maximum(CHANNEL, chosen, "there is a latest such instant")
        by_then = self._show(
            Implies(And(_t >= 0, _u >= _t, state_at(self.run, _t).closed(_c)), state_at(self.run, _u).closed(_c)),
            self._later(self.closed, _t, _u, _c),
            what="closed by then",
        )
        after_all = And(_u >= 0, for_all(CHANNEL, lambda c: chosen(c) <= _u))
        q, mine = state_at(self.run, _u), into(_c, _m)
        at_c = kernel.specialise(kernel.generalise(by_then, _t), chosen(_c))
        one = self._show(
            Implies(mine, q.closed(_c)), at_c, kernel.specialise(picks, _c), given=(after_all,), what="each is by then"
        )
        all_in = self._at_invariant("all barriers in means red", _u, _c)
        red_then = And(_u >= 0, q.red(_m))
        red = self._show(red_then, kernel.generalise(one, _c), all_in, given=(after_all, mine), what="all barriers in")
        red = from_some(self.decide, latest, _u, after_all, red)
        red = kernel.generalise(kernel.discharge(red, [mine]), _c)
        begins = kernel.specialise(kernel.given(inject), _m)
        shown = self._show(self.turns(_m), red, begins, what="with all barriers in, a machine turns red")
        shown = kernel.choose(there_is, shown, chosen, _c, _t, relation(_c, _t), shown.sentence)
        return kernel.descent(natural, shown, _m, level(_m), self.turns(_m), "every machine turns red")

    def complete_in_the_end(self, all_turn: Thm, closes: Thm) -> Thm:
        """There is an instant at which all machines are red and all channels closed."""

        def closed(c: z3.ExprRef, t: z3.ArithRef) -> Formula:
            return And(t >= 0, state_at(self.run, t).closed(c))

        each = for_all(CHANNEL, self.closes)
        all_close = kernel.solved(self.decide, (), (all_turn, closes), each, "each channel is closed in the end")
        closing = Lasting(
            _c, closed, all_close, self.lasts(_c, closed, self.closed), function("closed at", CHANNEL, INT)
        )

        def complete(t: z3.ArithRef) -> Formula:
            q = state_at(self.run, t)
            return And(for_all(MACHINE, q.red), for_all(CHANNEL, q.closed))

        return self.at_once(complete, self.turning(all_turn), closing)

    def theorem(self, waits_for: Into | None = None) -> Thm:
        """For machines that turn red at their first marker; or when all these channels have brought theirs."""
        closes = self.closes_after()
        turn = self.by_last_barrier(closes, waits_for) if waits_for else self.by_first_marker(closes)
        return self.complete_in_the_end(turn, closes)
