"""A theory read off from what a protocol was seen to do: a first-order rule for each kind of local transition.

A rule is a clause over what one machine knows of its own step (`vocabulary.STEP`), for all channels; it holds of every
step seen, and no part of it does. What is recorded of the messages accepted is a function of the fewest atoms that tell
what was seen. Rules speak of any machine with any number of channels: that they hold where nothing was seen is assumed,
and printed; `instances` compares them with networks from which they were not read off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import z3
from z3 import And, Not, Or

from proofs.clauses import Atom, Clause, formula, shortest, text
from proofs.computation import Protocol, State, Step
from proofs.evaluating import World, functions
from proofs.instances import world
from proofs.language import CHANNEL, Formula, constant, for_all
from proofs.observing import Observed, Seen
from proofs.premises import Premise
from proofs.vocabulary import GLOBAL, RECORDING, STEP, is_new, is_rule, meaning

LITERALS = 3
"""Of a rule, at most."""

_Q, _E, _C = State.any("0"), Step.any(), constant("c_", CHANNEL)


@dataclass(frozen=True, slots=True)
class ReadOff:
    """The rules with their sentences, and what is recorded; `why_not`: what of the protocol the words cannot say."""

    rules: tuple[Clause, ...] = ()
    records: tuple[tuple[tuple[Atom, bool], ...], ...] = ()
    adds: bool = False
    erases: bool = False
    why_not: str | None = None

    def protocol(self, name: str, only: Sequence[str] | None = None) -> Protocol:
        """The theory of a protocol with these rules, or only those of them that are named."""
        rules = [rule for rule in self.rules if only is None or sentence(rule) in only]

        def records(q: State, e: Step, c: z3.ExprRef) -> Formula:
            ways = [And(*(a.of(q, e, c) if sign else Not(a.of(q, e, c)) for a, sign in way)) for way in self.records]
            return Or(*ways) if ways else z3.BoolVal(False)

        def adds(q: State, e: Step, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
            return overtaken(q, e, c, i) if self.adds else z3.BoolVal(False)

        def erases(q: State, e: Step, c: z3.ExprRef) -> Formula:
            return And(e.hears(c), q.closed(c)) if self.erases else z3.BoolVal(False)

        return Protocol(name, lambda q, e: tuple(_premise(rule, q, e) for rule in rules), records, adds, erases)

    def recorded_when(self) -> str:
        """In words."""
        ways = [" and ".join(a.name if sign else f"not ({a.name})" for a, sign in way) for way in self.records]
        more = [" of what is overtaken by the first marker, all"] if self.adds else []
        more += [" forgotten when a marker comes on a closed channel"] if self.erases else []
        return "; or ".join(ways) + ";".join(more) if ways or more else "never"


def overtaken(q: State, e: Step, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
    """Message i waits in c when the first marker of c is accepted ahead of it."""
    return And(e.hears(c), Not(q.closed(c)), q.holds_message(c, i), i < e.at(c))


def sentence(rule: Clause) -> str:
    return text([atom for _, atom in STEP], rule)


def _premise(rule: Clause, q: State, e: Step) -> Premise:
    atoms = [atom for _, atom in STEP]
    if all(STEP[k][0] == GLOBAL for k, _ in rule):
        said = formula(atoms, rule, q, e, None)
    else:
        said = for_all(CHANNEL, lambda c: formula(atoms, rule, q, e, c))
    return Premise(sentence(rule), sentence(rule), said)


def read_off(runs: Sequence[Observed]) -> ReadOff:
    """The theory of what was seen in these systems."""
    refused = [why for run in runs for why in run.result.why]
    if refused:
        return ReadOff(why_not=refused[0])
    seen = [(step, given) for run in runs for step in (*run.seen, *run.imagined) for given in [_given(run, step)]]
    atoms = [atom for _, atom in STEP]
    of_step = functions([((_C,), atom.of(_Q, _E, _C)) for atom in atoms])
    of_record = functions([((_C,), atom.of(_Q, _E, _C)) for atom in RECORDING])
    valuations, told = set[int](), dict[int, set[bool]]()
    adds, erases, unsaid = False, False, False
    for step, given in seen:
        makes, decides = of_step(given), of_record(given)
        for c in given["Channel"]:
            valuations.add(_bits(makes, c))
            change = _change(step, c)
            if change.accepted is not None:
                told.setdefault(_bits(decides, c), set()).add(change.accepted)
            adds, erases, unsaid = adds or change.adds, erases or change.erases, unsaid or change.unsaid
    if unsaid or any(len(both) > 1 for both in told.values()):
        return ReadOff(why_not="when a message is recorded")
    known = meaning()
    rules = tuple(rule for rule in shortest(atoms, valuations, LITERALS, is_rule) if is_new(rule, known))
    return ReadOff(rules, _deciding({k: v.pop() for k, v in told.items()}), adds, erases)


def _bits(made: Sequence[object], c: int) -> int:
    found = 0
    for k, value in enumerate(made):
        assert callable(value)
        found |= bool(value(c)) << k
    return found


def _given(run: Observed, step: Seen) -> World:
    return world(step.system, step.before, step.step, run.theory.beyond)


@dataclass(frozen=True, slots=True)
class _Change:
    """What a step did to the record of one channel: was the accepted message recorded, was anything else."""

    accepted: bool | None
    adds: bool
    erases: bool
    unsaid: bool


def _change(step: Seen, c: int) -> _Change:
    e = step.step
    before, later = step.before.channels[c], step.later.channels[c]
    accepted = e.at[c] if c in e.at and c not in e.hears else None
    was = [i for i, item in enumerate(before.items) if item.recorded]
    now = [i for i, item in enumerate(later.items) if item.recorded]
    more = [i for i in now if i not in was and i != accepted]
    less = [i for i in was if i not in now]
    first = c in e.hears and not before.closed
    waiting = [i for i, item in enumerate(before.items) if first and i < e.at[c] and not item.gone and not item.marker]
    unsaid = bool(more) and more != waiting
    unsaid |= bool(less) and not (c in e.hears and before.closed and not now)
    told = None if accepted is None or accepted in was else accepted in now
    return _Change(told, bool(more), bool(less), unsaid)


def _deciding(told: dict[int, bool]) -> tuple[tuple[tuple[Atom, bool], ...], ...]:
    """The fewest atoms that tell what is recorded, and their values where it is."""
    for size in range(len(RECORDING) + 1):
        for chosen in combinations(range(len(RECORDING)), size):
            by = dict[tuple[bool, ...], set[bool]]()
            for valuation, value in told.items():
                by.setdefault(tuple(bool(valuation >> k & 1) for k in chosen), set()).add(value)
            if all(len(values) == 1 for values in by.values()):
                yes = [key for key, values in by.items() if True in values]
                return tuple(tuple(zip((RECORDING[k] for k in chosen), key, strict=True)) for key in sorted(yes))
    raise AssertionError("all atoms together tell")
