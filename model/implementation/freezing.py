"""Ordinary Python objects as plain values, and back: how an object's state can be stored, compared and continued.

`freeze` gives a value that depends only on what the object holds, never on where it lies in memory; `thaw` builds an
equal object that shares nothing with the first. Sharing inside the object (one list held by two attributes, a cycle) is
kept: what was met before is frozen as a reference to its number in the order of the visit. What has no value (a thread,
a socket, a file, a function made at run time) is refused by the attribute that holds it.
"""

from __future__ import annotations

import enum
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from keyword import iskeyword
from types import FunctionType, MethodType
from typing import Any

from model.errors import InputError
from model.values import Value, order_key


class FrozenList(tuple[Value, ...]):
    """A list's items; a type of its own, so that a list is not taken for an equal tuple."""

    __slots__ = ()


class FrozenSet(frozenset[Value]):
    """A mutable set's items."""

    __slots__ = ()


class Tagged(tuple[Value, ...]):
    """Any other container or object: a word that says what it is, then what it holds."""

    __slots__ = ()


FACTORIES: dict[str, Callable[[], Any]] = {"int": int, "list": list, "dict": dict, "set": set, "bool": bool, "str": str}
"""What a `defaultdict` may make."""
MADE_BY_PYTHON = 1 << 9
"""The flag of classes that a class statement made (`Py_TPFLAGS_HEAPTYPE`)."""
ACCEPTED = (
    "None, bool, int, float, str, bytes, tuple, list, set, frozenset, dict, defaultdict, deque, Counter, enums,"
    " and objects of Python classes that hold these"
)


def freeze(thing: object, where: str, own_module: str) -> Value:
    """The plain value of what `where` names; classes of `own_module` (the user's file) go by their bare names.

    Raises `InputError`, naming the attribute, for what has no value.
    """
    return _Freezer(own_module).frozen(thing, where)


def thaw(value: Value, own_module: str) -> Any:
    """An object with that value, sharing nothing with any other."""
    return _Thawer(own_module).thawed(value)


def freeze_attributes(thing: object, left_out: frozenset[str], where: str, own_module: str) -> Value:
    """The object's attributes but those `left_out`, as a named tuple with a field for each, in alphabetical order."""
    freezer = _Freezer(own_module)
    freezer.met[id(thing)] = 0
    held = sorted((pair for pair in attributes(thing) if pair[0] not in left_out), key=lambda pair: pair[0])
    values = [freezer.frozen(item, f"{where}.{name}") for name, item in held]
    found: Value = attributes_type(type(thing).__qualname__, tuple(name for name, _ in held))(*values)
    return found


def thaw_attributes(value: Any, thing: object, own_module: str) -> None:
    """Give the object the attributes that `freeze_attributes` found."""
    thawer = _Thawer(own_module)
    thawer.made.append(thing)
    for name, item in zip(value.attributes, value, strict=True):
        object.__setattr__(thing, name, thawer.thawed(item))


@cache
def attributes_type(kind: str, attributes: tuple[str, ...]) -> Any:
    """A named tuple for objects of class `kind` with a field for each attribute, called like it as far as may be."""
    fields: list[str] = []
    for attribute in attributes:
        field = attribute.lstrip("_") or "_"
        while not field.isidentifier() or iskeyword(field) or field in fields or field.startswith("_"):
            field = f"a{field}"
        fields.append(field)
    bare: Any = namedtuple("Attributes", fields)  # type: ignore[misc]  # its fields are known only now
    return type("Attributes", (bare,), {"__slots__": (), "kind": kind, "attributes": attributes})


