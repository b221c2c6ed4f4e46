# SPDX-License-Identifier: Apache-2.0
"""Writes lapwing_arrays.f90, the one file from which any Fortran compiler makes the module lapwing_arrays: the
hand-written modules beside this script with the constants and the functions of the C headers, then the calls that take local memory,
for each kind and rank.

    generate.py HEADERS OUT
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ["lapwing_arrays_c", "lapwing_arrays_dimensions", "lapwing_arrays_base",
         "lapwing_arrays_tasks", "lapwing_arrays_lists", "lapwing_arrays_plain", "lapwing_arrays_fft"]
RANKS = (1, 2, 3, 4)
# Suffix, declaration, element types of that many bits: Fortran has no unsigned kinds, so those go by the signed ones.
KINDS = [("i1", "integer(c_int8_t)", ("int8", "uint8")), ("i2", "integer(c_int16_t)", ("int16", "uint16")),
         ("i4", "integer(c_int32_t)", ("int32", "uint32")), ("i8", "integer(c_int64_t)", ("int64", "uint64")),
         ("r4", "real(c_float)", ("float32",)), ("r8", "real(c_double)", ("float64",)),
         ("r16", "real(c_long_double)", ("long_double",)), ("c4", "complex(c_float_complex)", ("complex64",)),
         ("c8", "complex(c_double_complex)", ("complex128",)),
         ("c16", "complex(c_long_double_complex)", ("complex_long_double",))]

# Each call: its dummy arguments in order. `<x` is local memory that is read, `>x` that is written, `=x` a
# distribution, `#x` an integer, `t` the tasks, `r` the request, `s` the status, `p` an MPI operation, `?x` optional
# flags, one for each dimension, which come after all others in Fortran, `*x` a scalar of the arrays' kind,
# `"x` characters, `f` a plan of transforms, `@x` an optional number of 64 bits, 0 unless given, which comes last too.
CALLS = {
    "array_send": "<local =array #dest #tag t",
    "array_bsend": "<local =array #dest #tag t",
    "array_recv": ">local =array #source #tag t s",
    "array_isend": "<local =array #dest #tag t r",
    "array_irecv": ">local =array #source #tag t r",
    "array_send_init": "<local =array #dest #tag t r",
    "array_recv_init": ">local =array #source #tag t r",
    "array_sendrecv": "<send_local =send_array #dest #send_tag >recv_local =recv_array #source #recv_tag t s",
    "array_redistribute": "<from_local =from >to_local =to t",
    "array_iredistribute": "<from_local =from >to_local =to t r",
    "array_redistribute_init": "<from_local =from >to_local =to t r",
    "array_transform": "#op *alpha <from_local =from *beta >to_local =to t",
    "array_itransform": "#op *alpha <from_local =from *beta >to_local =to t r",
    "array_transform_init": "#op *alpha <from_local =from *beta >to_local =to t r",
    "array_update_ghosts": ">local =array #ghosts ?periodic t",
    "array_iupdate_ghosts": ">local =array #ghosts ?periodic t r",
    "array_update_ghosts_init": ">local =array #ghosts ?periodic t r",
    "array_add_ghosts": ">local =array #ghosts ?periodic t",
    "array_iadd_ghosts": ">local =array #ghosts ?periodic t r",
    "array_add_ghosts_init": ">local =array #ghosts ?periodic t r",
    "array_write": '"path @offset <local =array t',
    "array_read": '"path @offset >local =array t',
    "array_write_hdf5": '"path "dataset <local =array t',
    "array_read_hdf5": '"path "dataset >local =array t',
    "fft_forward": "f <local >out",
    "fft_backward": "f <local >out",
    "array_bcast": ">local =array #root t",
    "array_reduce": "<send_local >recv_local =array p #root t",
    "array_allreduce": "<send_local >recv_local =array p t",
    "array_gather": "<local =array >whole_local =whole #root t",
    "array_scatter": "<whole_local =whole >local =array #root t",
    "array_allgather": "<local =array >whole_local =whole t",
    "array_alltoall": "<send_local =send_array >recv_local =recv_array t",
}
LAYOUTS = ("LAPWING_COLLAPSED", "LAPWING_CYCLIC", "LAPWING_IRREGULAR", "LAPWING_INDEXED")
ARITHMETIC = ("r4", "r8", "c4", "c8")  # kinds of calls with scalars
COMPLEX = ("c4", "c8")  # kinds of transforms
WITH_HANDLE = {"array_reduce", "array_allreduce"}  # one size for both memories, and an MPI handle


def arguments(name):
    return [(word[0], word[1:] or {"t": "tasks", "r": "request", "s": "status", "p": "op", "f": "plan"}[word])
            for word in CALLS[name].split()]


def distribution_of(name, memory):
    """The distribution that describes a memory: the next one in the list. Plans know what their memories are made of."""
    words = arguments(name)
    if ("f", "plan") in words:
        return "plan%type"
    at = words.index(next(word for word in words if word[1] == memory))
    return next(word[1] for word in words[at:] if word[0] == "=")


def body(name, suffix, memory_type, rank):
    """One specific procedure; of a lapwing_memory where memory_type is none."""
    words = arguments(name)
    shape = "" if not rank else "(" + ", ".join(":" * rank) + ")"
    dummies = [dummy for _, dummy in sorted(words, key=lambda word: word[0] in "?@")] + ["ierr"]
    declarations, actual = [], []
    status = False
    for sort, dummy in words:
        if sort in "<>":
            if memory_type:
                intent = "in" if sort == "<" else "inout"
                declarations.append(f"{memory_type}, intent({intent}), target :: {dummy}{shape}")
            else:
                declarations.append(f"type(lapwing_memory), intent(in) :: {dummy}")
            declarations.append(f"type(lapwing_memory) :: m_{dummy}")
            actual.append(f"m_{dummy}%address")
            if name not in WITH_HANDLE:
                actual.append(f"m_{dummy}%elements")
            elif sort == ">":
                root = "root" if "#root" in CALLS[name] else "lapwing_tasks_rank(tasks)"
                actual.append(f"reduced(m_send_local, m_recv_local, {root}, tasks)")
        elif sort == "=":
            declarations.append(f"type(lapwing_distribution), intent(in) :: {dummy}")
            actual.append(f"{dummy}%handle")
        elif sort == "f":
            declarations.append(f"type(lapwing_fft), intent(in) :: {dummy}")
            actual.append(f"{dummy}%handle")
        elif sort == "t":
            declarations.append(f"type(lapwing_tasks), intent(in) :: {dummy}")
            actual.append(f"{dummy}%handle")
        elif sort in "#p":
            declarations.append(f"integer, intent(in) :: {dummy}")
            actual.append(f"int({dummy}, c_int)")
        elif sort == "*":
            declarations.append(f"{memory_type or 'complex(c_double_complex)'}, intent(in) :: {dummy}")
            actual.append(f"parts(cmplx({dummy}, kind=c_double))")
        elif sort == '"':
            declarations.append(f"character(len=*), intent(in) :: {dummy}")
            actual.append(f"trim({dummy})//c_null_char")
        elif sort == "@":
            declarations.append(f"integer(c_int64_t), intent(in), optional :: {dummy}")
            actual.append(f"given_or_0({dummy})")
        elif sort == "?":
            declarations += [f"logical, intent(in), optional :: {dummy}(:)", f"type(lapwing_flags), target :: f_{dummy}"]
            actual.append(f"address_of(f_{dummy})")
        elif sort == "r":
            declarations.append(f"type(lapwing_array_request), intent(out) :: {dummy}")
            actual.append(f"{dummy}%handle")
        elif sort == "s":
            status = True
            declarations += [f"type(lapwing_array_status), intent(out), optional :: {dummy}",
                             "type(lapwing_array_status) :: found"]
            actual.append("found")
    declarations += ["integer, intent(out), optional :: ierr", "integer(c_int) :: error"]
    lines = [f'subroutine {name}_{suffix}({", ".join(dummies)})'] + ["  " + line for line in declarations]
    for sort, dummy in words:
        if sort in "<>":
            value = f"lapwing_local({dummy})" if memory_type else dummy
            lines.append(f'  m_{dummy} = checked({value}, {distribution_of(name, dummy)}, "lapwing_{name}", "{dummy}")')
        elif sort == "?":
            memory, array = (next(word[1] for word in words if word[0] == wanted) for wanted in ">=")
            lines.append(f'  call set_flags(f_{dummy}, {array}, "lapwing_{name}", "{dummy}", m_{memory}, {dummy})')
    call = f"error = c_{name}({', '.join(actual)})"
    lines.append("  " + call)
    if status:
        lines.append("  if (present(status)) status = found")
    return lines + ["  call lapwing_array_raise(error, ierr)", "end subroutine", ""]


def local_of(suffix, memory_type, types, rank):
    shape = "(" + ", ".join(":" * rank) + ")"
    return [f"function local_{suffix}_{rank}(array) result(memory)",
            f"  {memory_type}, intent(in), target :: array{shape}",
            "  type(lapwing_memory) :: memory",
            "  memory%elements = size(array, kind=c_int64_t)",
            f"  memory%types = [lapwing_{types[0]}, lapwing_{types[-1]}]",
            "  memory%contiguous = is_contiguous(array)",
            "  if (memory%elements > 0) memory%address = c_loc(array)", "end function", ""]


HEADERS = ("array_distributions", "array_tasks", "array_calls", "array_collectives", "array_ghosts", "array_index_lists",
           "array_transforms", "array_files", "array_fft")
PROTOTYPE = re.compile(r"^((?:const )?\w+\*?) lapwing_(\w+)\(([^()]*)\);", re.M)
SCALARS = {"int": "integer(c_int)", "int64_t": "integer(c_int64_t)", "double": "real(c_double)", "MPI_Comm": "integer(c_int)", "MPI_Op": "integer(c_int)",
           "MPI_Datatype": "integer(c_int)", "char*": "type(c_ptr)"}
STRUCTS = {"lapwing_dimension": "lapwing_dimension_c", "lapwing_grid": "lapwing_grid_c"}  # those that have another name here
NULLABLE = ("leading", "permutation", "periodic")
SEVERAL = ("dimension", "requests", "statuses")
ONE = ("bytes", "done", "index", "landed")  # numbers that a routine writes; index where it is an int


def dummy(parameter):
    """The declaration of an argument of C's."""
    sort, name, length = re.fullmatch(r"(.*?)(\w+)(?:\[(\d+)\])?", parameter.strip()).groups()
    constant, sort = sort.startswith("const "), re.sub(r"\b(const|struct)\b|\s", "", sort)
    kind, stars = sort.rstrip("*"), sort.count("*")
    intent = "in" if constant or "* const*" in parameter else "inout"
    if length:
        return f"{SCALARS[kind]}, intent(in) :: {name}({length})"
    if stars == 0:
        return f"{SCALARS[kind]}, value :: {name}"
    if kind == "char":
        return f"character(kind=c_char), intent({intent}) :: {name}(*)"
    if kind in SCALARS and name not in NULLABLE:
        one = not constant and name in ONE and (kind, name) != ("int64_t", "index")
        return f"{SCALARS[kind]}, intent({intent}) :: {name}{'' if one else '(*)'}"
    several = "(*)" if name in SEVERAL else ""
    if f"struct {kind}" in parameter:
        return f"type({STRUCTS.get(kind, kind)}), intent({intent}) :: {name}{several}"
    return f"type(c_ptr), intent({intent}) :: {name}{several}" if stars == 2 else f"type(c_ptr), value :: {name}"


