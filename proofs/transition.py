"""One step of an algorithm from an arbitrary state, and the obligations of a proof by induction over a run.

An invariant is proved in two kinds of obligations: it holds in S0, and every step keeps it. That every state of every
run then has it is the induction, which the reader does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from proofs.claims import Obligation, Premise, Reader
from proofs.computation import Protocol, State, Step, after, initial, step
from proofs.language import CHANNEL, Formula, Scope, exists, for_all
from proofs.marker_invariants import formula, premises, sentence
from proofs.reading import read_steps

Assumed = Callable[[State, Step], tuple[Premise, ...]]


@dataclass(frozen=True, slots=True)
class Transition:
    """A step `step` of `protocol` from `before` to `later`, under the named assumptions."""

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
        return Transition(protocol, q, e, after(q, e, protocol), tuple(p for p in premises if p.name not in but))

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
        return Obligation(
            name=name,
            sentence=sentence,
            premises=(*given, *self.premises),
            claim=claim,
            read=self.reader(scope),
            interesting=tuple(interesting),
            bounds=(short(self.before, scope),),
            scope=scope,
            headline=headline,
        )

    def reader(self, scope: Scope) -> Reader:
        def read(model: object) -> str:
            return read_steps(
                model, scope, [("before", self.before), ("after", self.later)], [("step", self.before, self.step)]
            )

        return read

    def busy(self) -> tuple[Formula, ...]:
        """The step accepts and sends messages: what a witness should show where nothing else is asked."""
        return (
            exists(CHANNEL, lambda c: self.step.accepts(c)),
            exists(CHANNEL, lambda c: self.step.sends(c)),
        )


def short(q: State, scope: Scope) -> Formula:
    """Few items were sent on each channel."""
    return for_all(CHANNEL, lambda c: q.sent(c) <= scope.positions)


def base(wanted: Iterable[str], prefix: str = "") -> list[Obligation]:
    """Each of these invariants holds in S0."""
    q, scope = State.any("0"), Scope()

    def read(model: object) -> str:
        return read_steps(model, scope, [("S0", q)], [])

    return [
        Obligation(
            name=f"{prefix}S0: {name}",
            sentence=f"at first, {sentence(name)}",
            premises=(initial(q),),
            claim=formula(name, q),
            read=read,
            interesting=(exists(CHANNEL, lambda c: q.sent(c) > 0),),
            bounds=(short(q, scope),),
        )
        for name in wanted
    ]


def preserved(t: Transition, wanted: Iterable[str], known: tuple[Premise, ...], prefix: str = "") -> list[Obligation]:
    """Each of these invariants is kept by the step, given what is known of the state before."""
    return [
        t.obligation(f"{prefix}step: {name}", f"a step keeps: {sentence(name)}", formula(name, t.later), known, t.busy())
        for name in wanted
    ]


def inductive(t: Transition, wanted: tuple[str, ...], known: tuple[Premise, ...] = ()) -> list[Obligation]:
    """The invariants hold in S0 and together, with what else is known by the same induction, are kept by every step."""
    return [*base(wanted), *preserved(t, wanted, (*known, *premises(t.before, wanted)))]
