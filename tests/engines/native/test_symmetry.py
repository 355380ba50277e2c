"""`--symmetry on` says what `off` says: same verdicts, lengths, snapshots and runs, over fewer states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings

from checker.check import check
from checker.engines import engine
from checker.engines.native.reduction.symmetry_group import group_of
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.action import Action, Local
from model.catalogue import build_system
from model.errors import InputError
from model.program import Program
from model.programs.transfer import Transfer
from model.properties import chosen
from model.property import Property
from model.protocol import Recorded
from model.protocols.marker import Marker
from model.relabelling import Relabelling
from model.system import System
from model.trace import Trace
from model.values import Value
from model.verdict import Verdict
from tests.manifest import Entry, entries, figures
from tests.systems import systems

OFF = SearchOptions(interleavings=True)
ON = SearchOptions(symmetry=True, interleavings=True)
MANIFEST = entries(most_states=30_000)
MORE = [
    ("complete:3", "transfer,b=1,s=1", "marker", "any", ""),
    ("ring:3", "free,s=1", "marker", "any", ""),
    ("biring:3", "free,s=1", "magic", "0", ""),
    ("complete:3", "diffusing", "laiyang", "0", ""),
    ("star:4", "token,hops=3", "observer", "0", ""),
    ("ring:3", "transfer", "late-marker", "any", ""),
    ("ring:4", "transfer", "lazy-marker", "any", ""),
    ("biring:2", "transfer", "late-record", "any", ""),
    ("ring:3", "transfer", "magic,guard=false", "0", ""),
    ("biring:3", "transfer", "no-channel-state", "any", ""),
    ("ring:3", "transfer", "keep-recording", "any", "fifo"),
    ("ring:3", "transfer", "marker", "any", "loss:1"),
    ("ring:3", "transfer", "overwrite", "any", "marker-duplication:1"),
    ("ring:4", "transfer", "marker", "any", "crash:1"),
    ("ring:3", "transfer", "simultaneous", "any", ""),
    ("ring:3", "transfer", "concurrent", "any", ""),
    ("edges:0>1,0>1,1>0,1>0", "transfer", "marker", "any", ""),
    ("biring:3", "transfer,b=1-0-2", "marker", "any", ""),
    ("complete:3", "transfer", "missing-marker,channel=1", "any", ""),
    ("complete:3", "token", "marker", "any", ""),
    ("ring:3", "transfer,atomic=joint", "marker,mixed=true", "any", ""),
    ("complete:3", "transfer", "laiyang,cut=recorded", "0", "overtake:1"),
    ("biring:3", "resources", "marker", "any", ""),
    ("edges:0>2,1>2,2>3,2>4", "dataflow,records=1", "unaligned", "0", ""),
    ("edges:0>2,1>2,2>3,2>4", "transfer", "unaligned,overtake=true", "0", ""),
    ("edges:0>2,1>2,2>3,2>4", "transfer", "barrier", "0", ""),
]


def properties(system: System) -> list[Property]:
    return [p for p in chosen(system) if p.symmetric]


def both(system: System) -> tuple[Verdict, Verdict]:
    judge, claims = engine("native"), properties(system)
    off, on = (judge(system, claims, options, lambda *_: None) for options in (OFF, ON))
    return off, on


def agree(off: Verdict, on: Verdict) -> None:
    """All figures but the states and transitions, which count orbits; the orbits hold the states of `off`."""
    ours, theirs = figures(on), figures(off)
    assert on.counts.unreduced_states == theirs.pop("states") >= ours.pop("states")
    assert theirs.pop("transitions") >= ours.pop("transitions")
    assert ours == theirs
    assert set(on.snapshots) == set(off.snapshots) and len(on.snapshots) == len(off.snapshots)
    assert [len(w.trace) for w in on.witnesses] == [len(w.trace) for w in off.witnesses]


def replayed(system: System, trace: Trace) -> None:
    state = trace.initial
    assert (state,) == system.initial_states()
    for event in trace.events:
        assert event in list(system.events(state))
        state = system.step(state, event)


def breaks(system: System, judged: Property, trace: Trace) -> bool:
    """Whether the last move or state of the trace breaks the claim by itself."""
    state = trace.states()[-1]
    moves = trace.events[-1].moves if trace.events else ()
    return (
        any(judged.on_move is not None and judged.on_move(system, move) is not None for move in moves)
        or (judged.on_state is not None and judged.on_state(system, state) is not None)
        or (
            judged.on_recorded is not None
            and any(
                system.complete(state, i) and judged.on_recorded(system, i, system.recorded(state, i)) is not None
                for i in range(system.protocol.snapshots)
            )
        )
    )


def shown_runs_are_real(system: System, on: Verdict) -> None:
    named = {p.name: p for p in properties(system)}
    for found in on.properties:
        if found.counterexample is not None and found.counterexample.trace.system is system:
            replayed(system, found.counterexample.trace)
            judged = named[found.name]
            if judged.on_completed is None and judged.goal is None:
                assert breaks(system, judged, found.counterexample.trace), found.name
    for witness in on.witnesses:
        replayed(system, witness.trace)


@pytest.mark.parametrize("entry", MANIFEST, ids=str)
def test_the_manifest_is_judged_as_without(entry: Entry) -> None:
    system = entry.system()
    off, on = both(system)
    agree(off, on)
    shown_runs_are_real(system, on)


@pytest.mark.parametrize("words", MORE, ids=" ".join)
def test_symmetric_systems_are_judged_as_without(words: tuple[str, str, str, str, str]) -> None:
    topology, program, protocol, initiators, relax = words
    system = build_system(parse(topology)[0], program, protocol, initiators, relax)
    off, on = both(system)
    agree(off, on)
    shown_runs_are_real(system, on)


@pytest.mark.parametrize(
    ("words", "order"),
    [
        (("complete:3", "transfer", "marker", "any"), 6),
        (("complete:4", "transfer", "marker", "0"), 6),
        (("ring:4", "transfer", "marker", "any"), 4),
        (("ring:4", "transfer", "marker", "0"), 1),
        (("ring:4", "transfer", "marker", "0,2"), 2),
        (("complete:3", "transfer,b=1-0-1", "marker", "any"), 2),
        (("complete:3", "token", "magic", "0"), 2),
        (("star:4", "transfer", "observer", "0"), 6),
    ],
)
def test_what_tells_machines_apart_is_no_symmetry(words: tuple[str, str, str, str], order: int) -> None:
    system = build_system(parse(words[0])[0], *words[1:])
    assert len(group_of(system).members) == order


def test_a_channel_that_the_protocol_treats_apart_is_found_out() -> None:
    """The initial state is symmetric, so only the check of configurations can tell."""
    on = check("complete:3", "transfer", "missing-marker,channel=1", initiators="any", engine="native", options=ON)
    assert on.counts.symmetries == 1
    off = check("complete:3", "transfer", "missing-marker,channel=1", initiators="any", engine="native")
    assert (on.counts.states, on.outcome) == (off.counts.states, off.outcome)


class Secretive(Transfer):
    """Machine 1 alone may break the bank, and only after it has got something."""

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        for action in super().actions(machine, state, offered):
            if machine == 1 and offered:
                yield Action(action.name, action.state._replace(balance=7), action.accepts, action.sends)  # type: ignore[attr-defined]
            else:
                yield action


def test_a_machine_that_turns_out_different_is_found_out() -> None:
    off = check("complete:3", Secretive, "marker", initiators="any", engine="native")
    on = check("complete:3", Secretive, "marker", initiators="any", engine="native", options=ON)
    assert on.counts.symmetries == 2, "machines 0 and 2 may still be exchanged"
    agree(off, on)


def test_the_group_without_a_member_is_the_largest_subgroup_that_can_be() -> None:
    group = group_of(build_system(parse("complete:3")[0], "transfer", "magic"))
    moving = {g for g, by in enumerate(group.members) if by.machines[1] != 1}
    assert [by.machines for by in group.without(moving).members] == [(0, 1, 2), (2, 1, 0)]
    assert len(group.without({5}).members) < 6
    assert group.without(set()) == group


def test_auto_takes_it_too() -> None:
    assert check("ring:3", initiators="any", options=ON).counts.symmetries == 3


def test_bounded_searches_end_where_they_are_told() -> None:
    cut = check("complete:3", initiators="any", engine="native", options=SearchOptions(symmetry=True, max_depth=5))
    off = check("complete:3", initiators="any", engine="native", options=SearchOptions(max_depth=5))
    assert cut.coverage == off.coverage and cut.counts.unreduced_states == off.counts.states
    some = check("complete:3", initiators="any", engine="native", options=SearchOptions(symmetry=True, max_states=100))
    assert some.coverage.kind == "bounded" and some.counts.states < 8783


@pytest.mark.parametrize(
    ("options", "words", "shown"),
    [
        (SearchOptions(symmetry=True, workers=2), {}, "workers 2"),
        (ON, {"program": "diffusing", "properties": ("stability",)}, "property 'stability'"),
    ],
)
def test_what_is_refused_is_refused_in_one_line(options: SearchOptions, words: dict[str, object], shown: str) -> None:
    with pytest.raises(InputError) as refusal:
        check("ring:3", engine="native", options=options, **words)  # type: ignore[arg-type]
    assert shown in str(refusal.value) and "accepted" in str(refusal.value) and "\n" not in str(refusal.value)


class Forgetful(Marker):
    """Machine 1's record is read wrongly; no step depends on it."""

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        found = super().recorded(machine, local, snapshot)
        return found and found._replace(state=0) if machine == 1 else found


