"""Experiments: what a file stands for, and what is refused in one line."""

from itertools import permutations
from pathlib import Path

import pytest

from checker.sweep.experiment import SystemRow, experiment, read_experiment
from checker.sweep.run import chunked, from_text, to_text, weight
from checker.topologies import parse
from model.errors import InputError

ROOT = Path(__file__).parents[2]


def test_all_combinations(small: Path) -> None:
    """Every combination once; orbits are one initiator for each class of machines that are alike."""
    found = read_experiment(small)
    assert len(found.systems) == 3 * 2 * 2  # rings are symmetric: one initiator each
    assert len({row.id for row in found.systems}) == len(found.systems)
    assert {row.relax for row in found.systems} == {"", "fifo"}
    costs = [row.cost for row in found.systems]
    assert costs == sorted(costs, reverse=True)


def test_orbits_respect_the_program() -> None:
    """A token at machine 0 breaks the ring's symmetry; a line of 3 has two classes of machines."""
    data = {
        "name": "x",
        "systems": [{"topologies": ["ring:3"], "programs": ["token,hops=2"], "initiators": ["orbits"]}],
    }
    assert {row.initiators for row in experiment(data).systems} == {"0", "1", "2"}
    data = {"name": "x", "systems": [{"topologies": ["line:3"], "initiators": ["orbits"]}]}
    assert {row.initiators for row in experiment(data).systems} == {"0", "1"}
    data = {"name": "x", "systems": [{"topologies": ["ring:3"], "protocols": ["observer"], "initiators": ["orbits"]}]}
    assert {row.initiators for row in experiment(data).systems} == {"0", "1", "2"}


def test_ids_are_of_what_is_checked() -> None:
    """The name of a topology is no part of an id; its channels and the bounds are."""
    row = SystemRow("a", 2, ((0, 1), (1, 0)), "transfer", "marker", "", "0")
    same = SystemRow("b", 2, ((0, 1), (1, 0)), "transfer", "marker", "", "0", cost=7.0)
    other = SystemRow("a", 2, ((1, 0), (0, 1)), "transfer", "marker", "", "0")
    bounded = SystemRow("a", 2, ((0, 1), (1, 0)), "transfer", "marker", "", "0", max_states=5)
    assert row.id == same.id
    assert len({row.id, other.id, bounded.id}) == 3
    assert from_text(to_text(bounded)) == bounded


def test_chunks_hold_every_system_once(small: Path) -> None:
    """Chunks are of one protocol, and no chunk but a last one is light."""
    systems = read_experiment(small).systems
    chunks = chunked(systems)
    assert sorted(row.id for chunk in chunks for row in chunk) == sorted(row.id for row in systems)
    assert all(len({row.protocol for row in chunk}) == 1 for chunk in chunks)
    assert sum(map(weight, chunks)) == pytest.approx(weight(systems))


@pytest.mark.parametrize("name", ["matrix", "marker", "strong5", "growth", "single-channels", "obtainable", "domino"])
def test_bundled(name: str) -> None:
    """The bundled experiments read; the matrix has 90 digraphs x 5 protocols x 3 channels, the sweep all 5,048."""
    found = read_experiment(ROOT / "experiments" / f"{name}.toml")
    assert found.name == name
    sizes = {"matrix": 90 * 5 * 3, "marker": 90 * 3, "strong5": 5048, "single-channels": 24 + 6, "domino": 6 * 5}
    assert len(found.systems) == sizes.get(name, len(found.systems))


def test_orbit_representatives_cover() -> None:
    """By brute force over relabellings: every machine of every digraph on 3 machines is alike to a representative."""
    for topology in parse("strong:3"):
        channels = set(topology.channels)
        alike = {
            (image.index(m), m)
            for image in permutations(range(3))
            if {(image[a], image[b]) for a, b in channels} == channels
            for m in image
        }
        text = "edges:" + ",".join(f"{a}>{b}" for a, b in topology.channels)
        data = {"name": "x", "systems": [{"topologies": [text], "initiators": ["orbits"]}]}
        chosen = {int(row.initiators) for row in experiment(data).systems}
        assert all(any((m, c) in alike or (c, m) in alike for c in chosen) for m in range(3))
        assert not any((a, b) in alike for a in chosen for b in chosen if a != b)


BAD = {
    "not toml [": "not TOML",
    "name = 'x'": r"at least one \[\[systems\]\]",
    "name = 'x'\ncolour = 1": "unknown key 'colour'",
    "name = 3\n[[systems]]\ntopologies=['ring:3']": "name = 3",
    "name = 'x'\n[[systems]]\nprograms=['transfer']": "topologies = None",
    "name = 'x'\n[[systems]]\ntopologies=['moon:3']": "moon:3",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3']\nprotocols=['marzipan']": "unknown protocol 'marzipan'",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3']\nprograms=['transfer,z=1']": "option 'z=1'",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3']\nrelax=['gravity']": "unknown relaxation 'gravity'",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3']\nproperties=['luck']": "unknown property 'luck'",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3']\nbounds={max_states=0}": "max_states = 0",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3']\nbounds={max_state=5}": "unknown key 'max_state'",
    "name = 'x'\ntraces='no'\n[[systems]]\ntopologies=['ring:3']": "traces = 'no'",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3']\ninitiators=['zebra']": "initiators 'zebra'",
    "name = 'x'\n[[systems]]\ntopologies=['ring:3', 'ring:2']\ninitiators=['0,2']": "from 0 to 1",
    "name = 'x'\nengine='spark'\n[[systems]]\ntopologies=['ring:3']": "engine = 'spark'",
    "name = 'x'\nengine='warp'\n[[systems]]\ntopologies=['ring:3']": "unknown engine 'warp'",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_files(text: str, tmp_path: Path) -> None:
    """Each is refused in one line that shows the offending value."""
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=BAD[text]) as refused:
        read_experiment(path)
    assert "\n" not in str(refused.value)


def test_no_file(tmp_path: Path) -> None:
    """A file that is not there."""
    with pytest.raises(InputError, match="no such file"):
        read_experiment(tmp_path / "none.toml")
