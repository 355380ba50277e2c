"""Invariants found: clauses that hold of all states explored, and of them those that are kept and wanted.

The claims are proved first, from all candidates; then each candidate that a proof used, and so on. One that is not kept
by every step is dropped, and what rested on it is proved again (Houdini, from the claims backwards). What is left at
the end is proved anew, by both solvers and the kernel; here z3 alone is asked, and asked quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import z3
from z3 import And, Implies, Not

from proofs.assumptions import accepts_no_red
from proofs.clauses import Atom, Clause, formula, shortest, text
from proofs.computation import State
from proofs.evaluating import World, functions
from proofs.instances import world
from proofs.language import CHANNEL, INT, MACHINE, Formula, constant, for_all
from proofs.lifting import Lifted
from proofs.marker_invariants import facts as named
from proofs.observing import Observed
from proofs.premises import Fact, Premise
from proofs.projections import exact
from proofs.transition import Transition
from proofs.vocabulary import CHANNELS, PAIRS, POSITIONS

QUICK = 1500
"""Milliseconds for one question."""

_Q, _C, _I, _J = State.any("0"), constant("c_", CHANNEL), constant("i_", INT), constant("j_", INT)


# -- candidates --------------------------------------------------------------------------------------------------------


def candidates(runs: Sequence[Observed], tags: bool) -> list[Fact]:
    """The shortest clauses that hold of every channel, position and pair of positions in the states explored."""
    positions = tuple(a for a in POSITIONS if tags or a.name != "i is tagged")
    shapes = ((CHANNELS, 0, 3), (positions, 1, 4), (PAIRS, 2, 3))
    seen: list[set[int]] = [set(), set(), set()]
    terms = [functions([((_C, _I, _J)[: 1 + n], a.of(_Q, _C, _I, _J)) for a in atoms]) for atoms, n, _ in shapes]
    for given, length in _channels(runs):
        made = [make(given) for make in terms]
        seen[0].add(_bits(made[0], 0))
        seen[1] |= {_bits(made[1], 0, i) for i in range(length)}
        seen[2] |= {_bits(made[2], 0, i, j) for j in range(length) for i in range(j)}
    found = [
        _fact(atoms, clause, n)
        for (atoms, n, most), own in zip(shapes, seen, strict=True)
        for clause in shortest(atoms, own, most, partial(_about, atoms, n))
    ]
    return [*_inside(), *found]


def _about(atoms: Sequence[Atom], positions: int, clause: Clause) -> bool:
    """Whether the clause speaks of all its positions: others are of another shape."""
    words = " ".join(atoms[k].name for k, _ in clause).split()
    return {"i", "j"} & set(words) == set("ij"[:positions])


def _channels(runs: Sequence[Observed]) -> Iterable[tuple[World, int]]:
    """Each channel that was met, with the colours of its ends, once, and how many positions it has."""
    known = set[object]()
    for run in runs:
        ends = run.system.channels
        for q in run.states:
            for (a, b), channel in zip(ends, q.channels, strict=True):
                key = (a == b, q.machines[a].red, q.machines[b].red, channel)
                if key not in known:
                    known.add(key)
                    own = Lifted((q.machines[a], q.machines[b]), (channel,))
                    yield world(_Pair(a == b), own, None, 3), len(channel.items)  # type: ignore[arg-type]


class _Pair:
    """Two machines and the channel between them."""

    def __init__(self, one: bool) -> None:
        self.channels = ((0, 0 if one else 1),)
        self.topology = self
        self.machines = 2


def _bits(made: Sequence[Callable[..., bool]], *subject: int) -> int:
    found = 0
    for k, value in enumerate(made):
        found |= bool(value(*subject)) << k
    return found


def _inside() -> list[Fact]:
    """That only what was put can have left, been accepted or recorded: what clauses about used positions leave open."""

    def used(of: str) -> Callable[[State], Formula]:
        return lambda q: for_all(CHANNEL, INT, lambda c, i: Implies(getattr(q, of)(c, i), q.within(c, i)))

    return [
        *named(("positions",)),
        Fact("accepted white was sent", "only what was put was accepted by a white action", used("early")),
        Fact("recorded was sent", "only what was put is recorded", used("recorded")),
    ]


def _fact(atoms: Sequence[Atom], clause: Clause, positions: int) -> Fact:
    said = text(atoms, clause)

    def of(q: State) -> Formula:
        if positions == 0:
            return for_all(CHANNEL, lambda c: formula(atoms, clause, q, c))
        if positions == 1:
            return for_all(CHANNEL, INT, lambda c, i: Implies(q.within(c, i), formula(atoms, clause, q, c, i)))
        return for_all(
            CHANNEL,
            INT,
            INT,
            lambda c, i, j: Implies(And(q.within(c, i), q.within(c, j), i < j), formula(atoms, clause, q, c, i, j)),
        )

    where = ("", "", "i ahead of j: ")[positions]
    return Fact(where + said, f"of every channel c: {where}{said}", of)


# -- claims and induction ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Found:
    """The invariants that give the claims, and which premises of a step were used; or the claim that none gives."""

    facts: list[Fact] = field(default_factory=list)
    premises: set[str] = field(default_factory=set)
    missing: str | None = None
    dropped: list[Fact] = field(default_factory=list)
    questions: int = 0


CONDITION = "no red message is accepted in a white action"
EXACT = "what is recorded of a complete snapshot is what was sent white and not accepted white"


class Finding:
    """The search for invariants of one theory; `done` says when its snapshot is complete."""

    def __init__(self, t: Transition, start: Sequence[Premise], done: Formula, proposed: Sequence[Fact]) -> None:
        self.t, self.run, self.done = t, t.run, done
        self.alive = {fact.name: fact for fact in proposed}
        self.questions = 0
        self._known = {name: fact.of(t.before) for name, fact in self.alive.items()}
        self._start = start
        self._premises = {p.name: self.run.written_out(p.formula) for p in t.premises}

    def _uses(self, claim: Formula, steps: bool, *more: Formula) -> frozenset[str] | None:
        """The labels of what a proof of the claim used; None if there is none, or none soon."""
        self.questions += 1
        solver = z3.SimpleSolver()
        solver.set(timeout=QUICK)
        solver.set("smt.mbqi", False)
        solver.set("smt.core.minimize", True)
        for name, said in self._premises.items() if steps else ():
            solver.assert_and_track(said, f"premise: {name}")
        for name in self.alive:
            solver.assert_and_track(self._known[name], f"fact: {name}")
        solver.add(Not(claim), *more)
        if solver.check() != z3.unsat:
            return None
        return frozenset(str(label).strip("|") for label in solver.unsat_core())

    def look(self) -> Found:
        """The invariants that the claims need, or the claim that fails."""
        goals = self._goals()
        support: dict[str, frozenset[str]] = {}
        dropped: list[Fact] = []
        while True:
            for name, asked in goals.items():
                if name not in support:
                    used = asked()
                    if used is None:
                        return Found(missing=name, dropped=dropped, questions=self.questions)
                    support[name] = used
            needed = {label[6:] for used in support.values() for label in used if label.startswith("fact: ")}
            wanted = next((fact for n, fact in self.alive.items() if n in needed and n not in support), None)
            if wanted is None:
                break
            kept = self._uses(self._later(wanted), True) if self._at_first(wanted) else None
            if kept is not None:
                support[wanted.name] = kept
                continue
            del self.alive[wanted.name]
            dropped.append(wanted)
            support = {n: used for n, used in support.items() if f"fact: {wanted.name}" not in used}
        # What an invariant rests on that nothing needs any more is left out.
        facts, waiting = dict[str, Fact](), list(goals)
        premises = set[str]()
        while waiting:
            for label in sorted(support[waiting.pop()]):
                if label.startswith("premise: "):
                    premises.add(label[9:])
                elif label[6:] not in facts:
                    facts[label[6:]] = self.alive[label[6:]]
                    waiting.append(label[6:])
        return Found(list(facts.values()), premises, None, dropped, self.questions)

    def with_fewer_rules(self, found: Found, rules: Sequence[str]) -> Found:
        """The same invariants from as few rules, and then as few assumptions, as will do: each is tried without."""
        self.alive = {fact.name: fact for fact in found.facts}
        for name in [n for n in self._premises if n not in found.premises]:
            del self._premises[name]
        support = {fact.name: self._uses(self._later(fact), True) for fact in found.facts}
        support |= {name: asked() for name, asked in self._goals().items()}
        order = sorted(found.premises, key=lambda name: (name not in rules, -len(name), name))
        for name in order:
            said = self._premises.pop(name)
            again = [n for n, used in support.items() if used is None or f"premise: {name}" in used]
            changed = dict[str, frozenset[str] | None]()
            for n in again:
                goal = self._goals().get(n)
                changed[n] = goal() if goal is not None else self._uses(self._later(self.alive[n]), True)
                if changed[n] is None:
                    break
            if None in changed.values():
                self._premises[name] = said
            else:
                support |= changed
        found.premises = set(self._premises)
        found.questions = self.questions
        return found

    def _goals(self) -> dict[str, Callable[[], frozenset[str] | None]]:
        q, e = self.t.before, self.t.step
        return {
            CONDITION: lambda: self._uses(accepts_no_red(q, e), True),
            EXACT: lambda: self._uses(And(for_all(MACHINE, q.red), exact(q)), False, self.done),
        }

    def _later(self, fact: Fact) -> Formula:
        return self.run.written_out(fact.of(self.t.later))

    def _at_first(self, fact: Fact) -> bool:
        """At first it holds."""
        solver = z3.SimpleSolver()
        solver.set(timeout=QUICK)
        solver.add(*(p.formula for p in self._start), Not(fact.of(self.t.before)))
        self.questions += 1
        return bool(solver.check() == z3.unsat)
