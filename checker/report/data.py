"""Verdicts, snapshots and traces as JSON data, and traces back from it; the keys are those of the contract.

A trace file is self-contained: the system's configuration, the property, the actions and the explanation. Reading it
builds the system, replays the actions and judges the run anew; a file that does not replay, or claims what its run
does not show, is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

from checker.report.explain import explain
from checker.report.rejudge import shown
from model.catalogue import PROGRAMS, PROTOCOLS, build_system
from model.errors import InputError
from model.program import Underlying
from model.property import Reason
from model.reading import read_text
from model.system import System
from model.topology import Dataflow, Route, Topology
from model.trace import Counterexample, event_json, length_of, replay
from model.user_code import file_of, split
from model.values import to_json
from model.verdict import Counts, Verdict

FORMAT = "redwhite-trace"
VERSION = 1


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """The object of `redwhite check --json` for one system."""
    counts = verdict.counts
    found = verdict.counterexample
    return {
        "verdict": verdict.outcome.value,
        "reason": verdict.reason,
        "coverage": verdict.coverage.to_json(),
        "system": system_json(verdict.system),
        "engine": verdict.engine,
        "states": counts.states or None,
        "transitions": counts.transitions if counts.states else None,
        "depth": counts.depth,
        "underlying_states": counts.underlying_states,
        "snapshots": counts.snapshots,
        **_symmetry(counts),
        **({"reduced": True} if counts.reduced else {}),
        **({"history_states": counts.histories} if counts.histories is not None else {}),
        "interleavings": None if counts.interleavings is None else str(counts.interleavings),
        "seconds": round(verdict.seconds, 6),
        "peak_rss_mb": round(verdict.peak_rss_mb, 1),
        "properties": [
            {"name": p.name, "verdict": p.outcome.value, "length": p.length, "witness": p.witness}
            for p in verdict.properties
        ],
        "counterexample": None if found is None else counterexample_json(found),
        **({"warnings": list(verdict.warnings)} if verdict.warnings else {}),
    }


def _symmetry(counts: Counts) -> dict[str, int]:
    """With `--symmetry on`: `states` are orbits; the order of the group, and how many states the orbits hold."""
    if counts.symmetries is None:
        return {}
    whole = {} if counts.unreduced_states is None else {"unreduced_states": counts.unreduced_states}
    return {"orbits": counts.states, "group": counts.symmetries, **whole}


def counterexample_json(found: Counterexample) -> dict[str, Any]:
    """A counterexample or witness; `length` counts the actions up to the violation, `loop` where it repeats from."""
    trace = found.trace
    return {
        "property": found.property,
        "length": length_of(found),
        "actions": [event_json(trace.system, event) for event in trace.events],
        "loop": trace.loop,
        "explanation": explain(found),
    }


def system_json(system: System) -> dict[str, Any]:
    """A system's configuration: enough to build it again."""
    return {"topology": topology_json(system.topology), **_words(system)}


def _words(system: System) -> dict[str, Any]:
    words = system.description
    return {key: words.get(key) for key in ("program", "protocol", "initiators", "relax")}


def topology_json(topology: Topology) -> dict[str, Any]:
    """Machines and channels; name, labels and a dataflow's routes where there are any."""
    data: dict[str, Any] = {"machines": topology.machines, "channels": [list(ends) for ends in topology.channels]}
    if topology.name:
        data["name"] = topology.name
    if topology.labels:
        data["labels"] = list(topology.labels)
    if isinstance(topology, Dataflow):
        data["routes"] = [
            [{"strategy": route.strategy, "channels": list(route.channels)} for route in routes]
            for routes in topology.routes
        ]
    return data


def snapshot_lines(snapshots: Iterable[Underlying]) -> Iterable[str]:
    """Each SSS as one line of JSON."""
    for machines, channels in snapshots:
        yield json.dumps({"machines": to_json(machines), "channels": to_json(channels)}) + "\n"


def trace_json(found: Counterexample) -> dict[str, Any]:
    """A self-contained trace file's content."""
    system = found.trace.system
    if not system.description.get("program"):
        raise InputError("this trace's system was not built from names, so no file can name it: use build_system")
    for kind, known in (("program", PROGRAMS), ("protocol", PROTOCOLS)):
        word = system.description[kind]
        if ".py" not in word and split(word)[0] not in known:
            raise InputError(
                f"{kind} {word} is in no file, so no trace can name it: write the class into a file of its own"
            )
    return {"format": FORMAT, "version": VERSION, "system": system_json(system), **counterexample_json(found)}


