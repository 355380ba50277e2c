"""What theorems 6 and 7 prove for every N holds in every state that the explorer reaches, and fails where they do.

The theory's own formulas are evaluated, on states that carry what has left each channel.
"""

from __future__ import annotations

import pytest

from model.channels import Fifo
from proofs import marker_invariants as inv
from proofs.computation import State
from proofs.evaluating import failing
from proofs.instances import is_initial, world
from proofs.lifting import Lifted
from proofs.theory_of import theory_of
from tests.manifest import Entry, entries

# A token that goes back and forth for ever leaves a long history.
SMALL = [entry for entry in entries(700) if "crash" not in entry.relax and str(entry) != "line:3 token marker 0"]
UNDER_FIFO = [entry for entry in SMALL if entry.protocol.split(",")[0] == "marker" and not entry.relax]
CROSSED = [
    entry
    for entry in SMALL
    if "no-red-in-white" in entry.violated
    and entry.protocol.split(",")[0] in ("marker", "late-marker", "late-record", "missing-marker")
]
FACTS = {fact.name: failing([(fact.name, fact.of(State.any("0")))]) for fact in inv.facts(inv.names())}


def broken(entry: Entry) -> set[str]:
    """The invariants that fail in some state with some history."""
    names, seen = set[str](), set[Lifted]()
    system = entry.system()
    theory = theory_of(system, broken=True)
    assert theory is not None
    for _, q in theory.compared(system, history=True).nodes():
        if q not in seen:
            seen.add(q)
            given = world(system, q, None, 3)
            names |= {name for name, fails in FACTS.items() if name not in names and fails(given)}
    return names


@pytest.mark.parametrize("entry", UNDER_FIFO, ids=str)
def test_the_proved_invariants_hold_in_every_explored_state(entry: Entry) -> None:
    assert broken(entry) == set()


def test_the_states_speak_of_everything() -> None:
    """They are not so poor that the invariants speak of nothing: each kind of item, mark and record occurs."""
    system = next(entry for entry in UNDER_FIFO if str(entry).startswith("ring:3 transfer,b=1,s=1 marker")).system()
    theory = theory_of(system)
    assert theory is not None
    nodes = list(theory.compared(system, history=True).nodes())
    assert is_initial(system, nodes[0][1]) and not is_initial(system, nodes[-1][1])
    channels = [channel for _, q in nodes for channel in q.channels]
    items = [item for channel in channels for item in channel.items]
    assert {(item.marker, item.tinted) for item in items} == {(True, True), (False, True), (False, False)}
    assert {(item.gone, item.early, item.recorded) for item in items} == {
        (False, False, False),
        (True, False, False),
        (True, True, False),
        (True, False, True),
    }
    assert any(channel.marked and not channel.closed for channel in channels)


@pytest.mark.parametrize("entry", CROSSED, ids=str)
def test_where_a_white_action_accepts_red_the_theory_says_so(entry: Entry) -> None:
    """Theorem 6 read backwards: the condition is broken, so FIFO is, or an invariant that implies the condition."""
    names = broken(entry)
    assert "early is white" in names
    if type(entry.system().assumptions.discipline) is Fifo:
        assert names & set(inv.CONDITION_INVARIANTS)


@pytest.mark.parametrize("topology", ["ring:3", "biring:2"])
def test_a_lazy_marker_breaks_only_what_says_that_it_goes_out_at_once(topology: str) -> None:
    entry = next(e for e in entries() if e.topology == topology and e.protocol == "lazy-marker")
    assert broken(entry) == {"marker at once"}
