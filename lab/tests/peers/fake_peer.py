"""A peer of a few lines: it suggests the mean of what it was told, and fails when asked to."""


class Peer:
    def __init__(self, axes, seed, trials):
        self.axes, self.known = axes, []

    def tell(self, numbers, value):
        self.known.append((numbers, value))

    def ask(self):
        print("this is not for the pipe of answers")
        if any(value > 100 for _, value in self.known):
            raise ArithmeticError("a value above 100")
        if any(value > 50 for _, value in self.known):
            raise SystemExit("a value above 50")
        best, _ = min(self.known, key=lambda pair: pair[1], default=({}, 0))
        middle = {axis["name"]: axis["low"] for axis in self.axes}
        return middle | best
