"""The verdict for people: what was assumed, what was covered, and each property's fate; never more than was covered."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from checker.report.names import machine_name, printable
from checker.report.text import PLAIN_WIDTH, plain, trace_text
from model.system import System
from model.verdict import Outcome, PropertyVerdict, Verdict

STYLES = {Outcome.HOLDS: "green", Outcome.VIOLATED: "bold red", Outcome.VACUOUS: "yellow", Outcome.UNKNOWN: "yellow"}


def render_verdict(verdict: Verdict) -> RenderableType:
    """The whole verdict, without its counterexample."""
    return Group(facts_table(facts(verdict)), Text(), properties_table(verdict), Text(), summary(verdict))


def facts_table(pairs: Iterable[tuple[str, str]]) -> Table:
    """Names beside their words."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False, show_edge=False)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for name, text in pairs:
        grid.add_row(name, Text(text))
    return grid


def verdict_text(verdict: Verdict, width: int = PLAIN_WIDTH) -> str:
    """The verdict and its shortest counterexample as plain text."""
    parts = [plain(render_verdict(verdict), width)]
    if verdict.counterexample is not None:
        parts.append(trace_text(verdict.counterexample, width))
    return "\n".join(parts)


def facts(verdict: Verdict) -> list[tuple[str, str]]:
    """What was checked, assumed, covered and counted, as pairs of a name and words."""
    memory = f", {verdict.peak_rss_mb:.0f} MB at most" if verdict.peak_rss_mb else ""
    return [
        *setting(verdict.system, network(verdict.system), assumed(verdict.system)),
        ("covered", covered(verdict)),
        ("counted", counted(verdict)),
        ("engine", f"{verdict.engine}: {verdict.seconds:.2f} s{memory}"),
    ]


def network(system: System) -> str:
    """The topology: its name, and its machines and channels."""
    topology = system.topology
    machines = f"{topology.machines} machine{'' if topology.machines == 1 else 's'}"
    channels = f"{len(topology.channels)} channel{'' if len(topology.channels) == 1 else 's'}"
    return f"{printable(topology.name or 'a network')} ({machines}, {channels})"


def setting(system: System, where: str, taken_for_granted: str) -> list[tuple[str, str]]:
    """What was checked, on which network or networks, and under which assumptions."""
    words = system.description
    return [
        ("system", f"{words.get('protocol', 'protocol')} over {words.get('program', 'program')} on {where}"),
        ("assumed", taken_for_granted),
    ]


def assumed(system: System) -> str:
    """What is taken for granted: channels, faults, initiators, connectivity."""
    unreached = set(range(system.topology.machines)) - system.topology.reachable_from(system.protocol.initiators)
    if not unreached or not system.protocol.initiators:
        return assumed_anywhere(system)
    names = ", ".join(machine_name(system, m) for m in sorted(unreached))
    return f"{assumed_anywhere(system)}; no chain of channels leads from an initiator to {names}"


def assumed_anywhere(system: System) -> str:
    """What is taken for granted whichever the channels are: their order, faults, initiators."""
    initiators = [machine_name(system, m) for m in system.protocol.initiators]
    who = "every machine" if len(initiators) == system.topology.machines else ", ".join(initiators)
    return f"{system.assumptions.describe()}; {f'{who} may initiate' if initiators else 'no machine initiates'}"


def covered(verdict: Verdict) -> str:
    """What the search covered, in words."""
    coverage = verdict.coverage
    if coverage.kind == "exhaustive" and "reduction" in dict(coverage.details):
        return "every interleaving, but for exchanges of actions that commute (exhaustive, reduced)"
    if coverage.kind == "exhaustive":
        return "every interleaving (exhaustive)"
    if coverage.kind == "inductive" and "longest_run" in dict(coverage.details):
        return f"every run: none has more than {dict(coverage.details)['longest_run']} actions (inductive)"
    if coverage.kind == "inductive" and "depth" in dict(coverage.details):
        return f"every state: all are reached within {dict(coverage.details)['depth']} actions (inductive)"
    if coverage.kind == "sampled" and "unseen_ppm" in dict(coverage.details):
        return _sample(dict(coverage.details))
    details = ", ".join(f"{key} {value}" for key, value in coverage.details)
    reason = f": {verdict.reason}" if verdict.reason else ""
    return f"{coverage.kind} ({details}){reason}"


