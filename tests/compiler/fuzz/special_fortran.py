# SPDX-License-Identifier: Apache-2.0
"""Scenes that only Fortran can say: sections copied in and out, host association, allocatables that
go, functions with results, answers in `ierror`."""
from fillers import block
from tree import Node
from words_fortran import ELEMENTS


class Ring:
    def __init__(self, scene, most=40000):
        self.scene, self.rng, self.words = scene, scene.rng, scene.words
        self.group = scene.program.group()
        self.element = scene.rng.choice(["int", "real"])
        self.type, self.kind, self.letter = ELEMENTS[self.element]
        self.count = scene.rng.choice([c for c in (2, 60, 700, 3000, 15000, 40000) if c <= most])
        self.tag = scene.new_tag()
        self.right, self.left = "mod(rank + 1, n)", "mod(rank + n - 1, n)"
        self.r, self.s = scene.request(), scene.request()

    def buffer(self, size=0, kind=None):
        return self.scene.buffer(self.element, size or self.count, kind)

    def node(self, *lines, role="", **info):
        return Node(list(lines), group=self.group, role=role, **info)

    def receive(self, place, regions=()):
        return self.node(f"call MPI_Irecv({place}, {self.count}, {self.kind}, {self.left}, {self.tag}, MPI_COMM_WORLD, {self.r}, ierr)",
                         role="start", kind="recv", request=self.r, regions=list(regions))

    def send(self, place, regions=()):
        return self.node(f"call MPI_Isend({place}, {self.count}, {self.kind}, {self.right}, {self.tag}, MPI_COMM_WORLD, {self.s}, ierr)",
                         role="start", kind="send", request=self.s, regions=list(regions), sends=True)

    def wait(self, which, regions=()):
        request = self.r if which == "recv" else self.s
        return self.node(f"call MPI_Wait({request}, MPI_STATUS_IGNORE, ierr)", role="wait", kind=which, request=request, status=None,
                         got=list(regions) if which == "recv" else [], sent=list(regions) if which == "send" else [])

    def sum(self, place, count):
        return f"call fz_sum_{self.letter}({self.scene.program.number()}, {place}, {count})"

    def gap(self, most=2):
        # Something may be in flight that the scene does not know: nothing leaves it here.
        self.scene.maybe += 1
        made = block(self.scene, self.rng.randint(0, most))
        self.scene.maybe -= 1
        return made


def strided(scene):
    """Blocking calls on sections with holes: what MPI sees is a copy that goes when the call returns."""
    r = Ring(scene, 3000)
    wide = scene.rng.choice([2, 3])
    buffer = r.buffer(r.count * wide * 2)
    a = f"{buffer.name}(1:{r.count * wide}:{wide})"
    b = f"{buffer.name}({r.count * wide + 1}:{2 * r.count * wide}:{wide})"
    how = r.rng.choice(["sendrecv", "parity", "parity", "replace"])
    tail = f"{r.tag}, MPI_COMM_WORLD"
    if how == "sendrecv":
        made = [r.node(f"call MPI_Sendrecv({a}, {r.count}, {r.kind}, {r.right}, {r.tag}, {b}, {r.count}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE, ierr)")]
    elif how == "replace":
        made = [r.node(f"call MPI_Sendrecv_replace({a}, {r.count}, {r.kind}, {r.right}, {r.tag}, {r.left}, {tail}, MPI_STATUS_IGNORE, ierr)")]
    else:
        send = f"call MPI_Send({a}, {r.count}, {r.kind}, {r.right}, {tail}, ierr)"
        take = f"call MPI_Recv({b}, {r.count}, {r.kind}, {r.left}, {tail}, MPI_STATUS_IGNORE, ierr)"
        made = [scene.words.branch("mod(rank, 2) == 1", [r.node(take), r.node(send)], [r.node(send), r.node(take)], r.group)]
    scene.recent.append((buffer, 0, buffer.size))
    return [*made, *r.gap(), scene.check(buffer, 0, buffer.size, r.group)]


