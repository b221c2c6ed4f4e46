# SPDX-License-Identifier: Apache-2.0
"""One function of a generated program while it is being written: its buffers, and which parts of
them are in flight, so that what is generated is right whatever it is nested in."""
from tree import Node, overlap, render

SIZES = [4, 17, 100, 640, 1500, 3000, 6000, 20000, 40000]
STACK_LIMIT = 6000


class Buffer:
    def __init__(self, name, element, size, kind, slot):
        self.name, self.element, self.size, self.kind, self.slot = name, element, size, kind, slot
        self.names = [(name, 0)]  # (words, shift): element i is at words[i - shift]


class Program:
    """The files of one program; scenes add to them."""

    def __init__(self, words, rng, seed):
        self.words, self.rng, self.seed = words, rng, seed
        self.scenes = []
        self.globals, self.prototypes, self.functions, self.elsewhere, self.includes = [], [], [], [], []
        self.helpers = set()
        self.exit_code = rng.choice([0, 0, 0, 3])
        self.numbers = 0
        self.groups = 0

    def number(self):
        self.numbers += 1
        return self.numbers

    def group(self):
        self.groups += 1
        return self.groups

    def files(self):
        return self.words.program(self)


class Scene:
    def __init__(self, program, number):
        self.program, self.number = program, number
        self.words, self.rng = program.words, program.rng
        self.declarations, self.opening, self.releases, self.ending = [], [], [], []
        self.body = []
        self.buffers = []
        self.flying = []  # (buffer, low, high, writes)
        self.recent = []  # regions whose transfer has just been waited for
        self.late = []  # statements for the end: statuses that are read long after
        self.loop_depth = 0
        self.in_branch = 0  # where not all ranks come by
        self.maybe = 0  # where the program may not come by at all
        self.budget = 0
        self.tag = number * 1000
        self.shared_status = None

    # --- names ---------------------------------------------------------------
    def new(self, prefix):
        return f"{prefix}{self.number}_{self.program.number()}"

    def new_tag(self):
        self.tag += 1
        return self.tag

    def declare(self, line):
        self.declarations.append(line)

    def integer(self, prefix):
        name = self.new(prefix)
        self.words.integer(self, name)
        return name

    def request(self, count=0):
        style = self.rng.choice(["local", "local", "global", "struct", "heap"])
        return self.words.request(self, self.new("rq"), count, style)

    def status(self, count=0):
        return self.words.status(self, self.new("st"), count)

    def common_status(self):
        if not self.shared_status:
            self.shared_status = self.status()
        return self.shared_status

    # --- buffers -------------------------------------------------------------
    def buffer(self, element=None, size=0, kind=None, aliases=True):
        rng = self.rng
        element = element or rng.choice(["int", "real"])
        size = size or rng.choice(SIZES)
        kinds = [k for k in self.words.buffer_kinds() if size <= STACK_LIMIT or k not in self.words.stack_kinds()]
        made = Buffer(self.new("b"), element, size, kind or rng.choice(kinds), len(self.buffers) + 16 * (self.number % 4))
        self.words.buffer(self, made)
        if aliases:
            for number in range(rng.choice([0, 0, 1, 1, 2])):
                self.words.add_alias(self, made, number, rng.choice([0, 0, size // 2, 1]))
        self.buffers.append(made)
        self.opening += render([self.fill(made, 0, size, loop="i")], 0)
        return made

    def free(self, buffer, low, high, writing):
        region = (buffer, low, high)
        return not any((writing or flies) and overlap(region, (b, l, h)) for b, l, h, flies in self.flying)

    def range(self, writing, element=None, count=0, exact=False):
        """A random part of a buffer that may be read, or written, now: (buffer, low, high)."""
        rng = self.rng
        if self.recent and not count and rng.random() < 0.5:
            buffer, low, high = rng.choice(self.recent[-4:])
            if low < high and (not element or buffer.element == element) and self.free(buffer, low, high, writing):
                return buffer, low, high
        for _ in range(12):
            usable = [b for b in self.buffers if (not element or b.element == element) and b.size >= (count or 1)]
            if not usable:
                break
            buffer = rng.choice(usable)
            length = count or rng.choice([1, buffer.size // 2 or 1, buffer.size, rng.randint(1, buffer.size)])
            room = buffer.size - length
            low = rng.choice([0, room, room // 2, rng.randint(0, room)])
            if self.free(buffer, low, low + length, writing):
                return buffer, low, low + length
        made = self.buffer(element, max(count, 1) if exact else max(count, rng.choice(SIZES)))
        low = 0 if made.size == count else rng.randint(0, made.size - (count or made.size))
        return made, low, low + (count or made.size)

    def fly(self, buffer, low, high, writes):
        entry = (buffer, low, high, writes)
        self.flying.append(entry)
        return entry

    def land(self, entry):
        self.flying.remove(entry)
        self.recent.append(entry[:3])

    # --- the smallest statements ---------------------------------------------
    def access(self, buffer, index):
        name, shift = self.rng.choice(buffer.names)
        return self.words.at(name, shift, index)

    def address(self, buffer, low):
        name, shift = self.rng.choice(buffer.names)
        return self.words.address(name, shift, low)

    def value(self, element, salt, index):
        words = self.words
        text = f"{index} * 7 + rank * 31 + {salt}"
        return words.real(text) if element == "real" else words.masked(text)

    def fill(self, buffer, low, high, loop="i", group=0):
        salt = self.rng.randint(1, 999)
        line = self.words.set(self.access(buffer, loop), self.value(buffer.element, salt, loop))
        return self.words.for_loop(loop, low, high, [Node(line)], group, role="touch",
                                   writes=[(buffer, low, high)], reads=[])

    def check(self, buffer, low, high, group=0):
        name, shift = self.rng.choice(buffer.names)
        line = self.words.sum(self.program.number(), buffer, name, shift, low, high - low)
        return Node(line, group=group, role="touch", reads=[(buffer, low, high)], outside=True)

    # --- the finished function -----------------------------------------------
    def body_lines(self):
        return render(self.body, 1)

    def closing(self):
        words = self.words
        lines = list(self.ending) + render(self.late, 0)
        for buffer in self.buffers:
            lines.append(words.sum(9000 + self.buffers.index(buffer), buffer, buffer.name, 0, 0, buffer.size))
        lines += [words.note(9998, "acc"), words.note_real(9999, "dacc")]
        return lines + self.releases
