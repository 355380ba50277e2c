"""What can be named on the command line: programs and protocols with their options, and systems built from names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from model.asking import asked
from model.assumptions import parse_relaxations
from model.errors import InputError, like
from model.guard import guarded
from model.implementation.superposed import PlainObjects, SnapshottingObjects
from model.program import Program
from model.programs.dataflow import Dataflow
from model.programs.diffusing import Diffusing
from model.programs.free import Free
from model.programs.resources import Resources
from model.programs.script import Kuper, Script
from model.programs.token import Token
from model.programs.transfer import Transfer
from model.protocol import NoSnapshot, Protocol
from model.protocols.acharya_badrinath import AcharyaBadrinath
from model.protocols.alagar_venkatesan import AlagarVenkatesan
from model.protocols.barrier import Barrier
from model.protocols.bcs import Bcs
from model.protocols.concurrent import Concurrent
from model.protocols.hmnr import Hmnr
from model.protocols.incidents.backfill import Backfill
from model.protocols.incidents.draining import Draining
from model.protocols.incidents.gates import Gates
from model.protocols.incidents.jet import Drained, HalfEmitted, LateResponse, LostOperation
from model.protocols.incidents.ledger import Committer
from model.protocols.incidents.mailbox import Mailbox
from model.protocols.incidents.notified import CommittedOffset, EndOfInput, Overtaken
from model.protocols.incidents.obsolete import NewerFirst, StaleStatus, WrongBuffers
from model.protocols.inhibitory import Inhibitory
from model.protocols.koo_toueg import KooToueg
from model.protocols.kshemkalyani import Kshemkalyani
from model.protocols.laiyang import LaiYang
from model.protocols.magic import Magic
from model.protocols.marker import Marker
from model.protocols.mattern_counting import MatternCounting
from model.protocols.mattern_vector import MatternVector
from model.protocols.mutants.receiving import DuplicateLog, EarlyComplete, KeepRecording, NoChannelState, Overwrite
from model.protocols.mutants.sending import LateMarker, LateRecord, LazyMarker, MissingMarker
from model.protocols.observer import Observer
from model.protocols.recorded_cut import RecordedCut
from model.protocols.simultaneous import Simultaneous
from model.protocols.sketch import Sketch
from model.protocols.spezialetti_kearns import SpezialettiKearns
from model.protocols.unaligned import Unaligned
from model.protocols.uncoordinated import Uncoordinated
from model.protocols.venkatesan import Venkatesan
from model.system import System
from model.topology import Topology
from model.user_code import file_of, load_class, named, split

PROGRAMS: dict[str, type[Program]] = {
    "transfer": Transfer,
    "free": Free,
    "token": Token,
    "diffusing": Diffusing,
    "resources": Resources,
    "kuper": Kuper,
    "script": Script,
    "dataflow": Dataflow,
    "implementation": PlainObjects,
}
PROTOCOLS: dict[str, type[Protocol]] = {
    "marker": Marker,
    "magic": Magic,
    "simultaneous": Simultaneous,
    "observer": Observer,
    "laiyang": LaiYang,
    "mattern-vector": MatternVector,
    "mattern-counting": MatternCounting,
    "kshemkalyani": Kshemkalyani,
    "inhibitory": Inhibitory,
    "acharya-badrinath": AcharyaBadrinath,
    "alagar-venkatesan": AlagarVenkatesan,
    "spezialetti-kearns": SpezialettiKearns,
    "venkatesan": Venkatesan,
    "concurrent": Concurrent,
    "barrier": Barrier,
    "unaligned": Unaligned,
    "uncoordinated": Uncoordinated,
    "bcs": Bcs,
    "hmnr": Hmnr,
    "koo-toueg": KooToueg,
    "sketch": Sketch,
    "none": NoSnapshot,
    "implementation": SnapshottingObjects,
    "late-marker": LateMarker,
    "lazy-marker": LazyMarker,
    "late-record": LateRecord,
    "missing-marker": MissingMarker,
    "no-channel-state": NoChannelState,
    "keep-recording": KeepRecording,
    "overwrite": Overwrite,
    "early-complete": EarlyComplete,
    "duplicate-log": DuplicateLog,
    "flink-17568": Mailbox,
    "flink-18139": Gates,
    "flink-20645": StaleStatus,
    "flink-20654": WrongBuffers,
    "flink-21104": NewerFirst,
    "iceberg-15846": Committer,
    "flink-10377": Overtaken,
    "flink-34117": EndOfInput,
    "flink-cdc-2538": CommittedOffset,
    "jet-809": HalfEmitted,
    "jet-1435": LostOperation,
    "jet-2824": LateResponse,
    "hazelcast-22207": Drained,
    "risingwave-12654": Backfill,
    "mana-312": Draining,
}
RECORDED = ",cut=recorded"
"""The option of every protocol that has its cut judged once all machines recorded; see `RecordedCut`."""
GIVEN = ("self", "topology", "program", "initiators")


def build_system(
    topology: Topology,
    program: str | type[Program] = "transfer",
    protocol: str | type[Protocol] = "marker",
    initiators: str | int | Iterable[int] = "0",
    relax: str | Iterable[str] = "",
) -> System:
    """The system named by the command line's words; `InputError` says which word is wrong and what is accepted.

    `program` and `protocol` may be classes, `initiators` numbers and `relax` a list: what is meant is the same.
    """
    protocol, cut, recorded = protocol.partition(RECORDED) if isinstance(protocol, str) else (protocol, "", "")
    if recorded:
        raise InputError(f"protocol {protocol}{cut}{recorded}: {RECORDED[1:]} goes last")
    program_name, program_class, program_options = find(program, PROGRAMS, Program)
    protocol_name, protocol_class, protocol_options = find(protocol, PROTOCOLS, Protocol)
    assumptions = parse_relaxations(joined("relax", relax))
    machines = parse_initiators(joined("initiators", initiators), topology)
    the_program: Program = asked(lambda: program_class(topology, **program_options), owner=program_class)
    the_protocol: Protocol = asked(
        lambda: protocol_class(topology, the_program, machines, **protocol_options), owner=protocol_class
    )
    if cut:
        the_protocol = RecordedCut(the_protocol)
    description = {
        "program": spelled(program_name, program_class, {**program_options, **the_program.readings()}),
        "protocol": spelled(protocol_name, protocol_class, {**protocol_options, **the_protocol.readings()}) + cut,
        "initiators": begun_by(the_protocol, machines, initiators),
        "relax": ",".join(assumptions.relaxations),
    }
    return System(topology, the_program, the_protocol, assumptions, description)


def begun_by(protocol: Protocol, asked_for: tuple[int, ...], given: object) -> str:
    """Who begins: `any` if that was said or the protocol decides so itself, else the numbers of the initiators."""
    if protocol.everyone or (given == "any" and protocol.initiators == asked_for):
        return "any"
    return ",".join(map(str, protocol.initiators))


def joined(what: str, given: object) -> str:
    """The words of the command line for what was given from Python: a text, a number, or several of either."""
    if isinstance(given, str):
        return given
    if isinstance(given, Iterable) and not isinstance(given, (bytes, dict)):
        parts = list(given)
        if all(isinstance(part, (str, int)) for part in parts):
            return ",".join(map(str, parts))
    elif isinstance(given, int):
        return str(given)
    raise InputError(f"{what} {given!r}: a text, as on the command line, or a list of its parts")


def parse_initiators(text: str, topology: Topology) -> tuple[int, ...]:
    """The machines that may turn red spontaneously: `any`, or numbers or names (P0) separated by commas."""
    if text == "any":
        return tuple(range(topology.machines))
    machines = []
    known = {topology.label(machine): machine for machine in range(topology.machines)}
    for part in text.split(","):
        machine = known.get(part, -1)
        if part.isascii() and part.isdigit():
            machine = int(part)
        if not 0 <= machine < topology.machines:
            raise InputError(
                f"initiators {text!r}: 'any', or machines from 0 to {topology.machines - 1}, comma-separated"
            )
        machines.append(machine)
    if len(set(machines)) < len(machines):
        raise InputError(f"initiators {text!r}: a machine is named twice")
    return tuple(sorted(machines))


def find(given: str | type[Any], known: dict[str, type[Any]], base: type[Any]) -> tuple[str, type[Any], dict[str, Any]]:
    """The name, the class and the options that `name,key=value,...` or `file.py:Class,key=value,...` says.

    A class may be given as itself; its name then says where it is found again.
    """
    kind = base.__name__.lower()
    if not isinstance(given, str):
        a_class: object = given
        if not (isinstance(a_class, type) and issubclass(a_class, base)):
            raise InputError(f"{kind} {given!r}: a name, file.py:Class, or a class derived from {base.__name__}")
        ours = next((name for name, one in known.items() if one is given), None)
        return (ours, given, {}) if ours else (named(given), guarded(given), {})
    name, pairs = split(given)
    if file_of(name) is not None:
        found = load_class(name, base)
        name, found = named(found), guarded(found)
    elif name in known:
        found = known[name]
    else:
        raise InputError(
            f"unknown {kind} {name!r}: {like(name, known)}choose from {', '.join(known)}, or file.py:Class"
        )
    return name, found, _options(f"{kind} {name}", found, pairs)


def _options(what: str, found: type[Any], pairs: list[str]) -> dict[str, Any]:
    parameters = options_of(found)
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in parameters or key in options:
            accepted = ", ".join(f"{key}=" for key in parameters) or "none"
            near = "" if key in parameters else like(key, parameters)
            raise InputError(f"{what}: option {pair!r}; {near}options (each once, as key=value) are: {accepted}")
        options[key] = _value(f"{what}: {pair}", value, str(parameters[key].annotation))
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            raise InputError(f"{what}: option {key}= is required")
    return options


def options_of(found: type[Any]) -> dict[str, inspect.Parameter]:
    """The options that a program or protocol class takes: its constructor's keyword parameters."""
    parameters = inspect.signature(found.__init__).parameters
    return {name: p for name, p in parameters.items() if name not in GIVEN and p.kind is not p.VAR_KEYWORD}


