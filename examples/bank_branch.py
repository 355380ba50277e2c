"""An ordinary class with the marker algorithm built in, as one would write it for a real system; checked as it is:

    redwhite check ring:3 --implementation examples/bank_branch.py:Branch
    redwhite check complete:3 --implementation examples/bank_branch.py:Hasty --property channel-exact

`Hasty` takes the first marker that comes for all of them; a ring, with one channel into each machine, cannot show that.
"""


class Branch:
    """A bank's branch: transfers money to its neighbours, and records a snapshot by markers."""

    actions = ("transfer",)

    def __init__(self, name, outputs, inputs):
        self.outputs, self.inputs = list(outputs), list(inputs)
        self.balance, self.transfers_left = 1, 1
        self.recorded_balance = None
        self.channels = {}
        self.open = set()

    def state(self):
        return self.balance

    @staticmethod
    def is_control(message):
        return message == "marker"

    def transfer(self):
        if not self.balance or not self.transfers_left:
            return False
        self.balance -= 1
        self.transfers_left -= 1
        self.send(self.outputs[0], 1)

    def snapshot(self):
        self.recorded_balance = self.balance
        self.record(0)
        self.channels = {sender: [] for sender in self.inputs}
        self.open = set(self.inputs)
        for to in self.outputs:
            self.send(to, "marker")

    def receive(self, sender, message):
        if message == "marker":
            if self.recorded_balance is None:
                self.snapshot()
            self.close(sender)
        else:
            self.balance += message
            if self.recorded_balance is not None and sender in self.open:
                self.channels[sender].append(message)

    def close(self, sender):
        self.open.discard(sender)
        if not self.open:
            self.report(0, self.recorded_balance, self.channels)


class Hasty(Branch):
    """Takes the first marker for all of them."""

    def close(self, sender):
        self.open.clear()
        self.report(0, self.recorded_balance, self.channels)
