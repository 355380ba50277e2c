"""What can be named on the command line: programs and protocols with their options, and systems built from names."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

from model.assumptions import parse_relaxations
from model.errors import InputError
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
from model.protocols.barrier import Barrier
from model.protocols.concurrent import Concurrent
from model.protocols.incidents.gates import Gates
from model.protocols.incidents.ledger import Committer
from model.protocols.incidents.mailbox import Mailbox
from model.protocols.incidents.obsolete import NewerFirst, StaleStatus, WrongBuffers
from model.protocols.laiyang import LaiYang
from model.protocols.magic import Magic
from model.protocols.marker import Marker
from model.protocols.mutants.receiving import DuplicateLog, EarlyComplete, KeepRecording, NoChannelState, Overwrite
from model.protocols.mutants.sending import LateMarker, LateRecord, LazyMarker, MissingMarker
from model.protocols.observer import Observer
from model.protocols.recorded_cut import RecordedCut
from model.protocols.simultaneous import Simultaneous
from model.protocols.unaligned import Unaligned
from model.system import System
from model.topology import Topology

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
    "concurrent": Concurrent,
    "barrier": Barrier,
    "unaligned": Unaligned,
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
}
RECORDED = ",cut=recorded"
"""The option of every protocol that has its cut judged once all machines recorded; see `RecordedCut`."""
GIVEN = ("self", "topology", "program", "initiators")


def build_system(
    topology: Topology,
    program: str = "transfer",
    protocol: str = "marker",
    initiators: str = "0",
    relax: str = "",
) -> System:
    """The system named by the command line's words; `InputError` says which word is wrong and what is accepted."""
    protocol, cut, recorded = protocol.partition(RECORDED)
    if recorded:
        raise InputError(f"protocol {protocol}{cut}{recorded}: {RECORDED[1:]} goes last")
    program_class, program_options = find(program, PROGRAMS, Program)
    protocol_class, protocol_options = find(protocol, PROTOCOLS, Protocol)
    assumptions = parse_relaxations(relax)
    machines = parse_initiators(initiators, topology)
    the_program = program_class(topology, **program_options)
    the_protocol = protocol_class(topology, the_program, machines, **protocol_options)
    if cut:
        the_protocol = RecordedCut(the_protocol)
    description = {
        "program": spelled(program, program_class, {**program_options, **the_program.readings()}),
        "protocol": spelled(protocol, protocol_class, {**protocol_options, **the_protocol.readings()}) + cut,
        "initiators": begun_by(the_protocol, machines, initiators),
        "relax": ",".join(assumptions.relaxations),
    }
    return System(topology, the_program, the_protocol, assumptions, description)


def begun_by(protocol: Protocol, asked: tuple[int, ...], text: str) -> str:
    """Who begins, as the words say it unless the protocol decides it itself: `any`, or its own initiators."""
    if protocol.everyone:
        return "any"
    return text if protocol.initiators == asked else ",".join(map(str, protocol.initiators))


def parse_initiators(text: str, topology: Topology) -> tuple[int, ...]:
    """The machines that may turn red spontaneously: `any`, or numbers separated by commas."""
    if text == "any":
        return tuple(range(topology.machines))
    machines = []
    for part in text.split(","):
        if not (part.isascii() and part.isdigit() and int(part) < topology.machines):
            raise InputError(
                f"initiators {text!r}: 'any', or machines from 0 to {topology.machines - 1}, comma-separated"
            )
        machines.append(int(part))
    if len(set(machines)) < len(machines):
        raise InputError(f"initiators {text!r}: a machine is named twice")
    return tuple(sorted(machines))


def find(text: str, known: dict[str, type[Any]], base: type[Any]) -> tuple[type[Any], dict[str, Any]]:
    """The class that `name,key=value,...` or `file.py:Class,key=value,...` names, and its options as values."""
    name, *pairs = text.split(",")
    kind = base.__name__.lower()
    if ".py:" in name:
        found = load_class(name, base)
        if issubclass(found, Protocol):
            found = guarded(found)
    elif name in known:
        found = known[name]
    else:
        raise InputError(f"unknown {kind} {name!r}: choose from {', '.join(known)}, or file.py:Class")
    parameters = options_of(found)
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in parameters or key in options:
            accepted = ", ".join(f"{key}=" for key in parameters) or "none"
            raise InputError(f"{kind} {name}: option {pair!r}; options (each once, as key=value) are: {accepted}")
        options[key] = _value(f"{kind} {name}: {pair}", value, str(parameters[key].annotation))
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and key not in options:
            raise InputError(f"{kind} {name}: option {key}= is required")
    return found, options


def options_of(found: type[Any]) -> dict[str, inspect.Parameter]:
    """The options that a program or protocol class takes: its constructor's keyword parameters."""
    parameters = inspect.signature(found.__init__).parameters
    return {name: p for name, p in parameters.items() if name not in GIVEN and p.kind is not p.VAR_KEYWORD}


def spelled(text: str, found: type[Any], options: dict[str, Any]) -> str:
    """The name with every option that has a value, defaults included: nothing stays implicit."""
    words = [text.split(",")[0]]
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


def load_class(name: str, base: type[Any]) -> type[Any]:
    """The class in a Python file of the user's, `path/to/file.py:Class`; the file is run under a name of its own."""
    path_text, _, class_name = name.rpartition(":")
    path = Path(path_text)
    if not path.is_file():
        raise InputError(f"{name!r}: there is no file {path_text}")
    module_name = f"redwhite_user_{path.stem}_{abs(hash(path.resolve()))}"
    specification = importlib.util.spec_from_file_location(module_name, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{path_text}: cannot be loaded ({type(error).__name__}: {error})") from error
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, base)):
        classes = [n for n, c in vars(module).items() if isinstance(c, type) and issubclass(c, base) and c is not base]
        raise InputError(f"{path_text} has no {base.__name__} {class_name!r}; it has: {', '.join(classes) or 'none'}")
    return found
