"""One call of one method of the class under test, on an object made anew from its value, and all that it did.

The class is given `send`, `record` and `report` (CONTRACT section 7). Nothing that a call does reaches anything else,
so its outcome depends on the object's value and the arguments alone, and each call is made once.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from model.errors import InputError
from model.implementation.freezing import freeze, freeze_attributes, thaw, thaw_attributes
from model.topology import Topology
from model.values import Value, show

GIVEN = frozenset({"send", "record", "report"})
"""What an object is given; these are no attributes of its own."""


@dataclass(slots=True)
class Effects:
    """What one call did besides changing its object, in order.

    sends: (receiver, message); records: (snapshot, number of messages sent before); reports: (snapshot, state,
    messages by sender). enabled: whether it returned anything but False. state: the object's value afterwards. raised:
    what it raised, in words, if it did; it has then done nothing.
    """

    sends: list[tuple[int, Value]] = field(default_factory=list)
    records: list[tuple[Value, int, Value]] = field(default_factory=list)
    reports: list[tuple[Value, Value, dict[int, tuple[Value, ...]]]] = field(default_factory=list)
    enabled: bool = True
    state: Value = None
    raised: str | None = None


class Implementation:
    """A class under test on a topology; see CONTRACT section 7 for what it must have.

    Raises `InputError` for a class without `receive` and `snapshot`, and for parallel channels, which a class that
    names its neighbours by number could not tell apart.
    """

    def __init__(self, kind: type, topology: Topology) -> None:
        for name in ("receive", "snapshot"):
            if not callable(getattr(kind, name, None)):
                raise InputError(f"class {kind.__name__} has no method {name!r}: it needs receive and snapshot")
        actions: Any = getattr(kind, "actions", ())
        if not isinstance(actions, tuple) or not all(callable(getattr(kind, str(name), None)) for name in actions):
            raise InputError(f"class {kind.__name__}: actions = {actions!r}: a tuple of names of its methods")
        if len(set(topology.channels)) < len(topology.channels):
            raise InputError("parallel channels: a class under test names its neighbours, so there is one each way")
        self.kind = kind
        self.module = kind.__module__
        self.topology = topology
        self.actions: tuple[str, ...] = actions
        self.channel_to = [{topology.channels[c][1]: c for c in outputs} for outputs in topology.outputs]
        self.channel_from = [{topology.channels[c][0]: c for c in inputs} for inputs in topology.inputs]

    def initial(self, machine: int) -> Value:
        """The value of the machine's object when it has just been made."""
        topology = self.topology
        effects = Effects()
        thing = self._bare(machine, effects)
        outputs = [topology.channels[c][1] for c in topology.outputs[machine]]
        inputs = [topology.channels[c][0] for c in topology.inputs[machine]]
        self._run(machine, "__init__", lambda: thing.__init__(machine, outputs, inputs))
        if effects.sends or effects.records or effects.reports:
            raise self.wrong(machine, "__init__ sends, records or reports: accepted is that in its other methods")
        return self._value(machine, thing)

    def call(self, machine: int, state: Value, method: str, *arguments: Value) -> Effects:
        """What the method does, called with these arguments on the machine's object in this state."""
        effects = Effects()
        thing = self._bare(machine, effects)
        thaw_attributes(state, thing, self.module)
        given = [thaw(argument, self.module) for argument in arguments]
        try:
            effects.enabled = getattr(thing, method)(*given) is not False
        except InputError:
            raise
        except Exception as error:
            return Effects(state=state, raised=raised(error))
        effects.state = self._value(machine, thing)
        return effects

    def names_record(self) -> bool:
        """Whether some method of the class names `record`, which says when the state is recorded."""
        functions = (vars(base).values() for base in self.kind.__mro__ if base is not object)
        codes = [getattr(getattr(f, "__func__", f), "__code__", None) for own in functions for f in own]
        return any(code is not None and _names(code, "record") for code in codes)

    def is_control(self, message: Value) -> bool:
        """Whether the message belongs to the snapshot and not to the computation, as the class says; if not: never."""
        told = getattr(self.kind, "is_control", None)
        return told is not None and bool(self._run(None, "is_control", lambda: told(thaw(message, self.module))))

    def payload(self, message: Value) -> Value:
        """The part of a message that belongs to the computation: all, unless the class has a static `payload`."""
        told = getattr(self.kind, "payload", None)
        if told is None:
            return message
        found = self._run(None, "payload", lambda: told(thaw(message, self.module)))
        return freeze(found, f"the payload of {show(message)}", self.module)

    def reportable(self, machine: int, state: Value) -> Value:
        """What the object would report as its state, by its method `state`; None for a class without one."""
        if not callable(getattr(self.kind, "state", None)):
            return None
        thing = self._bare(machine, Effects())
        thaw_attributes(state, thing, self.module)
        return self.state_of(machine, thing)

    def state_of(self, machine: int, thing: Any) -> Value:
        """The same, of an object at hand."""
        found = self._run(machine, "state", lambda: thing.state())
        return freeze(found, f"what state() of machine {machine} gives", self.module)

    def wrong(self, machine: int | None, what: str) -> InputError:
        """The error for something that the class does."""
        where = "" if machine is None else f", machine {machine}"
        return InputError(f"class {self.kind.__name__}{where}: {what}")

    def _bare(self, machine: int, effects: Effects) -> Any:
        """An object without attributes of its own, with the three functions that it is given."""
        kind: Any = self.kind
        thing: Any = kind.__new__(kind)
        name = f"{self.kind.__name__} of machine {machine}"

        def send(to: int, message: object) -> None:
            if to not in self.channel_to[machine]:
                raise self.wrong(machine, f"send({to!r}, ...): it sends to {sorted(self.channel_to[machine])}")
            effects.sends.append((to, freeze(message, f"a message of {name}", self.module)))

        def record(snapshot: object = 0) -> None:
            state = self.state_of(machine, thing) if callable(getattr(self.kind, "state", None)) else None
            effects.records.append((freeze(snapshot, "a snapshot's name", self.module), len(effects.sends), state))

        def report(snapshot: object, state: object, channels: Mapping[int, list[object]]) -> None:
            effects.reports.append(self._reported(machine, snapshot, state, channels))

        try:
            for function in (send, record, report):
                object.__setattr__(thing, function.__name__, function)
        except AttributeError:
            raise self.wrong(
                machine, "has __slots__ only: accepted are classes whose objects take attributes"
            ) from None
        return thing

    def _reported(
        self, machine: int, snapshot: object, state: object, channels: Mapping[int, list[object]]
    ) -> tuple[Value, Value, dict[int, tuple[Value, ...]]]:
        given: Any = channels
        if not isinstance(given, Mapping) or not all(sender in self.channel_from[machine] for sender in given):
            accepted = f"a mapping from senders, of {sorted(self.channel_from[machine])}, to lists"
            raise self.wrong(machine, f"report(..., channels={channels!r}): {accepted}")
        where = f"what machine {machine} reports"
        found = {
            sender: tuple(freeze(message, f"{where} of {sender}", self.module) for message in messages)
            for sender, messages in channels.items()
        }
        return (
            freeze(snapshot, "a snapshot's name", self.module),
            freeze(state, f"{where} as its state", self.module),
            found,
        )

    def _value(self, machine: int, thing: object) -> Value:
        return freeze_attributes(thing, GIVEN, f"{self.kind.__name__} of machine {machine}", self.module)

    def _run(self, machine: int | None, method: str, call: Any) -> Any:
        """What the user's code answers; what it raises is told in one line, with the line of his that raised it."""
        try:
            return call()
        except InputError:
            raise
        except Exception as error:
            raise self.wrong(machine, f"{method} raises {raised(error)}") from error


def _names(code: CodeType, name: str) -> bool:
    """Whether the code, or that of a function within it, uses this name."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return name in code.co_names or any(_names(own, name) for own in inner)


def raised(error: Exception) -> str:
    """What was raised, and on which line."""
    line = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(line.filename).name}, line {line.lineno})"