class _Freezer:
    """One freezing: the mutable things met so far, numbered in the order of the visit."""

    def __init__(self, own_module: str) -> None:
        self.own_module = own_module
        self.met: dict[int, int] = {}
        self.kept: list[object] = []  # so that no id is used twice while this lasts

    def frozen(self, thing: object, where: str) -> Value:
        if isinstance(thing, enum.Enum):
            return Tagged(("enum", global_name(type(thing), self.own_module, where), thing.name))
        if thing is None or type(thing) in (bool, int, str):
            return thing
        if type(thing) is float:
            return Tagged(("float", thing.hex()))
        if type(thing) is bytes:
            return Tagged(("bytes", thing.hex()))
        if type(thing) is frozenset:
            return frozenset(self._by_value(thing, f"an item of {where}"))
        if isinstance(thing, tuple):
            return self._tuple(thing, where)
        if isinstance(thing, (type, FunctionType)):
            return Tagged(("global", global_name(thing, self.own_module, where)))
        if _frozen_dataclass(thing):
            return self._object(thing, where)
        if id(thing) in self.met:
            return Tagged(("shared", self.met[id(thing)]))
        self.met[id(thing)] = len(self.met)
        self.kept.append(thing)
        return self._mutable(thing, where)

    def _tuple(self, thing: tuple[object, ...], where: str) -> Value:
        items = tuple(self.frozen(item, f"{where}[{i}]") for i, item in enumerate(thing))
        if type(thing) is tuple:
            return items
        return Tagged(("tuple", global_name(type(thing), self.own_module, where), *items))

    def _mutable(self, thing: Any, where: str) -> Value:
        kind = type(thing)
        if kind is list:
            return FrozenList(self._items(thing, where))
        if kind is deque:
            return Tagged(("deque", thing.maxlen, *self._items(thing, where)))
        if kind is set:
            return FrozenSet(self._by_value(thing, f"an item of {where}"))
        if kind in (dict, OrderedDict, Counter):
            return Tagged((kind.__name__, *self._pairs(thing, where, ordered=kind is OrderedDict)))
        if kind is defaultdict:
            made = getattr(thing.default_factory, "__name__", None)
            if FACTORIES.get(made or "") is not thing.default_factory:
                raise InputError(f"{where} is a defaultdict of {made}; accepted: {', '.join(FACTORIES)}")
            return Tagged(("defaultdict", made, *self._pairs(thing, where)))
        if kind is MethodType:
            return Tagged(("method", thing.__name__, self.frozen(thing.__self__, f"the object of {where}")))
        if not _all_in_attributes(thing):
            raise InputError(f"{where} is a {kind.__name__}, which has no value; accepted: {ACCEPTED}")
        return self._object(thing, where)

    def _object(self, thing: object, where: str) -> Value:
        own = sorted(attributes(thing), key=lambda pair: pair[0])
        kind = global_name(type(thing), self.own_module, where)
        values = [self.frozen(item, f"{where}.{name}") for name, item in own]
        found: Value = attributes_type(kind, tuple(name for name, _ in own))(*values)
        return found

    def _by_value(self, things: Any, where: str) -> list[Value]:
        """What a set or the keys of a mapping hold: things that are equal by value, for their order must not matter."""
        found = [self.frozen(item, where) for item in things]
        for value, item in zip(found, things, strict=True):
            if _by_identity(value) and not _frozen_dataclass(item):
                kind = type(item).__name__
                raise InputError(f"{where} is a {kind}, compared by identity; accepted: frozen dataclasses")
        return found

    def _items(self, things: Any, where: str) -> Iterator[Value]:
        return (self.frozen(item, f"{where}[{i}]") for i, item in enumerate(things))

    def _pairs(self, mapping: dict[Any, Any], where: str, ordered: bool = False) -> list[Value]:
        """The items in the order of their keys, for two equal mappings must have one value; `ordered`: in their own."""
        keys = list(zip(self._by_value(mapping, f"a key of {where}"), mapping, strict=True))
        if not ordered:
            keys.sort(key=lambda pair: order_key(pair[0]))
        return [(frozen, self.frozen(mapping[key], f"{where}[{key!r}]")) for frozen, key in keys]


