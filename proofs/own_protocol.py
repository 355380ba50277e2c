"""`prove --protocol`: a protocol's theory read off from small networks, its invariants found, the theorem for every N.

1. The protocol is explored on small networks under the most general program, and its steps are put in the theory's
   words (`observing`). If a white action accepts a red message there, or a complete record is not exact, that is the
   answer: the claim that fails, and the step.
2. Rules are read off (`reading_off`) and compared with networks that were not looked at before (`instances`).
3. Invariants are looked for (`finding`). If none give a claim, that is the answer: the claim, and a state that has
   all invariants found, where it fails.
4. The theorem is that of `t14_sentence`, for these rules and invariants: both solvers on every obligation, and the
   kernel.

What is assumed in going from small networks to all is that the rules used hold of every machine in every network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import z3
from z3 import And

from model.catalogue import build_system
from model.dataflow import back_edges
from model.errors import InputError
from model.families import parse_family
from model.system import System
from model.topology import Topology
from model.values import Value
from proofs.assumptions import accepts_no_red, fifo, initial, no_duplication, no_loss
from proofs.computation import State, Step
from proofs.evaluating import failing
from proofs.finding import CONDITION, EXACT, Finding, Found, candidates
from proofs.instances import Compared, Theory, world
from proofs.language import MACHINE, Formula, Scope, for_all
from proofs.lifting import Lifted, LiftedStep, Tagged
from proofs.observing import Observed
from proofs.premises import Fact, Premise
from proofs.projections import exact
from proofs.prover import Prover
from proofs.reading_off import ReadOff, read_off, sentence
from proofs.results import TheoremResult
from proofs.runs import arrived_with_a_message, complete_after_messages, complete_with_a_message
from proofs.solvers import Solvers, ask_z3
from proofs.t04_white import arrived
from proofs.t11_colour import untagged
from proofs.t14_sentence import Algorithm, complete
from proofs.theory_of import dropped
from proofs.transition import Assumed, Transition, short
from proofs.watchdog import Ask

LOOKED_AT: tuple[tuple[str, str], ...] = (
    ("edges:0>1", "free,s=3-0"),
    ("biring:2", "free,s=1,atomic=joint"),
    ("biring:2", "free,s=2-0"),
    ("edges:0>1,0>1,1>0", "free,s=1,atomic=joint"),
    ("vee", "free,s=1-1-0,atomic=joint"),
    ("edges:0>2,1>2,2>3", "free,s=1-1-1-0,atomic=joint"),
    ("edges:0>1,0>1,0>2,2>1", "free,s=1-0-1,atomic=joint"),
    ("edges:0>0,0>1,1>0", "free,s=1,atomic=joint"),
    ("edges:0>1,1>2", "free,s=2-1-0,atomic=joint"),
    ("ring:3", "free,s=1,atomic=joint"),
)
"""What rules and candidates are read off from: every initiator that may be; actions that accept and send at once."""

COMPARED_WITH: tuple[tuple[str, str], ...] = (
    ("line:3", "free,s=1"),
    ("diamond", "free,s=1-1-0-0,atomic=joint"),
    ("edges:0>3,1>3,2>3,3>4", "free,s=1-1-1-1-0"),
    ("star:4", "transfer,b=1,s=1"),
    ("complete:3", "transfer,b=1,s=1"),
)
"""What the theory that was read off is compared with."""

MOST, MOST_COMPARED = 1500, 1000
"""States of one network."""

SENTENCE = (
    "every run has one with the same steps of each machine in the same order, white ones first, that passes through the"
    " recorded snapshot to the same end"
)
"""What is proved; that the snapshot completes is not part of it."""

Q, E = State.any("0"), Step.any()


@dataclass(frozen=True, slots=True)
class Wrong:
    """A claim that fails in an explored run: on which network, under which program, and the step, in words."""

    claim: str
    topology: str
    program: str
    initiators: str
    shown: str

    @property
    def place(self) -> tuple[str, str, str]:
        """Where: topology, program, initiators."""
        return self.topology, self.program, self.initiators


@dataclass(slots=True)
class Outcome:
    """What came of it; of `wrong`, `why_not`, `missing` and `proved` one tells how it ended."""

    protocol: str
    relax: str
    acyclic: bool = False
    networks: list[tuple[str, str, int, int]] = field(default_factory=list)
    """Looked at: topology, program, states, transitions."""
    compared: list[tuple[str, str, int, int]] = field(default_factory=list)
    local: int = 0
    rules: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    recorded_when: str = ""
    candidates: int = 0
    invariants: tuple[str, ...] = ()
    wrong: Wrong | None = None
    why_not: str | None = None
    missing: str | None = None
    breaks: str | None = None
    """The step after which the missing claim fails, from a state that has all invariants."""
    proved: TheoremResult | None = None
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return self.proved is not None and self.proved.verdict == "proved"


def prove_protocol(ask: Ask, protocol: str, relax: str = "", acyclic: bool = False, timeout: float = 20.0) -> Outcome:
    """The outcome for the protocol of that name, on any network or any without cycles; the job of a watched worker."""
    start = time.perf_counter()
    outcome = Outcome(protocol, relax, acyclic or _needs_no_cycles(protocol))
    _prove(ask, outcome, timeout)
    outcome.seconds = time.perf_counter() - start
    return outcome


def _prove(ask: Ask, outcome: Outcome, timeout: float) -> None:
    runs = _explored(outcome)
    if outcome.wrong is not None:
        return
    theory = read_off([run for _, run in runs])
    if theory.why_not is None and not any(run.done for _, run in runs):
        theory = ReadOff(why_not="no snapshot completes on these networks")
    outcome.rules, outcome.recorded_when = tuple(map(sentence, theory.rules)), theory.recorded_when()
    outcome.why_not = theory.why_not or _differs(outcome, theory, runs)
    if outcome.why_not is not None:
        return
    case = _Case(outcome, theory, [run for _, run in runs])
    found = case.find()
    outcome.missing = found.missing
    if found.missing is None:
        outcome.used = tuple(rule for rule in outcome.rules if rule in found.premises)
        outcome.invariants = tuple(fact.sentence for fact in found.facts)
        outcome.proved = case.theorem(ask, found, timeout)


# -- exploring ---------------------------------------------------------------------------------------------------------


def _systems(outcome: Outcome, where: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str, System]]:
    """The systems of these networks that the protocol accepts, with who initiates: everyone, if it may be."""
    refused: InputError | None = None
    none = True
    for topology, program in where:
        if outcome.acyclic and _has_cycle(parse_family(topology)):
            continue
        for initiators in ("any", "0"):
            try:
                system = build_system(parse_family(topology), program, outcome.protocol, initiators, outcome.relax)
            except InputError as error:
                refused = error
                continue
            if not system.protocol.snapshots:
                raise InputError(
                    f"protocol {outcome.protocol}: it takes no snapshot of the whole, so nothing is claimed"
                )
            none = False
            yield topology, program, initiators, system
            break
    if none and refused is not None:
        raise refused


def _needs_no_cycles(protocol: str) -> bool:
    """Aligned barriers are for acyclic dataflows, and say so."""
    words = protocol.split(",")
    return words[0] == "barrier" and "cyclic=true" not in words


def _has_cycle(topology: Topology) -> bool:
    return bool(back_edges(topology))


Where = tuple[str, str, str]


def _explored(outcome: Outcome) -> list[tuple[Where, Observed]]:
    ended = False
    systems = list(_systems(outcome, LOOKED_AT))
    tagged = red_tags([system for *_, system in systems])
    found = []
    for topology, program, initiators, system in systems:
        for snapshot in range(system.protocol.snapshots) if not ended else ():
            most = MOST if system.protocol.snapshots == 1 else MOST // 10
            run = Observed(system, tagged, _assumed(system), most, snapshot).look()
            found.append(((topology, program, initiators), run))
            outcome.networks.append((topology, program, run.result.states, run.result.transitions))
            outcome.local += len(run.seen) + len(run.imagined)
            outcome.wrong = next(_failures(found[-1:]), None)
            ended = outcome.wrong is not None or bool(run.result.why)
    return found


def _assumed(system: System, only: frozenset[str] | None = None) -> Assumed:
    """What is assumed of channels where the system's relaxations do not drop it."""
    without = dropped(system)

    def assumed(q: State, e: Step) -> tuple[Premise, ...]:
        channels = (*fifo(q, e), *no_loss(q, e), *no_duplication(q, e))
        return tuple(p for p in channels if p.name not in without and (only is None or p.name in only))

    return assumed