class Untrusted(InputError):
    """A trace names Python files, `code`, and nobody has said that they may be run."""

    def __init__(self, code: Sequence[str], where: str = "") -> None:
        self.code = tuple(code)
        files = ", ".join(map(repr, code))
        super().__init__(
            f"{where}to replay it, the code in {files} has to be run; if you trust whoever wrote that, say --trust"
        )


def read_trace(path: str | Path, trust: bool = False) -> Counterexample:
    """The trace in a file, replayed and judged anew; `InputError`, in one line, for a file that is none, does not
    replay or claims what it does not show. The Python files that it names are run only with `trust`."""
    text = read_text(path, "trace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"trace {str(path)!r}: not JSON ({error})") from None
    try:
        return trace_from(data, trust)
    except Untrusted as error:
        raise Untrusted(error.code, f"trace {str(path)!r}: ") from None
    except InputError as error:
        raise InputError(f"trace {str(path)!r}: {error}") from None


def is_trace(path: str) -> bool:
    """Whether there is a file here that begins as our traces do."""
    try:
        with Path(path).open("rb") as file:
            return Path(path).is_file() and FORMAT.encode() in file.read(200)
    except (OSError, ValueError):
        return False


def trace_from(data: Any, trust: bool = False) -> Counterexample:
    """The trace that `trace_json` made, judged anew; `InputError` if its run does not show what it claims."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f'not a Redwhite trace: it must be an object with "format": "{FORMAT}"')
    if data.get("version") != VERSION:
        raise InputError(f"version {data.get('version')!r}: accepted is {VERSION}")
    actions, loop, name, reason = (data.get(key) for key in ("actions", "loop", "property", "explanation"))
    if not isinstance(actions, list) or not isinstance(name, str) or not isinstance(reason, dict):
        raise InputError("a trace has property (a name), actions (a list) and explanation (an object)")
    if loop is not None and type(loop) is not int:
        raise InputError(f"loop {loop!r}: null, or an index into the actions")
    if not isinstance(reason.get("kind"), str):
        raise InputError('its explanation has no "kind", the reason in words')
    length = data.get("length")
    if length is not None and type(length) is not int:
        raise InputError(f"length {length!r}: a number of actions")
    words = data["system"] if isinstance(data.get("system"), dict) else {}
    code = [] if trust else _code(map(str, (words.get("program"), words.get("protocol"), name)))
    if code:
        raise Untrusted(code)
    system = system_from(data.get("system"))
    found = shown(replay(system, actions, loop), name, reason["kind"], length)
    _check_explanation(reason, found)
    return found


def _check_explanation(claimed: Reason, found: Counterexample) -> None:
    """Refuse an explanation that is not the run's own, in any part that the file gives."""
    own = json.loads(json.dumps(explain(found)))
    for key, value in claimed.items():
        if key not in own or own[key] != value:
            said, is_so = (shorten(json.dumps(v), 80, placeholder=" ...") for v in (value, own.get(key)))
            raise InputError(f"explanation, {key!r}: the file says {said}, the run shows {is_so}")


def system_from(data: Any) -> System:
    """The system of this configuration; one that names a Python file runs it."""
    words = ("program", "protocol", "initiators", "relax")
    if not isinstance(data, dict) or not all(isinstance(data.get(key), str) for key in words):
        raise InputError(f"its system must be an object with topology, {', '.join(words)}")
    return build_system(topology_from(data.get("topology")), *(data[key] for key in words))


def _code(words: Iterable[str]) -> list[str]:
    """The files of somebody's code that these words of a file name."""
    found = [file_of(word.removeprefix("implementation,of=")) or word for word in words if ".py" in word]
    return list(dict.fromkeys(str(Path(file).resolve()) for file in found))


def topology_from(data: Any) -> Topology:
    """The topology that `topology_json` wrote."""
    try:
        machines, name = data["machines"], data.get("name", "")
        channels = tuple((source, destination) for source, destination in data["channels"])
        labels = tuple(data.get("labels", ()))
        plain = all(type(number) is int for number in (machines, *(end for ends in channels for end in ends)))
        if not plain or not all(isinstance(text, str) for text in (name, *labels)):
            raise TypeError
        if "routes" in data:
            routes = tuple(tuple(Route(r["strategy"], tuple(r["channels"])) for r in own) for own in data["routes"])
            return Dataflow(machines, channels, name, labels, routes)
        return Topology(machines, channels, name, labels)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("its topology must have machines (a number) and channels (pairs of machines)") from None
