"""`redwhite` is all that one imports: quickly, with nothing missing, whatever a model.py beside one's script says."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import redwhite

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("redwhite")


def python(*words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    found = subprocess.run(
        [sys.executable, *words], cwd=folder, text=True, capture_output=True, env=environment or None, check=False
    )
    return found


def test_every_public_name_is_there_and_is_typed() -> None:
    typed = {}
    for node in ast.walk(ast.parse((ROOT / "redwhite/__init__.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(("model", "checker")):
            typed.update({alias.asname: node.module for alias in node.names})
    assert typed == redwhite.MODULE_OF
    for name, module in redwhite.MODULE_OF.items():
        assert getattr(redwhite, name) is getattr(import_module(module), name)
    assert set(redwhite.__all__) <= set(dir(redwhite))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'chekc'"):
        redwhite.chekc  # noqa: B018


def test_importing_it_loads_nothing_of_the_rest() -> None:
    script = (
        "import sys, redwhite; sys.exit(any(n.partition('.')[0] in ('model', 'checker', 'numpy') for n in sys.modules))"
    )
    assert python("-c", script, folder=ROOT).returncode == 0


MINE = """from redwhite import Action, Program, check
class Mine(Program):
    def initial(self, machine): return 0
    def actions(self, machine, state, offered):
        if not offered and state == 0: yield Action("move", 1)