def spelled(name: str, found: type[Any], options: dict[str, Any]) -> str:
    """The name with every option that has a value, defaults included: nothing stays implicit."""
    words = [name]
    for key, parameter in options_of(found).items():
        value = options.get(key, parameter.default)
        if value in (None, "", ()):
            continue
        shown = (
            "-".join(map(str, value))
            if isinstance(value, tuple)
            else str(value).lower()
            if value in (True, False) and isinstance(value, bool)
            else str(value)
        )
        words.append(f"{key}={shown}")
    return ",".join(words)


def _value(where: str, text: str, annotation: str) -> Any:
    """The option's value by its annotation; unannotated ones by their look."""
    numbers = text.split("-")
    if "bool" in annotation or (annotation == "<class 'inspect._empty'>" and text in ("true", "false")):
        if text not in ("true", "false"):
            raise InputError(f"{where}: true or false")
        return text == "true"
    if "str" in annotation:
        return text
    if "int" in annotation or "empty" in annotation:
        if all(part.isascii() and part.isdigit() for part in numbers):
            if len(numbers) == 1:
                return int(text)
            if "tuple" in annotation or "empty" in annotation:
                return tuple(map(int, numbers))
        if "int" in annotation:
            raise InputError(
                f"{where}: a whole number" + (", or one a machine as in 1-0-2" if "tuple" in annotation else "")
            )
    return text