def red_tags(systems: Sequence[System], most: int = 300) -> Tagged:
    """The tags that messages of red actions carried and those of white actions never did; numbers apart."""
    by = (set[Value](), set[Value]())
    for system in systems:
        seen = set(system.initial_states())
        waiting = list(seen)
        while waiting and len(seen) < most:
            state = waiting.pop(0)
            for event in system.events(state):
                for move in event.moves:
                    for _, message in move.sends:
                        if not message.control:
                            by[bool(move.acting)].add(_kind(message.tag))
                succ = system.step(state, event)
                if succ not in seen:
                    seen.add(succ)
                    waiting.append(succ)
    red = frozenset(by[1] - by[0])
    return lambda tag: _kind(tag) in red


def _kind(tag: Value) -> Value:
    """A tag without the numbers in it."""
    if isinstance(tag, tuple):
        return tuple(_kind(part) for part in tag if isinstance(part, bool) or not isinstance(part, int))
    return tag


# -- what fails --------------------------------------------------------------------------------------------------------

_white_accepts_no_red = failing([(CONDITION, accepts_no_red(Q, E))])
_record_is_exact = failing([(EXACT, And(for_all(MACHINE, Q.red), exact(Q)))])


def _failures(runs: Sequence[tuple[Where, Observed]]) -> Iterator[Wrong]:
    """The claims that fail in an explored state, the smallest networks first."""
    for where, run in runs:
        for step in run.seen:
            if _white_accepts_no_red(world(run.system, step.before, step.step, 2)) is not None:
                yield Wrong(CONDITION, *where, _shown(run.system, step.before, step.step))
                break
    for where, run in runs:
        for q in run.done:
            if _record_is_exact(world(run.system, q, None, 2)) is not None:
                yield Wrong(EXACT, *where, _shown(run.system, q, None))
                break


