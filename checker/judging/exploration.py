"""What judging is given: an exploration, of which each engine that explores packed states has one.

Engines import judging; judging imports no engine, and knows of an exploration no more than stands here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from checker.engines.search_options import StopCondition
from checker.judging.local_predicates import LocalPredicates
from model.action import Event, Local
from model.channels import Content
from model.system import State, System

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Rows = range | Int64s

FAULT, ALL = -1, -2
"""In the place of a local transition: a fault, or the action of all machines together."""

BEGUN, ALL_RED, COMPLETE = 1, 2, 4
"""Bits of a row: a machine is red, all machines are red, all snapshots are complete."""


@dataclass(slots=True)
class Edges:
    """Transitions as arrays, in order: from which state, which of its events, who acts, the local transition, where to.

    `sources` are the states expanded, `degrees` how many transitions each has; the others hold one value a transition.
    `served`: bit c for each channel c that it accepts from. `target`: -1 beyond a bound.
    """

    sources: Int64s
    degrees: Int64s
    source: Int64s
    event: Int64s
    actor: Int64s
    transition: Int64s
    served: NDArray[np.uint64]
    target: Int64s


class DistinctRows(Protocol):
    """Distinct rows of small integers, numbered in the order they came."""

    count: int

    def add(self, values: Int64s) -> None:
        """Add rows of values."""

    def index(self, values: Int64s) -> Int64s:
        """The numbers of the rows; -1 for one that is not there."""

    def values(self) -> Int64s:
        """All of them."""


class Exploration(Protocol):
    """States, numbered from 0 in the order found and so by their distance from the first; they are called rows.

    A row has a field for each machine (the number of its local state), for each channel (that of its contents), and
    one for the faults left. The first `expanded` rows have been expanded, and their transitions are given on request.
    """

    system: System
    predicates: LocalPredicates
    stop_condition: StopCondition

    # -- states --------------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many rows there are."""

    @property
    def expanded(self) -> int:
        """How many of them were expanded."""

    @property
    def transitions(self) -> int:
        """How many transitions these have."""

    @property
    def depth(self) -> int:
        """The longest distance."""

    @property
    def layered(self) -> bool:
        """Whether every transition leads to the next level, so that there is no cycle."""

    def explore(self) -> Iterator[int]:
        """Explore level by level; the number of each when it is done."""

    def level(self, depth: int) -> range:
        """The rows at this distance; beyond the last level, those found while it was expanded only in part."""

    def depth_of(self, number: int) -> int:
        """The distance of a row."""

    def state(self, number: int) -> State:
        """The state of a row."""

    def values(self, numbers: Rows) -> Int64s:
        """The fields of rows, `int64[n, fields]`."""

    def decode(self, values: Int64s) -> State:
        """The state that has these fields."""

    def counts(self) -> tuple[int, ...]:
        """How many numbers each field has."""

    def locals_of(self, machine: int) -> list[Local]:
        """The local states of a machine, by number."""

    def contents_of(self, channel: int) -> list[Content]:
        """The contents of a channel, by number."""

    # -- transitions ---------------------------------------------------------------------------------------------------

    def events(self, number: int) -> list[Event]:
        """The events of a row's state, in order."""

    def successors(self, number: int) -> list[int]:
        """Where they lead; -1 for what was not explored."""

    def edges(self, numbers: Rows) -> Iterator[Edges]:
        """The transitions of these rows, in portions."""

    def links(self, numbers: Rows) -> Iterator[tuple[int, Int64s, Int64s]]:
        """The same as (first of them, where each one's targets end, targets): numbers for a range, else places."""

    def edges_into(self, rows: range, targets: Int64s) -> Iterator[Edges]:
        """The transitions of rows of one level to the targets, in the next, and few others; -1 for other targets."""

    def terminal_states(self) -> Int64s:
        """The expanded rows in which nothing but a fault can happen, ascending."""

    def choices(self, path: list[tuple[int, int]]) -> list[int]:
        """The run along these (row, index of the event) from the first row, as indices into each state's events."""

    def components(self, rows: Rows) -> tuple[Int64s, Int32s, Int32s]:
        """The graph of these rows, (start, targets) by places, and the strongly connected component of each."""

    def maximal_runs(self, asked: bool) -> int | None:
        """How many runs lead from the first row to one without successors; None if infinitely many, or not counted."""

    # -- what rows tell by their local states and contents -------------------------------------------------------------

    def bits(self, rows: Rows) -> NDArray[np.uint8]:
        """For each row, what of BEGUN, ALL_RED and COMPLETE is so."""

    def completed(self, rows: range) -> Iterator[tuple[Int64s, Int64s]]:
        """The completed snapshots of rows, in portions: what was recorded, and about it.

        recorded: for each machine the number of its record, then the snapshot. about: row, snapshot, whether a
        channel's record has a message, whether a white message is left.
        """

    def combined(self, rows: Rows, columns: tuple[Int64s, Int64s, Int64s, Int64s], groups: int) -> Int64s:
        """For each row, `groups` sums over some of its fields, `int64[n, groups]`.

        columns: fields; where the numbers of each begin; for each value of a field its number; in which sum each is.
        """

    def projected(self, bases: Int64s, numbers: Int64s, red: Int64s | None) -> Iterator[Int64s]:
        """All rows with each field replaced by numbers[bases[field] + its number], in portions.

        red: likewise whether a machine is red; then only the rows in which none is.
        """

    def distinct(self, columns: int) -> DistinctRows:
        """An empty set of rows of so many values."""
