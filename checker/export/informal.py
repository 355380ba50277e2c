"""A trace in ITF, the Informal Trace Format of Apalache and Quint (Apalache's ADR-015), for their viewers and scripts.

Every state sets the same variables: `machines` and `channels`, maps from number to content; `left`, faults left by
kind; `action`, the name of what led there, `init` at first. Integers are `#bigint`; None is the variant `Nothing`.
"""

from __future__ import annotations

import json
from typing import Any

from model.action import Local, Message
from model.system import State, System
from model.trace import Counterexample, event_json
from model.values import Value, order_key

VARIABLES = ("machines", "channels", "left", "action")


def itf(found: Counterexample) -> str:
    """The content of an `.itf.json` file; a lasso's `loop` is the state to which the last one leads back."""
    trace = found.trace
    system, states = trace.system, trace.states()
    if trace.loop is not None and states[-1] == states[trace.loop]:
        states.pop()  # "The loop ends in the last state" (ADR-015), from which the next action leads back
    actions: list[Any] = [None, *(event_json(system, event) for event in trace.events)]
    data: dict[str, Any] = {
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "description": f"Redwhite: {found.property}",
            **{key: value for key, value in system.description.items() if value},
        },
        "vars": list(VARIABLES),
        "states": [state_itf(system, n, state, actions[n]) for n, state in enumerate(states)],
    }
    if trace.loop is not None:
        data["loop"] = trace.loop
    return json.dumps(data, indent=1) + "\n"


def state_itf(system: System, number: int, state: State, action: Any) -> dict[str, Any]:
    """One state; `#meta` holds the whole action that led there, as in our own trace files."""
    kinds = [kind for kind, _ in system.assumptions.faults]
    return {
        "#meta": {"index": number, "action": action},
        "machines": mapping([integer(m), local_itf(local)] for m, local in enumerate(state.machines)),
        "channels": mapping(
            [integer(c), [message_itf(m) for m in content]] for c, content in enumerate(state.channels)
        ),
        "left": mapping([kind, integer(n)] for kind, n in zip(kinds, state.left, strict=True)),
        "action": "init" if action is None else action["name"],
    }


def local_itf(local: Local) -> dict[str, Any]:
    """A machine as a record."""
    return {
        "state": value_itf(local.state),
        "memory": value_itf(local.memory),
        "red": colours(local.red),
        "crashed": local.crashed,
    }


def message_itf(message: Message) -> dict[str, Any]:
    """A message as a record."""
    return {
        "payload": value_itf(message.payload),
        "tag": value_itf(message.tag),
        "control": message.control,
        "red": colours(message.red),
    }


def colours(red: int) -> dict[str, Any]:
    """The set of the snapshots for which it is red."""
    return {"#set": [integer(i) for i in range(red.bit_length()) if red >> i & 1]}


def value_itf(value: Value) -> Any:
    """A plain value: named tuples as records, tuples as tuples, sets as sets."""
    if value is None:
        return {"tag": "Nothing", "value": "U_OF_UNIT"}
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is not None and sorted(fields) != ["tag", "value"]:  # which would be read as a variant
            return {name: value_itf(item) for name, item in zip(fields, value, strict=True)}
        return {"#tup": [value_itf(item) for item in value]}
    assert isinstance(value, frozenset), f"{value!r} is no plain value"
    return {"#set": [value_itf(item) for item in sorted(value, key=order_key)]}


def integer(number: int) -> dict[str, str]:
    """An integer of any size."""
    return {"#bigint": str(number)}


def mapping(pairs: Any) -> dict[str, Any]:
    """A map from [key, value] pairs."""
    return {"#map": list(pairs)}
