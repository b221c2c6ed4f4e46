# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of MPI's calls that the compiler's pass includes, from chapters/*.txt: rows of arrays in src/compiler.

    routines.inc        kinds of calls and where their arguments stand (compiler/mpi/routines.cpp)
    group_routines.inc  calls that a group of processes makes together (compiler/sets/collective_calls.cpp)
    split_collectives.inc  blocking collectives that can be split (compiler/waits/split_collectives.cpp)
    known_calls.inc     outputs of calls, and on which processes they are equal (compiler/sets/memory_use.cpp)
"""

import group_calls
import signatures

COMPLETIONS = ("wait", "waitall", "wait_some", "test", "start", "startall", "request_free", "cancel")


class CompilerTableError(Exception):
    pass


def first(signature, wanted):
    return next((i for i, a in enumerate(signature.arguments) if wanted(a)), -1)


def named(signature, *names):
    return first(signature, lambda a: a.name in names)


def is_wide(argument):
    return bool(argument.dims) or argument.type in ("str", "buf", "statuses")


def routine(signature):
    """A row of `Routine`."""
    kind, *words = signature.facts["kind"]
    at = dict.fromkeys(("buffer", "count", "type", "rank", "tag", "comm", "request", "requests", "status", "receive"), -1)
    arguments = signature.arguments
    if kind in COMPLETIONS:
        at["request"] = first(signature, lambda a: a.type == "Request" and not a.dims)
        at["requests"] = first(signature, lambda a: a.type == "Request" and a.dims)
        at["status"] = first(signature, lambda a: a.type in ("status", "statuses"))
        at["count"] = 0 if at["requests"] >= 0 else -1
    elif kind != "collective" and any(a.type == "buf" for a in arguments):
        at["buffer"] = first(signature, lambda a: a.type == "buf")
        at["count"] = at["buffer"] + 1
        at["type"] = first(signature, lambda a: a.type == "Datatype")
        at["rank"] = named(signature, "dest") if named(signature, "dest") >= 0 else named(signature, "source")
        at["tag"] = named(signature, "tag", "sendtag")
        at["comm"] = named(signature, "comm")
        at["request"] = named(signature, "request")
        at["status"] = named(signature, "status")
        if named(signature, "dest") >= 0 and named(signature, "source") >= 0:
            at["receive"] = named(signature, "recvbuf") if named(signature, "recvbuf") >= 0 else named(signature, "source")
    halves = {at["buffer"], at["receive"]}
    outputs = [i for i, a in enumerate(arguments) if i not in halves and i not in at.values()
               and (a.intent != "in" or is_wide(a) or a.type in ("status", "statuses"))]
    whole = kind in (*COMPLETIONS, "collective") or any(is_wide(arguments[i]) for i in outputs)
    mask = sum(1 << i for i in outputs)
    numbers = ", ".join(str(n) for n in at.values())
    return (f'{{"{signature.name.lower()}", Kind::{kind}, {"true" if "standard" in words else "false"}, {len(arguments)}, '
            f"{numbers}, {mask}u, {'true' if whole else 'false'}}},\n")


def split_collective(signature):
    """A row of Collective: its buffers, and the arrays that MPI reads until the end."""
    pieces, arrays = [], []
    for index, argument in enumerate(signature.arguments):
        if argument.type == "buf":
            data = group_calls.data_at(signature.arguments, index)
            extent = "spread" if data.counts else "many" if argument.name in signature.facts.get("each", []) else "one"
            pieces.append(f"{{{index}, {-1 if data.counts else data.count}, {data.type}, "
                          f"{'false' if argument.intent == 'in' else 'true'}, Piece::Extent::{extent}}}")
        elif argument.dims:
            arrays.append(str(index))
    return (f'{{"{signature.name.lower()}", {signature.at("comm")}, {{{", ".join(pieces)}}}, {{{", ".join(arrays)}}}, '
            f'{named(signature, "op")}}},\n')


def group_routine(call):
    return f'{{"{call.name.lower()}", "{call.operation}", {call.at["comm"]}, {"true" if call.by_address else "false"}}},\n'


def known_call(signature):
    """A row of MemoryRoutine: outputs that differ between processes, but for those that the facts name."""
    writes = {name: kind for kind in signatures.WRITES for name in signature.facts.get(kind, [])}
    outputs = []
    for index, argument in enumerate(signature.arguments):
        kind = writes.pop(argument.name, "differs")
        if argument.intent == "in" or argument.type in ("place", "ptr"):
            if kind != "differs":
                raise CompilerTableError(f"{signature.name} does not write '{argument.name}'")
            continue
        size = ""
        if kind == "equal_on_comm" and argument.type == "buf":
            data = group_calls.data_at(signature.arguments, index)
            size = "" if data.counts else f", {data.count}, {data.type}"
        outputs.append(f"{{{index}, Writes::{kind}{size}}}")
    comm = first(signature, lambda a: a.type == "Comm" and a.intent == "in")
    return f'{{"{signature.name.lower()}", {{{", ".join(outputs)}}}, {comm}, {named(signature, "op")}}},\n'


def tables():
    """{name of the file: its text}"""
    known = signatures.read()
    return {
        "routines.inc": "".join(routine(s) for s in known.values() if "kind" in s.facts),
        "split_collectives.inc": "".join(split_collective(s) for s in known.values() if "split" in s.facts.get("kind", [])),
        "group_routines.inc": "".join(group_routine(c) for c in group_calls.load(known).values() if c.collective),
        "known_calls.inc": "".join(known_call(s) for s in known.values() if "known" in s.facts),
    }
