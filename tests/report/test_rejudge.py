"""What engines find is what the run itself shows; what is claimed falsely of a run is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from checker.check import check
from checker.engines.reference.engine import judge
from checker.engines.search_options import SearchOptions
from checker.report.data import trace_from, trace_json
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from model.properties import chosen
from model.trace import Counterexample
from model.verdict import Verdict
from tests.manifest import entries

Data = dict[str, Any]


def found_in(verdict: Verdict) -> list[Counterexample]:
    return [p.counterexample for p in verdict.properties if p.counterexample] + list(verdict.witnesses)


@pytest.mark.parametrize("entry", [e for e in entries(300) if e.violated], ids=str)
def test_what_is_found_is_what_its_file_shows(entry) -> None:  # type: ignore[no-untyped-def]
    system = entry.system()
    for found in found_in(judge(system, chosen(system), SearchOptions())):
        data = json.loads(json.dumps(trace_json(found)))
        assert trace_json(trace_from(data)) == data


@pytest.mark.ci
@pytest.mark.parametrize("engine", ["native", "simulate", "z3"])
def test_so_is_what_other_engines_find(engine: str) -> None:
    options = SearchOptions(max_depth=8) if engine == "z3" else SearchOptions(runs=300)
    options = SearchOptions() if engine == "native" else options
    for relax in ("fifo", "marker-loss:1"):
        for found in found_in(check("ring:2", relax=relax, engine=engine, options=options)):
            data = json.loads(json.dumps(trace_json(found)))
            assert trace_json(trace_from(data)) == data


def saved(name: str, *words: str) -> Data:
    """The file of a counterexample (or witness) of a small system."""
    program, protocol, relax = words
    system = build_system(parse_family("biring:3" if program == "token" else "ring:3"), program, protocol, "0", relax)
    known = chosen(system, () if " " in name else (name,))
    (found,) = (f for f in found_in(judge(system, known, SearchOptions())) if f.property == name)
    data: Data = json.loads(json.dumps(trace_json(found)))
    return data


RED = ("no-red-in-white", "transfer", "marker", "fifo")
ENDLESS = ("completes-unfair", "token", "marker", "")
LOST = ("completes", "transfer", "marker", "marker-loss:1")
WITNESS = ("a snapshot completes", "transfer", "marker", "")


def shorter(data: Data) -> None:
    data["actions"].pop()


def shorter_and_said_so(data: Data) -> None:
    data["actions"].pop()
    data["length"] -= 1


def put(key: str, value: Any) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        data[key] = value

    return change


def explained(key: str, value: Any) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        data["explanation"][key] = value

    return change


def longer(data: Data) -> None:
    """One action more, which can happen, after the violation."""
    system = build_system(parse_family("ring:3"), data["system"]["program"], "marker", "0", data["system"]["relax"])
    from model.trace import event_json, replay

    trace = replay(system, data["actions"])
    data["actions"].append(event_json(system, next(iter(system.events(trace.states()[-1])))))
    data["length"] += 1


FALSE = {
    "last action dropped": (RED, shorter),
    "last action dropped, length too": (RED, shorter_and_said_so),
    "one action more": (RED, longer),
    "a loop where there is none": (RED, put("loop", 1)),
    "a loop of nothing": (ENDLESS, put("loop", 2**60)),
    "a loop that begins elsewhere": (ENDLESS, put("loop", 0)),
    "no loop where there is one": (ENDLESS, put("loop", None)),
    "an unfair loop for a fair claim": (ENDLESS, put("property", "completes")),
    "another property": (RED, put("property", "conservation")),
    "a property of another kind": (RED, put("property", "completes")),
    "an unknown property": (RED, put("property", "agreement")),
    "a wrong length": (RED, put("length", 1)),
    "a length that is no number": (RED, put("length", "3")),
    "an altered kind": (RED, explained("kind", "the moon was full")),
    "an altered kind of a channel's claim": (LOST, explained("kind", "")),
    "an invented explanation": (RED, put("explanation", {"kind": "a b", "channel": 0})),
    "an invented sentence": (RED, explained("why", ["The moon was full."])),
    "an invented state": (WITNESS, explained("SSS", None)),
    "an invented key": (RED, explained("moon", "full")),
    "last action of a run that ends": (LOST, shorter_and_said_so),
    "last action of a witness": (WITNESS, shorter_and_said_so),
    "a witness of more": (WITNESS, put("property", "a snapshot completes with a message in a channel")),
}


@pytest.mark.parametrize("how", FALSE)
def test_a_false_claim_is_refused_in_one_line(how: str) -> None:
    words, change = FALSE[how]
    data = saved(*words)
    trace_from(copy.deepcopy(data))
    change(data)
    with pytest.raises(InputError) as refused:
        trace_from(data)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 600


def test_with_other_initiators_it_is_another_system_s_run() -> None:
    """A run that is one of the named system too is judged as that system's; else it does not replay."""
    data = saved(*RED)
    data["system"]["initiators"] = "1"
    with pytest.raises(InputError, match="does not replay"):
        trace_from(data)


def test_a_claim_need_not_be_explained_by_hand() -> None:
    """The least that a file has to say: the reason is then the run's own."""
    data = saved(*RED)
    kind = data["explanation"]["kind"]
    data["explanation"] = {"kind": kind}
    del data["length"]
    assert trace_from(data).explanation["kind"] == kind
