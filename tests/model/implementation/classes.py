"""Ordinary classes as the tests drive them."""

import random
import threading


class LaiYang:
    """Lai and Yang's algorithm: a colour on each message, no markers; complete when the white messages are counted."""

    actions = ("pay",)

    def __init__(self, name, outputs, inputs):
        self.name, self.outputs, self.inputs = name, outputs, inputs
        self.balance, self.left, self.red = 1, 1, False
        self.accepted = {sender: [] for sender in inputs}
        self.sent = {to: 0 for to in outputs}
        self.expected = {}
        self.kept = None

    def state(self):
        return self.balance

    @staticmethod
    def is_control(message):
        return message[0] == "count"

    @staticmethod
    def payload(message):
        return message[1]

    def pay(self):
        if not (self.balance and self.left):
            return False
        self.balance, self.left = self.balance - 1, self.left - 1
        self.send(self.outputs[0], ("red" if self.red else "white", 1))
        if not self.red:
            self.sent[self.outputs[0]] += 1

    def snapshot(self):
        self.record(0)
        self.red, self.kept = True, (self.balance, {sender: len(got) for sender, got in self.accepted.items()})
        for to in self.outputs:
            self.send(to, ("count", self.sent[to]))
        self.finish()

    def receive(self, sender, message):
        kind, content = message
        if kind in ("red", "count") and not self.red:
            self.snapshot()
        if kind == "count":
            self.expected[sender] = content
        else:
            self.balance += content
            if kind == "white":
                self.accepted[sender].append(content)
        self.finish()

    def finish(self):
        if self.red and all(len(self.accepted[s]) == self.expected.get(s) for s in self.inputs):
            balance, before = self.kept
            self.report(0, balance, {s: self.accepted[s][before[s] :] for s in self.inputs})


class Disturbing:
    """Its snapshot takes a coin from the computation."""

    actions = ("pay",)

    def __init__(self, name, outputs, inputs):
        self.outputs, self.balance, self.left, self.seen = outputs, 1, 1, False

    @staticmethod
    def is_control(message):
        return message == "marker"

    def pay(self):
        if not (self.balance and self.left):
            return False
        self.balance, self.left = self.balance - 1, self.left - 1
        self.send(self.outputs[0], 1)

    def snapshot(self):
        self.seen, self.balance = True, 0
        self.record(0)
        for to in self.outputs:
            self.send(to, "marker")

    def receive(self, sender, message):
        if message == "marker":
            if not self.seen:
                self.snapshot()
            self.report(0, None, {})
        else:
            self.balance += message


class Inventing(Disturbing):
    """Its snapshot gives the computation a coin."""

    def snapshot(self):
        super().snapshot()
        self.balance, self.left = 2, 2


class Quiet:
    """Does nothing; what is wrong with a class is shown by those below."""

    def __init__(self, name, outputs, inputs):
        self.outputs = outputs

    def receive(self, sender, message):
        pass

    def snapshot(self):
        pass


class Locked(Quiet):
    def __init__(self, name, outputs, inputs):
        self.lock = threading.Lock()


class Eager(Quiet):
    def __init__(self, name, outputs, inputs):
        self.send(outputs[0], "hello")


class Lost(Quiet):
    def snapshot(self):
        self.send(7, "hello")


class Broken(Quiet):
    actions = ("step",)

    def step(self):
        return 1 / 0


class Unmade(Quiet):
    actions = ("stop",)

    def __init__(self, name, outputs, inputs):
        self.count = 0

    def stop(self):
        self.count += 1
        return False


class Random(Quiet):
    actions = ("step",)

    def __init__(self, name, outputs, inputs):
        self.at = 0

    def step(self):
        self.at = random.randrange(10**9)


class Deaf:
    def snapshot(self):
        pass


class Sparse:
    __slots__ = ()

    def __init__(self, name, outputs, inputs):
        pass

    def receive(self, sender, message):
        pass

    def snapshot(self):
        pass


class Reporting(Quiet):
    def snapshot(self):
        self.report(0, None, {9: []})


class Unmarked:
    """The marker algorithm, with nothing that says when the state is recorded; `early` forgets the channels."""

    actions = ("pay",)
    early = False

    def __init__(self, name, outputs, inputs):
        self.outputs, self.inputs, self.balance, self.left = outputs, inputs, 1, 1
        self.kept, self.channels, self.open = None, {}, set()

    is_control = staticmethod(lambda message: message == "marker")

    def state(self):
        return self.balance

    def pay(self):
        if not (self.balance and self.left):
            return False
        self.balance, self.left = self.balance - 1, self.left - 1
        self.send(self.outputs[0], 1)

    def snapshot(self):
        self.kept, self.open = self.balance, set(self.inputs)
        self.channels = {sender: [] for sender in self.inputs}
        for to in self.outputs:
            self.send(to, "marker")

    def receive(self, sender, message):
        if message != "marker":
            self.balance += message
            if sender in self.open and not self.early:
                self.channels[sender].append(message)
            return
        if self.kept is None:
            self.snapshot()
        self.open.discard(sender)
        if not self.open:
            self.report(0, self.kept, self.channels)


class UnmarkedAndEarly(Unmarked):
    early = True
