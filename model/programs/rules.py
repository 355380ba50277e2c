"""Programs given by a rule for accepting one message and a rule for sending one, singly or combined in one action."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import combinations

from model.action import Action
from model.errors import InputError
from model.program import Program
from model.topology import Topology
from model.values import Value


class RuleProgram(Program):
    """One channel per action (`atomic=single`), or any non-empty combination that the rules allow (`atomic=joint`)."""

    def __init__(self, topology: Topology, *, atomic: str = "single") -> None:
        super().__init__(topology)
        if atomic not in ("single", "joint"):
            raise InputError(f"atomic={atomic}: single or joint")
        self.multi_channel = atomic == "joint"

    @abstractmethod
    def accept(self, machine: int, state: Value, channel: int, payload: Value) -> Value | None:
        """The state after the payload was accepted from the channel; None where that is not allowed."""

    @abstractmethod
    def send(self, machine: int, state: Value, channel: int) -> tuple[Value, Value] | None:
        """(payload, state after it was sent on the channel); None where that is not allowed."""

    def internal(self, machine: int, state: Value) -> Iterator[Action]:
        """Actions that neither accept nor send."""
        return iter(())

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        """Accept what is offered, then send on a set of output channels; singly, one or the other."""
        if not offered:
            yield from self.internal(machine, state)
        accepted: Value | None = state
        for channel, payload in sorted(offered.items()):
            accepted = self.accept(machine, accepted, channel, payload)
            if accepted is None:
                return
        outputs = self.topology.outputs[machine]
        most = len(outputs) if self.multi_channel else (0 if offered else 1)
        for size in range(0 if offered else 1, most + 1):
            for channels in combinations(outputs, size):
                yield from self._send_on(machine, accepted, offered, channels)

    def _send_on(
        self, machine: int, state: Value, offered: Mapping[int, Value], channels: tuple[int, ...]
    ) -> Iterator[Action]:
        sends: dict[int, Value] = {}
        for channel in channels:
            sent = self.send(machine, state, channel)
            if sent is None:
                return
            sends[channel], state = sent
        name = "accept and send" if offered and sends else "accept" if offered else "send"
        yield Action(name, state, dict(offered), sends)


def per_machine(value: int | tuple[int, ...], topology: Topology, what: str) -> tuple[int, ...]:
    """One number for each machine, from one for all or a list of them; `InputError` for a wrong length or below 0."""
    numbers = (value,) * topology.machines if isinstance(value, int) else value
    if len(numbers) != topology.machines or min(numbers) < 0:
        text = "-".join(map(str, numbers))
        raise InputError(f"{what}={text}: one whole number, or one for each of the {topology.machines} machines")
    return numbers
