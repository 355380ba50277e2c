"""What the tests of protocols compare: a verdict as {property: length of its shortest violation} and the rest."""

from checker.check import check
from model.verdict import Outcome, Verdict


def judged(topology: str, program: str = "transfer", protocol: str = "marker", **words: object) -> Verdict:
    """The reference engine's verdict, exhaustive or the test is wrong."""
    verdict = check(topology, program, protocol, engine="reference", **words)  # type: ignore[arg-type]
    assert verdict.coverage.kind == "exhaustive"
    return verdict


def violated(verdict: Verdict) -> dict[str, int | None]:
    """The violated properties with their lengths; every counterexample replays by construction, and is that long."""
    for p in verdict.properties:
        if p.counterexample is not None:
            trace = p.counterexample.trace
            assert (len(trace) if trace.loop is None else trace.loop) == p.length
    return {p.name: p.length for p in verdict.properties if p.outcome is Outcome.VIOLATED}


def outcome(verdict: Verdict, name: str) -> str:
    """The outcome of one property, in a word."""
    return next(p.outcome.value for p in verdict.properties if p.name == name)


def holds(verdict: Verdict) -> bool:
    """Everything asked holds, over at least one completed snapshot."""
    return verdict.outcome is Outcome.HOLDS and bool(verdict.snapshots)
