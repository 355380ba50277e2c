"""A bank of four branches, each a process, over TCP on 127.0.0.1: transfers, snapshots, kills; logs for `audit`.

    python -m examples.bank FOLDER [--mutant NAME] [--seconds N] [--seed N]

Branches are killed and started again while money and markers are on their way. Snapshots are begun by branches at
random and announced here, when every branch has reported that all its channels are closed; the mutant `early-complete`
announces when every branch has reported its balance.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import socket
import sys
from itertools import count
from pathlib import Path
from typing import Any

from examples.bank.mutants import MUTANTS
from redwhite import Log

NAMES = ["N1", "N2", "N3", "N4"]
BALANCE = 100
LAST = 10.0


class Bank:
    """The processes, and what they have reported of each snapshot."""

    def __init__(self, folder: Path, mutant: str, seed: int) -> None:
        self.folder, self.mutant, self.chooser = folder, mutant, random.Random(seed)
        self.sockets = {name: socket.create_server(("127.0.0.1", 0)) for name in NAMES}
        self.ports = {name: found.getsockname()[1] for name, found in self.sockets.items()}
        self.processes: dict[str, asyncio.subprocess.Process] = {}
        self.reports: dict[int, dict[str, dict[str, Any]]] = {}
        self.announced: set[int] = set()
        self.listeners: list[asyncio.Task[None]] = []
        self.log = Log(folder / "announced.jsonl")

    async def start(self, name: str) -> None:
        """Start a branch, anew or again."""
        descriptor = self.sockets[name].fileno()
        words = {"name": name, "mutant": self.mutant, "seed": self.chooser.randrange(10**6), "balance": BALANCE}
        words |= {"descriptor": descriptor, "ports": self.ports, "folder": str(self.folder)}
        self.processes[name] = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "examples.bank.machine", json.dumps(words)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=[descriptor],
        )
        output = self.processes[name].stdout
        assert output is not None
        await output.readline()  # it is ready
        self.listeners.append(asyncio.create_task(self.listen(self.processes[name])))

    async def listen(self, process: asyncio.subprocess.Process) -> None:
        """Take a process's reports, until it ends."""
        assert process.stdout is not None
        while (line := await process.stdout.readline()).endswith(b"\n"):
            report = json.loads(line)
            self.reports.setdefault(report["snapshot"], {})[report["machine"]] = report
            self.announce(report["snapshot"])

    def announce(self, snapshot: int) -> None:
        """Announce a snapshot that is complete, once."""
        reports = self.reports[snapshot]
        complete = len(reports) == len(NAMES)
        if self.mutant != "early-complete":
            complete = complete and all(report["done"] for report in reports.values())
        if complete and snapshot not in self.announced:
            self.announced.add(snapshot)
            states = {name: report["state"] for name, report in reports.items()}
            channels = {channel: content for r in reports.values() for channel, content in r["channels"].items()}
            self.log.snapshot(snapshot, states, channels)

    def tell(self, name: str, words: str) -> None:
        """A command to a branch."""
        pipe = self.processes[name].stdin
        assert pipe is not None
        pipe.write(f"{words}\n".encode())

    async def killing(self) -> None:
        """Kill a branch at random, now and then, and start it again a little later."""
        while True:
            await asyncio.sleep(self.chooser.uniform(0.3, 0.9))
            name = self.chooser.choice(NAMES)
            self.processes[name].send_signal(signal.SIGKILL)
            await self.processes[name].wait()
            await asyncio.sleep(0.1)
            await self.start(name)
            print(f"{name} was killed and is back", flush=True)

    async def run(self, seconds: float) -> None:
        """The whole run: work, then until the snapshots that have begun are announced, or LAST seconds."""
        for name in NAMES:
            await self.start(name)
        killing = asyncio.create_task(self.killing())
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        for number in count():
            await asyncio.sleep(self.chooser.uniform(0.1, 0.3))
            if clock() > end:
                break
            self.tell(self.chooser.choice(NAMES), f"snapshot {number}")
        killing.cancel()
        await asyncio.gather(killing, return_exceptions=True)
        for name in NAMES:
            if self.processes[name].returncode is not None:
                await self.start(name)
            self.tell(name, "stop")
        while clock() < end + LAST and self.reports.keys() - self.announced:
            await asyncio.sleep(0.05)
        for process in self.processes.values():
            if process.returncode is None:
                process.kill()
            await process.wait()
        await asyncio.gather(*self.listeners)
        print(f"{len(self.reports)} snapshots begun, {len(self.announced)} announced")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="a bank over TCP whose snapshots `redwhite audit` judges")
    parser.add_argument("folder", type=Path, help="where the logs go; must not hold any yet")
    parser.add_argument("--mutant", choices=sorted(MUTANTS), default="", help="a rule to break")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if any(options.folder.glob("*.jsonl")):
        parser.error(f"{options.folder}: has logs already")
    asyncio.run(Bank(options.folder, options.mutant, options.seed).run(options.seconds))


if __name__ == "__main__":
    main()
