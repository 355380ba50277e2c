"""The formulas of the invariants, evaluated on finite states, say what z3 says of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import computation, marker_invariants
from proofs.computation import State
from proofs.evaluating import World, evaluate, failing, functions, nested
from proofs.language import BOOL, CHANNEL, INT, MACHINE, for_all, function

NAMES = marker_invariants.names()
WHITE, MARKER, RED = "white", "marker", "red"
f = function("f", INT, BOOL)


@dataclass(frozen=True)
class Item:
    """One item of a channel's sequence sent, and what became of it."""

    kind: str
    gone: bool
    early: bool
    recorded: bool


@dataclass(frozen=True)
class Finite:
    """A state with two machines and one channel, in full."""

    red: tuple[bool, bool]
    ends: tuple[int, int]
    items: tuple[Item, ...]
    marked: bool
    closed: bool

    def world(self) -> World:
        """The same state, for evaluating."""

        def item(i: int) -> Item:
            return self.items[i] if 0 <= i < len(self.items) else Item(WHITE, False, False, False)

        inside = range(len(self.items))
        return {
            "Machine": (0, 1),
            "Channel": (0,),
            "Int": range(-3, len(self.items) + 3),
            "red0": lambda m: self.red[m],
            "source": lambda c: self.ends[0],
            "destination": lambda c: self.ends[1],
            "sent0": lambda c: len(self.items),
            "marked0": lambda c: self.marked,
            "closed0": lambda c: self.closed,
            "marker": lambda c, i: i in inside and item(i).kind == MARKER,
            "tinted": lambda c, i: i in inside and item(i).kind != WHITE,
            "gone0": lambda c, i: item(i).gone,
            "early0": lambda c, i: item(i).early,
            "recorded0": lambda c, i: item(i).recorded,
        }

    def formulas(self, q: State) -> list[z3.BoolRef]:
        """The same state, as a definition of every function."""
        m0, m1, c0 = z3.Const("m0", MACHINE), z3.Const("m1", MACHINE), z3.Const("c0", CHANNEL)
        machines = (m0, m1)

        def at(wanted: list[int]) -> object:
            return lambda c, i: z3.Or([i == place for place in wanted])

        def places(holds: object) -> list[int]:
            assert callable(holds)
            return [place for place, item in enumerate(self.items) if holds(item)]

        tables = [
            (computation.marker, places(lambda item: item.kind == MARKER)),
            (computation.tinted, places(lambda item: item.kind != WHITE)),
            (q.gone, places(lambda item: item.gone)),
            (q.early, places(lambda item: item.early)),
            (q.recorded, places(lambda item: item.recorded)),
        ]
        return [
            m0 != m1,
            for_all(MACHINE, lambda m: z3.Or(m == m0, m == m1)),
            for_all(CHANNEL, lambda c: c == c0),
            *(q.red(m) == flag for m, flag in zip(machines, self.red, strict=True)),
            computation.source(c0) == machines[self.ends[0]],
            computation.destination(c0) == machines[self.ends[1]],
            q.sent(c0) == len(self.items),
            q.marked(c0) == self.marked,
            q.closed(c0) == self.closed,
            *(
                for_all(CHANNEL, INT, lambda c, i, f=function, w=wanted: f(c, i) == at(w)(c, i))  # type: ignore[operator]
                for function, wanted in tables
            ),
        ]


def formulas_failing(state: Finite) -> set[str]:
    """The names whose formula is false of the state; the definitions leave nothing open, so one model tells."""
    # Without preprocessing: that eliminates flags and gives them back as formulas.
    q, solver = State.any("0"), z3.SimpleSolver()
    flags = {name: z3.Bool(f"holds: {name}") for name in NAMES}
    solver.add(*state.formulas(q))
    solver.add(*(flags[fact.name] == fact.of(q) for fact in marker_invariants.facts(NAMES)))
    assert str(solver.check()) == "sat"
    model = solver.model()
    assert all(z3.is_true(model[flag]) or z3.is_false(model[flag]) for flag in flags.values())
    return {name for name, flag in flags.items() if z3.is_false(model[flag])}


def items() -> st.SearchStrategy[Item]:
    """Items that make sense: only what is gone was accepted, and only messages are recorded or accepted white."""

    def sound(item: Item) -> bool:
        return item.gone >= (item.early or item.recorded) and not (
            item.kind == MARKER and (item.early or item.recorded)
        )

    flags = st.booleans()
    return st.builds(Item, st.sampled_from((WHITE, MARKER, RED)), flags, flags, flags).filter(sound)


def states() -> st.SearchStrategy[Finite]:
    flag = st.booleans()
    return st.builds(
        Finite,
        st.tuples(flag, flag),
        st.tuples(st.integers(0, 1), st.integers(0, 1)),
        st.lists(items(), max_size=4).map(tuple),
        flag,
        flag,
    )


FACTS = {fact.name: fact.of(State.any("0")) for fact in marker_invariants.facts(NAMES)}


@settings(max_examples=25, deadline=None)
@given(states())
def test_a_formula_is_evaluated_as_z3_understands_it(state: Finite) -> None:
    found = {name for name, formula in FACTS.items() if not evaluate(formula, state.world())}
    assert found == formulas_failing(state)


def test_each_invariant_can_fail() -> None:
    """In states of one channel with at most two items."""
    left = set(NAMES) - {marker_invariants.POSITIONS}  # of a finite state it is true by construction
    flags = (False, True)
    kinds = [
        Item(kind, gone, early, rec)
        for kind in (WHITE, MARKER, RED)
        for gone in flags
        for early in flags
        for rec in flags
    ]
    for size in (0, 1, 2):
        for own in product(kinds, repeat=size):
            for red, ends, marked, closed in product(product(flags, repeat=2), [(0, 1), (1, 0)], flags, flags):
                given = Finite(red, ends, own, marked, closed).world()
                left -= {name for name in left if evaluate_fast[name](given)}
            if not left:
                return
    assert not left, left


evaluate_fast = {name: failing([(name, formula)]) for name, formula in FACTS.items()}


def test_nested_variables_are_counted() -> None:
    i, j = z3.Ints("i j")
    two = z3.ForAll([i], z3.Or(i < 0, z3.Exists([j], j < i)))
    assert nested(two) == 2 and nested(z3.ForAll([i, j], i < j)) == 2 and nested(i < j) == 0


def test_a_word_that_is_unknown_is_refused() -> None:
    i = z3.Int("i")
    with pytest.raises(ValueError, match="no word"):
        evaluate(i * i == i, {})


def test_terms_become_functions() -> None:
    i = z3.Int("i")
    (next_even,) = functions([((i,), z3.If(f(i), i + 2, i - 1))])(
        {"f": lambda n: n % 2 == 0, "Int": (), "Machine": (), "Channel": ()}
    )
    assert [next_even(n) for n in (0, 1, 4)] == [2, 0, 6]