def _shown(system: System, q: Lifted, e: LiftedStep | None) -> str:
    """State and step in words, as `reading` has them."""
    lines = ["; ".join(f"machine {m} is {'red' if own.red else 'white'}" for m, own in enumerate(q.machines))]
    for c, channel in enumerate(q.channels):
        items = []
        for i, item in enumerate(channel.items):
            kind = "marker" if item.marker else "red message" if item.tinted else "white message"
            fate = " accepted white" if item.early else " gone" if item.gone else ""
            items.append(f"[{i}] {kind}{fate}{' recorded' if item.recorded else ''}")
        flags = [word for word, holds in (("closed", channel.closed), ("marked", channel.marked)) if holds]
        ends = ">".join(map(str, system.channels[c]))
        lines.append(
            f"channel {ends}: {', '.join(items) or 'nothing sent'}{' (' + ', '.join(flags) + ')' if flags else ''}"
        )
    if e is not None:
        red = q.machines[e.machine].red or e.turns
        taken = [f"accepts [{i}] of {'>'.join(map(str, system.channels[c]))}" for c, i in e.at.items()]
        lines.append(f"step: machine {e.machine} ({'red' if red else 'white'}) {', '.join(taken)}")
    return "\n".join(lines)


def _differs(outcome: Outcome, theory: ReadOff, runs: Sequence[tuple[Where, Observed]]) -> str | None:
    """Where the protocol does what the theory read off does not say; None if it never does."""
    protocol = theory.protocol(outcome.protocol)
    tagged = runs[0][1].lifting.tagged
    for topology, program, _, system in _systems(outcome, COMPARED_WITH):
        for snapshot in range(system.protocol.snapshots):
            judged = Theory(protocol, _assumed(system))
            most = MOST_COMPARED if system.protocol.snapshots == 1 else MOST_COMPARED // 10
            result = Compared(judged, system, tagged, snapshot, most=most).run()
            outcome.compared.append((topology, program, result.states, result.transitions))
            if result.found:
                return f"on {topology}, {program}, it does what was not seen on smaller networks: {result.found[0].why}"
    return None