def _sample(found: dict[str, int | str]) -> str:
    """What random runs have seen, and what they may not have."""
    return (
        f"{found['runs']:,} random runs of {found['steps']:,} steps (seed {found['seed']}): took"
        f" {found['transitions_taken']:,} of {found['transitions_known']:,} local transitions known"
        f" (of {found['configurations_known']:,} local configurations); one more step takes a new one with a chance of"
        f" about {int(found['unseen_ppm']) / 1e4:.2g} % (Good-Turing); a snapshot completed in"
        f" {found['runs_complete']:,} runs, in {found['runs_with_message']:,} with a message in a channel"
    )


def counted(verdict: Verdict) -> str:
    """The figures."""
    counts = verdict.counts
    if not counts.states:
        return f"depth {counts.depth}; this engine counts no states"
    parts = [f"{counts.states:,} states", f"{counts.transitions:,} transitions", f"depth {counts.depth}"]
    if counts.unreduced_states is not None:
        parts[0] += f" for {counts.unreduced_states:,} (group of {counts.symmetries:,})"
    if counts.reduced:
        parts[:2] = [f"{counts.states:,} states and {counts.transitions:,} transitions of the reduced graph"]
    if counts.underlying_states is not None:
        parts.append(f"{counts.underlying_states:,} underlying states")
    if counts.snapshots is not None:
        parts.append(f"{counts.snapshots:,} distinct snapshots")
    if counts.interleavings is not None:
        parts.append(f"{big(counts.interleavings)} interleavings")
    return ", ".join(parts)


def big(number: int) -> str:
    """A count in full while it can be read, then as a power of ten."""
    text = str(number)
    return f"{number:,}" if len(text) <= 15 else f"{text[0]}.{text[1:3]}e{len(text) - 1}"


def properties_table(verdict: Verdict) -> Table:
    """Each property with its fate and what it claims."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("property", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("claim")
    for found in verdict.properties:
        words = "nothing found" if _sampled(verdict, found) else fate(found)
        claimed = Text(found.claim, "dim")
        table.add_row(printable(found.name), Text(words, STYLES[found.outcome]), claimed)
    return table


def _sampled(verdict: Verdict, found: PropertyVerdict) -> bool:
    """Whether nothing more is known than that random runs did not break it."""
    return verdict.coverage.kind == "sampled" and found.outcome is Outcome.UNKNOWN


def fate(found: PropertyVerdict) -> str:
    """holds; violated after so many actions; vacuous: no snapshot completes; unknown."""
    if found.outcome is Outcome.VIOLATED:
        actions = "" if found.length is None else f" after {found.length} action{'' if found.length == 1 else 's'}"
        return f"violated{actions}"
    return "vacuous (no snapshot)" if found.outcome is Outcome.VACUOUS else found.outcome.value


def summary(verdict: Verdict) -> Text:
    """One line: what follows from it all."""
    outcome = verdict.outcome
    broken = sum(p.outcome is Outcome.VIOLATED for p in verdict.properties)
    if outcome is Outcome.HOLDS:
        words = f"HOLDS: {_properties(len(verdict.properties))}, on {covered(verdict)}"
    elif outcome is Outcome.VIOLATED:
        words = f"VIOLATED: {broken} of {_properties(len(verdict.properties))}"
    elif verdict.properties and all(_sampled(verdict, p) for p in verdict.properties):
        runs = dict(verdict.coverage.details).get("runs", 0)
        words = f"UNKNOWN: nothing found in {runs:,} random runs, which prove nothing"
    else:
        vacuous = any(p.outcome is Outcome.VACUOUS for p in verdict.properties)
        words = f"UNKNOWN: {verdict.reason or ('no snapshot completes' if vacuous else 'not all could be decided')}"
    return Text(words, STYLES[outcome])


def _properties(number: int) -> str:
    return "1 property" if number == 1 else f"{number} properties"