def hosted(scene):
    """An internal procedure waits, and another touches the buffer that both know from their host."""
    r = Ring(scene, 15000)
    name = scene.new("host")
    touch = f"b({r.count})" if r.rng.random() < 0.5 else f"sum(b(1:{r.count}:7))"
    scene.program.prototypes.append("\n".join([
        f"subroutine {name}(rank, n, tag, answer)", "  implicit none", "  include 'mpif.h'", "  integer :: rank, n, tag, answer, i, ierr, q(2)",
        f"  {r.type}, target :: b({r.count}), o({r.count})", f"  do i = 1, {r.count}", "    b(i) = 0", "    o(i) = rank * 3 + i", "  end do",
        "  call begin()", "  call finish()", "  answer = iand(use(), 65535)", "  do i = 1, size(o)", "    o(i) = 0", "  end do", "contains", "  subroutine begin()",
        f"    call MPI_Irecv(b, {r.count}, {r.kind}, {r.left}, tag, MPI_COMM_WORLD, q(1), ierr)",
        f"    call MPI_Isend(o, {r.count}, {r.kind}, {r.right}, tag, MPI_COMM_WORLD, q(2), ierr)", "  end subroutine",
        "  subroutine finish()", *r.rng.sample(["    call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierr)", "    call MPI_Wait(q(2), MPI_STATUS_IGNORE, ierr)"], 2),
        "  end subroutine", "  integer function use()", f"    use = int({touch})", "  end function", "end subroutine"]))
    return [r.node(f"call {name}(rank, n, {r.tag}, got)", "acc = iand(acc * 31 + got, 1048575)")]


def allocatable(scene):
    """Memory that goes as soon as the wait is over, and is taken by something else."""
    r = Ring(scene)
    a, b, c = scene.new("a"), scene.new("b"), scene.new("c")
    for name in (a, b, c):
        scene.declare(f"{r.type}, allocatable, target :: {name}(:)")
    made = [r.node(f"allocate({a}({r.count}), {b}({r.count}))", f"{a} = 1", f"do i = 1, {r.count}", f"  {b}(i) = rank + i", "end do"),
            r.receive(a), r.send(b), *r.gap()]
    waits = [r.wait("send"), r.wait("recv")]
    for wait in waits:
        wait.info["memory_of"] = b if wait.info["kind"] == "send" else a
    made += waits
    if r.rng.random() < 0.5:
        made.append(r.node(f"{a} = [{a}, {a}(1)]", role="free", memory=a))  # allocated anew, by assignment
    else:
        made.append(r.node(f"call move_alloc({a}, {c})", f"allocate({a}({r.count + 1}))", f"{a} = 3", f"{a}(1:{r.count}) = {a}(1:{r.count}) + {c}",
                           f"deallocate({c})", role="free", memory=a))
    return [*made, r.node(f"deallocate({b})", role="free", memory=b), r.node(f"allocate({c}({r.count}))", f"{c} = 9", r.sum(f"{c}(1)", r.count), f"deallocate({c})"),
            r.node(r.sum(f"{a}(1)", r.count), f"deallocate({a})")]


