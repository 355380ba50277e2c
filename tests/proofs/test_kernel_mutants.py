"""The tests of the kernel see each of its rules: weakened in one place, whichever it is, some test of them fails.

Two kinds of weakening are made wherever they can be: a check is deleted, and a hypothesis is left out of what a rule
returns. The rest are written out. Each weakened kernel is a module of its own, and `test_kernel` is run with it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import proofs
from proofs import kernel

SOURCE = Path(str(kernel.__file__)).read_text(encoding="utf-8")
TESTS = compile(Path(__file__).with_name("test_kernel.py").read_text(encoding="utf-8"), "test_kernel", "exec")
CHECKS = {"_need", "_same", "_plain", "_free_of", "_arbitrary", "_closed_terms"}

WRITTEN_OUT = [
    ("z3.Not(claim)])", "claim])"),
    ("z3.Implies(_all(*formulas), theorem.conclusion)", "theorem.conclusion"),
    ("(*theorem.hypotheses, case), claim", "theorem.hypotheses, claim"),
    ("interpret(p.formula, meaning), p.role)", "p.formula, p.role)"),
    ("z3.Implies(u >= 0, z3.substitute(formula", "z3.Implies(u >= 1, z3.substitute(formula"),
    ("z3.substitute(claim, (t, z3.IntVal(0)))", "base.conclusion"),
    ("z3.substitute(claim, (t, t + 1))", "step.conclusion"),
    ("_without(step.hypotheses, claim, t >= 0)", "()"),
    ("_closed(measure >= 0, [x])", "bounded.conclusion"),
    ("_without(step.hypotheses, smaller(x, measure, claim))", "()"),
    ("(x, y)) < measure", "(x, y)) <= measure"),
    ("(finitely_many(sort),), bounded", "(), bounded"),
    ("_closed(exists(y.sort(), lambda v: z3.substitute(relation, (y, v))), [x])", "there_is.conclusion"),
    ("_without(theorem.hypotheses, definition)", "()"),
    ("(*some, *theorem.some)", "some"),
    ("some = (symbol,) if symbol in symbols(theorem.conclusion) else ()", "some = ()"),
    ("self._at(s, t + 1)", "self._at(s, t)"),
    ("replace(p, formula=_at_all(p.formula, run.state, run.later, run.step))", "p"),
    ("_without(step.hypotheses, *formulas)", "()"),
]
"""Places where a rule would say too much, or assume too little."""


class _Weaken(ast.NodeTransformer):
    """Leaves out the n-th thing that can be left out."""

    def __init__(self, n: int) -> None:
        self.left, self.what = n, ""

    def _chosen(self, node: ast.AST) -> bool:
        self.left -= 1
        if self.left == -1:
            self.what = ast.unparse(node)
        return self.left == -1

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        called = node.value.func if isinstance(node.value, ast.Call) else None
        check = isinstance(called, ast.Name) and called.id in CHECKS
        return ast.Pass() if check and self._chosen(node) else self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        return self._hypotheses(node, node.targets[0])

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if ast.unparse(node.target) in ("hypotheses", "assumed", "mentioned"):
            return ast.Pass() if self._chosen(node) else node
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "_made":
            node.args[2] = self._fewer(node.args[2])
        return self.generic_visit(node)

    def _hypotheses(self, node: ast.Assign, target: ast.expr) -> ast.AST:
        if ast.unparse(target) in ("hypotheses", "left", "known"):
            node.value = self._fewer(node.value)
        return node

    def _fewer(self, value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Tuple | ast.List):
            value.elts = [e for e in value.elts if not (isinstance(e, ast.Starred) and self._chosen(e))]
            return value
        if isinstance(value, ast.GeneratorExp):
            return value
        return ast.Tuple([], ast.Load()) if not isinstance(value, ast.Call) and self._chosen(value) else value


def _weakened() -> Iterator[tuple[str, str]]:
    """What was weakened, and the source of the kernel so weakened."""
    for n in range(1000):
        weaken = _Weaken(n)
        tree = ast.fix_missing_locations(weaken.visit(ast.parse(SOURCE)))
        if not weaken.what:
            break
        yield f"{n}: {weaken.what}"[:90], ast.unparse(tree)
    for old, new in WRITTEN_OUT:
        yield f"{old} -> {new}"[:90], SOURCE.replace(old, new)


WEAKENED = list(_weakened())


def _passes(source: str, patch: pytest.MonkeyPatch) -> bool:
    """Every test of the kernel passes with this one in its place."""
    module = ModuleType("proofs.kernel")
    patch.setitem(sys.modules, "proofs.kernel", module)
    patch.setattr(proofs, "kernel", module)
    exec(compile(source, "weakened kernel", "exec"), module.__dict__)
    tests: dict[str, object] = {"__name__": "weakened"}
    exec(TESTS, tests)
    try:
        for name, test in tests.items():
            if name.startswith("test_") and isinstance(test, FunctionType):
                test()
    except (Exception, pytest.fail.Exception):
        return False
    return True


def test_the_tests_pass_with_the_kernel_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _passes(SOURCE, monkeypatch)


def test_what_is_written_out_is_there_once() -> None:
    assert [old for old, _ in WRITTEN_OUT if SOURCE.count(old) != 1] == []


@pytest.mark.parametrize("source", [pytest.param(source, id=what) for what, source in WEAKENED])
def test_a_weakened_kernel_is_seen(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _passes(source, monkeypatch)
