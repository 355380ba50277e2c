"""Flink job plans as dataflows: each operator becomes as many machines as its parallelism, up to a bound.

Read are the answers of Flink's REST API to /jobs/:id/plan, /jobs/:id and /jars/:id/plan (`plan.nodes[].inputs[]`), and
what `flink info` or `getExecutionPlan()` print (`nodes[].predecessors[]`).

Ship strategies (`StreamPartitioner.toString()`) become channels as `StreamingJobGraphGenerator` makes them: FORWARD and
RESCALE are pointwise, all others connect every machine to every machine, also GLOBAL, where all records go to the first
channel, but barriers to all. Channels are ordered by (source, destination), then as in the plan.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from model.errors import InputError
from model.families import MOST_MACHINES, shown
from model.topology import Dataflow, Route

POINTWISE = ("FORWARD", "RESCALE")
ALL_TO_ALL = ("HASH", "REBALANCE", "BROADCAST", "GLOBAL", "SHUFFLE", "CUSTOM", "RANGE")

LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class _Operator:
    name: str
    parallelism: int
    inputs: tuple[tuple[int, str], ...]  # (operator, ship strategy)


def is_plan(data: object) -> bool:
    """Whether JSON data is a job plan: its nodes, there or under "plan", have a parallelism."""
    nodes = _nodes(data)
    return bool(nodes) and all(isinstance(node, dict) and "parallelism" in node for node in nodes)


def dataflow(data: object, parallelism: int, name: str = "") -> Dataflow:
    """The dataflow of a job plan, with at most `parallelism` machines to an operator.

    Machines come sources first, each operator after those that feed it, else in the plan's order (which the REST API
    turns round). A parallelism of -1, which Flink decides later, is taken as the bound.

    Raises `InputError` for a plan that refers to unknown operators or ship strategies, and for a bound below 1.
    """
    if not is_plan(data):
        raise InputError(
            "no job plan: accepted is a list of nodes with a parallelism each, as Flink's REST API returns it"
        )
    if parallelism < 1:
        raise InputError(f"parallelism {parallelism}: accepted is 1 or more")
    operators = _sources_first(_operators(_nodes(data)))
    sizes = [parallelism if op.parallelism == -1 else min(op.parallelism, parallelism) for op in operators]
    if sum(sizes) > MOST_MACHINES:
        raise InputError(f"{sum(sizes):,} machines: accepted are at most {MOST_MACHINES:,} (see --parallelism)")
    first = [sum(sizes[:i]) for i in range(len(sizes))]  # an operator's machines follow each other
    edges = sorted(
        (first[source] + a, first[destination] + b, edge, strategy)
        for edge, (source, destination, strategy) in enumerate(_edges(operators))
        for a, b in _pairs(strategy, sizes[source], sizes[destination])
    )
    return Dataflow(
        machines=sum(sizes),
        channels=tuple((source, destination) for source, destination, _, _ in edges),
        name=name,
        labels=tuple(_labels([op.name for op in operators], sizes)),
        routes=_routes(edges, sum(sizes)),
    )


def _routes(edges: list[tuple[int, int, int, str]], machines: int) -> tuple[tuple[Route, ...], ...]:
    """For each machine its routes in the plan's order; an edge is (source, destination, edge of the plan, strategy)."""
    fed: dict[tuple[int, int, str], list[int]] = {}
    for c, (source, _, edge, strategy) in enumerate(edges):
        fed.setdefault((source, edge, strategy), []).append(c)
    routes: list[list[Route]] = [[] for _ in range(machines)]
    for source, edge, strategy in sorted(fed):
        routes[source].append(Route(strategy, tuple(fed[source, edge, strategy])))
    return tuple(map(tuple, routes))