def answers(scene):
    """`ierror` is read, from the start and from the wait, and an error is an answer."""
    r = Ring(scene, 700)
    comm, short = scene.new("comm"), max(1, r.count // 2)
    scene.words.declare_communicator(scene, comm)
    into, out = r.buffer(), r.buffer()
    number = scene.program.number()
    take = [f"call MPI_Irecv({into.name}(1), {short}, {r.kind}, 0, {r.tag}, {comm}, {r.r}, ierr)", "acc = iand(acc * 31 + ierr, 1048575)",
            f"call MPI_Wait({r.r}, MPI_STATUS_IGNORE, rc)"]
    if r.rng.random() < 0.5:
        take = [f"call MPI_Recv({into.name}(1), {short}, {r.kind}, 0, {r.tag}, {comm}, MPI_STATUS_IGNORE, rc)"]
    take += ["call MPI_Error_class(rc, got, ierr)", f"call fz_note({number}, merge(1, 0, got == MPI_ERR_TRUNCATE))",
             f"do i = 1, {r.count}", f"  {into.name}(i) = i", "end do"]
    send = f"call MPI_Send({out.name}(1), {r.count}, {r.kind}, 1, {r.tag}, {comm}, ierr)"
    branch = scene.words.branch("rank == 0", [r.node(send)], [scene.words.branch("rank == 1", [r.node(*take, role="errors")], group=r.group)], r.group)
    return [r.node(f"call MPI_Comm_dup(MPI_COMM_WORLD, {comm}, ierr)", f"call MPI_Comm_set_errhandler({comm}, MPI_ERRORS_RETURN, ierr)",
                   "call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)"),
            branch, r.node("call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)", f"call MPI_Comm_free({comm}, ierr)")]


def common_halves(scene):
    """Two procedures that know one COMMON under different names and shapes."""
    r = Ring(scene, 3000)
    name = scene.new("shared")
    half = r.count
    scene.program.prototypes.append("\n".join([
        f"subroutine {name}_work(salt, answer)", "  implicit none", f"  {r.type} :: low({half}), high({half})", "  integer :: salt, answer, i",
        f"  common /c{name}/ low, high", "  answer = 0", f"  do i = 1, {half}", "    answer = iand(answer * 31 + int(high(i)), 65535)", "  end do",
        f"  do i = 1, {half}", "    low(i) = i + salt", "  end do", "end subroutine"]))
    scene.declare(f"{r.type} :: {name}({2 * half})")
    scene.declare(f"common /c{name}/ {name}")
    return [r.node(f"do i = 1, {2 * half}", f"  {name}(i) = i + rank", "end do"), r.receive(f"{name}({half + 1})"), r.send(f"{name}(1)"),
            *r.gap(), r.wait("recv"), *r.gap(1), r.wait("send"), r.node(f"call {name}_work({r.rng.randint(1, 99)}, got)", "acc = iand(acc * 31 + got, 1048575)"),
            r.node(r.sum(f"{name}(1)", 2 * half))]


def bottom(scene):
    """MPI_BOTTOM with absolute addresses."""
    r = Ring(scene, 3000)
    kind, at = [scene.new("type"), scene.new("type")], scene.new("at")
    scene.declare(f"integer :: {kind[0]}, {kind[1]}")
    scene.declare(f"integer(kind=MPI_ADDRESS_KIND) :: {at}(1)")
    out, into = r.buffer(kind="common"), r.buffer(kind="module")
    make = []
    for name, buffer in ((kind[0], out), (kind[1], into)):
        make += [f"call MPI_Get_address({buffer.name}(1), {at}(1), ierr)",
                 f"call MPI_Type_create_hindexed(1, [{r.count}], {at}, {r.kind}, {name}, ierr)", f"call MPI_Type_commit({name}, ierr)"]
    made = [r.node(*make), r.node(f"call MPI_Irecv(MPI_BOTTOM, 1, {kind[1]}, {r.left}, {r.tag}, MPI_COMM_WORLD, {r.r}, ierr)"),
            r.node(f"call MPI_Isend(MPI_BOTTOM, 1, {kind[0]}, {r.right}, {r.tag}, MPI_COMM_WORLD, {r.s}, ierr)")]
    marks = [scene.fly(out, 0, r.count, False), scene.fly(into, 0, r.count, True)]
    made += r.gap()
    for mark in marks:
        scene.land(mark)
    return [*made, r.wait("recv"), r.wait("send"), scene.check(into, 0, r.count, r.group), scene.fill(out, 0, r.count, group=r.group),
            r.node(f"call MPI_Type_free({kind[0]}, ierr)", f"call MPI_Type_free({kind[1]}, ierr)")]


ALL = [strided, strided, hosted, allocatable, answers, common_halves, bottom]
