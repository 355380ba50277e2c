"""A distributed search resumed from its folder: whatever bit is flipped, it is refused or gives the right answer.

Tasks run here in this process: what is tested is what they and the driver write and read back, not Spark.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from checker.engines.distributed.engine import Check
from checker.engines.distributed.storage import Store
from checker.engines.kept_files import locked
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.properties import chosen
from model.verdict import Verdict

PARTITIONS = 3


class Plain:
    """As much of a Spark context as a search asks for."""

    def __init__(self, work: Iterable[Any] = ()) -> None:
        self.work = work

    def parallelize(self, work: Iterable[Any], parts: int) -> Plain:
        return Plain(work)

    def map(self, task: Callable[[Any], Any]) -> Plain:
        return Plain(map(task, self.work))

    def collect(self) -> list[Any]:
        return list(self.work)


def search(folder: Path, max_depth: int | None = None, topology: str = "ring:3", durable: bool = False) -> Verdict:
    system = build_system(parse(topology)[0], relax="marker-loss:1")
    properties = chosen(system, ("channel-exact", "no-red-in-white", "no-new-deadlock", "conservation"))
    store = Store(str(folder), durable=durable)
    with store.lock():
        check = Check(system, properties, SearchOptions(max_depth=max_depth), store, PARTITIONS)
        context: Any = Plain()
        check.exploration.explore(context, check.reports.take, projected=check.projected)
        return check.verdict()


def told(verdict: Verdict) -> Any:
    return verdict.counts, [(p.name, p.outcome, p.length) for p in verdict.properties], set(verdict.snapshots)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "lock")


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A search that was cut off at depth 6."""
    folder = tmp_path_factory.mktemp("half") / "kept"
    search(folder, max_depth=6)
    return folder


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What an undisturbed search says."""
    return told(search(tmp_path_factory.mktemp("right") / "kept"))


def test_resumed(half: Path, right: Any, tmp_path: Path) -> None:
    shutil.copytree(half, tmp_path / "kept")
    assert told(search(tmp_path / "kept")) == right
    assert told(search(tmp_path / "kept")) == right  # nothing is left to do


def test_nothing_kept_is_a_pickle_and_what_is_done_with_is_removed(half: Path) -> None:
    names = [path.relative_to(half).as_posix() for path in files(half)]
    assert {name.partition("/")[0] for name in names} == {"search.json", "found", "level", "sent", "tables"}
    assert min(int(name.split("/")[1]) for name in names if name.startswith("sent/")) == 6
    assert sum(name.startswith("tables/") for name in names) == 1
    assert not any(b"numpy.core" in path.read_bytes() or path.read_bytes()[:1] == b"\x80" for path in files(half)[:20])


FLIPS = int(os.environ.get("REDWHITE_FLIPS", "1"))
"""How many bits of each file are flipped, one at a time."""


def test_any_flipped_bit_is_refused_or_harmless(half: Path, right: Any, tmp_path: Path) -> None:
    flips = random.Random(7)
    refused = 0
    for number, path in enumerate(FLIPS * files(half)):
        kept = tmp_path / str(number)
        shutil.copytree(half, kept)
        bent = bytearray(path.read_bytes())
        if not bent:
            continue
        at = flips.randrange(8 * len(bent))
        bent[at // 8] ^= 1 << at % 8
        (kept / path.relative_to(half)).write_bytes(bent)
        try:
            assert told(search(kept)) == right
        except InputError as error:
            assert "damaged" in str(error) or "another search" in str(error)
            assert "\n" not in str(error)
            refused += 1
        shutil.rmtree(kept)
    assert refused > 10 * FLIPS


@pytest.mark.parametrize("kind", ["found", "level/5", "sent/6"])
def test_a_missing_file_is_refused(half: Path, tmp_path: Path, kind: str) -> None:
    shutil.copytree(half, tmp_path / "kept")
    largest = max((path for path in files(tmp_path / "kept" / kind)), key=lambda path: path.stat().st_size)
    largest.unlink()
    with pytest.raises(InputError, match="missing"):
        search(tmp_path / "kept")


def test_files_of_another_level_are_refused(half: Path, tmp_path: Path) -> None:
    shutil.copytree(half, tmp_path / "kept")
    shutil.copy(half / "found" / "3.npz", tmp_path / "kept" / "found" / "4.npz")
    with pytest.raises(InputError, match="digest"):
        search(tmp_path / "kept")


def test_two_searches_at_once_are_refused(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(InputError, match="in use"):
        search(tmp_path)


def test_another_search_in_the_folder_is_refused(half: Path, tmp_path: Path) -> None:
    shutil.copytree(half, tmp_path / "kept")
    with pytest.raises(InputError, match="another search"):
        search(tmp_path / "kept", topology="biring:3")
