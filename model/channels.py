"""Channel disciplines: in which order the messages of a channel may be accepted, and where a sent one is put.

The contents of a channel are a tuple of messages. A discipline keeps them in a normal form (a bag is sorted), so that
channels with equal contents have equal tuples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from model.action import Message
from model.values import order_key

Content = tuple[Message, ...]


class Discipline(ABC):
    """In which order messages may leave a channel."""

    __slots__ = ()
    keeps_order: bool = True

    @abstractmethod
    def positions(self, content: Content) -> Iterator[int]:
        """Positions of the messages that may be accepted now, of equal neighbours the first: all results differ."""

    def push(self, content: Content, message: Message) -> Content:
        """The contents after `message` was sent."""
        return (*content, message)

    def normal(self, content: Content) -> Content:
        """The contents in normal form."""
        return content


@dataclass(frozen=True, slots=True)
class Fifo(Discipline):
    """First in, first out: only the head may be accepted (EWD864a: "buffers ... first-in-first-out")."""

    def positions(self, content: Content) -> Iterator[int]:
        """The head."""
        if content:
            yield 0


@dataclass(frozen=True, slots=True)
class Overtake(Discipline):
    """A message may be accepted past at most `most` others ahead of it."""

    most: int

    def positions(self, content: Content) -> Iterator[int]:
        """The first `most` + 1 messages; of equal neighbours the first, since taking either leaves the same content."""
        for position in range(min(self.most + 1, len(content))):
            if position == 0 or content[position] != content[position - 1]:
                yield position


@dataclass(frozen=True, slots=True)
class Bag(Discipline):
    """Any message may be accepted; the contents are a multiset, kept as a sorted tuple."""

    keeps_order = False

    def positions(self, content: Content) -> Iterator[int]:
        """One position for each distinct message."""
        for position, message in enumerate(content):
            if position == 0 or message != content[position - 1]:
                yield position

    def push(self, content: Content, message: Message) -> Content:
        """The contents with the message at its sorted place."""
        return self.normal((*content, message))

    def normal(self, content: Content) -> Content:
        """The contents sorted."""
        return tuple(sorted(content, key=order_key))


def without(content: Content, position: int) -> Content:
    """The contents after the message at `position` left."""
    return content[:position] + content[position + 1 :]
