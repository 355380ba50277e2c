"""What came of `prove --protocol`, in words and as JSON; what is assumed stands beside what is proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from proofs.own_protocol import SENTENCE, Outcome


def lines(outcome: Outcome) -> Iterator[str]:
    """The outcome for people, line by line."""
    relaxed = f", {outcome.relax} relaxed" if outcome.relax else ""
    where = "without cycles" if outcome.acyclic else "of any shape"
    yield f"protocol {outcome.protocol}{relaxed}; any number of machines, networks {where}, any program"
    yield f"claim: {SENTENCE}"
    yield ""
    yield f"looked at: {_networks(outcome.networks)}; {outcome.local:,} local steps in the theory's words"
    if outcome.wrong is not None:
        yield ""
        yield f"WRONG: on {outcome.wrong.topology} under {outcome.wrong.program} this fails: {outcome.wrong.claim}"
        yield from (f"  {line}" for line in outcome.wrong.shown.splitlines())
        return
    if outcome.compared:
        yield f"compared with: {_networks(outcome.compared)}, from which nothing was read off"
    if outcome.why_not is not None:
        yield ""
        yield f"UNKNOWN: no theory of it was read off: {outcome.why_not}"
        return
    if outcome.missing is not None:
        yield from _missing(outcome)
        return
    yield from _proved(outcome)


def _missing(outcome: Outcome) -> Iterator[str]:
    yield ""
    yield f"UNKNOWN: no invariant of the vocabulary gives this claim: {outcome.missing}"
    yield f"({outcome.candidates} candidates hold of all states explored)"
    if outcome.breaks is not None:
        yield "A state that has all that were found to be kept, and where the claim fails (no run need reach it):"
        yield from (f"  {line}" for line in outcome.breaks.splitlines())


def _proved(outcome: Outcome) -> Iterator[str]:
    result = outcome.proved
    assert result is not None
    yield ""
    yield f"rules that the proof rests on, of {len(outcome.rules)} that hold of every step seen:"
    yield from (f"  {rule}" for rule in outcome.used)
    yield f"  an accepted message is recorded: {outcome.recorded_when}"
    yield f"invariants found, of {outcome.candidates} candidates:"
    yield from (f"  {invariant}" for invariant in outcome.invariants)
    yield ""
    known = (*outcome.used, "S0 is white", "S0 is untagged")
    yield f"assumed of channels and machines: {', '.join(name for name in result.assumed() if name not in known)}"
    yield "assumed of the protocol: that these rules hold of every machine in every network (seen, not proved)"
    yield "not part of the claim: that the snapshot completes"
    yield ""
    number = len(result.obligations)
    shown = sum(o.verdict == "proved" for o in result.obligations)
    yield f"{shown} of {number} obligations proved by z3 and by cvc5" + (
        f"; the kernel refuses: {result.refusal}" if result.refusal else "; the kernel's tree stands"
    )
    yield f"{'PROVED' if outcome.holds else 'UNKNOWN: ' + result.verdict}; {outcome.seconds:.1f} s"


def _networks(networks: list[tuple[str, str, int, int]]) -> str:
    names = ", ".join(dict.fromkeys(topology for topology, *_ in networks))
    return f"{names} ({sum(row[3] for row in networks):,} transitions)"


def as_json(outcome: Outcome) -> dict[str, object]:
    """All of it, with the verdict of the contract."""
    data = asdict(outcome) | {"proved": None if outcome.proved is None else outcome.proved.as_json()}
    verdict = "holds" if outcome.holds else "violated" if outcome.wrong is not None else "unknown"
    assumed = ["the rules used hold of every machine in every network"]
    return {
        "verdict": verdict,
        "claim": SENTENCE,
        "coverage": {"kind": "inductive", "machines": "any number", "assumed": assumed if outcome.holds else []},
        **data,
        "seconds": round(outcome.seconds, 3),
    }
