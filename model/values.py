"""Plain values: what states, payloads and memories are made of, in one total order and as JSON.

A plain value is None, a bool, an int, a str, or a tuple or frozenset of plain values (named tuples included). Such
values are hashable, compare by content and print the same in every run, so they can name states for all engines.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from model.errors import InputError

LARGEST = 10_000
"""Bits of the largest number that is written in decimal: larger ones are shown in base 16."""

type_names = "None, bool, int, str, tuple, frozenset"

Value = Hashable


@lru_cache(maxsize=1 << 16)
def order_key(value: Value) -> tuple[Any, ...]:
    """A sort key that orders all plain values, whatever their mix of types; `InputError` for any other value."""
    if value is None:
        return (0,)
    if isinstance(value, (bool, int)):
        return (1, int(value))
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, tuple):
        return (3, len(value), tuple(order_key(item) for item in value))
    if isinstance(value, frozenset):
        return (4, len(value), tuple(sorted(order_key(item) for item in value)))
    raise InputError(f"{value!r} is a {type(value).__name__}: states and messages are made of {type_names}")


def why_not_plain(value: object) -> str:
    """What is wrong with a value that is not plain: the part of it that is none of the kinds accepted."""
    if isinstance(value, (tuple, frozenset)):
        return next(filter(None, map(why_not_plain, value)), "")
    if value is None or isinstance(value, (bool, int, str)):
        return ""
    hashable = ", and unhashable" if type(value) in (list, dict, set) else ""
    return f"{value!r} is a {type(value).__name__}{hashable}: states and messages are made of {type_names}"


def alike(value: Value, equal: Value) -> bool:
    """Whether a value and one that is equal to it are also of the same kind, in all their parts.

    Python takes 1 for True, and a named tuple for any other tuple with the same items.
    """
    if value is equal:
        return True
    if type(value) is not type(equal):
        return False
    if isinstance(value, tuple) and isinstance(equal, tuple):
        return all(map(alike, value, equal))
    if isinstance(value, frozenset) and isinstance(equal, frozenset):
        own = {item: item for item in value}
        return all(alike(item, own[item]) for item in equal)
    return True


def to_json(value: Value) -> Any:
    """The value as JSON data: tuples as lists, named tuples as objects, sets as sorted lists."""
    if isinstance(value, int) and value.bit_length() > LARGEST:
        return f"{value:#x}"
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is not None:
            return {name: to_json(item) for name, item in zip(fields, value, strict=True)}
        return [to_json(item) for item in value]
    if isinstance(value, frozenset):
        return [to_json(item) for item in sorted(value, key=order_key)]
    raise InputError(f"{value!r} is a {type(value).__name__}: states and messages are made of {type_names}")


def show(value: Value) -> str:
    """The value as short text for people: (1, 2), {a, b}, name=value for named tuples."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is not None:
            return "(" + ", ".join(f"{name}={show(item)}" for name, item in zip(fields, value, strict=True)) + ")"
        return "(" + ", ".join(show(item) for item in value) + ")"
    if isinstance(value, frozenset):
        return "{" + ", ".join(show(item) for item in sorted(value, key=order_key)) + "}"
    if isinstance(value, int) and value.bit_length() > LARGEST:
        return f"{value:#x}"
    return "-" if value is None else str(value)
