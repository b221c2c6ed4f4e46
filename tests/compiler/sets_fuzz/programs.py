# SPDX-License-Identifier: Apache-2.0
"""Random programs in which processes part, meet, and communicate where they are.

A program is a list of functions; a statement is a tuple:
  ("meet", id, comm)          the processes here find out who they are
  ("if", site, then, otherwise)
  ("switch", site, n, cases)  cases: (values, body, falls_through)
  ("for", site, n, body)      a number of rounds chosen before
  ("while", site, n, body)    a condition asked in each round
  ("break",) ("continue",) ("return",)
  ("block", label, body), ("leave", label)   a jump forward to the block's end
  ("call", function), ("again", site)        the latter calls its own function
A site is (number, uniform)."""
import random

COMMS = ("world", "dup", "half")


class Programs:
    def __init__(self, seed, fortran=False):
        self.random = random.Random(seed)
        self.fortran = fortran
        self.sites = self.meets = self.labels = 0
        self.comms = self.random.choice((("world",), ("dup",), ("world", "dup"), COMMS))
        self.functions = []
        for number in range(self.random.randrange(1, 4)):
            self.number = number
            self.room = 14
            body = self.body(0, {"loop": False, "switch": False, "labels": []})
            body.insert(self.random.randrange(len(body) + 1), self.meet())
            self.functions.append(body)

    def site(self):
        self.sites += 1
        return (self.sites, self.random.random() < 0.15)

    def meet(self):
        self.meets += 1
        return ("meet", self.meets, self.random.choice(self.comms))

    def body(self, depth, around):
        return [self.statement(depth, around) for _ in range(self.random.randrange(1, 4))]

    def statement(self, depth, around):
        self.room -= 1
        pick = self.random.random()
        if depth > 4 or self.room <= 0 or pick < 0.28:
            return self.meet()
        if pick < 0.52:
            other = self.body(depth + 1, around) if self.random.random() < 0.5 else []
            return ("if", self.site(), self.body(depth + 1, around), other)
        if pick < 0.60:
            return self.switch(depth, around)
        if pick < 0.74:
            inside = {**around, "loop": True, "switch": False}
            kind = self.random.choice(("for", "while"))
            return (kind, self.site(), self.random.randrange(2, 4), self.body(depth + 1, inside))
        if pick < 0.86:
            return self.jump(around)
        if pick < 0.91:
            self.labels += 1
            label = self.labels
            inside = {**around, "labels": around["labels"] + [label]}
            return ("block", label, self.body(depth + 1, inside))
        if self.number > 0 and pick < 0.96:
            return ("call", self.random.randrange(self.number))
        return ("again", self.site())

    def jump(self, around):
        ways = [("return",)]
        if around["loop"]:
            ways += [("continue",)] * 2
            if not around["switch"]:
                ways += [("break",)] * 3
        ways += [("leave", label) for label in around["labels"]] * 2
        return ("if", self.site(), [self.random.choice(ways)], [])

    def switch(self, depth, around):
        inside = {**around, "switch": True}
        values = self.random.randrange(2, 5)
        order = list(range(values))
        self.random.shuffle(order)
        cases = []
        while order:
            count = self.random.randrange(1, len(order) + 1)
            mine, order = order[:count], order[count:]
            falls = not self.fortran and self.random.random() < 0.3
            cases.append((mine, self.body(depth + 1, inside), falls))
        return ("switch", self.site(), values + self.random.randrange(2), cases)
