"""The built-in programs: what they do, one configuration at a time, and what they refuse."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from model.action import Action
from model.catalogue import PROGRAMS, PROTOCOLS, build_system
from model.errors import InputError
from model.families import parse_family
from model.program import Program, exact_actions
from model.programs.free import Free, History
from model.programs.script import Script
from model.programs.token import AWAY, Place, Token
from model.programs.transfer import Account, Transfer
from model.topology import Topology

RING = parse_family("ring:3")
TWO = parse_family("biring:2")


def test_transfer_sends_while_balance_and_sends_last() -> None:
    program = Transfer(RING, b=1, s=2)
    assert [a.sends for a in program.actions(0, Account(1, 2), {})] == [((0, 1),)]
    assert not list(program.actions(0, Account(0, 2), {})) and not list(program.actions(0, Account(1, 0), {}))
    (accept,) = program.actions(0, Account(0, 0), {2: 1})
    assert accept.state == Account(1, 0) and accept.accepts == ((2, 1),)


def test_joint_actions_accept_first_and_combine_what_the_rules_allow() -> None:
    topology = Topology(2, ((0, 1), (0, 1), (1, 0)))
    program = Transfer(topology, b=1, s=2, atomic="joint")
    assert [a.sends for a in program.actions(0, Account(1, 2), {})] == [((0, 1),), ((1, 1),)]
    assert [a.sends for a in program.actions(0, Account(2, 2), {})] == [((0, 1),), ((1, 1),), ((0, 1), (1, 1))]
    both = [a for a in program.actions(0, Account(0, 1), {2: 1}) if a.sends]
    assert [(a.accepts, a.sends, a.state) for a in both] == [
        (((2, 1),), ((0, 1),), Account(0, 0)),
        (((2, 1),), ((1, 1),), Account(0, 0)),
    ]
    (two,) = [a for a in program.actions(1, Account(0, 0), {0: 1, 1: 1})]
    assert two.state == Account(2, 0)


def test_free_numbers_its_messages_by_channel_and_remembers_what_came() -> None:
    program = Free(TWO, s=2)
    (first,) = program.actions(0, program.initial(0), {})
    assert first.sends == ((0, 0),) and first.state == History((1,), ((),))
    (second,) = program.actions(0, first.state, {})
    assert second.sends == ((0, 1),) and not list(program.actions(0, second.state, {}))
    (accept,) = program.actions(1, program.initial(1), {0: 0})
    assert accept.state == History((0,), ((0,),))


def test_the_token_carries_its_hops_or_nothing() -> None:
    counted, endless = Token(RING, hops=1), Token(RING)
    assert [(a.state, a.sends) for a in counted.actions(0, counted.initial(0), {})] == [(AWAY, ((0, 0),))]
    assert not list(counted.actions(1, Place(True, 0), {}))
    assert [(a.state, a.sends) for a in endless.actions(0, endless.initial(0), {})] == [(AWAY, ((0, None),))]
    assert [a.state for a in endless.actions(1, AWAY, {0: None})] == [Place(True, None)]


def test_exact_actions_pass_over_what_accepts_another_set_and_refuse_foreign_channels() -> None:
    class Odd(Program):
        def initial(self, machine: int) -> int:
            return 0

        def actions(self, machine, state, offered):  # type: ignore[no-untyped-def]
            yield Action("send", 1, sends={0: "x"})
            yield from (Action("take", 2, accepts={c: m}) for c, m in offered.items())

    assert [a.name for a in exact_actions(Odd(RING), 0, 0, {})] == ["send"]
    assert [a.name for a in exact_actions(Odd(RING), 0, 0, {2: "y"})] == ["take"]
    with pytest.raises(InputError, match="uses channel 0: its output channels are \\[1\\]"):
        exact_actions(Odd(RING), 1, 0, {})


SCRIPT = '[machines]\nA = ["a"]\nB = ["b"]\n[messages]\na = "b"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("machines = 3", "lists of event names"),
        ("[machines", "not TOML"),
        ("x = 1", "are read; found x"),
        ('[machines]\nA = ["a"]', "has 1 machines, the topology 2"),
        ('[machines]\nA = ["a"]\nB = ["a"]', "a name of its own"),
        (SCRIPT.replace('a = "b"', 'a = "c"'), "unknown event 'c'"),
        (SCRIPT + '[snapshot]\nA = "b"', "is no event of a machine"),
        (SCRIPT.replace('a = "b"', 'a = "a"'), "needs a channel 0>0"),
    ],
)
def test_a_wrong_script_is_refused_in_one_line(text: str, says: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "script.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        Script(TWO, file=str(path))
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_script_runs_its_events_in_order(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "script.toml"
    path.write_text(SCRIPT)
    program = Script(TWO, file=str(path))
    (send,) = program.actions(0, (), {})
    assert (send.name, send.state, send.sends) == ("a", ("a",), ((0, "a"),))
    (accept,) = program.actions(1, (), {0: "a"})
    assert accept.state == ("b",) and not list(program.actions(1, (), {}))


@pytest.mark.parametrize(
    ("program", "protocol", "initiators", "says"),
    [
        ("transfr", "marker", "0", "unknown program 'transfr': did you mean transfer? choose from transfer"),
        ("transfer,c=1", "marker", "0", "option 'c=1'; options (each once, as key=value) are: b=, s=, atomic="),
        ("transfer,b", "marker", "0", "option 'b'"),
        ("transfer,b=1,b=2", "marker", "0", "option 'b=2'"),
        ("transfer,b=x", "marker", "0", "b=x: a whole number, or one a machine as in 1-0-2"),
        ("transfer,b=1-2", "marker", "0", "b=1-2: one whole number, or one for each of the 3 machines"),
        ("transfer,atomic=both", "marker", "0", "atomic=both: single or joint"),
        ("script", "marker", "0", "option file= is required"),
        ("script,file=/nonexistent.toml", "marker", "0", "no such file"),
        ("transfer", "mark", "0", "unknown protocol 'mark': did you mean marker? choose from marker"),
        ("transfer", "marker,mixed=maybe", "0", "mixed=maybe: true or false"),
        ("transfer", "missing-marker,channel=9", "0", "channel=9: channels are 0..2"),
        ("transfer", "marker", "3", "initiators '3': 'any', or machines from 0 to 2"),
        ("transfer", "marker", "0,0", "a machine is named twice"),
        ("transfer", "marker", "", "initiators ''"),
        ("nofile.py:X", "marker", "0", "there is no file nofile.py"),
    ],
)
def test_wrong_words_are_refused_in_one_line(program: str, protocol: str, initiators: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        build_system(RING, program, protocol, initiators)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_description_leaves_no_option_implicit() -> None:
    described = build_system(RING, "transfer,s=1-0-2", "marker", "any", "loss:1,fifo").description
    assert described["program"] == "transfer,b=1,s=1-0-2,atomic=single"
    assert described["protocol"].startswith("marker,mixed=false")
    assert (described["initiators"], described["relax"]) == ("any", "fifo,loss:1")


@pytest.mark.parametrize("kind", [PROGRAMS, PROTOCOLS], ids=["programs", "protocols"])
def test_everything_in_the_catalogue_says_what_it_is(kind: dict[str, type]) -> None:
    for name, found in kind.items():
        assert found.__doc__ and found.__doc__.split("\n")[0].endswith((".", ":", ",")), name


@pytest.mark.parametrize("relax", ["fifo", "overtake:1", "loss:1", "duplication:2", "marker-duplication:1", "crash:1"])
@pytest.mark.parametrize("program", ["transfer", "free", "token,hops=2", "diffusing", "resources,s=1"])
def test_a_program_bears_every_relaxation(program: str, relax: str) -> None:
    """Messages out of order, twice or never are for the properties to judge; the program goes on."""
    verdict = check("biring:2", program, relax=relax, engine="reference", options=SearchOptions(max_states=3000))
    assert verdict.counts.states > 30
