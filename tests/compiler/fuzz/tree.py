# SPDX-License-Identifier: Apache-2.0
"""The statements of a generated program, as a tree: what the shrinker takes away from and the
planted faults move about in."""


class Node:
    """One statement, or one with statements inside.

    `group` numbers what must be taken away together (a start and its wait); `role` and `info` say
    what the statement means for transfers: see faults.py.
    """

    def __init__(self, lines=(), parts=(), tail=(), group=0, role="", **info):
        self.lines = [lines] if isinstance(lines, str) else list(lines)
        self.parts = [(head, list(body)) for head, body in parts]
        self.tail = [tail] if isinstance(tail, str) else list(tail)
        self.group = group
        self.role = role
        self.info = info

    def render(self, depth=1):
        pad = "  " * depth
        text = [pad + line for line in self.lines]
        for head, body in self.parts:
            text.append(pad + head)
            text += render(body, depth + 1)
        return text + [pad + line for line in self.tail]


def render(nodes, depth=1):
    return [line for node in nodes for line in node.render(depth)]


def lists(nodes):
    """Every list of statements, the outer ones first."""
    yield nodes
    for node in nodes:
        for _, body in node.parts:
            yield from lists(body)


def walk(nodes):
    """(list, index, node) of every statement."""
    for body in lists(nodes):
        for index, node in enumerate(body):
            yield body, index, node


def groups(nodes):
    return sorted({node.group for _, _, node in walk(nodes) if node.group})


def without(nodes, dropped):
    """The same with all statements of these groups left out."""
    kept = []
    for node in nodes:
        if node.group in dropped:
            continue
        copy = Node(node.lines, [(head, without(body, dropped)) for head, body in node.parts], node.tail,
                    node.group, node.role, **node.info)
        kept.append(copy)
    return kept


def overlap(one, other):
    """Whether two (buffer, low, high) share an element."""
    return one[0] is other[0] and one[1] < other[2] and other[1] < one[2]


def touches(node, regions, kinds=("reads", "writes")):
    return any(overlap(a, b) for kind in kinds for a in node.info.get(kind, ()) for b in regions)
