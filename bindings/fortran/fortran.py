# SPDX-License-Identifier: Apache-2.0
"""Fortran text from signatures: declarations, interface bodies, constants.

A choice buffer is an assumed-size integer array with ignore_tkr: the plain
address is passed, whatever the type and rank, and flang copies a section that
is not contiguous. No descriptor is made, so none can reach the MPI library,
whose own wrappers were built by gfortran and read other descriptors than
flang's. ASYNCHRONOUS is left off the buffers: such a dummy would have to be
assumed-shape for actual arguments that are asynchronous and not known to be
contiguous, and those programs could not be compiled.
"""

PLAIN = {"int": "integer", "log": "logical", "addr": "integer(kind=MPI_ADDRESS_KIND)",
         "off": "integer(kind=MPI_OFFSET_KIND)", "cnt": "integer(kind=MPI_COUNT_KIND)",
         "double": "double precision", "str": "character(len=*)", "buf": "integer", "place": "integer"}
PRIVATE_FIELD = "lapwing_inner_"


class Dialect:
    """The differences between the modules mpi and mpi_f08."""

    def __init__(self, f08, cptr=False):
        self.f08 = f08
        self.cptr = f08 or cptr     # whether an address is a type(c_ptr)

    def type(self, argument):
        kind = argument.type
        if kind in ("status", "statuses"):
            return "type(MPI_Status)" if self.f08 else "integer"
        if kind == "cptr":
            return "type(c_ptr)"
        if kind == "ptr":
            return "type(c_ptr)" if self.cptr else PLAIN["addr"]
        if kind == "detached":
            return "type(c_ptr)" if self.f08 else "integer"
        return PLAIN.get(kind) or (f"type(MPI_{kind})" if self.f08 else "integer")

    def shape(self, argument):
        if argument.type == "buf" or (argument.type == "detached" and not self.f08):
            return "(*)"
        if argument.type in ("status", "statuses"):
            dims = [] if self.f08 else ["MPI_STATUS_SIZE"]
            dims += ["*"] if argument.type == "statuses" else []
            return f"({', '.join(dims)})" if dims else ""
        return f"({argument.dims.replace(',', ', ')})" if argument.dims else ""

    def declare(self, argument):
        """The lines that declare a dummy argument."""
        if argument.callback:
            if argument.callback == "any" or not self.f08:
                return [f"external :: {argument.name}"]
            return [f"procedure(MPI_{argument.callback}) :: {argument.name}"]
        words = [self.type(argument)]
        if argument.type == "cptr":
            words.append("value")
        elif argument.intent and not (argument.type == "detached" and not self.f08):
            words.append(f"intent({argument.intent})")
        lines = []
        if argument.type in ("buf", "place") or (argument.type == "detached" and not self.f08):
            lines.append(f"!dir$ ignore_tkr(tkrdm) {argument.name}")
        return [*lines, f"{', '.join(words)} :: {argument.name}{self.shape(argument)}"]

    def body(self, signature, name, binding=""):
        """One interface body of the procedure `name`."""
        names = [a.name for a in signature.arguments] + (["ierror"] if signature.has_ierror else [])
        kind = f"{PLAIN[signature.result]} function" if signature.result else "subroutine"
        suffix = f' bind(C, name="{binding}")' if binding else ""
        lines = [wrap(f"{kind} {name}({', '.join(names)}){suffix}"), "import"]
        for argument in signature.arguments:
            lines += self.declare(argument)
        if signature.has_ierror:
            lines.append(f"integer, {'optional, ' if self.f08 else ''}intent(out) :: ierror")
        return indent(lines) + [f"end {kind.split()[-1]}"]


def wrap(line, limit=110):
    """A statement over several lines, cut behind commas."""
    lines, rest = [], line
    while len(rest) > limit and (cut := rest.rfind(", ", 0, limit)) > 0:
        lines.append(rest[:cut + 2] + "&")
        rest = "  " + rest[cut + 2:]
    return "\n".join([*lines, rest])


def indent(lines, by="  "):
    return [lines[0], *(by + line for line in lines[1:])]


def block(head, lines, tail):
    return [head, *("  " + line for line in lines), tail] if lines else []


def constants(mpif, handles, types):
    """The parameters; those in `handles` are of the derived types named in `types`, if there are any."""
    lines = []
    for name, value in mpif.values.items():
        if handles and name in handles:
            if handles[name] in types:
                lines.append(f"type(MPI_{handles[name]}), parameter :: {name} = MPI_{handles[name]}({value})")
        elif isinstance(value, bool):
            lines.append(f"logical, parameter :: {name} = .{str(value).lower()}.")
        else:
            lines.append(f"integer{'(8)' if name in mpif.wide else ''}, parameter :: {name} = {value}")
    return lines


def sentinels(mpif, f08):
    """The variables whose addresses the library knows, in its own common blocks."""
    status = "type(MPI_Status)" if f08 else "integer"
    size = "" if f08 else "MPI_STATUS_SIZE"
    known = {
        "MPI_BOTTOM": "integer :: MPI_BOTTOM",
        "MPI_IN_PLACE": "integer :: MPI_IN_PLACE",
        "MPI_STATUS_IGNORE": f"{status} :: MPI_STATUS_IGNORE" + (f"({size})" if size else ""),
        "MPI_STATUSES_IGNORE": f"{status} :: MPI_STATUSES_IGNORE({size + ', ' if size else ''}1)",
        "MPI_ERRCODES_IGNORE": "integer :: MPI_ERRCODES_IGNORE(1)",
        "MPI_UNWEIGHTED": "integer :: MPI_UNWEIGHTED(1)",
        "MPI_WEIGHTS_EMPTY": "integer :: MPI_WEIGHTS_EMPTY(1)",
        "MPI_ARGV_NULL": "character(len=1) :: MPI_ARGV_NULL(1)",
        "MPI_ARGVS_NULL": "character(len=1) :: MPI_ARGVS_NULL(1, 1)",
    }
    lines = []
    for name, members in mpif.commons.items():
        unknown = [m for m in members if m not in known]
        if unknown:
            raise KeyError(f"common block /{name}/ of mpif.h holds {unknown[0]}, which bindings/fortran/fortran.py "
                           "does not know: add it to sentinels()")
        lines += [known[m] for m in members]
        lines += [f"common /{name}/ {', '.join(members)}", f"save /{name}/"]
    return lines
