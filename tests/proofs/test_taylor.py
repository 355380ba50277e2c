"""Taylor's bound on the smallest network: without order no protocol records that neither delays messages nor tags them.

Machine 0 sends messages to machine 1, and at a moment of its own it begins: it records and sends control messages. What
machine 1 knows is what it has accepted so far and what is offered to it. At every step it may record, before or after
it accepts, or go on; it may not refuse. A strategy wins if machine 1 records only when machine 0 has begun, accepts no
message while white that machine 0 sent after it began, and records in the end wherever machine 0 began. All strategies
are tried: what matters of a history is which situations are possible after it. (Taylor 1989, "The role of inhibition in
asynchronous consistent-cut protocols"; this is the case of two machines and one channel; it is not proved for every N.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import pytest

WHITE, RED, CONTROL = "white", "red", "control"


class Situation(NamedTuple):
    """Whether machine 0 has begun, how many messages it may still send, and what is in the channel, oldest first."""

    begun: bool
    left: int
    channel: tuple[str, ...]


Possible = frozenset[Situation]


@dataclass(frozen=True)
class Game:
    """What machine 1 plays against: `ordered` channels, `tagged` messages, and the control messages of a beginning."""

    messages: int
    controls: int
    ordered: bool = False
    tagged: bool = False

    def wins(self) -> bool:
        """Some strategy of machine 1 wins, however machine 0 and the channel behave."""
        return _wins(self, self.unseen(frozenset({Situation(False, self.messages, ())})))

    def unseen(self, possible: Possible) -> Possible:
        """With all that machine 0 may have done meanwhile."""
        found, waiting = set(possible), list(possible)
        while waiting:
            new = set(self._moves(waiting.pop())) - found
            found |= new
            waiting += new
        return frozenset(found)

    def _moves(self, s: Situation) -> Iterator[Situation]:
        if s.left:
            yield s._replace(left=s.left - 1, channel=(*s.channel, RED if s.begun else WHITE))
        if not s.begun:
            yield s._replace(begun=True, channel=(*s.channel, *[CONTROL] * self.controls))

    def offers(self, s: Situation) -> Iterator[tuple[str, Situation]]:
        """What machine 1 may be offered, and the situation after it accepts that."""
        for k, item in enumerate(s.channel[:1] if self.ordered else s.channel):
            yield item, s._replace(channel=s.channel[:k] + s.channel[k + 1 :])

    def seen(self, item: str) -> str:
        return item if self.tagged or item == CONTROL else "message"


@cache
def _wins(game: Game, possible: Possible) -> bool:
    if all(s.begun for s in possible):
        return True  # it records now
    if any(s.begun and not s.channel and not s.left for s in possible):
        return False  # nothing more comes, and it has not recorded
    after: dict[str, list[tuple[str, Situation, Situation]]] = {}
    for s in possible:
        for item, then in game.offers(s):
            after.setdefault(game.seen(item), []).append((item, s, then))
    return all(_answers(game, cases) for cases in after.values())


def _answers(game: Game, cases: list[tuple[str, Situation, Situation]]) -> bool:
    """What is offered is accepted: after recording, or while white and the game goes on."""
    if all(before.begun for _, before, _ in cases):
        return True
    if any(item == RED for item, _, _ in cases):
        return False
    return _wins(game, game.unseen(frozenset(then for _, _, then in cases)))


SIZES = [(messages, controls) for messages in (1, 2, 3) for controls in (0, 1, 2)]


@pytest.mark.parametrize(("messages", "controls"), SIZES)
def test_no_strategy_wins_without_order_and_tags(messages: int, controls: int) -> None:
    assert not Game(messages, controls).wins()


@pytest.mark.parametrize(("messages", "controls"), SIZES)
@pytest.mark.parametrize("helped", [lambda m, c: Game(m, c, ordered=True), lambda m, c: Game(m, c, tagged=True)])
def test_with_order_or_tags_and_a_control_message_one_wins(
    messages: int, controls: int, helped: Callable[[int, int], Game]
) -> None:
    """The marker of Chandy and Lamport; the colour of Lai and Yang. Without a control message nothing need come."""
    assert helped(messages, controls).wins() == (controls > 0)
