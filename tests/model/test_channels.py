"""Channel disciplines and faults: what a content offers, in what form it is kept, what faults make of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.action import Fault, Message, control
from model.assumptions import parse_relaxations
from model.channels import Bag, Fifo, Overtake, without
from model.errors import InputError
from model.values import order_key, show, to_json

messages = st.builds(Message, st.integers(0, 2), st.none(), st.just(False), st.integers(0, 1))
contents = st.lists(messages, max_size=5).map(tuple)


@given(contents)
def test_a_queue_offers_its_head_only(content: tuple[Message, ...]) -> None:
    assert list(Fifo().positions(content)) == ([0] if content else [])


@given(contents)
def test_a_bag_offers_each_distinct_message_once_and_forgets_the_order(content: tuple[Message, ...]) -> None:
    bag: tuple[Message, ...] = ()
    for message in content:
        bag = Bag().push(bag, message)
    assert bag == Bag().normal(tuple(reversed(content)))
    offered = [bag[position] for position in Bag().positions(bag)]
    assert len(offered) == len(set(offered)) and set(offered) == set(content)


@given(contents, st.integers(1, 3))
def test_overtaking_offers_all_results_of_taking_one_of_the_first(content: tuple[Message, ...], most: int) -> None:
    positions = list(Overtake(most).positions(content))
    wanted = {(content[p], without(content, p)) for p in range(min(most + 1, len(content)))}
    assert {(content[p], without(content, p)) for p in positions} == wanted and len(positions) == len(wanted)


def test_faults_strike_what_they_may_and_only_while_their_budget_lasts() -> None:
    marker, message = control("marker"), Message(7)
    content = (message, marker, message)
    assumptions = parse_relaxations("marker-loss:1,loss:2")
    assert assumptions.faults == (("loss", 2), ("marker-loss", 1))
    found = [(fault.kind, fault.position) for _, fault in assumptions.channel_faults(3, content, (2, 1))]
    assert found == [("loss", 0), ("loss", 1), ("loss", 2), ("marker-loss", 1)]
    assert [f.kind for _, f in assumptions.channel_faults(3, content, (0, 1))] == ["marker-loss"]
    copied = parse_relaxations("duplication:1").struck(content, Fault("duplication", 3, 1, marker))
    assert copied == (*content, marker)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fif", "unknown relaxation 'fif': did you mean fifo? choose from fifo, overtake:K"),
        ("fifo:2", "takes no number"),
        ("loss", "write loss:K with K a whole number from 1"),
        ("loss:0", "write loss:K"),
        ("loss:-1", "write loss:K"),
        ("loss:1,loss:2", "loss is given twice"),
        ("fifo,overtake:1", "at most one of fifo and overtake:K"),
    ],
)
def test_a_wrong_relaxation_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_relaxations(text)
    assert says in str(caught.value) and "\n" not in str(caught.value)


values = st.recursive(
    st.none() | st.integers(-2, 2) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)


@given(values, values, values)
def test_plain_values_have_one_total_order(a: object, b: object, c: object) -> None:
    keys = [order_key(v) for v in (a, b, c)]  # type: ignore[arg-type]
    assert (keys[0] == keys[1]) == (a == b)
    ordered = sorted(keys)
    assert ordered[0] <= ordered[1] <= ordered[2] and ordered[0] <= ordered[2]


def test_other_values_are_refused_where_they_are_first_seen() -> None:
    for wrong in (1.5, [1], {1: 2}):
        with pytest.raises((InputError, TypeError)):
            order_key(wrong)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="states and messages are made of"):
            to_json(wrong)  # type: ignore[arg-type]
    assert show((1, frozenset({"b", "a"}), None)) == "(1, {a, b}, -)"
