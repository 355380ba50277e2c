"""Diagrams are legible: enough contrast, light and dark, and each kind of line told apart with any colour vision."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from checker.draw.svg import STYLE

Colour = tuple[float, float, float]

# Machado, Oliveira and Fernandes 2009, severity 1: how linear red, green and blue are seen without one kind of cones.
VISIONS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
LINES = ("message", "message.r", "control", "crossing", "offends")
APART = 20.0
"""How far apart two colours are to be in CIELAB; 2.3 is a difference that is just noticed side by side."""


def rules(scheme: str) -> dict[tuple[str, str], str]:
    """(class, property) -> value of the diagrams' style for one scheme."""
    light, _, dark = STYLE.partition("@media")
    found: dict[tuple[str, str], str] = {}
    for part in (light, dark) if scheme == "dark" else (light,):
        for selectors, body in re.findall(r"(\.st[^{}]*)\{([^{}]*)\}", part):
            for selector in selectors.split(","):
                for name, value in re.findall(r"([\w-]+):\s*([^;]+);", body):
                    found[selector.strip().removeprefix(".st").strip(" ."), name] = value.strip()
    return found


def linear(text: str) -> Colour:
    """#rrggbb as linear light."""
    parts = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return red, green, blue


def weighed(weights: tuple[float, ...], colour: Colour) -> float:
    return sum(weight * part for weight, part in zip(weights, colour, strict=True))


def contrast(one: str, other: str) -> float:
    """WCAG's contrast, 1 to 21."""
    low, high = sorted(weighed((0.2126, 0.7152, 0.0722), linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour: Colour) -> Colour:
    """Linear light as CIELAB, for white of D65."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (weighed(row, colour) / weighed(row, (1, 1, 1)) for row in rows)
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str, vision: str) -> float:
    """How far apart the colours are for who sees so."""
    seen = []
    for colour in (one, other):
        red, green, blue = (min(1.0, max(0.0, weighed(row, linear(colour)))) for row in VISIONS[vision])
        seen.append(lab((red, green, blue)))
    return float(sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_lines_stand_out_from_the_paper(scheme: str) -> None:
    style = rules(scheme)
    paper = style["paper", "fill"]
    for (name, what), value in style.items():
        if not value.startswith("#") or name in ("", "paper", "grid", "loop", "core", "open", "dot"):
            continue
        text = what == "fill" and ("label" in name or name in ("text", "tick"))
        assert contrast(value, paper) >= (4.5 if text else 3), (name, value)
    assert ("text", "fill") in style and ("label-crossing", "fill") in style and ("cross", "stroke") in style


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_each_two_kinds_of_line_differ_by_colour_or_by_shape(vision: str, scheme: str) -> None:
    style = rules(scheme)

    def shape(name: str) -> tuple[bool, bool]:
        return (name, "stroke-dasharray") in style, name == "crossing"  # dashed, double

    for one, other in combinations(LINES, 2):
        narrow, broad = sorted(float(style[name, "stroke-width"]) for name in (one, other))
        told = shape(one) != shape(other) or broad >= 1.8 * narrow
        apart = distance(style[one, "stroke"], style[other, "stroke"], vision)
        assert told or apart >= APART, (one, other, apart)


def test_some_pairs_of_colours_are_indeed_alike_to_some_eyes() -> None:
    assert distance("#b0005d", "#00805c", "deuteranopia") < 5 < 100 < distance("#b0005d", "#00805c", "all cones")
