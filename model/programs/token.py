"""One token that travels (Chandy & Lamport 1985, section 2, "the single-token conservation system")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from model.errors import InputError
from model.program import Underlying
from model.programs.rules import RuleProgram
from model.topology import Topology
from model.values import Value


class Place(NamedTuple):
    """Whether the machine holds the token, and the hops it then has left (None: no bound)."""

    holds: bool
    hops: int | None


AWAY = Place(False, None)


class Token(RuleProgram):
    """Machine 0 holds the token; its holder may pass it over any output channel while hops are left."""

    conserves = "tokens"

    def __init__(self, topology: Topology, *, hops: int | None = None, atomic: str = "single") -> None:
        super().__init__(topology, atomic=atomic)
        if hops is not None and hops < 0:
            raise InputError(f"hops={hops}: a whole number from 0, or left out for no bound")
        self.hops = hops

    def initial(self, machine: int) -> Place:
        """The token is at machine 0."""
        return Place(True, self.hops) if machine == 0 else AWAY

    def accept(self, machine: int, state: Value, channel: int, payload: Value) -> Value | None:
        """The machine holds the token."""
        return Place(True, payload if isinstance(payload, int) else None)

    def send(self, machine: int, state: Value, channel: int) -> tuple[Value, Value] | None:
        """The token leaves, with one hop less."""
        assert isinstance(state, Place)
        if not state.holds or state.hops == 0:
            return None
        return (None if state.hops is None else state.hops - 1), AWAY

    def held(self, machine: int, recorded: Value) -> int:
        """1 where the token is."""
        assert isinstance(recorded, Place)
        return int(recorded.holds)

    def carried(self, payload: Value) -> int:
        """Every message is the token."""
        return 1

    def stable_predicates(self) -> Mapping[str, Callable[[Underlying], bool]]:
        """token-lost: no machine holds it and no channel carries it."""

        def lost(state: Underlying) -> bool:
            return not any(isinstance(m, Place) and m.holds for m in state.machines) and not any(state.channels)

        return {"token-lost": lost}
