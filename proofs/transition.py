"""One step of an algorithm from an arbitrary state, and the obligations of a proof by induction over a run.

An invariant is proved in two kinds of obligations: it holds in S0, and every step keeps it. That every state of every
run then has it is the induction, a rule of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import z3

from proofs.assumptions import initial, step
from proofs.claims import Induction, Obligation
from proofs.computation import Protocol, State, Step, after
from proofs.kernel import Dynamics
from proofs.language import CHANNEL, Formula, Scope, exists, for_all
from proofs.premises import Fact, Premise, Reader
from proofs.protocols import MAGIC
from proofs.reading import read_steps

Assumed = Callable[[State, Step], tuple[Premise, ...]]


@dataclass(frozen=True, slots=True)
class Transition:
    """A step `step` of `protocol` from `before` to `later`, under the named assumptions.

    `later` has symbols of its own, for the kernel; solvers are given what the step makes of `before` in their place.
    """

    protocol: Protocol
    before: State
    step: Step
    later: State
    premises: tuple[Premise, ...]

    @staticmethod
    def of(protocol: Protocol, *assumed: Assumed, but: tuple[str, ...] = ()) -> Transition:
        """The general step: any state, any step that the protocol's rules and the assumptions allow.

        `but` names premises to do without: the theorem is the stronger for it.
        """
        q, e = State.any("0"), Step.any()
        extra = (premise for assumption in assumed for premise in assumption(q, e))
        premises = (*step(q, e), *protocol.rules(q, e), *extra)
        return Transition(protocol, q, e, State.any("1"), tuple(p for p in premises if p.name not in but))

    @property
    def run(self) -> Dynamics:
        """How a run of the algorithm goes on."""
        made = after(self.before, self.step, self.protocol)
        return Dynamics(self.before.symbols(), self.later.symbols(), self.step.symbols(), made.symbols())

    def obligation(
        self,
        name: str,
        sentence: str,
        claim: Formula,
        given: Iterable[Premise] = (),
        interesting: Iterable[Formula] = (),
        headline: bool = False,
        scope: Scope = Scope(),  # noqa: B008  (frozen)
    ) -> Obligation:
        """The step has this property, given what is known of the state before."""
        premises, run = (*given, *self.premises), self.run
        # What does not speak of the state after is left as it is; much of it is common to many obligations.
        return Obligation(
            name=name,
            sentence=sentence,
            premises=tuple(replace(p, formula=run.written_out(p.formula)) for p in premises),
            claim=run.written_out(claim),
            stated=(premises, claim),
            run=run,
            read=self.reader(scope),
            interesting=tuple(interesting),
            bounds=(short(self.before, scope),),
            scope=scope,
            headline=headline,
        )

    def reader(self, scope: Scope) -> Reader:
        made = after(self.before, self.step, self.protocol)

        def read(model: object) -> str:
            return read_steps(
                model, scope, [("before", self.before), ("after", made)], [("step", self.before, self.step)]
            )

        return read

    def busy(self) -> tuple[Formula, ...]:
        """The step accepts and sends messages: what a witness should show where nothing else is asked."""
        return (
            exists(CHANNEL, lambda c: self.step.accepts(c)),
            exists(CHANNEL, lambda c: self.step.sends(c)),
        )


def state_at(run: Dynamics, t: z3.ArithRef) -> State:
    """The state of the run at instant t."""
    at = run.at(t)
    return State(*(at[s] for s in run.state))


def step_at(run: Dynamics, t: z3.ArithRef) -> Step:
    """The step that the run takes at instant t."""
    at = run.at(t)
    return Step(*(at[s] if s.arity() else at[s]() for s in run.step))


def short(q: State, scope: Scope) -> Formula:
    """Few items were sent on each channel."""
    return for_all(CHANNEL, lambda c: q.sent(c) <= scope.positions)


def inductive(
    t: Transition,
    facts: Sequence[Fact],
    known: tuple[Premise, ...] = (),
    prefix: str = "",
    start: Callable[[State], tuple[Premise, ...]] = lambda q: (initial(q),),
    written_out: bool = False,
) -> Induction:
    """The facts hold in S0 and together, with what else is known by the same induction, are kept by every step."""
    hypotheses = (*known, *(fact.premise(t.before) for fact in facts))
    q, scope = State.any("0"), Scope(written_out=written_out)
    return Induction(
        run=t.run,
        facts=tuple(fact.premise(t.before) for fact in facts),
        bases=tuple(
            standing(f"{prefix}S0: {fact.name}", f"at first, {fact.sentence}", q, start(q), fact.of(q))
            for fact in facts
        ),
        steps=tuple(
            t.obligation(
                f"{prefix}step: {fact.name}",
                f"a step keeps: {fact.sentence}",
                fact.of(t.later),
                hypotheses,
                t.busy(),
                scope=scope,
            )
            for fact in facts
        ),
    )


def standing(
    name: str, sentence: str, q: State, given: tuple[Premise, ...], claim: Formula, headline: bool = False
) -> Obligation:
    """An obligation about one state, with no step."""
    scope = Scope()
    return Obligation(
        name=name,
        sentence=sentence,
        premises=given,
        claim=claim,
        read=lambda model: read_steps(model, scope, [("state", q)]),
        interesting=(exists(CHANNEL, lambda c: q.sent(c) > 0),),
        bounds=(short(q, scope),),
        scope=scope,
        headline=headline,
        run=Transition.of(MAGIC).run,
    )
