"""Systems at the edges: no channels, sums beyond 64 bits, and whatever else random search once got wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest

from checker.engines import Engine
from checker.engines.native import engine
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions, silent
from checker.topologies import parse
from model.action import Action, Local, Message, Step, control
from model.assumptions import Assumptions
from model.catalogue import build_system
from model.errors import InputError
from model.program import Program
from model.programs.transfer import Transfer
from model.properties import chosen
from model.protocols.concurrent import MOST
from model.protocols.marker import Marker
from model.recording import Recording
from model.system import System
from model.topology import Topology
from model.values import Value
from model.verdict import Outcome
from tests.engines.native.agreement import differences


@pytest.mark.parametrize(
    ("topology", "program", "relax"),
    [
        ("complete:1", "dataflow,records=20", ""),  # more states of a machine than its tables begin with, no channel
        ("complete:1", "dataflow,records=20", "crash:1"),
        ("ring:2", "transfer,b=4611686018427387904", "loss:1"),  # two of 2^62 are more than a signed word holds
        ("ring:2", "transfer,b=100000000000000000000", "duplication:1"),
        ("ring:1", "transfer,b=9223372036854775807,s=2", "loss:1,duplication:1"),
    ],
)
def test_native_agrees_with_the_reference_at_the_edges(topology: str, program: str, relax: str) -> None:
    system = build_system(parse(topology)[0], program, "marker", "0", relax)
    properties = chosen(system)
    assert differences(engine.judge(system, properties), reference.judge(system, properties)) == []
    invariant = [p for p in properties if p.symmetric]
    on = engine.judge(system, invariant, SearchOptions(symmetry=True))
    assert [(p.name, p.outcome, p.length) for p in on.properties] == [
        (p.name, p.outcome, p.length) for p in engine.judge(system, invariant).properties
    ]


class Forewarned(Marker):
    """A control message is on its way from machine 0 to 1 at the start, on a channel that later takes its marker."""

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        return ((0, 1),)

    def control_content(self, channel: int) -> tuple[Message, ...]:
        return (control("at the start"),)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterator[Step]:
        own = len(self.topology.channels)
        if own in offered:
            yield Step("hear", local.state, local.memory)
            return
        for step in super().steps(machine, local, offered):
            yield step._replace(sends=((own, control("marker")),)) if machine == 0 and step.turns else step


def test_a_marker_that_is_there_at_the_start_is_not_forgotten_under_reduction() -> None:
    # Machine 1 has fewer actions than machine 0, and waits for nobody: it is explored first, and takes the marker away.
    topology = Topology(2, ((0, 0),))
    program = Transfer(topology, b=1, s=1)
    system = System(topology, program, Forewarned(topology, program, (0,)), Assumptions())
    asked = chosen(system, ("one-marker-per-channel",))
    assert reference.judge(system, asked).properties[0].outcome is Outcome.VIOLATED
    assert engine.judge(system, asked, SearchOptions(reduce=True)).properties[0].outcome is not Outcome.HOLDS


class Forging(Marker):
    """Machines 0 and 1 may each put a word of their own on the channel from 0 to 2."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterator[Step]:
        if not offered and machine < 2 and local.memory != "said":
            yield Step("forge", local.state, "said", sends=((0, control(machine)),))


@pytest.mark.parametrize("judge", [reference.judge, engine.judge])
def test_what_is_sent_on_anothers_channel_is_refused(judge: Engine) -> None:
    # Two that send on one channel do not commute: the order "1, then 0" was never followed by the native search.
    topology = Topology(3, ((0, 2), (2, 0), (2, 1), (1, 2)))
    program = Transfer(topology, s=0)
    system = System(topology, program, Forging(topology, program, (0,)), Assumptions())
    with pytest.raises(InputError, match=r"Forging: machine 1 sends on channel 0 in 'forge'; accepted are.*\[3\]"):
        judge(system, chosen(system, ("no-red-in-white",)), SearchOptions(), silent)


@pytest.mark.parametrize("relax", ["crash:2", "marker-loss:2", "crash:1,marker-loss:1"])
def test_budgets_of_faults_that_shrink_with_nothing_else_new_have_images(relax: str) -> None:
    system = build_system(parse("ring:3")[0], "transfer,b=0", "marker", "any", relax)
    invariant = [p for p in chosen(system) if p.symmetric]
    on, off = engine.judge(system, invariant, SearchOptions(symmetry=True)), engine.judge(system, invariant)
    assert on.counts.unreduced_states == off.counts.states > on.counts.states
    assert on.counts.depth == off.counts.depth and on.counts.interleavings == off.counts.interleavings


