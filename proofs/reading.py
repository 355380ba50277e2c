"""Reading a model: states and steps in the field's words, instead of z3's tables of functions."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from proofs import computation as k
from proofs.language import CHANNEL, MACHINE, Scope

LONGEST = 6
"""Positions shown of one channel at most; scopes keep channels shorter than that."""


class Names:
    """The elements of each sort in a model, under the shortest names: m0, c1, l2, x0."""

    def __init__(self, model: z3.ModelRef, scope: Scope) -> None:
        self.model, self.scope = model, scope
        self._elements: dict[str, dict[str, z3.ExprRef]] = {}

    def value(self, term: z3.ExprRef) -> z3.ExprRef:
        return self.model.eval(term, model_completion=True)

    def true(self, term: z3.ExprRef) -> bool:
        return bool(z3.is_true(self.value(term)))

    def number(self, term: z3.ExprRef) -> int:
        """The integer value of a term."""
        return int(self.value(term).as_long())

    def elements(self, sort: z3.SortRef) -> dict[str, z3.ExprRef]:
        """Name -> value, each value once."""
        known = self._elements.setdefault(str(sort), {})
        if not known:
            for constant in self.scope.elements(sort):
                value = self.value(constant)
                if not any(value.eq(other) for other in known.values()):
                    known[str(constant)] = value
        return known

    def name(self, term: z3.ExprRef) -> str:
        """The name of the element that the term denotes."""
        value = self.value(term)
        for name, element in self.elements(term.sort()).items():
            if element.eq(value):
                return name
        return str(value)


def read_steps(
    model: z3.ModelRef,
    scope: Scope,
    states: Sequence[tuple[str, k.State]],
    steps: Sequence[tuple[str, k.State, k.Step]] = (),
) -> str:
    """States in the order given, each but the last followed by the step that leads from it."""
    names = Names(model, scope)
    lines: list[str] = []
    for index, (title, q) in enumerate(states):
        lines.append(f"{title}:")
        lines += [f"  {line}" for line in _state(names, q)]
        if index < len(steps):
            name, q, e = steps[index]
            lines.append(f"{name}: {_step(names, q, e)}")
    return "\n".join(lines)


def _state(names: Names, q: k.State) -> list[str]:
    machines = "; ".join(_machine(names, q, label, m) for label, m in names.elements(MACHINE).items())
    return [machines, *(_channel(names, q, label, c) for label, c in names.elements(CHANNEL).items())]


def _machine(names: Names, q: k.State, label: str, m: z3.ExprRef) -> str:
    colour = f"red, recorded {names.name(q.recorded_state(m))}" if names.true(q.red(m)) else "white"
    return f"{label} is {colour}, in {names.name(q.local(m))}"


def _channel(names: Names, q: k.State, label: str, c: z3.ExprRef) -> str:
    sent = names.number(q.sent(c))
    items = ", ".join(_item(names, q, c, i) for i in range(min(sent, LONGEST))) or "nothing sent"
    flags = [flag for flag, holds in (("closed", q.closed(c)), ("marked", q.marked(c))) if names.true(holds)]
    ends = f"{names.name(k.source(c))}>{names.name(k.destination(c))}"
    return f"{label} {ends}: {items}" + (f" ({', '.join(flags)})" if flags else "")


def _item(names: Names, q: k.State, c: z3.ExprRef, i: int) -> str:
    colour = "red" if names.true(k.tinted(c, i)) else "white"
    kind = "marker" if names.true(k.marker(c, i)) else f"{colour} {names.name(k.content(c, i))}"
    fate = ""
    if names.true(q.gone(c, i)):
        fate = " accepted white" if names.true(q.early(c, i)) else " gone"
    if names.true(q.recorded(c, i)):
        fate += " recorded"
    return f"[{i}] {kind}{fate}"


def _step(names: Names, q: k.State, e: k.Step) -> str:
    channels = names.elements(CHANNEL).items()
    parts = [f"{names.name(e.machine)} ({'red' if names.true(e.is_red(q)) else 'white'})"]
    if names.true(e.turns):
        parts.append("turns red")
    parts += [f"accepts [{names.number(e.at(c))}] of {label}" for label, c in channels if names.true(e.takes(c))]
    parts += [f"puts a marker on {label}" for label, c in channels if names.true(e.marks(c))]
    if names.true(e.acts):
        parts.append(f"acts {names.name(k.pre(e.action))} -> {names.name(k.post(e.action))}")
        parts += [
            f"sends {names.name(k.puts(e.action, c))} on {label}" for label, c in channels if names.true(e.sends(c))
        ]
    for label, c in channels:
        lost = [
            i for i in range(min(names.number(q.sent(c)), LONGEST)) if names.true(z3.And(e.lost(c, i), q.holds(c, i)))
        ]
        parts += [f"{label} loses [{i}]" for i in lost]
        if names.true(e.copied(c)):
            parts.append(f"{label} duplicates [{names.number(e.copy(c))}]")
    return ", ".join(parts)
