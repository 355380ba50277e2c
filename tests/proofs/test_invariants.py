"""The plain invariants and the formulas are one list, and say the same of finite states."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import computation, marker_invariants
from proofs.computation import State
from proofs.invariants import INVARIANTS, MARKER, RED, WHITE, ChannelView, History, View, complete, violations
from proofs.language import CHANNEL, INT, MACHINE, for_all

NAMES = [invariant.name for invariant in INVARIANTS]


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

    def view(self) -> View:
        """As an explorer would project it; a message's name is its place."""
        kept = [item for item in self.items if not item.gone]
        white = [(place, item) for place, item in enumerate(self.items) if item.kind == WHITE]
        history = History(
            sent_white=tuple(place for place, _ in white),
            accepted_white=tuple(place for place, item in enumerate(self.items) if item.early),
            recorded=tuple(place for place, item in enumerate(self.items) if item.recorded),
            waiting_white=tuple(place for place, item in white if not item.gone),
        )
        queue = tuple(item.kind for item in kept)
        return View(self.red, (ChannelView(*self.ends, queue, self.marked, self.closed, history),))

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


def items(gone: bool) -> st.SearchStrategy[Item]:
    """Items that make sense: only what is gone was accepted, and only messages are recorded or accepted white."""

    def sound(item: Item) -> bool:
        return item.gone >= (item.early or item.recorded) and not (
            item.kind == MARKER and (item.early or item.recorded)
        )

    flags = st.booleans() if gone else st.just(False)
    return st.builds(Item, st.sampled_from((WHITE, MARKER, RED)), flags, flags, flags).filter(sound)


def states(gone: bool) -> st.SearchStrategy[Finite]:
    flag = st.booleans()
    return st.builds(
        Finite,
        st.tuples(flag, flag),
        st.tuples(st.integers(0, 1), st.integers(0, 1)),
        st.lists(items(gone), max_size=4).map(tuple),
        flag,
        flag,
    )


def test_the_two_lists_are_one() -> None:
    assert marker_invariants.names() == (*NAMES, marker_invariants.POSITIONS)
    assert all(
        fact.sentence == invariant.sentence
        for fact, invariant in zip(marker_invariants.facts(NAMES), INVARIANTS, strict=True)
    )
    assert {invariant.theorem for invariant in INVARIANTS} == {6, 7}


@settings(max_examples=60, deadline=None)
@given(states(gone=False))
def test_formula_and_predicate_agree_where_nothing_has_left_a_channel(state: Finite) -> None:
    assert {name for name, _ in violations(state.view())} == formulas_failing(state)


@settings(max_examples=60, deadline=None)
@given(states(gone=True))
def test_what_the_formula_says_the_predicate_says(state: Finite) -> None:
    """The formulas also speak of what has left; so they imply the predicates, which an explorer can check."""
    assert {name for name, _ in violations(state.view())} <= formulas_failing(state)


Strings = tuple[tuple[str, ...], ...]

# Of each invariant one state in which it fails, so that none is true by accident.
WRONG = {
    "marker at once": ChannelView(0, 1, (), marked=False, closed=False),
    "marker on its way": ChannelView(0, 1, (WHITE,), marked=True, closed=False),
    "marker ahead": ChannelView(0, 1, (RED, MARKER), marked=True, closed=False),
    "closed by the red": ChannelView(0, 1, (), marked=True, closed=True),
    "red from the red": ChannelView(1, 0, (MARKER, RED), marked=True, closed=False),
    "white before red": ChannelView(0, 1, (MARKER, RED, WHITE), marked=True, closed=False),
    "marked by the red": ChannelView(1, 0, (MARKER,), marked=True, closed=False),
    "marker from the marked": ChannelView(1, 0, (MARKER,), marked=False, closed=False),
    "one marker": ChannelView(0, 1, (MARKER, MARKER), marked=True, closed=False),
    "none once closed": ChannelView(0, 0, (MARKER,), marked=True, closed=True),
    "white before the marker": ChannelView(0, 1, (MARKER, WHITE), marked=True, closed=False),
    "closed is flushed": ChannelView(0, 0, (WHITE,), marked=True, closed=True),
    "early is white": ChannelView(1, 1, (), False, False, History((), ("x",), (), ())),
    "white accepts early": ChannelView(1, 1, (), False, False, History(("x",), (), (), ())),
    "recorded is the rest": ChannelView(1, 0, (), False, False, History(("x", "y"), ("x",), (), ())),
    "recorded from the front": ChannelView(1, 0, (WHITE,), False, False, History(("x", "y"), (), ("y",), ("x",))),
    "white records nothing": ChannelView(0, 1, (MARKER,), True, False, History(("x",), (), ("x",), ())),
}


@pytest.mark.parametrize("name", NAMES)
def test_each_invariant_can_fail(name: str) -> None:
    """Machine 0 is red, machine 1 white."""
    assert (name, 0) in violations(View((True, False), (WRONG[name],)))


def test_a_run_of_the_marker_algorithm_keeps_them_all() -> None:
    """m0 sends x, turns red, sends y; m1 accepts x, then the marker, then y."""
    start = ((), (), (), ())

    def state(
        red: tuple[bool, bool], queue: tuple[str, ...], closed: bool, history: tuple[tuple[str, ...], ...]
    ) -> View:
        return View(red, (ChannelView(0, 1, queue, red[0], closed, History(*history)),))

    run = [
        state((False, False), (), False, start),
        state((False, False), (WHITE,), False, (("x",), (), (), ("x",))),
        state((True, False), (WHITE, MARKER), False, (("x",), (), (), ("x",))),
        state((True, False), (WHITE, MARKER, RED), False, (("x",), (), (), ("x",))),
        state((True, False), (MARKER, RED), False, (("x",), ("x",), (), ())),
        state((True, True), (RED,), True, (("x",), ("x",), (), ())),
        state((True, True), (), True, (("x",), ("x",), (), ())),
    ]
    assert [violations(view) for view in run] == [()] * len(run)
    assert [complete(view) for view in run] == [False] * 5 + [True] * 2
