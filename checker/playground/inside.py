"""What runs inside the page: a question as JSON in, the verdict with its pictures as JSON out.

It is the same `check`, and the same drawings, as on the command line; only the engine is always the reference, the one
that is plain Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

MINE = "mine.py"
"""The file that the text in the page's editor becomes: `--program mine.py:NAME`, `--property mine.py:NAME`."""

MOST = 200_000
"""States beyond which no search in a page goes: a browser gives it one thread and little memory."""

PROPERTY = """\
from redwhite import never, on_snapshot

# view.machines[m]: the program's state (here: balance, sends left); view.channels[c]: payloads in transit
all_at_one = never(
    "One machine holds all the money.",
    lambda view: any(state.balance == len(view.machines) for state in view.machines),
)

nothing_recorded_in_a_channel = on_snapshot(
    "No channel is recorded with a message in it.",
    lambda sss: not any(sss.channels),
)
"""

PROGRAM = '''\
from redwhite import Action, Program


class Rumour(Program):
    """Machine 0 knows a rumour; who knows it may tell it on, once over each channel."""

    def initial(self, machine):
        return (machine == 0, ())  # (knows it, channels it was told over)

    def actions(self, machine, state, offered):  # offered: channel -> payload
        knows, told = state
        for channel in offered:
            yield Action("hear", (True, told), {channel: offered[channel]})
        for channel in self.topology.outputs[machine] if knows and not offered else ():
            if channel not in told:
                yield Action("tell", (True, (*told, channel)), sends={channel: "psst"})
'''

EXAMPLES: tuple[dict[str, str], ...] = (
    {"title": "Chandy and Lamport on a ring: holds", "topology": "ring:3"},
    {"title": "Without FIFO a message overtakes the marker", "topology": "ring:3", "relax": "fifo"},
    {"title": "A machine that sends before its markers", "topology": "ring:3", "protocol": "late-marker"},
    {"title": "Kuper's three processes, without FIFO", "topology": "biring:3", "program": "kuper", "relax": "fifo"},
    {"title": "Lai and Yang need no order", "topology": "ring:3", "protocol": "laiyang", "relax": "fifo"},
    {
        "title": "A stream's barriers, not aligned",
        "topology": "vee",
        "program": "dataflow,records=1",
        "protocol": "barrier,align=false",
        "property": "exactly-once",
    },
    {
        "title": "A claim of your own",
        "topology": "ring:3",
        "property": f"{MINE}:all_at_one {MINE}:nothing_recorded_in_a_channel",
        "code": PROPERTY,
    },
    {"title": "A program of your own", "topology": "ring:3", "program": f"{MINE}:Rumour", "code": PROGRAM},
)
"""What the fields are set to by one click; a field that is not named is left at its default."""


def catalogue() -> str:
    """JSON: the names that can be written into each field with what they mean, and the examples, incidents last."""
    from checker.cli.list import SECTIONS
    from checker.gallery import INCIDENTS

    fields = ("topologies", "programs", "protocols", "properties", "relaxations")
    incidents = [
        {
            "title": f"{told.name}: {told.title}",
            "topology": told.topology,
            "program": told.program,
            "protocol": told.protocol(False),
            "property": told.property,
        }
        for told in INCIDENTS.values()
    ]
    return json.dumps({**{field: SECTIONS[field]() for field in fields}, "examples": [*EXAMPLES, *incidents]})


def answer(question: str, progress: Callable[[int, int, int], None] | None = None) -> str:
    """JSON: the verdict on what the page's fields say, with its text, its diagram and its page; or {"error": one line}.

    question: JSON of the fields topology, program, protocol, initiators, relax, property (words apart by blanks), code
    and states (the bound). progress is called as a search calls it: distinct states, waiting states, depth.
    """
    from model.errors import InputError

    try:
        return json.dumps(_answer(json.loads(question), progress))
    except InputError as error:
        return json.dumps({"error": str(error)})
    except MemoryError:
        return json.dumps({"error": "the browser gives no more memory: ask for fewer states"})


def _answer(fields: dict[str, str], progress: Callable[[int, int, int], None] | None) -> dict[str, Any]:
    from checker.check import check
    from checker.engines.search_options import SearchOptions, silent
    from checker.report.data import verdict_json
    from checker.report.table import verdict_text

    if fields["code"].strip():
        Path(MINE).write_text(fields["code"], encoding="utf-8")
    verdict = check(
        fields["topology"],
        fields["program"],
        fields["protocol"],
        initiators=fields["initiators"],
        relax=fields["relax"],
        properties=fields["property"].split(),
        engine="reference",
        options=SearchOptions(max_states=_bound(fields["states"])),
        progress=progress or silent,
    )
    told: dict[str, Any] = {"verdict": verdict_json(verdict), "text": verdict_text(verdict)}
    found = verdict.counterexample
    if found is not None:
        from checker.draw.page import html
        from checker.draw.svg import svg

        told |= {"picture": svg(found), "page": html(found)}
    return told


def _bound(text: str) -> int:
    from model.errors import InputError

    states = int(text) if text.isdecimal() and len(text) < 10 else 0
    if not 0 < states <= MOST:
        raise InputError(f"states {text!r}: a number from 1 to {MOST:,}; for more there is redwhite check")
    return states
