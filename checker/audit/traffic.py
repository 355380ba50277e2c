"""The messages of one channel: where they were sent and accepted, in which pairs, and what a cut leaves in it."""

from __future__ import annotations

from array import array

NONE = -1
"""The number of an accept that has no send, or of a send that has no accept."""


class Traffic:
    """Sends and accepts are numbered in the order of their machine, `sends` and `accepts` are their positions there.

    sender[a] is the number of the send of accept a, accepter[s] of the accept of send s, or NONE; messages: those sent.
    Some 50 bytes a message.
    """

    def __init__(self) -> None:
        self.sends, self.accepts = array("q"), array("q")
        self.sender, self.accepter = array("q"), array("q")
        self.messages: list[str] = []
        self._pairs: tuple[list[str | None], list[str | None]] = ([], [])
        self._first_waiting = array("q", (0,))
        self._needed = array("q", (0,))

    def add(self, position: int, sent: bool, message: str, pair: str | None) -> None:
        """One more send, or accept, after all others of its machine."""
        self._pairs[not sent].append(pair)
        if sent:
            self.sends.append(position)
            self.messages.append(message)
        else:
            self.accepts.append(position)

    def pair(self) -> None:
        """Pair by what pairs them, else the k-th accept with the k-th send; each send is accepted once."""
        sends, accepts = self._pairs
        waiting: dict[str | None, array[int]] = {}
        for number in reversed(range(len(sends))):
            waiting.setdefault(sends[number], array("q")).append(number)
        self.accepter = array("q", (NONE,)) * len(sends)
        for number, pair in enumerate(accepts):
            fitting = waiting.get(pair)
            send = fitting.pop() if fitting else NONE
            self.sender.append(send)
            if send != NONE:
                self.accepter[send] = number
            self._needed.append(max(self._needed[-1], len(sends) + 1 if send == NONE else send + 1))
            self._first_waiting.append(self._next_waiting(self._first_waiting[-1], number + 1))
        self._pairs = ([], [])

    def waiting(self, sent: int, accepted: int) -> list[int]:
        """The numbers of the messages among the first `sent` that are not among the first `accepted` accepts."""
        numbers = range(self._first_waiting[accepted], sent)
        return [number for number in numbers if not self._was_accepted(number, accepted)]

    def orphans(self, sent: int, accepted: int) -> list[int]:
        """The numbers of those of the first `accepted` accepts whose send is not among the first `sent`."""
        if self._needed[accepted] <= sent:
            return []
        senders = enumerate(self.sender[:accepted])
        return [number for number, send in senders if send == NONE or send >= sent]

    def bounds(self, accepted: int, content: tuple[str, ...]) -> tuple[int, int] | None:
        """How many sends, at least and at most, leave just `content` waiting after so many accepts; None: no number.

        Where an accept has no send, no number does.
        """
        first: list[int] = []
        number = self._first_waiting[accepted]
        while number < len(self.sends) and len(first) <= len(content):
            if not self._was_accepted(number, accepted):
                first.append(number)
            number += 1
        if tuple(self.messages[number] for number in first[: len(content)]) != content:
            return None
        most = first[len(content)] if len(first) > len(content) else len(self.sends)
        least = max(self._needed[accepted], first[len(content) - 1] + 1 if content else 0)
        return (least, most) if least <= most else None

    def _was_accepted(self, number: int, accepted: int) -> bool:
        return NONE != self.accepter[number] < accepted

    def _next_waiting(self, number: int, accepted: int) -> int:
        while number < len(self.sends) and self._was_accepted(number, accepted):
            number += 1
        return number