# -- what is proved ----------------------------------------------------------------------------------------------------


class _Case:
    """The theory that was read off, and what is to be shown of it."""

    def __init__(self, outcome: Outcome, theory: ReadOff, runs: Sequence[Observed]) -> None:
        self.outcome, self.theory, self.runs = outcome, theory, runs
        items = [i for run in runs for q in run.states for c in q.channels for i in c.items]
        self.tags = any(item.tagged for item in items)
        self.done = self._when_done()
        self.start = untagged if self.tags else (lambda q: (initial(q),))

    def _when_done(self) -> Callable[[State], Formula]:
        """What every snapshot that the protocol calls complete was: all red, and all closed or all empty of white."""
        complete_states = [(run.system, q) for run in self.runs for q in run.done]
        for done in (complete, arrived):
            holds = failing([("done", done(Q))])
            if all(holds(world(system, q, None, 2)) is None for system, q in complete_states):
                return done
        return lambda q: And(for_all(MACHINE, q.red), z3.BoolVal(True))

    def _transition(self, found: Found | None = None) -> Transition:
        system = self.runs[0].system
        only = None if found is None else frozenset(found.premises)
        protocol = self.theory.protocol(self.outcome.protocol, None if only is None else tuple(only))
        return Transition.of(protocol, _assumed(system, only))

    def find(self) -> Found:
        """The invariants that give the condition and the exact record; the rules that are needed for them."""
        proposed = candidates(self.runs, self.tags)
        self.outcome.candidates = len(proposed)
        t = self._transition()
        finding = Finding(t, self.start(t.before), self.done(t.before), proposed)
        found = finding.look()
        if found.missing is not None:
            self.outcome.breaks = self._breaking(t, found, list(finding.alive.values()))
            return found
        return finding.with_fewer_rules(found, self.outcome.rules)

    def _breaking(self, t: Transition, found: Found, facts: Sequence[Fact]) -> str | None:
        """A state that has the invariants, and a step after which the claim fails, in a small scope."""
        q, scope = t.before, Scope(written_out=True)
        claim = accepts_no_red(q, t.step) if found.missing == CONDITION else exact(q)
        given = [t.run.written_out(p.formula) for p in t.premises] if found.missing == CONDITION else [self.done(q)]
        wanted = [*given, *(fact.of(q) for fact in facts), z3.Not(claim), short(q, scope)]
        _, model = ask_z3(scope.confine(wanted), 5.0)
        return None if model is None else t.reader(scope)(model)

    def algorithm(self, found: Found) -> Algorithm:
        """The theory with the rules and assumptions that are needed."""
        t = self._transition(found)
        recorded = any(item.recorded for run in self.runs for q in run.done for c in q.channels for item in c.items)
        reached = complete_after_messages
        if recorded:
            reached = arrived_with_a_message if self.done is arrived else complete_with_a_message
        system, only = self.runs[0].system, frozenset(found.premises)
        return Algorithm(
            name=self.outcome.protocol,
            title=self.outcome.protocol,
            protocol=t.protocol,
            assumed=_assumed(system, only),
            facts=tuple(found.facts),
            done=self.done,
            reached=reached,
            towards=lambda t: (),
            completes=None,
            start=self.start,
        )

    def theorem(self, ask: Ask, found: Found, timeout: float) -> TheoremResult:
        """Both solvers on every obligation, and the kernel's tree."""
        prover = Prover(Solvers(ask, timeout), lambda *question: None)
        return prover.check(self.algorithm(found).theorem(0))
