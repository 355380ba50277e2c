"""Where two verdicts on one system differ: nothing may."""

from __future__ import annotations

from model.verdict import Verdict


def differences(found: Verdict, wanted: Verdict) -> list[str]:
    """Each difference in figures, snapshots, coverage, outcomes, lengths, explanations, traces or witnesses."""
    different = []
    for part in ("counts", "coverage", "reason", "snapshots"):
        if getattr(found, part) != getattr(wanted, part):
            different.append(f"{part}: {getattr(found, part)} for {getattr(wanted, part)}")
    for p, q in zip(found.properties, wanted.properties, strict=True):
        if (p.name, p.outcome, p.length, p.witness) != (q.name, q.outcome, q.length, q.witness):
            different.append(f"{p.name}: {p.outcome} {p.length} {p.witness} for {q.outcome} {q.length} {q.witness}")
        elif p.counterexample is not None and q.counterexample is not None:
            if p.counterexample.explanation != q.counterexample.explanation:
                different.append(f"{p.name}: {p.counterexample.explanation} for {q.counterexample.explanation}")
            if p.counterexample.trace.events != q.counterexample.trace.events:
                different.append(f"{p.name}: another trace")
            if p.counterexample.trace.loop != q.counterexample.trace.loop:
                different.append(f"{p.name}: another loop")
    witnesses = [[(w.property, w.trace.events) for w in verdict.witnesses] for verdict in (found, wanted)]
    if witnesses[0] != witnesses[1]:
        different.append("other witnesses")
    return different
