"""From what solvers have shown to the theorem, by the kernel's rules: inductions first, then what follows from them.

An obligation speaks of any one state and step. Where the invariants it is given hold always, by induction over the
run, it holds at every instant of every run from S0 (`every instant`), and where it speaks of S0, of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from proofs import kernel
from proofs.claims import Induction, Obligation, Theorem
from proofs.kernel import Refused, Thm
from proofs.language import BOOL, Formula, both, constant, exists, for_all, function
from proofs.premises import Premise, Role
from proofs.results import Tree


def derive(theorem: Theorem, shown: Mapping[str, Thm], decide: kernel.Decide) -> list[Thm]:
    """The theorems that the obligations give; `Refused` where a rule does not apply, or something is left to show."""
    d = Derivation(theorem, shown, decide)
    d.lift()
    found = list(theorem.conclude(d)) if theorem.conclude is not None else [*d.always, *d.lifted.values()]
    for t in found:
        left = [h.name for h in t.hypotheses if h.role in (Role.LEMMA, Role.HYPOTHESIS)]
        if left:
            raise Refused(f"'{t.sentence}' rests on what was not shown: {', '.join(left)}")
    return found


def only(theorem: Thm, *conditions: Formula) -> Thm:
    """The theorem; `Refused` if it is conditional on anything but these and its assumptions."""
    for h in theorem.hypotheses:
        if h.role not in (Role.ASSUMPTION, Role.DEFINITION) and not any(h.formula.eq(c) for c in conditions):
            raise Refused(f"'{theorem.sentence}' is conditional on more than is said: {h.name}")
    return theorem


def tree(top: Thm) -> Tree:
    """All that a theorem rests on, each rule after what it is applied to."""
    nodes = order([top])
    numbers = {id(t): k for k, t in enumerate(nodes, start=1)}
    assumes = dict.fromkeys(h.name for h in top.hypotheses if h.role is Role.ASSUMPTION)
    listed = ((numbers[id(t)], t.rule, t.sentence, tuple(numbers[id(p)] for p in t.parents)) for t in nodes)
    return Tree(top.sentence, tuple(assumes), tuple(listed))


def order(tops: Sequence[Thm]) -> list[Thm]:
    """These theorems and all that they rest on, each once, after what it rests on."""
    found: dict[int, Thm] = {}

    def visit(t: Thm) -> None:
        if id(t) not in found:
            for parent in t.parents:
                visit(parent)
            found[id(t)] = t

    for top in tops:
        visit(top)
    return list(found.values())


def by_induction(
    decide: kernel.Decide, claim: Formula, t: z3.ArithRef, base: Sequence[Thm], step: Sequence[Thm], what: str
) -> Thm:
    """The claim for all t >= 0, by induction; from what is needed at the base and in the step."""
    so_far = [Premise("so far", f"the same of {t}", f, Role.HYPOTHESIS) for f in (t >= 0, claim)]
    first = kernel.solved(decide, (), base, z3.substitute(claim, (t, z3.IntVal(0))), f"{what}: base")
    then = kernel.solved(decide, so_far, step, z3.substitute(claim, (t, t + 1)), f"{what}: step")
    return kernel.induction(first, then, t, claim, what)


def together(decide: kernel.Decide, theorems: Sequence[Thm], what: str) -> Thm:
    """All of them at once."""
    names = [constant(f"part {k}", BOOL) for k in range(len(theorems))]
    given = [Premise("a part", what, p, Role.CASE) for p in names]
    rule = kernel.solved(decide, given, (), both(*names), what)
    parts = {p.decl(): (lambda t=t: t.conclusion) for p, t in zip(names, theorems, strict=True)}
    return kernel.use(kernel.instance(rule, parts), *theorems)


def from_some(decide: kernel.Decide, there_is: Thm, x: z3.ExprRef, such: Formula, theorem: Thm) -> Thm:
    """There is an x such as `there_is` says; what holds of each such x, whichever it is, holds of some."""
    first, second = (function(name, x.sort(), BOOL) for name in ("such", "so"))
    given = (exists(x.sort(), first), for_all(x.sort(), lambda y: z3.Implies(first(y), second(y))))
    cases = [Premise("some", "some", f, Role.CASE) for f in given]
    rule = kernel.solved(decide, cases, (), exists(x.sort(), second), theorem.sentence)
    meaning = {p: (lambda y, f=f: z3.substitute(f, (x, y))) for p, f in ((first, such), (second, theorem.conclusion))}
    return kernel.use(kernel.instance(rule, meaning), there_is, kernel.generalise(kernel.discharge(theorem, [such]), x))


def by_definition(decide: kernel.Decide, theorem: Thm, definitions: Sequence[Premise]) -> Thm:
    """The theorem, where it unfolds definitions by recursion at some places: these follow from the definitions."""
    unfolded = [h.formula for h in theorem.hypotheses if h.role is Role.DEFINITION]
    found = [kernel.solved(decide, definitions, (), f, "the definition, unfolded") for f in unfolded]
    return kernel.use(theorem, *found)


class Derivation:
    """What a theorem's obligations give. `shown`: by the name of the obligation, what both solvers have shown of it."""

    def __init__(self, theorem: Theorem, shown: Mapping[str, Thm], decide: kernel.Decide) -> None:
        self.theorem, self._shown, self.decide = theorem, shown, decide
        self.always: list[Thm] = []
        """The invariants, of every instant."""
        self.invariants: dict[str, Thm] = {}
        """The same, by name."""
        self.lifted: dict[str, Thm] = {}
        """Every other obligation, by name, of every instant (or of the first)."""

    def shown(self, name: str) -> Thm:
        """The obligation of that name, as the solvers have shown it; `Refused` if there is none."""
        if name not in self._shown:
            raise Refused(f"nothing was shown of '{name}'")
        return self._shown[name]

    def lift(self) -> None:
        """Each induction, and each obligation besides that is about a run, of every instant."""
        for part in self.theorem.parts:
            if isinstance(part, Induction):
                found = [self.settled(t) for t in self._induction(part)]
                self.always += found
                self.invariants = {p.name: t for p, t in zip(part.facts, found, strict=True)} | self.invariants
        for part in self.theorem.parts:
            if isinstance(part, Obligation):
                self.lifted[part.name] = self.settled(self._lifted(part))

    def _induction(self, part: Induction) -> list[Thm]:
        bases, steps = ([self.shown(o.name) for o in obligations] for obligations in (part.bases, part.steps))
        return kernel.over_run(part.run, part.facts, bases, steps)

    def settled(self, theorem: Thm) -> Thm:
        """Invariants that it assumes are replaced by what they rest on."""
        assumed = {h.formula.get_id() for h in theorem.hypotheses}
        # Where two inductions give the same invariant, the first does.
        lemmas = {t.conclusion.get_id(): t for t in reversed(self.always) if t.conclusion.get_id() in assumed}
        return kernel.use(theorem, *lemmas.values()) if lemmas else theorem

    def _lifted(self, o: Obligation) -> Thm:
        shown = self.shown(o.name)
        if o.run is None:
            return shown
        premises, claim = o.stated or (o.premises, o.claim)
        cases = [k for k, p in enumerate(premises) if p.role is Role.CASE]
        if cases:
            shown = kernel.discharge(shown, [o.premises[k].formula for k in cases])
            claim = z3.Implies(both(*(premises[k].formula for k in cases)), claim)
        if any(p.name.startswith("S0") for p in o.premises):
            return kernel.instance(shown, o.run.at(z3.IntVal(0)))
        return kernel.every_instant(shown, o.run, claim)
