"""What a program brings along is judged like the catalogue's, by every engine; the words for amounts and stability."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from checker.report.explain import explain
from model import Action, Program, always, build_system, conserved, parse_family, stable
from model.errors import InputError
from model.program import Underlying
from model.properties import chosen
from model.property import Property
from model.verdict import Outcome


class Coins(Program):
    """Each machine has a coin, which it may pass on; machine 0 adds `more` of its own making."""

    more = 0

    def initial(self, machine):  # type: ignore[no-untyped-def]
        return (1, True)

    def actions(self, machine, state, offered):  # type: ignore[no-untyped-def]
        coins, may_give = state
        for channel, more in offered.items():
            yield Action("get", (coins + more, may_give), {channel: more})
        for channel in self.topology.outputs[machine] if not offered and may_give else ():
            yield Action("give", (coins - 1, False), {}, {channel: 1 + self.more * (machine == 0)})

    def properties(self) -> Iterable[Property]:
        return (
            conserved("no coin is made", lambda machine, state: state[0], lambda coins: coins, "coins"),
            stable("all have given", lambda state: not any(may for _, may in state.machines)),
            always("nobody is in debt", lambda view: min(coins for coins, _ in view.machines) >= 0),
        )


class Minting(Coins):
    more = 1


NAMES = ["no-coin-is-made", "all-have-given", "nobody-is-in-debt"]


@pytest.mark.parametrize("engine", ["reference", "native", "z3", "simulate"])
def test_every_engine_judges_it(engine: str) -> None:
    options = SearchOptions(max_depth=9 if engine == "z3" else None, runs=300 if engine == "simulate" else None)
    for program, relax in ((Coins, ""), (Minting, ""), (Coins, "fifo")):
        system = build_system(parse_family("ring:2"), program, "marker", "0", relax)
        expected = check(system, engine="reference")
        verdict = check(system, properties=NAMES, engine=engine, options=options)
        told = {p.name: p for p in expected.properties}
        for found in verdict.properties:
            if engine == "simulate" or found.outcome is Outcome.UNKNOWN:
                assert found.outcome in (told[found.name].outcome, Outcome.UNKNOWN)
            else:
                assert (found.outcome, found.length) == (told[found.name].outcome, told[found.name].length)
        assert told[NAMES[0]].outcome is (Outcome.VIOLATED if program is Minting or relax else Outcome.HOLDS)


def test_it_is_judged_unless_others_are_named_and_explained() -> None:
    system = build_system(parse_family("ring:2"), Minting, "marker", "0", "")
    assert [p.name for p in chosen(system)][-3:] == NAMES
    assert [p.name for p in chosen(system, ["reachable"])] == ["reachable"]
    found = check(system, properties=[NAMES[0]]).counterexample
    assert found is not None and "3 coins, the computation began with 2" in explain(found)["why"][0]


def test_what_is_no_property_or_has_a_name_twice_is_refused() -> None:
    class Wrong(Coins):
        def properties(self):  # type: ignore[no-untyped-def]
            return ["agree"]

    class Twice(Coins):
        def properties(self):  # type: ignore[no-untyped-def]
            return [always("reachable", lambda view: True)]

    for program, said in ((Wrong, "Wrong.properties gave 'agree'"), (Twice, "two have this name")):
        with pytest.raises(InputError, match=said):
            chosen(build_system(parse_family("ring:2"), program, "marker", "0", ""))


def test_the_words_judge_as_the_catalogue_does() -> None:
    for relax in ("", "fifo", "loss:1"):
        system = build_system(parse_family("ring:3"), "transfer,b=1,s=1", "marker", "0", relax)
        program = system.program
        said = conserved("nothing is lost", program.held, program.carried)
        for engine in ("reference", "native"):
            own, ours = check(system, properties=[said, "conservation"], engine=engine).properties[::-1]
            assert (own.outcome, own.length) == (ours.outcome, ours.length), (relax, engine)


def test_a_predicate_that_gives_no_number_is_told_where() -> None:
    system = build_system(parse_family("ring:2"), "transfer,b=1,s=1", "marker", "0", "")
    with pytest.raises(InputError, match=r"test_brought_along.py, line \d+, in .*'much' is not what 'sums' asks for"):
        check(system, properties=[conserved("sums", lambda machine, state: "much")])  # type: ignore[arg-type,return-value]


def test_what_is_stable_is_asked_of_states_as_recorded() -> None:
    system = build_system(parse_family("ring:3"), "token", "marker", "0", "")
    seen = set[type]()

    def nothing_is_held(state: Underlying) -> bool:
        seen.add(type(state))
        return not any(state.machines)

    verdict = check(system, properties=[stable("nothing is held", nothing_is_held)], engine="native")
    assert verdict.properties[0].outcome is not Outcome.UNKNOWN and seen == {Underlying}