def functions(headers, text):
    """Interfaces of the headers' functions that the text calls, as c_NAME."""
    out = []
    for header in HEADERS:
        for result, name, parameters in PROTOTYPE.findall((pathlib.Path(headers) / f"{header}.h").read_text()):
            if not re.search(rf"\bc_{name}\(", text):
                continue
            declared = [] if parameters == "void" else [dummy(parameter) for parameter in parameters.split(",")]
            names = [re.search(r":: (\w+)", line)[1] for line in declared]
            symbol = f"lapwing_{name}" + ("_f" if "MPI_" in result + parameters else "")
            out += [f"    function c_{name}({', '.join(names)}) &", f'        bind(c, name="{symbol}") result(value)', "      import",
                    *(f"      {line}" for line in declared), f"      {SCALARS[result.removeprefix('const ')]} :: value",
                    "    end function"]
    return "\n".join(map(wrapped, out))


def constants(headers):
    """The enumerators and the plain numbers that the headers define, but for layouts: functions have their names."""
    found = []
    for name in HEADERS:
        text = (pathlib.Path(headers) / f"{name}.h").read_text()
        found += re.findall(r"^\s*(LAPWING_\w+) = (-?\d+)", text, re.M)
        found += re.findall(r"(?<=[,{])\s*(LAPWING_\w+) = (-?\d+)", text)
        found += re.findall(r"^#define (LAPWING_\w+) \((-?\d+)\)$", text, re.M)
    return "\n".join(f"  integer(c_int), parameter :: {name.lower()} = {value}" for name, value in
                     sorted(((name, value) for name, value in dict(found).items() if name not in LAYOUTS), key=lambda item: (item[0].split("_")[1], int(item[1]))))


