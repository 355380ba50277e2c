"""What came out, as plain data: no solver's objects, so results can be stored, printed and sent between processes."""

from __future__ import annotations

from dataclasses import asdict, dataclass

PROVED, REFUTED, UNKNOWN, VACUOUS = "proved", "refuted", "unknown", "vacuous"
BY_RUN = "by the run"
"""How premises are met that no witness is looked for: by each step of a run from S0 that the theorem names, or by the
witness that the theorem shows whose obligation it is."""
USED, NOT_NEEDED = "used", "not needed"


@dataclass(frozen=True, slots=True)
class ObligationResult:
    """One obligation: each solver's verdict and seconds, and whether its premises can be met at all.

    `z3`, `cvc5`: proved, refuted, unknown. `witness`: the premises' model in words, from z3, if it found one;
    `witness_z3`, `witness_cvc5`: sat, unsat (in the scope searched) or unknown. `counterexample`: where refuted.
    """

    name: str
    sentence: str
    z3: str
    cvc5: str
    z3_seconds: float
    cvc5_seconds: float
    witness: str | None = None
    witness_z3: str = UNKNOWN
    witness_cvc5: str = UNKNOWN
    counterexample: str | None = None

    @property
    def verdict(self) -> str:
        """The worse of the solvers' verdicts; vacuous where the premises have no model."""
        verdicts = {self.z3, self.cvc5}
        if REFUTED in verdicts:
            return REFUTED
        if UNKNOWN in verdicts:
            return UNKNOWN
        met = {self.witness_z3, self.witness_cvc5}
        if "unsat" in met:
            return VACUOUS
        return PROVED if met in ({"sat"}, {BY_RUN}) else UNKNOWN


@dataclass(frozen=True, slots=True)
class AssumptionResult:
    """What becomes of the theorem when the assumption is dropped.

    `status`: used (some obligation is refuted, both solvers agreeing), not needed (all are still proved), unknown.
    `obligation` is the one that fails, `counterexample` the counterexample to it in words.
    """

    name: str
    sentence: str
    status: str
    obligation: str | None = None
    counterexample: str | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run from S0 to a goal: its length in steps and its text, or None. `z3`, `cvc5`: sat, unsat (none up to the
    bound) or unknown."""

    name: str
    sentence: str
    length: int | None
    run: str | None
    z3: str
    cvc5: str


@dataclass(frozen=True, slots=True)
class Tree:
    """One application of a rule: its number, the rule, what it says, the numbers of what it was applied to.

    `nodes` are all that the last rests on, itself the last; `assumes` are the names of its hypotheses.
    """

    sentence: str
    assumes: tuple[str, ...]
    nodes: tuple[tuple[int, str, str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class TheoremResult:
    """A theorem, what each solver says of it, and what it rests on."""

    number: int
    name: str
    title: str
    source: str
    argument: str
    obligations: tuple[ObligationResult, ...]
    assumptions: tuple[AssumptionResult, ...]
    runs: tuple[RunResult, ...]
    trees: tuple[Tree, ...]
    """How the kernel made each theorem of what solvers had shown; one is meant where the sentence stands at the top."""
    refusal: str | None
    """Why the kernel refused to."""
    uses: tuple[str, ...]
    seconds: float
    """Wall-clock, all questions to both solvers included."""

    @property
    def verdict(self) -> str:
        verdicts = {obligation.verdict for obligation in self.obligations}
        for run in self.runs:
            verdicts.add(VACUOUS if "unsat" in (run.z3, run.cvc5) else PROVED if run.cvc5 == "sat" else UNKNOWN)
        for verdict in (REFUTED, VACUOUS, UNKNOWN):
            if verdict in verdicts:
                return verdict
        if self.refusal is not None:
            return UNKNOWN
        unsettled = any(assumption.status == UNKNOWN for assumption in self.assumptions)
        return UNKNOWN if unsettled else PROVED

    def by_solver(self, solver: str) -> str:
        """The worst verdict of one solver, `z3` or `cvc5`, over all obligations."""
        verdicts = {getattr(obligation, solver) for obligation in self.obligations}
        return next((verdict for verdict in (REFUTED, UNKNOWN) if verdict in verdicts), PROVED)

    def seconds_of(self, solver: str) -> float:
        """Seconds one solver took to prove the obligations."""
        return float(sum(getattr(obligation, f"{solver}_seconds") for obligation in self.obligations))

    def used(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.assumptions if a.status == USED)

    def assumed(self) -> tuple[str, ...]:
        """The assumptions that some obligation needs, or that the kernel's trees rest on."""
        free = self.not_needed()
        trees = (name for tree in self.trees for name in tree.assumes)
        return tuple(name for name in dict.fromkeys((*self.used(), *trees)) if name not in free)

    def not_needed(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.assumptions if a.status == NOT_NEEDED)

    def witness(self) -> str | None:
        """One concrete state and step that meet the premises of the theorem's first obligation."""
        return next((o.witness for o in self.obligations if o.witness), None)

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {
            "verdict": self.verdict,
            "z3": self.by_solver("z3"),
            "cvc5": self.by_solver("cvc5"),
            "z3_seconds": round(self.seconds_of("z3"), 3),
            "cvc5_seconds": round(self.seconds_of("cvc5"), 3),
        }
