"""Pages made from the templates in `pages`: all that they are given is escaped, but for the drawings made here."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from checker.report.names import printable


def render(template: str, **given: Any) -> str:
    """The page of this template."""
    return _environment().get_template(template).render(given)


def drawn_here(svg: str) -> Markup:
    """A drawing of ours, in which every text is escaped already."""
    return Markup(svg)


def counted(actions: int) -> str:
    """How many actions."""
    return f"{actions} action{'' if actions == 1 else 's'}"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"asset": _asset, "counted": counted}
    made.filters["printable"] = printable
    return made


def _asset(name: str) -> Markup:
    return Markup(_text(name))


def _text(name: str) -> str:
    return files("checker.draw").joinpath("pages", name).read_text(encoding="utf-8")