@pytest.mark.ci
def test_a_record_that_is_read_differently_at_one_machine_is_found_out() -> None:
    off, on = (
        check("complete:3", "transfer", Forgetful, initiators="any", engine="native", options=b) for b in (None, ON)
    )
    assert on.counts.symmetries == 2
    agree(off, on)


class Last(Program):
    """Sends twice, remembers the channel that it accepted from last, and does not say how that is relabelled."""

    def initial(self, machine: int) -> Value:
        return (2, None)

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        assert isinstance(state, tuple)
        for channel, payload in offered.items():
            yield Action("accept", (state[0], channel), {channel: payload})
        for channel in self.topology.outputs[machine] if state[0] and not offered else ():
            yield Action("send", (state[0] - 1, state[1]), sends={channel: 1})


class Named(Last):
    """The same, and says it."""

    def relabelled(self, machine: int, state: Value, by: Relabelling) -> Value:
        if not isinstance(state, tuple) or state[1] is None:
            return state
        return (state[0], by.channels[state[1]])


class Wrong(Last):
    """The same, and says nonsense."""

    def relabelled(self, machine: int, state: Value, by: Relabelling) -> Value:
        return state if not isinstance(state, tuple) or state[1] is None else (state[0], 0)


def test_states_that_name_channels_are_relabelled_by_the_program_or_not_at_all() -> None:
    off = check("ring:3", Last, "marker", initiators="any", engine="native")
    for program, order in ((Last, 1), (Named, 3)):
        on = check("ring:3", program, "marker", initiators="any", engine="native", options=ON)
        assert on.counts.symmetries == order
        agree(off, on)


def test_relabelling_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="does not compose; accepted is off"):
        check("ring:3", Wrong, "marker", initiators="any", engine="native", options=ON)


@settings(max_examples=60)
@given(systems())
def test_random_systems_are_judged_as_without(system: System) -> None:
    """Random programs tell machines apart in ways that only show as the search goes on."""
    off, on = both(system)
    agree(off, on)
    shown_runs_are_real(system, on)
