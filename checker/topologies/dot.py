"""Graphviz's DOT language, as far as it says which machines and channels there are.

networkx (through pydot) leaves out what stands in subgraphs and forgets the order of nodes, so this reader is our own:
the published grammar (graphviz.org, "DOT Language"), with attributes read over.
"""

from __future__ import annotations

import re
from typing import NoReturn

from model.errors import InputError
from model.families import shown

Edges = list[tuple[str, str]]

_SKIPPED = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|^#[^\n]*)+", re.DOTALL | re.MULTILINE)
_TOKEN = re.compile(
    r"""(?P<id>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?))
      | (?P<quoted>"(?:[^"\\]|\\.)*")
      | (?P<sign>->|--|[{}\[\]=;,:+<])""",
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = frozenset({"strict", "graph", "digraph", "subgraph", "node", "edge"})


def read_dot(text: str) -> tuple[list[str], Edges]:
    """The nodes of a digraph in order of first appearance, and its edges in order; `strict` ones once.

    Raises `InputError` that names the line, also for an undirected graph.
    """
    reader = _Reader(_tokens(text))
    reader.graph()
    edges = list(dict.fromkeys(reader.edges)) if reader.strict else reader.edges
    return list(reader.nodes), edges


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """Kind (id, quoted, keyword, or the sign itself), value, line; ends with kind "end"."""
    tokens: list[tuple[str, str, int]] = []
    at, counted, line = 0, 0, 1
    while True:
        skipped = _SKIPPED.match(text, at)
        at = skipped.end() if skipped else at
        line += text.count("\n", counted, at)
        counted = at
        if at == len(text):
            return [*tokens, ("end", "the end", line)]
        token = _TOKEN.match(text, at)
        if not token:
            raise InputError(f"line {line}: {shown(text[at : at + 20])} is no DOT")
        at = token.end()
        value = token[0]
        if token["quoted"]:
            tokens.append(("quoted", value[1:-1].replace("\\\n", "").replace('\\"', '"'), line))
        elif token["id"]:
            tokens.append(("keyword" if value.lower() in _KEYWORDS else "id", value, line))
        elif value == "<":
            at = _end_of_html(text, at, line)
            tokens.append(("quoted", text[token.start() : at], line))
        else:
            tokens.append((value, value, line))


def _end_of_html(text: str, at: int, line: int) -> int:
    depth = 1
    for sign in re.compile("[<>]").finditer(text, at):
        depth += 1 if sign[0] == "<" else -1
        if depth == 0:
            return sign.end()
    raise InputError(f"line {line}: '<' without its '>'")


class _Reader:
    """Recursive descent over the tokens, one method a rule of the grammar; fills `nodes` and `edges`."""

    def __init__(self, tokens: list[tuple[str, str, int]]) -> None:
        self.tokens = tokens
        self.at = 0
        self.nodes: dict[str, None] = {}
        self.edges: Edges = []
        self.strict = False
        self.subgraphs: dict[str, list[str]] = {}

    def graph(self) -> None:
        self.strict = self.take_word("strict")
        if self.take_word("graph"):
            raise InputError("an undirected graph: channels are uni-directional, accepted is a digraph with ->")
        if not self.take_word("digraph"):
            self.refuse("'digraph'")
        self.identifier()
        self.block()
        if self.kind() != "end":
            self.refuse("one digraph and nothing after it")

    def block(self) -> list[str]:
        """{ statements }; returns the nodes it names."""
        self.expect("{")
        named: dict[str, None] = {}
        while not self.take("}"):
            if not self.take(";"):
                named.update(dict.fromkeys(self.statement()))
        return list(named)

    def statement(self) -> list[str]:
        """Defaults, an attribute, a node, a subgraph, or a chain of edges; returns the nodes it names."""
        if any(self.take_word(word) for word in ("graph", "node", "edge")):
            self.attributes()
            return []
        if self.kind() in ("id", "quoted") and self.tokens[self.at + 1][0] == "=":
            self.at += 2
            if self.identifier() is None:
                self.refuse("a value")
            return []
        tails = self.operand()
        named = list(tails)
        while self.kind() in ("->", "--"):
            if self.take("--"):
                self.at -= 1
                self.refuse("'->': channels are uni-directional")
            self.at += 1
            heads = self.operand()
            self.edges.extend((tail, head) for tail in tails for head in heads)
            named.extend(heads)
            tails = heads
        self.attributes()
        return named

    def operand(self) -> list[str]:
        """A node, its port read over, or a subgraph, which stands for all its nodes."""
        if self.take_word("subgraph"):
            name = self.identifier()
            if name is not None and self.kind() != "{":
                return self.subgraphs.get(name, [])  # an earlier subgraph, named again
            nodes = self.block()
            if name is not None:  # the same name again: more of the same subgraph
                nodes = self.subgraphs[name] = list(dict.fromkeys(self.subgraphs.get(name, []) + nodes))
            return nodes
        if self.kind() == "{":
            return self.block()
        node = self.identifier()
        if node is None:
            self.refuse("a node, an edge or '}'")
        while self.take(":"):
            if self.identifier() is None:
                self.refuse("a port")
        self.nodes[node] = None
        return [node]

    def attributes(self) -> None:
        while self.take("["):
            while not self.take("]"):
                if self.identifier() is None:
                    self.refuse("an attribute or ']'")
                if self.take("=") and self.identifier() is None:
                    self.refuse("a value")
                if not self.take(";"):
                    self.take(",")

    def identifier(self) -> str | None:
        """A name, or quoted strings joined by +; None where there is none."""
        kind, value, _ = self.tokens[self.at]
        if kind not in ("id", "quoted"):
            return None
        self.at += 1
        while kind == "quoted" and self.take("+"):
            self.expect("quoted")
            value += self.tokens[self.at - 1][1]
        return value

    def kind(self) -> str:
        return self.tokens[self.at][0]

    def take(self, kind: str) -> bool:
        if self.kind() != kind:
            return False
        self.at += 1
        return True

    def take_word(self, word: str) -> bool:
        kind, value, _ = self.tokens[self.at]
        return kind == "keyword" and value.lower() == word and self.take(kind)

    def expect(self, kind: str) -> None:
        if not self.take(kind):
            self.refuse(f"'{kind}'" if len(kind) == 1 else f"a {kind} string")

    def refuse(self, accepted: str) -> NoReturn:
        _, value, line = self.tokens[self.at]
        raise InputError(f"line {line}: {shown(value)}: accepted here is {accepted}")
