"""`redwhite synthesise`: rules with holes, and the search for the fillings that are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json
from checker.cli.options import BOUNDS, AsJson, Initiators, ProgramName, PropertyNames, Relaxations, seconds, whole
from model.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from checker.synthesis.search import Found, Question

HOLDS, NONE_RIGHT, UNKNOWN = 0, 1, 3


def synthesise(
    topologies: Annotated[list[str], Argument(metavar="TOPOLOGY", help="the rules must be right on each of these")],
    program: ProgramName = "transfer",
    initiators: Initiators = "0",
    relax: Relaxations = "",
    properties: PropertyNames = None,
    tags: Annotated[bool, Option("--tags", help="messages may carry their sender's colour")] = False,
    fix: Annotated[
        list[str] | None, Option(metavar="HOLE=VALUE", help="fill this hole beforehand (repeatable): see `list sketch`")
    ] = None,
    control_messages: Annotated[
        int | None,
        Option(
            parser=whole(0), metavar="N", help="all rules with so many at most; default: only those that cost least"
        ),
    ] = None,
    timeout: Annotated[
        float | None, Option(parser=seconds, metavar="SECONDS", help="stop after so many seconds", group=BOUNDS)
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Fill the holes of a sketched snapshot algorithm so that it is right, with as few control messages as can be."""
    from checker.cli.survey import Counter
    from checker.synthesis.search import Question, synthesise
    from checker.topologies import parse

    fixed = dict(_filling(word) for word in fix or ())
    if not tags:
        fixed.setdefault("tags", "none")
    graphs = tuple(graph for name in topologies for graph in parse(name))
    question = Question(graphs, program, initiators, relax, tuple(properties or ()), tuple(fixed.items()))
    with Counter("rules") as progress:
        found = synthesise(question, control_messages, timeout, lambda so_far: progress(so_far.tried, so_far.size))
    if as_json:
        print_json(to_json(found))
    else:
        from checker.report.text import Terminal

        Terminal().say(render(question, found))
    return HOLDS if found.right and found.whole else UNKNOWN if not found.whole else NONE_RIGHT


def _filling(word: str) -> tuple[str, str]:
    name, separator, value = word.partition("=")
    if not separator:
        raise InputError(f"--fix {word!r}: write HOLE=VALUE, as in --fix complete=closed")
    return name, value


def to_json(found: Found) -> dict[str, object]:
    """What was found, as one JSON object: `right` and `refuted` name the rules as `--protocol` takes them."""
    from checker.synthesis.search import words

    return {
        "verdict": "unknown" if not found.whole else "holds" if found.right else "violated",
        "reason": found.stopped,
        "rules": found.size,
        "tried": found.tried + len(found.right) + len(found.unknown),
        "right": [
            {
                "protocol": words(right.rule),
                **right.cost._asdict(),
                "alike": {name: sorted(values) for name, values in right.alike.items()},
                "states": right.states,
            }
            for right in found.right
        ],
        "refuted": [
            {
                "protocol": words(wrong.rule),
                "property": wrong.property,
                "topology": wrong.topology,
                "length": wrong.length,
                "rules": wrong.rules,
            }
            for wrong in found.refuted
        ],
        "unknown": [{"protocol": words(rule), "reason": why} for rule, why in found.unknown],
    }


def render(question: Question, found: Found) -> RenderableType:
    """The space, what was tried, and each right rule in sentences."""
    from rich.console import Group
    from rich.text import Text

    from checker.synthesis.search import words
    from model.protocols.sketch import HOLES

    names = ", ".join(topology.name for topology in question.topologies)
    tried = found.tried + len(found.right) + len(found.unknown)
    fixed = ", ".join("=".join(filling) for filling in question.fixed)
    lines = [
        Text(f"on       {names}; {question.program}, {question.relax or 'FIFO channels'}"),
        Text(f"space    {found.size:,} rules: {len(HOLES)} holes" + (f", of which fixed: {fixed}" if fixed else "")),
        Text(f"tried    {tried} rules; {len(found.refuted)} counterexamples ruled out the others"),
    ]
    for number, right in enumerate(found.right, 1):
        cost = right.cost
        lines += [
            Text(),
            Text(
                f"{number}. control messages: {cost.control_messages}, bits a message: {cost.message_bits},"
                f" bits kept: {cost.memory_bits}; {right.states:,} states explored"
            ),
            Text(f"   --protocol {words(right.rule)}"),
        ]
        for name, value in right.rule.items():
            if len(right.alike[name]) == len(HOLES[name]):
                continue  # it makes no difference
            others = sorted(right.alike[name] - {value})
            lines.append(Text(f"   {HOLES[name][value]}" + (f"  (or {name}={', '.join(others)})" if others else "")))
    lines += [Text(), Text(_summary(found), "bold")]
    return Group(*lines)


def _summary(found: Found) -> str:
    if found.stopped or found.unknown:
        why = found.stopped or f"{len(found.unknown)} rules were not settled ({found.unknown[0][1]})"
        return f"UNKNOWN: {why}"
    if not found.right:
        return "NO RULE of this space is right"
    fewest = found.right[0].cost.control_messages
    rules = f"RIGHT: {len(found.right)} {'rule' if len(found.right) == 1 else 'rules'}"
    return (
        f"{rules}; none with fewer than {fewest} control messages is"
        if fewest
        else f"{rules}, without control messages"
    )
