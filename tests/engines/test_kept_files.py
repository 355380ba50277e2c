"""What a search is resumed from: whole or absent, known by its digest, one process a folder."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from checker.engines.kept_files import locked, read_arrays, read_note, write_arrays, write_note, write_whole
from model.errors import InputError

HOLDER = """
import sys, time
from pathlib import Path
from checker.engines.kept_files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_arrays_are_read_as_written(tmp_path: Path) -> None:
    arrays = {"rows": np.arange(12, dtype=np.uint64).reshape(6, 2), "none": np.empty((0, 5), np.int64)}
    digest = write_arrays(tmp_path / "a" / "x.npz", arrays)
    found = read_arrays(tmp_path / "a" / "x.npz", digest)
    assert found.keys() == arrays.keys()
    assert all(np.array_equal(found[name], arrays[name]) and found[name].dtype == arrays[name].dtype for name in found)


def test_any_flipped_bit_of_an_array_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    digest = write_arrays(path, {"rows": np.arange(40)})
    whole = path.read_bytes()
    for bit in random.Random(1).sample(range(8 * len(whole)), 200):
        bent = bytearray(whole)
        bent[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bent)
        with pytest.raises(InputError, match="damaged"):
            read_arrays(path, digest)
    path.write_bytes(whole[:-1])
    with pytest.raises(InputError, match="damaged"):
        read_arrays(path, digest)
    path.unlink()
    with pytest.raises(InputError, match="No such file"):
        read_arrays(path, digest)


def test_a_note_with_a_flipped_bit_is_refused_or_means_the_same(tmp_path: Path) -> None:
    path = tmp_path / "search.json"
    note = {"complete": 7, "files": {"rows": "ab" * 32}, "words": "ring:3 é"}
    write_note(path, note)
    whole = path.read_bytes()
    for bit in random.Random(2).sample(range(8 * len(whole)), 300):
        bent = bytearray(whole)
        bent[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bent)
        try:
            assert read_note(path) == note
        except InputError as refused:
            assert "\n" not in str(refused)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", '{"a": 1}', "[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_what_is_no_note_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "search.json"
    path.write_text(text)
    with pytest.raises(InputError, match="damaged"):
        read_note(path)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "search.json"
    write_note(path, {"a": 1})

    def full(file: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_whole(path, full)
    assert read_note(path) == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["search.json"]


def test_objects_are_neither_written_nor_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"[Pp]ickle|Object arrays"):
        write_arrays(tmp_path / "x.npz", {"rows": np.array([{}], object)})
    assert not list(tmp_path.iterdir())


def test_one_process_a_folder_and_a_killed_one_leaves_nothing_half_done(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        (folder / "level").mkdir()
        (folder / "level" / "0.npz.1.part").write_bytes(b"half")
        with pytest.raises(InputError, match="in use by another search"), locked(folder):
            pass
    finally:
        holder.kill()
        holder.communicate()
    with locked(folder):
        assert not list((folder / "level").iterdir())
    with locked(folder):
        pass


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(json.dumps({}))
    with pytest.raises(InputError, match="no folder can be made there"), locked(tmp_path / "file" / "kept"):
        pass
