"""The published JSON Schema accepts every trace file that we write, and refuses ones that are not traces."""

import copy
import json
from importlib.resources import files
from typing import Any

import pytest

from checker.check import check
from checker.report.data import trace_json
from model.trace import Counterexample
from tests.export.traces import SYSTEMS, random_trace

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads((files("checker.export") / "trace.schema.json").read_text(encoding="utf-8"))


def errors(document: Any) -> list[str]:
    return [e.message for e in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("words", SYSTEMS)
def test_random_traces_are_valid(words: tuple[str, str, str, str, str]) -> None:
    found = random_trace(words, 5)
    bare = Counterexample("a witness", found.trace, {"kind": "a random run"})
    assert errors(json.loads(json.dumps(trace_json(bare)))) == []


def test_a_counterexample_and_a_lasso_are_valid() -> None:
    broken = check("ring:2", protocol="late-marker", engine="reference").counterexample
    assert broken is not None
    lost = check("ring:2", relax="marker-loss:1", properties=["completes"], engine="reference").counterexample
    assert lost is not None
    for found in (broken, lost):
        assert errors(json.loads(json.dumps(trace_json(found)))) == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [(["format"], "trace"), (["actions", 0, "machine"], "P0"), (["actions", 0, "moves", 0, "colour"], "green"),
     (["system", "topology", "channels", 0], [0]), (["loop"], -1), (["explanation"], {}), (["extra"], 1)],
)  # fmt: skip
def test_what_is_no_trace_is_refused(path: list[str | int], wrong: Any) -> None:
    document = json.loads(json.dumps(trace_json(random_trace(SYSTEMS[0], 0))))
    assert errors(document) == []
    broken = copy.deepcopy(document)
    at = broken
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = wrong
    assert errors(broken)