class Deposit(NamedTuple):
    amount: int


class Withdrawal(NamedTuple):
    amount: int


class Teller(Program):
    """Machine 0 asks for one of two things, which Python takes for equal though it treats them differently."""

    def __init__(self, topology: Topology, first: Value, second: Value, where: str) -> None:
        super().__init__(topology)
        self.first, self.second, self.where = first, second, where

    def initial(self, machine: int) -> Value:
        return self.first if self.where == "initial" else "idle"

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        for channel, payload in offered.items():
            yield Action("obey", repr(payload), {channel: payload})
        if machine == 0 and not offered and state in ("idle", self.first):
            for value in (self.first, self.second):
                if self.where == "message":
                    yield Action("ask", "asked", {}, {0: value})
                else:
                    yield Action("become", value)


@pytest.mark.parametrize("judge", [reference.judge, engine.judge])
@pytest.mark.parametrize("where", ["message", "state", "initial"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Deposit(5), Withdrawal(5)),
        (True, 1),
        ((False, "x"), (0, "x")),
        (frozenset({True, 2}), frozenset({1, 2})),
        ((Deposit(0),), ((0,),)),
    ],
)
def test_different_values_that_are_equal_in_python_are_refused(
    first: Value, second: Value, where: str, judge: Engine
) -> None:
    topology = Topology(2, ((0, 1), (1, 0)))
    program = Teller(topology, first, second, where)
    system = System(topology, program, Marker(topology, program, (0,)), Assumptions())
    with pytest.raises(InputError, match="equal in Python"):
        judge(system, chosen(system), SearchOptions(), silent)


def test_equal_values_of_one_kind_are_one() -> None:
    topology = Topology(2, ((0, 1), (1, 0)))
    program = Teller(topology, (Deposit(5), frozenset({1, "a"})), (Deposit(5), frozenset({"a", 1})), "message")
    system = System(topology, program, Marker(topology, program, (0,)), Assumptions())
    properties = chosen(system)
    assert differences(engine.judge(system, properties), reference.judge(system, properties)) == []


class Odd(Program):
    """Alike at all machines, but that a state which no machine is ever in would count at one of them."""

    conserves = "coins"

    def __init__(self, topology: Topology, machine: int) -> None:
        super().__init__(topology)
        self.machine = machine

    def initial(self, machine: int) -> Value:
        return 0

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        if not offered and state == 0:
            yield Action("go", 1)

    def held(self, machine: int, recorded: Value) -> int:
        return int(recorded == 11 and machine == self.machine)


class Misread(Marker):
    """Records a state that is ten too high."""

    def begin(self, machine: int, local: Local) -> Recording:
        assert isinstance(local.state, int)
        return super().begin(machine, local)._replace(state=10 + local.state)


@pytest.mark.parametrize("machine", [0, 1])
def test_what_only_a_record_holds_tells_machines_apart(machine: int) -> None:
    topology = Topology(2, ())
    program = Odd(topology, machine)
    system = System(topology, program, Misread(topology, program, (0, 1)), Assumptions())
    asked = chosen(system, ("conservation",))
    on = engine.judge(system, asked, SearchOptions(symmetry=True))
    assert on.properties[0].length == reference.judge(system, asked).properties[0].length == 3


def test_a_cut_that_grows_for_ever_where_no_snapshot_can_complete_any_more_ends_the_search() -> None:
    # The token goes round between a white and a red machine; each white pass adds to the white projection.
    network = parse("edges:0>1,0>1,1>0,1>0")[0]
    system = build_system(network, "token", "barrier", "0,1", "marker-loss:2")
    properties = chosen(system)
    verdict = reference.judge(system, properties, SearchOptions(timeout=10))
    assert verdict.outcome is Outcome.VIOLATED and Outcome.UNKNOWN not in {p.outcome for p in verdict.properties}
    assert differences(engine.judge(system, properties), verdict) == []


def test_as_many_snapshots_at_once_as_a_word_has_bits_are_judged_alike() -> None:
    system = build_system(parse("complete:1")[0], "transfer", f"concurrent,k={MOST}")
    properties, options = chosen(system, ("no-red-in-white", "all-red")), SearchOptions(max_depth=2)
    found = engine.judge(system, properties, options)
    assert differences(found, reference.judge(system, properties, options)) == []
    with pytest.raises(InputError, match=f"from 1 to {MOST}"):
        build_system(parse("complete:1")[0], "transfer", f"concurrent,k={MOST + 1}")
