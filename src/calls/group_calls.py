# SPDX-License-Identifier: Apache-2.0
"""The calls that a group of processes makes together, and where their arguments are: from chapters/*.txt.

Code that watches such calls (checking, running on sets) sees them decoded from any spelling, by
src/entry/group_spec.hpp.
"""

import signatures

HANDLES = ("comm", "win", "file")
SCALARS = ("root", "op", "group", "request", "newcomm", "newwin", "newfile", "peercomm", "peer", "tag", "mode",
           "displacement")
WAYS = ("blocking", "immediate", "persistent", "begin", "end")
MOST_SAME = 4


class GroupCallError(Exception):
    pass


class Data:
    """Where the arguments of one buffer are; -1 where there is none."""

    def __init__(self, buffer=-1, count=-1, displacement=-1, type=-1, counts=False, types=False):
        self.buffer, self.count, self.displacement, self.type = buffer, count, displacement, type
        self.counts, self.types = counts, types  # arrays, with one for each process

    def cpp(self):
        def word(flag):
            return "true" if flag else "false"
        return (f"{{{self.buffer}, {self.count}, {self.displacement}, {self.type}, {word(self.counts)}, "
                f"{word(self.types)}}}")


def data_at(arguments, buffer):
    """The buffer at that position with its count and type: `buf count datatype`, with an array of counts
    `recvbuf recvcounts displs recvtype`; two buffers may share them: `sendbuf recvbuf count datatype`."""
    rest = [(i, a) for i, a in enumerate(arguments) if i > buffer and a.type != "buf"]
    if len(rest) < 2 or rest[0][1].type not in ("int", "cnt"):
        return Data()
    (count, first), (second, following) = rest[:2]
    if first.dims and following.dims and following.type != "Datatype":
        kind = rest[2]
        return Data(buffer, count, second, kind[0], True, bool(kind[1].dims))
    if following.type != "Datatype":
        return Data()
    return Data(buffer, count, -1, second, bool(first.dims), bool(following.dims))


def named_data(signature, role):
    """The buffer of an access to a window that has this role, with its count and type; one element where the call has
    no count."""
    at = {argument.name: index for index, argument in enumerate(signature.arguments)}
    buffer, type = at.get(f"{role}_addr", -1), at.get(f"{role}_datatype", at.get("datatype", -1))
    if buffer < 0 and role != "target":
        return Data()
    return Data(buffer, at.get(f"{role}_count", -1), -1, type)


class GroupCall:
    """One routine in one way of returning. `collective`: all processes of the communicator, window or file make
    it; otherwise a process and its partners do."""

    def __init__(self, signature):
        self.name, self.arguments = signature.name, len(signature.arguments)
        self.collective = "group" in signature.facts
        self.operation, self.way = signature.name.lower(), "blocking"
        self.at = dict.fromkeys(HANDLES + SCALARS, -1)
        self.by_address = False
        form = signature.facts.get("group" if self.collective else "partners")
        if form:
            self.operation, _, self.way = form[0].partition(":")
            if self.way not in WAYS:
                raise GroupCallError(f"{self.name}: no way '{self.way}'")
        elif signature.form:
            self.operation = self.operation[1:] if signature.form == "immediate" else self.operation.removesuffix("_init")
            self.way = signature.form
        self.find(signature)
        data = [data_at(signature.arguments, i) for i, a in enumerate(signature.arguments) if a.type == "buf"]
        data = [d for d in data if d.buffer >= 0] if self.collective else []
        self.send, self.receive, self.target = (data + [Data(), Data()])[:2] + [Data()]
        self.is_access = self.at["displacement"] >= 0
        if self.is_access:
            self.find_accessed(signature)
        self.same = [self.same_of(signature, word) for word in signature.facts.get("same", [])]
        if all(self.at[h] < 0 for h in HANDLES):
            raise GroupCallError(f"{self.name}: it has no communicator, window or file")
        if len(self.same) > MOST_SAME:
            raise GroupCallError(f"{self.name}: at most {MOST_SAME} same=")

    @staticmethod
    def same_of(signature, word):
        array, _, length = word.partition("*")
        return signature.at(array), signature.at(length) if length else -1

    def find(self, signature):
        """Where the handles and the numbers stand that matter."""
        kinds = {"Comm": "comm", "Win": "win", "File": "file"}
        for index, argument in enumerate(signature.arguments):
            kind = kinds.get(argument.type)
            if kind and argument.name == "peer_comm":
                self.at["peercomm"] = index
            elif kind and argument.intent == "out":
                self.at["new" + kind] = index
            elif kind and self.at[kind] < 0:
                self.at[kind], self.by_address = index, argument.intent == "inout"
            elif argument.name in ("op", "group"):
                self.at[argument.name] = index
            elif argument.name in ("root", "local_leader"):
                self.at["root"] = index
            elif argument.type == "Request" and self.way != "blocking":
                self.at["request"] = index
            elif argument.name in ("remote_leader", "dest", "source", "rank", "target_rank") and not argument.dims:
                self.at["peer"] = index
            elif argument.name == "tag":
                self.at["tag"] = index
            elif argument.name == "target_disp":
                self.at["displacement"] = index
            elif argument.name in ("lock_type", "assert") and self.at["mode"] < 0:
                self.at["mode"] = index
        if self.at["peer"] >= 0 and not self.collective:
            self.at["peercomm"] = self.at["comm"]

    def find_accessed(self, signature):
        """Of an access to a window: the memory that it reads and writes here, and the data at the target."""
        self.send, self.receive = named_data(signature, "origin"), named_data(signature, "result")
        self.target = named_data(signature, "target")
        if signature.arguments[self.send.buffer].intent != "in":
            self.send, self.receive = Data(), self.send

    def cpp(self):
        at = ", ".join(str(self.at[key]) for key in HANDLES + SCALARS)
        same = ", ".join(f"{{{a}, {n}}}" for a, n in self.same + [(-1, -1)] * (MOST_SAME - len(self.same)))
        return (f'    {{"MPI_{self.name}", '
                f"sets::Operation::{self.operation}, sets::Way::{self.way}, {self.arguments}, {at}, "
                f"{'true' if self.by_address else 'false'}, {self.send.cpp()}, {self.receive.cpp()}, "
                f"{self.target.cpp()}, {{{same}}}}},\n")


def load(known=None):
    """{lower-case name of the routine: GroupCall}, all forms."""
    return {name: GroupCall(signature)
            for name, signature in (signatures.read() if known is None else known).items()
            if "group" in signature.facts or "partners" in signature.facts}
