"""Java may end before the search has begun: then nothing is covered, and one line says why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from checker.check import check
from checker.engines.distributed import engine
from checker.spark.session import SparkStopped
from model.errors import InputError


class Gone:
    """A session whose Java has ended."""

    @property
    def sparkContext(self) -> Any:
        raise SparkStopped("its Java ended, exit code -9")


def test_java_that_ends_before_the_search_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def session(*given: object) -> Iterator[Gone]:
        yield Gone()

    monkeypatch.setattr(engine, "session", session)
    with pytest.raises(InputError, match=r"stopped before the search began \(its Java ended, exit code -9\)"):
        check("ring:2", engine="spark")
