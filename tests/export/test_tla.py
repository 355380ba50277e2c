"""The TLA+ module is well formed, its tables are complete, and where TLC is at hand it finds as many states.

TLC is no Debian or Python package: set TLC to a command that takes TLC's own arguments (say `java -cp tla2tools.jar
tlc2.TLC`) to have the counts compared.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from checker.check import check
from checker.export.automata import tabulate
from checker.export.tla import NAME, configuration, tla
from model.catalogue import build_system
from model.families import parse_family
from tests.export.test_promela import SYSTEMS

needs_tlc = pytest.mark.skipif("TLC" not in os.environ, reason="TLC is not set to a command that runs TLC")


@pytest.mark.parametrize(("topology", "program", "protocol", "initiators", "relax"), SYSTEMS)
def test_the_module_holds_every_rule_and_closes_every_bracket(
    topology: str, program: str, protocol: str, initiators: str, relax: str
) -> None:
    system = build_system(parse_family(topology), program, protocol, initiators, relax)
    automata, text = tabulate(system), tla(system)
    code = "\n".join(re.sub(r"\\\*.*", "", line) for line in text.splitlines())
    assert code.count("[machine |-> ") == len(automata.rules) + len(automata.synchronous) + len(automata.crashes)
    for opened, closed in ("()", "[]", "{}", ("<<", ">>")):
        assert code.count(opened) == code.count(closed)
    assert text.startswith(f"---- MODULE {NAME} ----\n")
    assert text.splitlines()[-1] == "=" * len(f"---- MODULE {NAME} ----")


def test_the_configuration_has_only_what_every_tlc_reads() -> None:
    words = [line.split()[0] for line in configuration().splitlines() if not line.startswith("\\*")]
    assert words == ["SPECIFICATION", "INVARIANT"] and "-deadlock" in configuration()


@needs_tlc
@pytest.mark.parametrize(("topology", "program", "protocol", "initiators", "relax"), SYSTEMS)
def test_tlc_finds_as_many_states_and_transitions(
    topology: str, program: str, protocol: str, initiators: str, relax: str, tmp_path: Path
) -> None:
    system = build_system(parse_family(topology), program, protocol, initiators, relax)
    (tmp_path / f"{NAME}.tla").write_text(tla(system))
    (tmp_path / f"{NAME}.cfg").write_text(configuration())
    command = [*shlex.split(os.environ["TLC"]), "-deadlock", "-config", f"{NAME}.cfg", f"{NAME}.tla"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
    found = re.search(r"(\d+) states generated, (\d+) distinct states found, 0 states left", done.stdout)
    assert found is not None, done.stdout[-2000:]
    counts = check(system, properties=["no-red-in-white"], engine="reference").counts
    assert (int(found[2]), int(found[1]) - 1) == (counts.states, counts.transitions)  # TLC counts the initial state
