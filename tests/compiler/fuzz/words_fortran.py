# SPDX-License-Identifier: Apache-2.0
"""How Fortran (mpif.h) says what the generator means. Elements are counted from 1."""
from tree import Node

ELEMENTS = {"int": ("integer", "MPI_INTEGER", "i"), "real": ("double precision", "MPI_DOUBLE_PRECISION", "d")}
KINDS = ["local", "saved", "common", "module", "allocatable", "pointer", "component", "automatic"]
STORED_ON_STACK = ("local", "automatic", "component")


class Words:
    name = "fortran"
    suffix = ".f90"
    next_round = "cycle"
    leave_loop = "exit"
    leave_scene = "go to 900"

    # --- expressions ---------------------------------------------------------
    @staticmethod
    def mod(a, b):
        return f"mod({a}, {b})"

    @staticmethod
    def masked(value, mask=0xFFFF):
        return f"iand({value}, {mask})"

    @staticmethod
    def same(a, b):
        return f"{a} == {b}"

    @staticmethod
    def choose(condition, a, b):
        return f"merge({a}, {b}, {condition})"

    @staticmethod
    def given(index):
        return f"fz_ask({index})"

    ask = given

    @staticmethod
    def real(value):
        return f"dble({value})"

    @staticmethod
    def root(value):
        return f"sqrt({value})"

    @staticmethod
    def literal(value):
        return str(value)

    @staticmethod
    def literal_index(value):
        return str(value + 1)

    @staticmethod
    def item(name, index):
        return f"{name}({index})"

    @staticmethod
    def type_of(buffer):
        return ELEMENTS[buffer.element][1]

    @staticmethod
    def at(name, shift, index):
        if isinstance(index, int):
            return f"{name}({index - shift + 1})"
        return f"{name}({index} + {1 - shift})"

    @staticmethod
    def address(name, shift, low):
        return f"{name}({low - shift + 1})"

    def address_at(self, buffer, index):
        return self.at(buffer.name, 0, index)

    # --- statements ----------------------------------------------------------
    @staticmethod
    def set(name, value):
        return f"{name} = {value}"

    def for_loop(self, var, low, high, body, group=0, **info):
        return Node(parts=[(f"do {var} = {low}, {high} - 1", body)], tail="end do", group=group, **info)

    def while_loop(self, condition, body, group=0, **info):
        return Node(parts=[(f"do while ({condition})", body)], tail="end do", group=group, **info)

    def branch(self, condition, body, other=(), group=0, role="", **info):
        parts = [(f"if ({condition}) then", body)]
        if other:
            parts.append(("else", other))
        return Node(parts=parts, tail="end if", group=group, role=role, **info)

    def switch(self, value, cases, group=0):
        parts = [(f"select case ({value})", [])]
        for index, body in enumerate(cases):
            parts.append((f"case ({index})" if index + 1 < len(cases) else "case default", body))
        return Node(parts=parts, tail="end select", group=group)

    def mpi(self, name, *arguments, error=None):
        return f"call MPI_{name}({', '.join([*map(str, arguments), error or 'ierr'])})"

    @staticmethod
    def out(name):
        return name

    def call(self, function, *arguments):
        return f"call {function}({', '.join(map(str, arguments))})"

    def note(self, number, value):
        return f"call fz_note({number}, {value})"

    def note_real(self, number, value):
        return f"call fz_real({number}, {value})"

    def sum(self, number, buffer, name, shift, low, count):
        return f"call fz_sum_{ELEMENTS[buffer.element][2]}({number}, {self.address(name, shift, low)}, {count})"

    def keep(self, slot, buffer, low, count):
        return f"call fz_keep_{ELEMENTS[buffer.element][2]}({slot}, {self.address(buffer.name, 0, low)}, {count})"

    def print_value(self, number, value):
        return f"print '(i0, a, i0)', {number}, ': ', {value}"

    def field(self, status, which):
        return f"{status}(MPI_{which})" if not status.endswith("]") else status.replace("[", f"(MPI_{which}, ").replace("]", ")")

    @staticmethod
    def one_status(name, index):
        return f"{name}[{index + 1}]"

    def get_count(self, status, kind, name):
        return f"call MPI_Get_count({status}, {kind}, {name}, ierr)"

    # --- declarations --------------------------------------------------------
    def integer(self, scene, name):
        scene.declare(f"integer :: {name}")
        scene.opening.append(f"{name} = 0")

    def request(self, scene, name, count, style):
        size = f"({count})" if count else ""
        if style == "global":
            scene.program.globals.append(f"integer, save :: {name}{size}")
        elif style == "struct":
            scene.declare(f"integer :: {name}_before, {name}{size}, {name}_after")
            scene.declare(f"common /c{name}/ {name}_before, {name}, {name}_after")
        elif style == "heap":
            scene.declare(f"integer, allocatable :: {name}_h(:)")
            scene.opening.append(f"allocate({name}_h({count or 1}))")
            name = f"{name}_h" if count else f"{name}_h(1)"
        else:
            scene.declare(f"integer :: {name}{size}")
        scene.opening.append(f"{name} = MPI_REQUEST_NULL")
        return name

    def status(self, scene, name, count=0):
        scene.declare(f"integer :: {name}(MPI_STATUS_SIZE{f', {count}' if count else ''})")
        scene.opening.append(f"{name} = 0")
        return name

    def buffer(self, scene, buffer):
        kind, name, size, where = ELEMENTS[buffer.element][0], buffer.name, buffer.size, buffer.kind
        extra = scene.rng.choice(["", ", target", ", asynchronous"])
        buffer.target = False
        if where == "common":
            scene.declare(f"{kind} :: {name}({size}), {name}_rest(4)")
            scene.declare(f"common /c{name}/ {name}, {name}_rest")
        elif where == "module":
            buffer.target = scene.rng.random() < 0.5
            scene.program.globals.append(f"{kind}, save{', target' if buffer.target else ''} :: {name}({size})")
        elif where == "saved":
            scene.declare(f"{kind}, save{extra} :: {name}({size})")
            buffer.target = "target" in extra
        elif where == "allocatable":
            scene.declare(f"{kind}, allocatable{extra} :: {name}(:)")
            scene.opening.append(f"allocate({name}({size}))")
            scene.releases.append(f"deallocate({name})")
            buffer.target = "target" in extra
        elif where == "pointer":
            scene.declare(f"{kind}, pointer :: {name}(:)")
            scene.opening.append(f"allocate({name}({size}))")
            scene.releases.append(f"deallocate({name})")
        elif where == "component":
            scene.program.globals.append(f"type t_{name}\n    integer :: before\n    {kind} :: v({size})\n  end type")
            scene.declare(f"type(t_{name}){extra or ', target'} :: {name}_t")
            buffer.name = f"{name}_t%v"
            buffer.names = [(buffer.name, 0)]
        elif where == "automatic":
            # Its size is an argument, so that it is made when the procedure is entered.
            scene.declare(f"{kind}{extra or ', target'} :: {name}({size} + n * 0)")
            buffer.target = "target" in (extra or "target")
        else:  # a local variable that nobody else knows must say that MPI does
            extra = extra or ", target"
            scene.declare(f"{kind}{extra} :: {name}({size})")
            buffer.target = "target" in extra

    def alias(self, scene, buffer, number, shift):
        """Another name; element i of it is element i + shift of the buffer. None if there can be none."""
        kind = ELEMENTS[buffer.element][0]
        name = f"{buffer.name.split('%')[0]}_a{number}"
        if buffer.kind == "common":
            if shift or number:
                return None
            scene.declare(f"{kind} :: {name}({buffer.size})")
            scene.declare(f"equivalence ({buffer.name}(1), {name}(1))")
            return name
        if not buffer.target and buffer.kind != "pointer":
            return None
        scene.declare(f"{kind}, pointer :: {name}(:)")
        scene.opening.append(f"{name} => {buffer.name}({shift + 1}:)")
        return name

    # --- functions that touch memory -----------------------------------------
    def helper(self, program, rng, what, element):
        kind = ELEMENTS[element][0]
        style = rng.choice(["near", "far", "section", "near"])
        name = f"{what}_{element}_{style}"
        if name in program.helpers:
            return name
        program.helpers.add(name)
        step = {("read", "int"): "s = iand(s * 31 + p(i), 1048575)", ("read", "real"): "s = s * 0.5d0 + p(i)",
                ("write", "int"): "p(i) = iand(p(i) * 3 + salt + i - 1, 65535)",
                ("write", "real"): "p(i) = p(i) * 0.5d0 + salt + i - 1"}[what, element]
        head = f"integer function {name}" if what == "read" else f"subroutine {name}"
        end = "end function" if what == "read" else "end subroutine"
        lines = [f"{head}(p, low, high, salt)", "  implicit none", "  integer :: low, high, salt, i",
                 f"  {kind} :: p({'high' if style == 'section' else '*'})", f"  {kind if element == 'real' else 'integer'} :: s",
                 "  s = 1", "  i = salt", "  do i = low + 1, high", f"    {step}", "  end do"]
        if what == "read":
            lines.append(f"  {name} = iand(int(s), 65535)" if element == "real" else f"  {name} = s")
        lines.append(end)
        (program.elsewhere if style == "far" else program.prototypes).append("\n".join(lines))
        if what == "read":
            program.includes.append(f"integer, external :: {name}")
        return name

    def wrapped_call(self, program, rng, name):
        count = {"Isend": 7, "Irecv": 7, "Send": 6, "Recv": 7, "Wait": 2}[name]
        style = rng.choice(["near", "far"])
        mine = f"my_{name}_{style}"
        if mine not in program.helpers:
            program.helpers.add(mine)
            names = ["q", "s"] if name == "Wait" else ["b", "k", "t", "p", "g", "c", "q"][:count]
            declare = ["integer :: q, s(*), ierr"] if name == "Wait" else ["integer :: b(*)",
                                                                         f"integer :: {', '.join(names[1:])}, ierr"]
            lines = [f"subroutine {mine}({', '.join(names)}, ierr)", "  implicit none", *("  " + d for d in declare),
                     f"  call MPI_{name}({', '.join(names)}, ierr)", "end subroutine"]
            (program.elsewhere if style == "far" else program.prototypes).append("\n".join(lines))
        return mine

    # --- files ---------------------------------------------------------------
    def scene(self, scene, program):
        head = [f"subroutine scene_{scene.number}(rank, n)", "  use fz_data", "  implicit none", "  include 'mpif.h'",
                "  integer :: rank, n, acc, i, it1, it2, it3, it4, it5, got, ierr, rc, k, which, done, some, indices(64)",
                "  logical :: flag", "  double precision :: dacc", "  integer, external :: fz_ask, fz_has",
                *("  " + line for line in dict.fromkeys(program.includes))]
        opening = ["acc = 1", "dacc = 1", "it1 = 0", "it2 = 0", "it3 = 0", "it4 = 0", "it5 = 0", "got = 0", "rc = 0", *scene.opening]
        return [*head, *("  " + l for l in scene.declarations), *("  " + l for l in opening), *scene.body_lines(),
                "  900 continue", *("  " + l for l in scene.closing()), "end subroutine"]

    def program(self, program):
        main = ["module fz_data", "  implicit none", *("  " + g for g in program.globals),
                "end module", *program.prototypes]
        for scene in program.scenes:
            main += self.scene(scene, program)
        main += ["program fuzz", "  implicit none", "  include 'mpif.h'", "  integer :: rank, n, ierr", "  call MPI_Init(ierr)",
                 "  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)", "  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)",
                 "  call fz_begin(rank, n)"]
        for scene in program.scenes:
            main += [f"  call fz_scene({scene.number})", f"  call scene_{scene.number}(rank, n)"]
        main += ["  flush(6)", "  call fz_end()", "  call MPI_Finalize(ierr)"]
        main += [f"  call exit({program.exit_code})"] if program.exit_code else []
        main.append("end program")
        files = {"main.f90": "\n".join(main) + "\n"}
        if program.elsewhere:
            files["other.f90"] = "\n".join(program.elsewhere) + "\n"
        return files
