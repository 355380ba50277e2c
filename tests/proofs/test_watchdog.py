"""A solver that does not keep its limit is stopped; the questions around it are still answered."""

from __future__ import annotations

import os
import time

import pytest

from model.errors import InputError
from proofs.watchdog import Ask, watched

HERE = "tests.proofs.test_watchdog"


def stubborn(ask: Ask, name: str, stuck: str) -> tuple[str, list[str]]:
    """Three questions; the one named `stuck` never ends, or ends the process."""
    answers = []
    for question in ("first", "second", "third"):
        with ask(question, 0.1) as allowed:
            if not allowed:
                answers.append("unknown")
                continue
            if question == stuck:
                os._exit(11) if name == "crash" else time.sleep(60)
            answers.append("yes")
    return name, answers


def refused(ask: Ask, value: str) -> None:
    raise InputError(f"no {value}")


@pytest.mark.parametrize("name", ["hang", "crash"])
def test_what_does_not_come_back_is_unknown_and_the_rest_is_answered(name: str) -> None:
    start = time.perf_counter()
    (outcome,) = watched(f"{HERE}:stubborn", [(name, "second")], 1, grace=0.2)
    assert outcome == (name, ["yes", "unknown", "yes"])
    assert time.perf_counter() - start < 30


def test_tasks_share_the_workers() -> None:
    tasks = [("a", ""), ("b", "first"), ("c", "")]
    found = dict(watched(f"{HERE}:stubborn", tasks, 2, grace=0.2))
    assert found == {"a": ["yes"] * 3, "b": ["unknown", "yes", "yes"], "c": ["yes"] * 3}


def test_a_refusal_is_raised_where_the_task_came_from() -> None:
    with pytest.raises(InputError, match="no such thing"):
        list(watched(f"{HERE}:refused", [("such thing",)], 1))


def test_who_stops_listening_leaves_no_worker_behind() -> None:
    start = time.perf_counter()
    outcomes = watched(f"{HERE}:stubborn", [("quick", ""), ("slow", "third")], 2, grace=60.0)
    assert next(outcomes)[0] == "quick"
    outcomes.close()  # type: ignore[attr-defined]
    assert time.perf_counter() - start < 30
