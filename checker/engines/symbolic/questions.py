"""What a search asks the solver for, and what it keeps of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from checker.engines.symbolic.claims import Part
from model.property import Property
from model.trace import Counterexample


@dataclass(frozen=True, slots=True)
class Found:
    """A property broken after so many actions; `cost`: the fewest faults and overtakings that this length needs."""

    length: int
    counterexample: Counterexample
    cost: int


@dataclass(slots=True)
class Question:
    """Asks for runs that end by `broken`, with `also` where order does not matter; with `judged` each is judged.

    refuted: how many were judged and do not break it; confirmed: one does.
    """

    broken: int
    also: list[int]
    judged: Property | None = None
    part: Part | None = None
    refuted: int = 0
    confirmed: bool = False
