"""A user's protocol with its answers checked as it gives them, so that a slip is told by name, with no traceback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from model.action import Local, Message, Step
from model.errors import InputError
from model.protocol import Protocol, Recorded
from model.values import order_key


def guarded(user: type[Protocol]) -> type[Protocol]:
    """The class of the same name and options that answers as the user's does, or says with `InputError` what is wrong.

    Our own protocols are checked by their tests instead: there the checks would only cost time.
    """

    class Guarded(user):  # type: ignore[valid-type,misc]
        def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
            steps = super().steps(machine, local, offered)
            if not isinstance(steps, Iterable):
                raise _wrong(self, f"steps gave {steps!r}: it must give Step values")
            for step in steps:
                if not isinstance(step, Step):
                    raise _wrong(self, f"steps gave {step!r}: it must give Step values")
                yield step

        def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
            found: Recorded | None = super().recorded(machine, local, snapshot)
            if found is not None:
                _check_recorded(self, machine, found)
            return found

        def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
            finished = bool(super().done(machine, local, snapshot))
            if finished and self.recorded(machine, local, snapshot) is None:
                raise _wrong(self, f"machine {machine} is done with snapshot {snapshot}, but has recorded nothing")
            return finished

        def outstanding(self, machine: int, local: Local, snapshot: int = 0) -> int:
            outstanding: Any = super().outstanding(machine, local, snapshot)
            if not isinstance(outstanding, int):
                raise _wrong(self, f"outstanding gave {outstanding!r}: it must give a whole number")
            return outstanding

    Guarded.__name__, Guarded.__qualname__, Guarded.__doc__ = user.__name__, user.__qualname__, user.__doc__
    return Guarded


def _check_recorded(protocol: Protocol, machine: int, found: object) -> None:
    if not isinstance(found, Recorded):
        raise _wrong(protocol, f"recorded gave {found!r}: it must give a Recorded or None")
    order_key((found.state, found.channels))
    inputs = protocol.topology.inputs[machine]
    channels: object = found.channels
    if not isinstance(channels, tuple) or len(channels) != len(inputs):
        raise _wrong(protocol, f"machine {machine} records channels {channels!r}: one tuple for each of {inputs}")
    program = protocol.program
    if program.conserves is not None:
        try:
            program.held(machine, found.state)
        except Exception as error:
            name = type(program).__name__
            raise _wrong(protocol, f"machine {machine} records {found.state!r}: no state of program {name}") from error


def _wrong(protocol: Protocol, what: str) -> InputError:
    return InputError(f"protocol {type(protocol).__name__}: {what}")
