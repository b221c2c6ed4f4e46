# SPDX-License-Identifier: Apache-2.0
"""MPI's calls that wait for other processes, as tasks watch them (src/tasks/outside): stubs for all, and for those of
messages the form that does not wait."""

import signatures
import table

# They begin and end what tasks stand on; they wait for no other process.
NEVER = ("Init", "Init_thread", "Finalize", "Win_attach", "Win_detach", "Win_sync", "Win_test")


def waits(entry):
    """Calls that processes make together and that return when others have come, and those that wait at windows."""
    if entry.name in NEVER or entry.name.startswith("Session_"):
        return False
    if entry.group is not None and entry.group.way not in ("blocking", "end"):
        return False
    return entry.kind == "sync" or (entry.group is not None and entry.group.collective)


class Form:
    """A call of messages in its form that does not wait. `kind`: request, flag, count."""

    def __init__(self, signature, other, kind):
        self.signature, self.other, self.kind = signature, other, kind


def names(arguments, *without):
    return [a.name for a in arguments if a.name not in without]


def form_of(signature, known):
    """By its arguments: those of the call and a request, or a flag; or the same, where a count tells."""
    if signature.kind != "routine" or signature.entry_class != "p2p":
        return None
    if signature.name == "Sendrecv":
        return Form(signature, known["irecv"], "pair")
    if signature.name == "Sendrecv_replace":
        return None  # in MPICH 4.0 the status of Isendrecv_replace is not that of the message received
    name, own = signature.name, names(signature.arguments)
    candidates = [("I" + name[0].lower() + name[1:]).lower()]
    if name.startswith("Wait"):
        candidates.append("test" + name[4:].lower())
    for candidate in candidates:
        other = known.get(candidate)
        if other is None:
            continue
        theirs = names(other.arguments)
        if theirs == names(signature.arguments, "status") + ["request"]:
            return Form(signature, other, "request")
        if "flag" in theirs and names(other.arguments, "flag") == own:
            return Form(signature, other, "flag")
        if theirs == own and "outcount" in theirs:
            return Form(signature, other, "count")
    return None


def c_type(argument):
    if argument.type == "buf":
        return "const void*" if argument.intent == "in" else "void*"
    base = {"status": "MPI_Status", "statuses": "MPI_Status", "int": "int", "log": "int"}.get(argument.type)
    if base is None and argument.type in signatures.HANDLES:
        base = f"MPI_{argument.type}"
    if base is None:
        raise signatures.SignatureError(f"'{argument.name}' has the type {argument.type}, which no call of messages has")
    pointer = argument.dims or argument.type in ("status", "statuses") or argument.intent in ("out", "inout")
    return base + "*" * bool(pointer)


def call_as_it_is(form):
    """Where MPI would raise an error of the form's elsewhere than an error of the call."""
    own = form.signature.arguments
    if "comm" not in names(own):
        return ""
    return (f"  if (!raises_alike(comm)) return as_it_is<int({', '.join(c_type(a) for a in own)})>"
            f"(\"MPI_{form.signature.name}\", {', '.join(names(own))});\n")


PAIR = """  static auto* const receive = next<int(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>("MPI_Irecv");
  static auto* const send = next<int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>("MPI_Isend");
  MPI_Request received = MPI_REQUEST_NULL, sent = MPI_REQUEST_NULL;
  int error = receive(recvbuf, recvcount, recvtype, source, recvtag, comm, &received);
  if (error == MPI_SUCCESS) error = send(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sent);
  if (error != MPI_SUCCESS) return error;
  error = finish(received, status);
  const int other = finish(sent, MPI_STATUS_IGNORE);
  return error != MPI_SUCCESS ? error : other;
}
"""


def body(form):
    own, theirs = form.signature.arguments, form.other.arguments
    if form.kind == "pair":
        return (f"int {form.signature.name}({', '.join(f'{c_type(a)} {a.name}' for a in own)}) {{\n"
                + call_as_it_is(form) + PAIR)
    types = ", ".join(c_type(a) for a in theirs)
    local = "request" if form.kind == "request" else "flag"
    given = ", ".join(f"&{a.name}" if a.name == local else a.name for a in theirs)
    call = f"next<int({types})>(\"MPI_{form.other.name}\")"
    head = (f"int {form.signature.name}({', '.join(f'{c_type(a)} {a.name}' for a in own)}) {{\n{call_as_it_is(form)}"
            f"  static auto* const form = {call};\n")
    if form.kind == "request":
        status = "status" if "status" in names(own) else "MPI_STATUS_IGNORE"
        return (head + "  MPI_Request request = MPI_REQUEST_NULL;\n"
                f"  const int error = form({given});\n"
                f"  return error != MPI_SUCCESS ? error : finish(request, {status});\n}}\n")
    flag, done = ("  int flag = 0;\n", "flag != 0") if form.kind == "flag" else ("", "*outcount != 0")
    return (head + flag + "  return until([&](bool& done) {\n"
            f"    const int error = form({given});\n"
            f"    done = {done};\n    return error;\n  }});\n}}\n")


def collect(family_names):
    """(names of all calls, {name: Form}); the names as an MPI of the family exports them in C."""
    known, known_calls = signatures.read(), table.Table()
    calls, forms = [], {}
    for name in sorted(family_names):
        try:
            symbol = table.classify(name, known_calls)
        except table.TableError:
            continue  # the tests say so; a build goes on
        if symbol is None or symbol.profiling or symbol.form not in ("c", "large"):
            continue
        signature = known.get(symbol.entry.name.lower())
        form = form_of(signature, known) if signature else None
        if form is None and not waits(symbol.entry):
            continue
        calls.append(name)
        if form is not None and symbol.form == "c":
            forms[name] = form
    return calls, forms


def stubs(calls, head):
    """`head`: what every file of stubs begins with (generate.py), the way to lapwing_outside_call included."""
    out = [head, ".p2align 4\n.globl lapwing_outside_stubs\n.hidden lapwing_outside_stubs\nlapwing_outside_stubs:\n"]
    out += [f".p2align 4\n  movl ${i}, %r11d\n  jmp lapwing_outside_path\n" for i in range(len(calls))]
    out.append("\n.section .note.GNU-stack, \"\", @progbits\n")
    return "".join(out)


def forms_source(calls, forms, head):
    out = [head, '#include "tasks/outside/forms.hpp"\n\nnamespace lapwing::tasks::outside {\nnamespace {\n\n']
    out += [body(form) + "\n" for form in forms.values()]
    out.append("}  // namespace\n\nconst Call calls[] = {\n")
    for name in calls:
        form = forms.get(name)
        out.append(f'    {{"{name}", ' + (f"reinterpret_cast<void*>(&{form.signature.name}), \"MPI_{form.other.name}\"}},\n"
                                         if form else "nullptr, nullptr},\n"))
    out.append(f"}};\nconst unsigned call_count = {len(calls)};\n\n}}  // namespace lapwing::tasks::outside\n")
    return "".join(out)
