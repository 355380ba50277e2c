"""`prove --protocol`: rules read off, invariants found, theorems proved; nothing proved of what is wrong."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest
import z3

from checker.cli.app import run as command
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from proofs import own_protocol
from proofs.assumptions import initial
from proofs.clauses import Atom, shortest, text
from proofs.finding import CONDITION, EXACT, Finding, candidates
from proofs.instances import Compared, Theory
from proofs.observing import Observed
from proofs.outcome_text import lines
from proofs.own_protocol import Outcome, prove_protocol, red_tags
from proofs.premises import Fact
from proofs.reading_off import ReadOff, read_off, sentence
from proofs.t06_markers import reliable_fifo
from proofs.t14_sentence import complete
from proofs.transition import Transition
from tests.proofs.mutated import KINDS


def proved(protocol: str, relax: str = "", acyclic: bool = False) -> Outcome:
    return prove_protocol(lambda question, seconds: nullcontext(True), protocol, relax, acyclic)


@pytest.fixture(scope="module")
def runs() -> list[Observed]:
    """The marker algorithm on a few networks."""
    systems = [
        build_system(parse_family(topology), program, "marker", "any")
        for topology, program in own_protocol.LOOKED_AT[:5]
    ]
    return [Observed(system, red_tags(systems), reliable_fifo, 400).look() for system in systems]


@pytest.fixture(scope="module")
def theory(runs: list[Observed]) -> ReadOff:
    return read_off(runs)


def test_the_rules_of_markers_are_read_off(theory: ReadOff) -> None:
    assert theory.why_not is None and not theory.adds and not theory.erases
    rules = set(map(sentence, theory.rules))
    assert {
        "a marker is accepted from c => it is red",
        "it turns red and c is its output => a marker is put on c",
    } <= rules
    assert theory.recorded_when() == "it is red and not (c was closed)"
    # That no second marker comes on a channel is no rule of the machine that would accept it.
    assert "not (a marker is accepted from c and c was closed)" not in rules
    assert "never a tagged message is accepted from c" not in rules
    # Nothing is taken from the program: actions may accept and send as they like.
    assert all(
        "marker" in rule or "red" in rule or "closed" in rule or "tagged message is sent" in rule for rule in rules
    )


def test_the_theory_read_off_is_that_of_a_network_not_looked_at(theory: ReadOff) -> None:
    judged = Theory(theory.protocol("marker"), reliable_fifo)
    system = build_system(parse_family("line:3"), "free,s=1", "marker", "any")
    assert Compared(judged, system, bool, most=300).run().found == []
    system = build_system(parse_family("line:3"), "free,s=1", "late-marker", "any")
    assert Compared(judged, system, bool, most=300).run().found


def test_what_happens_at_a_second_marker_is_imagined() -> None:
    """On these networks no channel has two, and still it is read off that the record is forgotten."""
    systems = [build_system(parse_family("biring:2"), "free,s=1", "overwrite", "any")]
    (run,) = [Observed(system, red_tags(systems), reliable_fifo, 400).look() for system in systems]
    assert read_off([run]).erases
    run.imagined.clear()
    assert not read_off([run]).erases


def find(theory: ReadOff, runs: list[Observed], facts: list[Fact] | None = None) -> tuple[Finding, str | None]:
    t = Transition.of(theory.protocol("marker"), reliable_fifo)
    finding = Finding(t, (initial(t.before),), complete(t.before), candidates(runs, False) if facts is None else facts)
    return finding, finding.look().missing


def test_invariants_are_found_and_without_a_rule_or_a_candidate_they_are_not(
    theory: ReadOff, runs: list[Observed]
) -> None:
    _, missing = find(theory, runs)
    assert missing is None
    forgetful = replace(theory, rules=tuple(rule for rule in theory.rules if "a marker is put" not in sentence(rule)
                                            and "marked" not in sentence(rule)))  # fmt: skip
    assert find(forgetful, runs)[1] in (CONDITION, EXACT)
    assert find(theory, runs, [])[1] == CONDITION
    assert find(replace(theory, records=()), runs)[1] == EXACT


def test_what_is_no_invariant_is_dropped(theory: ReadOff, runs: list[Observed]) -> None:
    """A candidate that would give all claims and that no step keeps."""
    false = Fact("false", "false", lambda q: z3.BoolVal(False))
    finding, missing = find(theory, runs, [false, *candidates(runs, False)])
    assert missing is None and "false" not in finding.alive


@pytest.mark.parametrize(
    ("protocol", "relax", "claim"),
    [
        ("late-marker", "", CONDITION),
        ("late-record", "", CONDITION),
        ("missing-marker,channel=0", "", CONDITION),
        ("no-channel-state", "", EXACT),
        ("early-complete", "", EXACT),
        ("magic,guard=false", "", CONDITION),
        ("observer,literal=true", "", CONDITION),
        ("examples/colours.py:Colours,careful=false", "", CONDITION),
        ("barrier,align=false", "", CONDITION),
        ("marker", "marker-loss:1", CONDITION),
        ("overwrite", "marker-duplication:1", EXACT),
    ],
)
def test_of_what_is_wrong_a_claim_fails_in_a_run(protocol: str, relax: str, claim: str) -> None:
    outcome = proved(protocol, relax)
    assert outcome.wrong is not None and outcome.wrong.claim == claim
    assert outcome.proved is None and not outcome.holds
    assert any(line.startswith("WRONG") for line in lines(outcome))


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_no_slip_is_proved(kind: int) -> None:
    outcome = proved(f"tests/proofs/mutated.py:Mutated,kind={kind}")
    assert not outcome.holds and (outcome.wrong or outcome.why_not or outcome.missing), KINDS[kind]


def test_what_the_words_cannot_say_is_said() -> None:
    outcome = proved("observer,save=after")
    assert outcome.why_not is not None and "recorded state" in outcome.why_not and not outcome.holds


RIGHT = [
    ("marker", "", False),
    ("marker,mixed=true", "", False),
    ("marker", "marker-duplication:1", False),
    ("lazy-marker", "", False),
    ("magic", "", False),
    ("simultaneous", "", False),
    ("laiyang", "", False),
    ("laiyang", "fifo", False),
    ("observer", "", False),
    ("concurrent", "", False),
    ("unaligned", "", False),
    ("unaligned,overtake=true", "", False),
    ("barrier", "", True),
    ("examples/colours.py:Colours", "fifo", False),
]


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "relax", "acyclic"), RIGHT)
def test_what_is_right_is_proved(protocol: str, relax: str, acyclic: bool) -> None:
    outcome = proved(protocol, relax, acyclic)
    assert outcome.holds and outcome.used and outcome.proved is not None
    assert outcome.proved.refusal is None and outcome.proved.trees
    assert all(run.length for run in outcome.proved.runs)
    printed = "\n".join(lines(outcome))
    assert "seen, not proved" in printed and "PROVED" in printed


@pytest.mark.slow
def test_keep_recording_needs_two_inputs_to_be_wrong() -> None:
    outcome = proved("keep-recording")
    assert outcome.wrong is not None and outcome.wrong.claim == EXACT


@pytest.mark.ci
def test_a_protocol_of_ones_own_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way, on few networks."""
    monkeypatch.setattr(own_protocol, "LOOKED_AT", own_protocol.LOOKED_AT[:3])
    monkeypatch.setattr(own_protocol, "COMPARED_WITH", own_protocol.COMPARED_WITH[:1])
    outcome = proved("examples/colours.py:Colours")
    assert outcome.holds
    assert "it is red and a message is sent on c => a tagged message is sent on c" in outcome.used


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["prove", "--protocol", "late-marker", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "violated" and found["wrong"]["claim"] == CONDITION
    assert found["run"] == {"property": "no-red-in-white", "length": 3}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["prove", "--protocol", "markre"], "markre"),
        (["prove", "marker", "--protocol", "marker"], "--protocol marker"),
        (["prove", "--relax", "fifo"], "--relax fifo"),
        (["prove", "--acyclic"], "--acyclic"),
        (["prove", "--protocol", "marker", "--relax", "fofi"], "fofi"),
    ],
)
def test_bad_input_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(words) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_shortest_clauses() -> None:
    atoms = [Atom(name, lambda: None) for name in "abc"]
    seen = {0b000, 0b011, 0b111}
    assert [text(atoms, clause) for clause in shortest(atoms, seen, 2)] == ["a => b", "b => a", "c => a", "c => b"]
    exclusive = [Atom(name, lambda: None, "kind") for name in "ab"]
    assert shortest(exclusive, {0b01, 0b10}, 2) == []


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(InputError):
        proved("nonsense")


@pytest.mark.parametrize("protocol", ["none", "uncoordinated"])
def test_what_takes_no_snapshot_is_refused(protocol: str) -> None:
    with pytest.raises(InputError, match="no snapshot"):
        proved(protocol)
