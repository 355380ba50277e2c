"""One machine, a process of its own: a branch behind a TCP socket on 127.0.0.1.

A channel is a connection from the sender to the accepter. On each new connection the accepter says how many lines of
the channel it has accepted, and the sender goes on from there: a process that is killed and started again, which knows
from its log what it had sent and accepted, loses nothing and doubles nothing. Every delivery is delayed at random.

Commands come on standard input (`snapshot N`, `stop`); reports of what is recorded go to standard output.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import sys
from contextlib import suppress
from pathlib import Path

from examples.bank.branch import Branch
from examples.bank.mutants import MUTANTS


class Machine:
    """The branch and its connections."""

    def __init__(self, branch: Branch, ports: dict[str, int]) -> None:
        self.branch, self.ports = branch, ports
        self.changed = asyncio.Condition()
        self.accepting: dict[str, asyncio.Task[None]] = {}
        self.reported: dict[str, str] = {}
        self.transferring = True

    async def run(self, listening: socket.socket) -> None:
        """Everything at once, until standard input ends."""
        server = await asyncio.start_server(self.connected, sock=listening)
        self.branch.put_markers()
        tasks = [asyncio.create_task(self.sending(other)) for other in self.branch.others]
        tasks += [asyncio.create_task(self.transfers()), asyncio.create_task(self.idling())]
        await self.commands()
        server.close()
        for task in tasks:
            task.cancel()

    async def commands(self) -> None:
        """What the parent asks for."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        print("ready", flush=True)
        await self.acted()
        while line := await reader.readline():
            words = line.decode().split()
            if words[0] == "stop":
                self.transferring = False
            else:
                self.branch.begin(int(words[1]))
                await self.acted()

    async def acted(self) -> None:
        """Wake the senders, which look whether their connection lives too, and report what is new."""
        for report in self.branch.reports():
            text = json.dumps(report)
            if self.reported.get(str(report["snapshot"])) != text:
                self.reported[str(report["snapshot"])] = text
                print(text, flush=True)
        async with self.changed:
            self.changed.notify_all()

    async def transfers(self) -> None:
        """Send money at random, until told to stop."""
        while self.transferring:
            await asyncio.sleep(random.uniform(0, 0.02))
            self.branch.transfer(random.choice(self.branch.others), random.randint(1, 5))
            await self.acted()

    async def idling(self) -> None:
        """What mutants put off."""
        while True:
            await asyncio.sleep(0.01)
            self.branch.idle()
            await self.acted()

    async def sending(self, other: str) -> None:
        """Keep a connection to another machine, and send what the channel has, from where it had come to."""
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.ports[other])
                writer.write(f"{self.branch.name}\n".encode())
                next_line = int(await reader.readline())
                gone = asyncio.create_task(self.gone(reader))
                while not gone.done():  # then what was on its way is sent again, even if nothing new is
                    for line in self.branch.sent[other][next_line:]:
                        writer.write(f"{json.dumps(line)}\n".encode())
                        next_line += 1
                    await writer.drain()
                    async with self.changed:
                        while len(self.branch.sent[other]) == next_line and not gone.done():
                            await self.changed.wait()
                writer.close()
            except (OSError, ValueError):
                await asyncio.sleep(0.05)

    @staticmethod
    async def gone(reader: asyncio.StreamReader) -> None:
        """Wait until the other side has gone."""
        with suppress(OSError):
            await reader.read()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Another machine connects: what was left of its last connection ends before the count is told."""
        sender = (await reader.readline()).decode().strip()
        if sender not in self.branch.accepted:
            writer.close()
            return
        if sender in self.accepting:
            self.accepting[sender].cancel()
        current = asyncio.current_task()
        assert current is not None
        self.accepting[sender] = current
        writer.write(f"{self.branch.accepted[sender]}\n".encode())
        try:
            while line := await reader.readline():
                await asyncio.sleep(random.choice([0, 0.002, 0.03]))
                self.branch.deliver(sender, json.loads(line))
                await self.acted()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def main(name: str, mutant: str, seed: int, balance: int, descriptor: int, ports: dict[str, int], folder: str) -> None:
    """The process."""
    random.seed(seed)
    kind = MUTANTS.get(mutant, Branch)
    branch = kind(name, sorted(ports.keys() - {name}), balance, Path(folder) / f"{name}.jsonl")
    listening = socket.socket(fileno=descriptor)
    asyncio.run(Machine(branch, ports).run(listening))


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