if __name__ == "__main__":
    print(check("ring:2", Mine, engine={engine!r}).outcome.value)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("model.py", "checker.py", "proofs.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    return tmp_path


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("environment", [{}, {"PYTHONPATH": "."}])
def test_a_script_beside_a_model_py(folder: Path, engine: str, environment: dict[str, str]) -> None:
    (folder / "script.py").write_text(MINE.format(engine=engine))
    ran = python("script.py", folder=folder, **environment)
    assert (ran.returncode, ran.stdout) == (0, "holds\n"), ran.stderr


@pytest.mark.parametrize("environment", [{}, {"PYTHONPATH": "."}])
@pytest.mark.parametrize("command", [[sys.executable, "-m", "redwhite"], [str(SCRIPT)]], ids=["module", "script"])
def test_the_command_beside_a_model_py(folder: Path, command: list[str], environment: dict[str, str]) -> None:
    (folder / "mine.py").write_text(MINE.format(engine="reference"))
    words = ["check", "ring:2", "--program", "mine.py", "--engine", "reference"]
    ran = subprocess.run(
        [*command, *words], cwd=folder, text=True, capture_output=True, env=environment or None, check=False
    )
    assert ran.returncode == 0 and "mine.py:Mine" in ran.stdout, ran.stderr


THEIRS = (
    "from redwhite import always\nMINE = 'mine'\nrich = always('rich', lambda view: view.machines[0].balance >= 0)\n"
)
USES = """
from redwhite import check, Outcome
assert model.MINE == 'mine' and model.__file__.endswith(FILE)
assert check('ring:2', properties=[model.rich, 'reachable'], engine=ENGINE).outcome is Outcome.HOLDS
import model as again
from model import rich
assert again is model and rich is model.rich
import checker.deep.part as part
from checker.deep import part as the_same
from checker import deep
assert part.PART == 'theirs' and deep.part is the_same is part
from redwhite import trace_from, refute
print('both')
"""


@pytest.mark.parametrize("package", [False, True], ids=["file", "folder"])
@pytest.mark.parametrize(
    "first",
    ["import redwhite, model", "import model, redwhite", "from model import rich; import redwhite; import model"],
)
def test_a_model_of_ones_own_and_ours_side_by_side(tmp_path: Path, first: str, package: bool) -> None:
    engine = "native" if package and first.startswith("from") else "reference"
    place = tmp_path / ("model/__init__.py" if package else "model.py")
    place.parent.mkdir(exist_ok=True)
    place.write_text(THEIRS)
    (tmp_path / "checker/deep").mkdir(parents=True)
    (tmp_path / "checker/__init__.py").write_text("")
    (tmp_path / "checker/deep/__init__.py").write_text("")
    (tmp_path / "checker/deep/part.py").write_text("import model\nPART = 'theirs' if model.MINE == 'mine' else 'ours'")
    words = USES.replace("FILE", repr("__init__.py" if package else "model.py")).replace("ENGINE", repr(engine))
    (tmp_path / "script.py").write_text(f"{first}\n{words}")
    ran = python("script.py", folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "both\n"), ran.stderr


def test_a_slip_in_a_model_of_ones_own_is_pythons_to_tell(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("1 / 0")
    (tmp_path / "script.py").write_text("import redwhite\nimport model")
    ran = python("script.py", folder=tmp_path)
    assert ran.returncode == 1 and ran.stderr.splitlines()[-1].startswith("ZeroDivisionError"), ran.stderr


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_program_beside_a_model_py_that_it_uses(tmp_path: Path, elsewhere: bool) -> None:
    (tmp_path / "model.py").write_text(
        "from redwhite import Action\ndef moves(state): return [Action('move', state + 1)]"
    )
    (tmp_path / "mine.py").write_text(
        "import model\nfrom redwhite import Program\n"
        "class Mine(Program):\n"
        "    def initial(self, machine): return 0\n"
        "    def actions(self, machine, state, offered): return () if offered or state == 2 else model.moves(state)\n"
    )
    folder = tmp_path / "elsewhere" if elsewhere else tmp_path
    folder.mkdir(exist_ok=True)
    word = str(tmp_path / "mine.py") if elsewhere else "mine.py"
    words = ["check", "ring:2", "--program", word, "--engine", "reference", "--json"]
    ran = subprocess.run([str(SCRIPT), *words], cwd=folder, text=True, capture_output=True, check=False)
    assert ran.returncode == 0 and '"holds"' in ran.stdout, ran.stderr


def test_documents_examples_and_notebooks_import_nothing_else() -> None:
    patterns = ("*.md", "docs/**/*.md", "examples/**/*.py", "notebooks/*.ipynb", "experiments/*.md")
    files = [path for pattern in patterns for path in ROOT.glob(pattern)]
    assert len(files) > 5
    for path in files:
        found = re.findall(r"(?:from|import) (?:model|checker|proofs)[. ][^\n]*", path.read_text(encoding="utf-8"))
        assert not found, f"{path.relative_to(ROOT)}: {found}"


@pytest.mark.parametrize("name", redwhite.__all__)
def test_every_public_name_says_what_it_is(name: str) -> None:
    """A docstring each, of sentences, also for what a public class lets one call; errors are named where it raises."""
    found = getattr(redwhite, name)
    if not (inspect.isclass(found) or inspect.isfunction(found)):
        return  # a type's other name
    told = inspect.getdoc(found) or ""
    assert told.split("\n\n")[0].rstrip().endswith((".", ":")), f"{name}: {told!r}"
    if inspect.isclass(found):
        own = [(called, m) for called, m in vars(found).items() if inspect.isfunction(m) and not called.startswith("_")]
        assert not [called for called, method in own if not inspect.getdoc(method)]
    elif "raise InputError" in inspect.getsource(found):
        assert "InputError" in told, f"{name} raises InputError, and does not say when"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_what_is_built_works_in_an_empty_environment(kind: str, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        return subprocess.run(words, cwd=tmp_path, text=True, capture_output=True, check=True).stdout

    uv = str(SCRIPT.with_name("uv"))
    run(uv, "build", f"--{kind}", "--out-dir", str(tmp_path), str(ROOT))
    run(uv, "venv", str(tmp_path / "empty"))
    (built,) = (*tmp_path.glob("*.whl"), *tmp_path.glob("*.tar.gz"))
    new = tmp_path / "empty/bin/python"
    run(uv, "pip", "install", "--python", str(new), str(built))
    (tmp_path / "model.py").write_text("raise SystemExit('the wrong module')")
    (tmp_path / "script.py").write_text(MINE.format(engine="native"))
    assert run(str(new), "script.py") == "holds\n"
    assert '"holds"' in run(str(new.with_name("redwhite")), "check", "ring:3", "--json")
    assert run(str(new), "-m", "redwhite", "list", "topologies")


def test_values_show_themselves_only_once_it_was_said_how(tmp_path: Path) -> None:
    script = (
        "import sys; {first}; from redwhite.packages import find_ours; from model.families import parse_family;"
        " shown = parse_family('ring:3')._repr_svg_(); print(None if shown is None else shown[:4])"
    )
    assert python("-c", script.format(first="import redwhite"), folder=tmp_path).stdout == "None\n"
    shown = python("-c", script.format(first="from redwhite import Topology"), folder=tmp_path)
    assert shown.stdout == "<svg\n", shown.stderr
    checked = "from redwhite import check; print(check('ring:2', engine='reference')._repr_html_()[:3])"
    assert python("-c", checked, folder=tmp_path).stdout == "<p>\n"
    loaded = "import sys; from redwhite import {name}; sys.exit('{module}' in sys.modules)"
    for name, module in (("Topology", "checker.draw"), ("Log", "model")):
        assert python("-c", loaded.format(name=name, module=module), folder=tmp_path).returncode == 0