class _Thawer:
    """One thawing: the mutable things made so far, in the order in which they were frozen."""

    def __init__(self, own_module: str) -> None:
        self.own_module = own_module
        self.made: list[Any] = []

    def thawed(self, value: Any) -> Any:
        if isinstance(value, FrozenList):
            return self._filled([], lambda new: new.extend(map(self.thawed, value)))
        if isinstance(value, FrozenSet):
            return self._filled(set(), lambda new: new.update(map(self.thawed, value)))
        if isinstance(value, Tagged):
            return self._tagged(value[0], value[1:])
        if hasattr(value, "attributes"):
            return self._object(value)
        if isinstance(value, tuple):
            return tuple(map(self.thawed, value))
        if isinstance(value, frozenset):
            return frozenset(map(self.thawed, value))
        return value

    def _filled(self, new: Any, fill: Callable[[Any], object]) -> Any:
        self.made.append(new)  # before it is filled: what it holds may refer to it
        fill(new)
        return new

    def _tagged(self, kind: Any, rest: tuple[Any, ...]) -> Any:
        if kind == "shared":
            return self.made[rest[0]]
        if kind == "float":
            return float.fromhex(rest[0])
        if kind == "bytes":
            return bytes.fromhex(rest[0])
        if kind == "global":
            return find_global(rest[0], self.own_module)
        if kind == "enum":
            return find_global(rest[0], self.own_module)[rest[1]]
        if kind == "tuple":
            return tuple.__new__(find_global(rest[0], self.own_module), map(self.thawed, rest[1:]))
        if kind == "method":
            place = len(self.made)
            self.made.append(None)
            self.made[place] = getattr(self.thawed(rest[1]), rest[0])
            return self.made[place]
        if kind == "deque":
            return self._filled(deque(maxlen=rest[0]), lambda new: new.extend(map(self.thawed, rest[1:])))
        new, pairs = _empty_mapping(kind, rest)
        return self._filled(new, lambda new: self._entries(new, pairs))

    def _object(self, value: Any) -> Any:
        found = find_global(value.kind, self.own_module)
        new = found.__new__(found)
        if not _frozen_dataclass(new):
            self.made.append(new)
        for name, item in zip(value.attributes, value, strict=True):
            object.__setattr__(new, name, self.thawed(item))
        return new

    def _entries(self, new: Any, pairs: tuple[Any, ...]) -> None:
        keys = [self.thawed(key) for key, _ in pairs]  # keys first, as they were frozen
        for key, (_, item) in zip(keys, pairs, strict=True):
            new[key] = self.thawed(item)


def _empty_mapping(kind: str, rest: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    if kind == "defaultdict":
        return defaultdict(FACTORIES[rest[0]]), rest[1:]
    return {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}[kind](), rest


def attributes(thing: object) -> Iterator[tuple[str, object]]:
    """The object's own attributes, those in slots included, as (name, value)."""
    yield from getattr(thing, "__dict__", {}).items()
    for base in type(thing).__mro__:
        for name in getattr(base, "__slots__", ()) if not isinstance(getattr(base, "__slots__", ()), str) else ():
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                yield name, getattr(thing, name)


def _all_in_attributes(thing: object) -> bool:
    """Whether all that the object holds is in its attributes, not in parts that a C library keeps."""
    kind = type(thing)
    if kind.__reduce_ex__ is not object.__reduce_ex__ or kind.__reduce__ is not object.__reduce__:
        return False
    if not all(base.__flags__ & MADE_BY_PYTHON for base in kind.__mro__ if base is not object):
        return False
    try:
        object.__reduce_ex__(thing, 2)
    except (TypeError, ValueError):
        return False
    return True


def _by_identity(value: Value) -> bool:
    """Whether it is the value of an object, which as a rule is equal to itself only."""
    return hasattr(value, "attributes") or (isinstance(value, Tagged) and value[0] in ("shared", "method"))


def _frozen_dataclass(thing: object) -> bool:
    parameters = getattr(type(thing), "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def global_name(thing: type | FunctionType, own_module: str, where: str) -> str:
    """What a class or function is called in a frozen value; refused where it cannot be found again by that name."""
    name = thing.__qualname__ if thing.__module__ == own_module else f"{thing.__module__}:{thing.__qualname__}"
    try:
        found = find_global(name, own_module)
    except (AttributeError, ImportError, ValueError):
        found = None
    if found is not thing:
        raise InputError(f"{where} holds {thing.__qualname__}, made at run time; accepted are those of a module")
    return name


def find_global(name: str, own_module: str) -> Any:
    """The class or function of that name."""
    module, _, qualified = name.rpartition(":")
    found: Any = sys.modules[own_module] if not module else import_module(module)
    for part in qualified.split("."):
        found = getattr(found, part)
    return found