def _pairs(strategy: str, sources: int, destinations: int) -> Iterator[tuple[int, int]]:
    """Which of an operator's machines sends to which of the next one's.

    Pointwise is Flink's `computeVertexInputInfoForPointwise`: i to i for equal parallelisms, else contiguous ranges of
    the larger side, as equal as they can be, fall to each machine of the smaller one.
    """
    for b in range(destinations):
        if strategy not in POINTWISE:
            feeding = range(sources)
        elif sources >= destinations:
            feeding = range(b * sources // destinations, (b + 1) * sources // destinations)
        else:
            feeding = range(b * sources // destinations, b * sources // destinations + 1)
        for a in feeding:
            yield a, b


def _edges(operators: list[_Operator]) -> Iterator[tuple[int, int, str]]:
    for destination, operator in enumerate(operators):
        for source, strategy in operator.inputs:
            yield source, destination, strategy


def _nodes(data: object) -> list[Any]:
    if not isinstance(data, dict):
        return []
    plan = data["plan"] if isinstance(data.get("plan"), dict) else data
    nodes = plan.get("nodes")
    return nodes if isinstance(nodes, list) else []


def _operators(nodes: list[Any]) -> list[_Operator]:
    ids = [str(node.get("id")) for node in nodes]
    for i, node in enumerate(nodes):
        if "id" not in node or ids[i] in ids[:i]:
            raise InputError(f"operator {i + 1} of the plan has no id of its own: {shown(str(node.get('id')))}")
    return [_operator(node, ids) for node in nodes]


def _sources_first(operators: list[_Operator]) -> list[_Operator]:
    """Each operator after those that feed it; what a cycle holds up comes last, in the plan's order."""
    order: list[int] = []
    left = list(range(len(operators)))
    while left:
        ready = (i for i in left if all(source in order for source, _ in operators[i].inputs))
        order.append(next(ready, left[0]))
        left.remove(order[-1])
    return [
        replace(operators[i], inputs=tuple((order.index(source), strategy) for source, strategy in operators[i].inputs))
        for i in order
    ]


def _operator(node: Mapping[str, Any], ids: list[str]) -> _Operator:
    name = f"operator {shown(str(node['id']))}"
    parallelism = node["parallelism"]
    if not isinstance(parallelism, int) or isinstance(parallelism, bool) or not (parallelism > 0 or parallelism == -1):
        raise InputError(f"{name}: parallelism {shown(str(parallelism))}: accepted is 1 or more, or -1 for undecided")
    inputs = node.get("inputs") or node.get("predecessors") or []
    if not isinstance(inputs, list) or not all(isinstance(given, dict) for given in inputs):
        raise InputError(f"{name}: inputs {shown(str(inputs))}: accepted is a list of objects")
    for given in inputs:
        if str(given.get("id")) not in ids:
            raise InputError(f"{name}: input {shown(str(given.get('id')))} is no operator of the plan")
    return _Operator(
        name=_short(str(node.get("description") or node.get("contents") or node["id"])),
        parallelism=parallelism,
        inputs=tuple((ids.index(str(given["id"])), _strategy(given.get("ship_strategy"))) for given in inputs),
    )


def _strategy(text: object) -> str:
    """The strategy's bare word: planners add to it, as in "HASH[user_id]" or "Hash Partition on [0]"."""
    word = re.match(r"[A-Za-z_]*", str(text))
    strategy = word[0].upper() if word else ""
    if strategy not in POINTWISE + ALL_TO_ALL:
        accepted = ", ".join(POINTWISE + ALL_TO_ALL)
        raise InputError(f"ship_strategy {shown(str(text))}: accepted are {accepted}")
    return strategy


def _short(description: str) -> str:
    """An operator's description without markup and without the details in parentheses, cut to a label's length."""
    text = re.sub(r"<br/>[:|\s]*[:+]- ", " -> ", description)  # a chain of operators is drawn as a tree
    text = html.unescape(text.replace("<br/>", " "))
    inner = None
    while inner != text:
        inner, text = text, re.sub(r"\([^()]*\)|\[[^][]*\]", "", text)
    text = " ".join(text.split()) or "operator"
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 3]}..."


def _labels(names: list[str], sizes: list[int]) -> Iterator[str]:
    """A name for each machine: its operator's, numbered where operators share it, and (2/4) as Flink names subtasks."""
    for i, (name, size) in enumerate(zip(names, sizes, strict=True)):
        unique = name if names.count(name) == 1 else f"{name} #{names[: i + 1].count(name)}"
        for subtask in range(size):
            yield unique if size == 1 else f"{unique} ({subtask + 1}/{size})"
