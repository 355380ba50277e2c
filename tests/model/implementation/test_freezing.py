"""Objects as values: what is frozen thaws to an equal object, sharing included, and what has no value is refused."""

from __future__ import annotations

import enum
import io
import random
import socket
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.errors import InputError
from model.implementation.freezing import freeze, thaw
from model.values import order_key


class Colour(enum.Enum):
    WHITE = "white"


@dataclass(frozen=True)
class Point:
    x: int


@dataclass(eq=True)
class Node:
    _value: object
    peers: list[Node] = field(default_factory=list)

    def method(self) -> None: ...


def frozen(thing: object) -> Any:
    return freeze(thing, "x", __name__)


plain = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats() | st.binary(max_size=3)
keys = st.integers() | st.text(max_size=2) | st.tuples(st.integers()) | st.builds(Point, st.integers())
things = st.recursive(
    plain | keys | st.just(Colour.WHITE) | st.frozensets(keys, max_size=3) | st.sets(keys, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=3)
        | st.builds(deque, st.lists(inner, max_size=3), st.none() | st.integers(3, 4))
        | st.builds(lambda pairs: defaultdict(list, pairs), st.dictionaries(keys, inner, max_size=2))
        | st.builds(Node, inner, st.lists(st.builds(Node, inner), max_size=2))
    ),
    max_leaves=12,
)


@given(things)
def test_what_thaws_freezes_to_the_same_value(thing: object) -> None:
    value = frozen(thing)
    hash(value), order_key(value)
    again = thaw(value, __name__)
    assert frozen(again) == value
    assert type(again) is type(thing)
    if "nan" not in repr(thing):
        assert again == thing


@given(st.dictionaries(keys, st.integers(), min_size=2, max_size=4))
def test_the_order_of_a_mapping_or_set_is_no_part_of_its_value(mapping: dict[Any, int]) -> None:
    backwards = dict(reversed(mapping.items()))
    assert frozen(mapping) == frozen(backwards)
    assert frozen(set(mapping)) == frozen(set(backwards))
    assert frozen(Counter(mapping)) == frozen(Counter(backwards))
    assert frozen(OrderedDict(mapping)) != frozen(OrderedDict(backwards))


def test_sharing_and_cycles_are_kept() -> None:
    shared: list[object] = [1]
    node = Node(shared)
    node.peers = [node, Node(shared)]
    found = thaw(frozen((node, node.method)), __name__)
    assert found[0].peers[0] is found[0] and found[1].__self__ is found[0]
    assert found[0]._value is found[0].peers[1]._value and found[0]._value is not shared
    assert frozen(Node([1], [Node([1])])) != frozen(Node(shared, [Node(shared)]))


NO_VALUE = [threading.Lock(), threading.Thread(), random.Random(), io.StringIO(), (n for n in ()), lambda: 0]


@pytest.mark.parametrize("thing", [*NO_VALUE, {object(): 1}], ids=lambda thing: type(thing).__name__)
def test_what_has_no_value_is_refused_by_its_place(thing: object) -> None:
    with pytest.raises(InputError, match=r"x\._value\b.*accepted"):
        frozen(Node(thing))


def test_a_socket_has_no_value() -> None:
    with socket.socket() as one, pytest.raises(InputError, match="is a socket"):
        frozen([one])