def wrapped(line):
    """A line of Fortran has 132 columns."""
    if len(line) <= 125 or "\n" in line:
        return line
    middle = line.rindex(", ", 0, 120) + 1
    return f"{line[:middle]} &\n        {wrapped(line[middle:])}"


def specifics_of(name, specifics):
    kinds = ARITHMETIC if "*" in CALLS[name] else COMPLEX if ("f", "plan") in arguments(name) else [suffix for suffix, _, _ in KINDS]
    return [one for one in specifics if one[0].split("_")[0] in kinds] + [("memory", None, 0)]


def calls_module():
    specifics = [(f"{suffix}_{rank}", memory_type, rank) for suffix, memory_type, _ in KINDS for rank in RANKS]
    out = ["! SPDX-License-Identifier: Apache-2.0", "! Generated by bindings/fortran/arrays/generate.py.",
           "module lapwing_arrays_calls", "  use, intrinsic :: iso_fortran_env, only: error_unit",
           "  use lapwing_arrays_c", "  use lapwing_arrays_base", "  use lapwing_arrays_tasks", "  use lapwing_arrays_fft",
           "  implicit none", "  private", "  public :: lapwing_memory, lapwing_local",
           *[f"  public :: lapwing_{name}" for name in CALLS],
           "  ! Local memory of any kind and rank: lapwing_local(array). Calls also take it, for two memories that differ",
           "  ! in kind or rank. Its memory must live, and have the target attribute, as long as it is used.",
           "  type lapwing_memory", "    type(c_ptr) :: address = c_null_ptr", "    integer(c_int64_t) :: elements = 0",
           "    integer :: types(2) = -1", "    logical :: contiguous = .true.", "  end type",
           "  ! Flags as C has them; none where the caller gave none.",
           "  type lapwing_flags", "    integer(c_int), allocatable :: values(:)", "  end type",
           "  interface checked", "    module procedure checked_array, checked_type", "  end interface",
           "  interface lapwing_local"]
    out += [f"    module procedure local_{suffix}" for suffix, _, _ in specifics] + ["  end interface"]
    for name in CALLS:
        out += [f"  interface lapwing_{name}"]
        out += [f"    module procedure {name}_{suffix}" for suffix, _, _ in specifics_of(name, specifics)]
        out += ["  end interface"]
    out += ["contains", (HERE / "checked.inc").read_text().split("\n", 1)[1]]
    for suffix, memory_type, types in KINDS:
        for rank in RANKS:
            out += local_of(suffix, memory_type, types, rank)
    for name in CALLS:
        for suffix, memory_type, rank in specifics_of(name, specifics):
            out += body(name, suffix, memory_type, rank)
    return "\n".join(map(wrapped, out + ["end module lapwing_arrays_calls", ""]))


def main():
    headers, out = sys.argv[1:]
    text = "\n".join((HERE / f"{part}.f90").read_text() for part in PARTS) + "\n" + calls_module() + "\n"
    text += (HERE / "lapwing_arrays.f90").read_text()
    text = text.replace("    ! @functions@ of the headers", functions(headers, text))
    pathlib.Path(out).write_text(text.replace("  ! @constants@ of the headers", constants(headers)))


if __name__ == "__main__":
    main()
