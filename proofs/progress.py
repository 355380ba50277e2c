"""What happens in the end: of finitely many things that each come about and then last, there is an instant of all.

A run is a state at each instant 0, 1, 2, ... (one that ends goes on with steps in which nothing happens). What is red
stays red and what has left a channel has left it: such facts of one step hold for ever, by induction over the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3
from z3 import And, Implies

from proofs import kernel
from proofs.claims import Parts
from proofs.deriving import Derivation, by_induction, from_some
from proofs.kernel import Dynamics, Thm
from proofs.language import CHANNEL, INT, MACHINE, Formula, constant, exists, for_all, function
from proofs.premises import Premise, Role
from proofs.transition import Transition, state_at

_t, _u, _d, _i = (constant(name, INT) for name in ("t", "u", "d", "i"))
_c, _m = constant("c", CHANNEL), constant("m", MACHINE)


def lasting(t: Transition) -> Parts:
    """What is for ever, whatever the algorithm."""
    q, later = t.before, t.later
    return (
        t.obligation("red stays", "who is red stays red", for_all(MACHINE, lambda m: Implies(q.red(m), later.red(m)))),
        t.obligation(
            "gone stays",
            "what has left a channel has left it for ever",
            for_all(CHANNEL, INT, lambda c, i: Implies(q.gone(c, i), later.gone(c, i))),
        ),
        t.obligation("sent grows", "what was sent was sent", for_all(CHANNEL, lambda c: q.sent(c) <= later.sent(c))),
    )


@dataclass(frozen=True, slots=True)
class Lasting:
    """Each x comes to `holds(x, t)` at some t (`each`), and it lasts from then on (`ever`); `chosen` is that t."""

    x: z3.ExprRef
    holds: Callable[..., Formula]
    each: Thm
    ever: Thm
    chosen: z3.FuncDeclRef


class Progress:
    """Of one algorithm; what is taken for granted is in the hypotheses of what comes out."""

    def __init__(self, d: Derivation, run: Dynamics) -> None:
        self.d, self.run, self.decide = d, run, d.decide
        self.gone = self._ever("gone stays", lambda t: state_at(run, t).gone(_c, _i), _c, _i)
        self.red = self._ever("red stays", lambda t: state_at(run, t).red(_m), _m)
        claim = Implies(_t >= 0, state_at(run, _t).sent(_c) <= state_at(run, _t + _d).sent(_c))
        self.sent = self._from_then("sent grows", claim, _c)

    def _ever(self, name: str, holds: Callable[[z3.ArithRef], Formula], *of: z3.ExprRef) -> Thm:
        return self._from_then(name, Implies(And(_t >= 0, holds(_t)), holds(_t + _d)), *of)

    def _from_then(self, name: str, claim: Formula, *of: z3.ExprRef) -> Thm:
        step = kernel.specialise(self.d.lifted[name], _t + _d)
        return kernel.generalise(by_induction(self.decide, claim, _d, [], [step], f"{name} for ever"), _t, *of)

    def _at(self, name: str, u: z3.ArithRef, *of: z3.ExprRef) -> Thm:
        """What holds at every instant, at this one, of these."""
        there = kernel.specialise(kernel.assume(kernel.specialise(self.d.lifted[name], u), "an instant"), *of)
        return kernel.discharge(there, [u >= 0])

    def _later(self, theorem: Thm, t: z3.ArithRef, u: z3.ArithRef, *of: z3.ExprRef) -> Thm:
        """What is for ever, from t to u."""
        return kernel.specialise(kernel.specialise(theorem, t, *of), u - t)

    def _show(self, claim: Formula, *lemmas: Thm, given: tuple[Formula, ...] = (), what: str) -> Thm:
        cases = [Premise(what, what, f, Role.CASE) for f in given]
        return kernel.solved(self.decide, cases, lemmas, claim, what)

    def _at_invariant(self, name: str, t: z3.ArithRef, *of: z3.ExprRef) -> Thm:
        there = kernel.assume(kernel.specialise(self.d.invariants[name], t), "an instant")
        return kernel.discharge(kernel.specialise(there, *of) if of else there, [t >= 0])

    def turns(self, m: z3.ExprRef) -> Formula:
        return exists(INT, lambda t: And(t >= 0, state_at(self.run, t).red(m)))

    def turning(self, all_turn: Thm) -> Lasting:
        """Machines turn red, and stay so."""

        def red(m: z3.ExprRef, t: z3.ArithRef) -> Formula:
            return And(t >= 0, state_at(self.run, t).red(m))

        return Lasting(_m, red, all_turn, self.lasts(_m, red, self.red), function("red at", MACHINE, INT))

    def at_once(self, complete: Callable[[z3.ArithRef], Formula], *parts: Lasting) -> Thm:
        """There is an instant at which all of these hold, and so the snapshot is complete."""
        all_of = [self._together(part) for part in parts]
        claim = exists(INT, lambda t: And(t >= 0, complete(t)))
        return self._show(claim, *all_of, *(part.ever for part in parts), what="the snapshot completes")

    def lasts(self, x: z3.ExprRef, holds: Callable[..., Formula], stays: Thm) -> Thm:
        """What stays, by `stays`, holds at all later instants."""
        claim = Implies(And(_t >= 0, _u >= _t, holds(x, _t)), holds(x, _u))
        return kernel.generalise(self._show(claim, self._later(stays, _t, _u, x), what="for ever"), _t, _u, x)

    def _together(self, part: Lasting) -> Thm:
        """Of finitely many, each in the end and then for ever: so there is an instant at which all are."""
        x, holds, chosen = part.x, part.holds, part.chosen
        picked = for_all(x.sort(), lambda y: holds(y, chosen(y)))
        picks = kernel.given(Premise("chosen", "the instant of each", picked, Role.DEFINITION))
        latest = kernel.maximum(x.sort(), chosen, "there is a latest such instant")
        after_all = And(_u >= 0, for_all(x.sort(), lambda y: chosen(y) <= _u))
        lemmas = [kernel.specialise(part.ever, chosen(x), _u, x), kernel.specialise(picks, x)]
        one = self._show(holds(x, _u), *lemmas, given=(after_all,), what="each is by then")
        shown = from_some(self.decide, latest, _u, after_all, kernel.generalise(one, x))
        return kernel.choose(part.each, shown, chosen, x, _t, holds(x, _t), shown.sentence)
