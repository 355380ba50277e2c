"""Theorem 1: two successive actions of different machines commute unless the second accepts what the first sends.

State: any running state. Steps: two arbitrary steps taken one after the other, each with all it may do at once
(accept and send on many channels, turn red, accept and put markers). Claim: the second can be taken first, then the
first can be taken, and the state reached is the same in every component. Positions do not move in the exchange: a
channel has one source, so what is put on it keeps its place in the sequence sent.

The exchange is right for every order in which channels deliver, and not just for FIFO: whatever was in the channel
ahead of an accepted item is ahead of it in the exchanged run too, and nothing else is (obligations `... same ahead`).
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not

from proofs.assumptions import no_duplication, no_loss, step
from proofs.claims import Obligation, Theorem
from proofs.computation import State, Step, after
from proofs.language import CHANNEL, INT, MACHINE, Formula, Scope, both, exists, for_all
from proofs.premises import Premise, formulas
from proofs.protocols import MAGIC
from proofs.reading import read_steps
from proofs.transition import short


def faultless(q: State, e: Step) -> tuple[Premise, ...]:
    """Channels neither lose nor duplicate."""
    return (*no_loss(q, e), *no_duplication(q, e))


class Exchange:
    """Two steps in the order given and in the other order: `start` -first-> `middle` -second-> `end`, and
    `start` -second-> `other` -first-> `goal`."""

    def __init__(self) -> None:
        self.first, self.second = Step.any("1"), Step.any("2")
        self.start = State.any("0")
        self.middle = after(self.start, self.first, MAGIC)
        self.end = after(self.middle, self.second, MAGIC)
        self.other = after(self.start, self.second, MAGIC)
        self.goal = after(self.other, self.first, MAGIC)

    def taken(self, unneeded: tuple[str, ...] = ()) -> tuple[Premise, ...]:
        """The two steps are taken in the order given; assumptions on them that the theorem can do without left out."""
        premises = (
            *step(self.start, self.first),
            *faultless(self.start, self.first),
            *step(self.middle, self.second),
            *faultless(self.middle, self.second),
        )
        return tuple(premise for premise in premises if premise.name not in unneeded)

    def obligation(
        self, name: str, sentence: str, given: tuple[Premise, ...], claim: Formula, headline: bool = False
    ) -> Obligation:
        scope = Scope()

        def read(model: object) -> str:
            states = [("start", self.start), ("after the first", self.middle), ("after the second", self.end)]
            steps = [("first", self.start, self.first), ("second", self.middle, self.second)]
            return read_steps(model, scope, states, steps)

        return Obligation(
            name=name,
            sentence=sentence,
            premises=given,
            claim=claim,
            read=read,
            interesting=(
                exists(CHANNEL, lambda c: self.first.sends(c)),
                exists(CHANNEL, lambda c: self.second.accepts(c)),
            ),
            bounds=(short(self.start, scope),),
            scope=scope,
            headline=headline,
        )

    def obligations(self, given: tuple[Premise, ...]) -> list[Obligation]:
        """What is to be shown of the other order, whatever the reason for which the two may be exchanged."""
        return [
            self.obligation(
                "second goes first",
                "the second step can be taken first",
                given,
                still(step(self.middle, self.second), step(self.start, self.second)),
                headline=True,
            ),
            self.obligation(
                "first follows",
                "the first step can then be taken",
                given,
                still(step(self.start, self.first), step(self.other, self.first)),
            ),
            self.obligation("same state", "the state reached is the same", given, same(self.end, self.goal)),
            self.obligation(
                "second: same ahead",
                "the second step finds the same items ahead of what it accepts",
                given,
                _same_ahead(self.second, self.middle, self.start),
            ),
            self.obligation(
                "first: same ahead",
                "the first step finds the same items ahead of what it accepts",
                given,
                _same_ahead(self.first, self.start, self.other),
            ),
        ]


def same(q: State, r: State) -> Formula:
    """The two states are equal in every component."""
    return both(
        for_all(
            MACHINE,
            lambda m: And(q.local(m) == r.local(m), q.red(m) == r.red(m), q.recorded_state(m) == r.recorded_state(m)),
        ),
        for_all(
            CHANNEL,
            lambda c: And(q.sent(c) == r.sent(c), q.closed(c) == r.closed(c), q.marked(c) == r.marked(c)),
        ),
        for_all(
            CHANNEL,
            INT,
            lambda c, i: And(
                q.gone(c, i) == r.gone(c, i), q.early(c, i) == r.early(c, i), q.recorded(c, i) == r.recorded(c, i)
            ),
        ),
    )


def _same_ahead(e: Step, q: State, r: State) -> Formula:
    return for_all(CHANNEL, INT, lambda c, j: Implies(And(e.takes(c), j < e.at(c)), q.holds(c, j) == r.holds(c, j)))


def still(possible: tuple[Premise, ...], exchanged: tuple[Premise, ...]) -> Formula:
    """Whatever makes the step possible in the given order makes it possible in the exchanged one.

    One implication for each part, so that an assumption that is dropped from the premises is not asked for either.
    """
    return both(
        *(z3.Implies(p, e) for p, e in zip(formulas(possible), formulas(exchanged), strict=True)),
    )


COLOURLESS = ("colours", "turns once", "faithful channels")
"""What theorem 1 does not need: it is about actions, whatever their colour and whatever becomes of messages."""


def theorem() -> Theorem:
    x = Exchange()
    different = Premise(
        "different machines", "the two steps are of different machines", Not(x.first.machine == x.second.machine)
    )
    unrelated = Premise(
        "nothing handed over",
        "the second step accepts nothing that the first put in a channel",
        for_all(CHANNEL, lambda c: Implies(x.second.takes(c), x.second.at(c) < x.start.sent(c))),
    )
    return Theorem(
        number=1,
        name="commute",
        title="two successive actions of different machines commute unless the second accepts what the first sends",
        source="EWD864a, the exchange of two successive atomic actions",
        argument="direct: the obligations are the theorem",
        parts=tuple(x.obligations((*x.taken(COLOURLESS), different, unrelated))),
    )
