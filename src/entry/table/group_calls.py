# SPDX-License-Identifier: Apache-2.0
"""Reads group_calls.txt: the calls that a group of processes makes together."""

import os
import re

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "group_calls.txt")
HANDLES = ("comm", "win", "file")
SCALARS = ("root", "op", "group", "request", "newcomm", "newwin", "newfile", "peercomm", "peer", "tag")
WAYS = ("blocking", "immediate", "persistent", "begin", "end")
MOST_SAME = 4


class GroupCallError(Exception):
    pass


class Data:
    """Where the arguments of one buffer are; -1 where there is none."""

    def __init__(self, text=""):
        self.buffer = self.count = self.displacement = self.type = -1
        self.counts = self.types = False
        if not text:
            return
        match = re.fullmatch(r"(\d+):(\d+|\[\d+\])(?::(\[\d+\]))?:(\d+|\[\d+\])", text)
        if not match:
            raise GroupCallError(f"'{text}' is no buffer; write B:C:T, or B:[C]:[D]:T with arrays in brackets")
        number = [int(m.strip("[]")) if m else -1 for m in match.groups()]
        self.buffer, self.count, self.displacement, self.type = number
        self.counts, self.types = match[2][0] == "[", match[4][0] == "["

    def cpp(self):
        def word(flag):
            return "true" if flag else "false"
        return (f"{{{self.buffer}, {self.count}, {self.displacement}, {self.type}, {word(self.counts)}, "
                f"{word(self.types)}}}")


class GroupCall:
    """One routine in one way of returning."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments
        self.operation, self.way = name.lower(), "blocking"
        self.at = dict.fromkeys(HANDLES + SCALARS, -1)
        self.by_address = False
        self.send, self.receive = Data(), Data()
        self.same = []

    def read(self, words):
        forms = []
        while words:
            word = words.pop(0)
            key, _, value = word.partition("=")
            if word in ("[i]", "[p]"):
                forms.append(word)
            elif key == "as":
                self.operation, self.way = value, words.pop(0)
                if self.way not in WAYS:
                    raise GroupCallError(f"{self.name}: no way '{self.way}'")
            elif key in HANDLES:
                self.by_address = value.startswith("*")
                self.at[key] = self.position(value.lstrip("*"))
            elif key in SCALARS:
                self.at[key] = self.position(value)
            elif key in ("send", "receive"):
                setattr(self, key, Data(value))
            elif key == "same":
                array, _, length = value.partition("*")
                self.same.append((self.position(array), self.position(length) if length else -1))
            else:
                raise GroupCallError(f"{self.name}: '{word}' means nothing")
        if all(self.at[h] < 0 for h in HANDLES):
            raise GroupCallError(f"{self.name}: whose call is it? It needs comm=, win= or file=")
        if len(self.same) > MOST_SAME:
            raise GroupCallError(f"{self.name}: at most {MOST_SAME} same=")
        return forms

    def position(self, text):
        if not text.isdigit() or int(text) >= self.arguments:
            raise GroupCallError(f"{self.name}: '{text}' is none of its {self.arguments} arguments")
        return int(text)

    def derive(self, name, way, more):
        call = GroupCall(name, self.arguments + more)
        call.__dict__.update({k: v for k, v in self.__dict__.items() if k not in ("name", "arguments", "at")})
        call.at = dict(self.at, request=self.arguments + more - 1)
        call.way = way
        return call

    def cpp(self):
        at = ", ".join(str(self.at[key]) for key in HANDLES + SCALARS)
        same = ", ".join(f"{{{a}, {n}}}" for a, n in self.same + [(-1, -1)] * (MOST_SAME - len(self.same)))
        return (f'    {{"MPI_{self.name}", '
                f"sets::Operation::{self.operation}, sets::Way::{self.way}, {self.arguments}, {at}, "
                f"{'true' if self.by_address else 'false'}, {self.send.cpp()}, {self.receive.cpp()}, "
                f"{{{same}}}}},\n")


def load(path=TABLE):
    """{lower-case name of the routine: GroupCall}, all forms."""
    calls = {}

    def add(call):
        if call.name.lower() in calls:
            raise GroupCallError(f"{call.name} stands here twice")
        calls[call.name.lower()] = call

    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            name, *words = line.split("#")[0].split() or [""]
            if not name:
                continue
            try:
                call = GroupCall(name, int(words.pop(0)))
                forms = call.read(words)
                add(call)
                if "[i]" in forms:
                    add(call.derive("I" + name.lower(), "immediate", 1))
                if "[p]" in forms:
                    add(call.derive(name + "_init", "persistent", 2))
            except (GroupCallError, ValueError, IndexError) as error:
                raise GroupCallError(f"{path}:{number}: {error}") from None
    return calls
