# SPDX-License-Identifier: Apache-2.0
"""Fortran's ways to wait, to branch and to hide a call, beside the plain words."""
from tree import Node
from words_fortran import KINDS, STORED_ON_STACK, Words


class FortranWords(Words):
    @staticmethod
    def local_condition():
        return "mod(rank, 2) == 1"

    integer_type = "MPI_INTEGER"

    @staticmethod
    def flag(scene):
        del scene
        return "flag"

    @staticmethod
    def as_integer(flag):
        return f"merge(1, 0, {flag})"

    @staticmethod
    def out_word(name):
        return name

    @staticmethod
    def declare_communicator(scene, name):
        scene.declare(f"integer :: {name}")

    @staticmethod
    def declare_datatype(scene, name):
        scene.declare(f"integer :: {name}")

    @staticmethod
    def address_of(name, index):
        return f"{name}({index + 1})"

    @staticmethod
    def with_requests(calls):
        return ["block", "  integer :: p, q", *("  " + c for c in calls), "end block"]

    @staticmethod
    def partner():
        return "merge(ieor(rank, 1), MPI_PROC_NULL, ieor(rank, 1) < n)"

    @staticmethod
    def ignored():
        return "MPI_STATUS_IGNORE"

    @staticmethod
    def ignored_all():
        return "MPI_STATUSES_IGNORE"

    @staticmethod
    def status_out(status):
        return status or "MPI_STATUS_IGNORE"

    @staticmethod
    def checked(scene, line):
        """The lines of a call whose error is looked at, in one of many ways."""
        head, number = line[:line.rindex(",")], scene.program.number()
        with_rc = f"{head}, rc)"
        lines = scene.rng.choice([
            [with_rc, "acc = iand(acc * 31 + rc, 1048575)"],
            [with_rc, "if (rc /= MPI_SUCCESS) then", f"  call fz_note({number}, rc)", "  call MPI_Abort(MPI_COMM_WORLD, 7, ierr)", "end if"],
            [with_rc, "if (rc /= 0) stop 3"],
            [with_rc, "acc = iand(acc * 31 + merge(5, 2, rc == MPI_SUCCESS), 1048575)"],
        ])
        if not scene.maybe and not scene.loop_depth and scene.rng.random() < 0.2:
            late = scene.integer("late")
            lines = [f"{head}, {late})"]
            scene.late.append(Node(f"acc = iand(acc * 31 + {late}, 1048575)"))
        return lines

    def local_fillers(self):
        import fillers_fortran
        return fillers_fortran.ALL

    def buffer_kinds(self):
        return KINDS

    def stack_kinds(self):
        return STORED_ON_STACK

    def add_alias(self, scene, buffer, number, shift):
        name = self.alias(scene, buffer, number, shift)
        if name:
            buffer.names.append((name, shift))

    def communicator(self, scene):
        if not hasattr(scene, "comm"):
            scene.comm = scene.new("comm")
            scene.declare(f"integer :: {scene.comm}")
            make = scene.rng.choice(["call MPI_Comm_dup(MPI_COMM_WORLD, {0}, ierr)", "call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, {0}, ierr)"])
            scene.opening.append(make.format(scene.comm))
            scene.releases.append(f"call MPI_Comm_free({scene.comm}, ierr)")
        return scene.comm

    def call_wrapped(self, scene, name, element, arguments):
        del element
        return self.call(self.wrapped_call(scene.program, scene.rng, name), *arguments, "ierr")

    def wait_item(self, requests, index):
        return self.mpi("Wait", f"{requests}({index + 1})", self.ignored())

    def test_loop(self, scene, request, status, info):
        target = self.status_out(status)
        if scene.rng.random() < 0.5:
            lines = ["flag = .false.", "do while (.not. flag)", f"  call MPI_Test({request}, flag, {target}, ierr)", "end do"]
        else:
            lines = ["do", f"  call MPI_Test({request}, flag, {target}, ierr)", "  if (flag) exit", "end do"]
        return [Node(lines, **{**info, "loop": True})]

    def many_loop(self, scene, how, requests, count, info):
        if how == "one by one":
            # The number of rounds is not known to the compiler.
            index = f"{count + 1} - k" if scene.rng.random() < 0.5 else "k"
            lines = [f"done = {count} + min(n, 0)", "do k = 1, done",
                     f"  call MPI_Wait({requests}({index}), MPI_STATUS_IGNORE, ierr)", "end do"]
        elif how == "any":
            lines = ["done = 0", f"do k = 1, {count}", f"  call MPI_Waitany({count}, {requests}, which, MPI_STATUS_IGNORE, ierr)",
                     "  done = done + which", "end do", "acc = iand(acc * 31 + done, 1048575)"]
        elif how == "some":
            lines = ["done = 0", f"do while (done < {count})",
                     f"  call MPI_Waitsome({count}, {requests}, some, indices, MPI_STATUSES_IGNORE, ierr)",
                     "  if (some /= MPI_UNDEFINED) done = done + some", "end do"]
        else:
            lines = ["flag = .false.", "do while (.not. flag)",
                     f"  call MPI_Testall({count}, {requests}, flag, MPI_STATUSES_IGNORE, ierr)", "end do"]
        return [Node(lines, **{**info, "loop": True})]

    def attach(self, scene, exchange):
        name = scene.new("bs")
        scene.declare(f"integer, save :: {name}({exchange.count * 2 + 512})")
        scene.declare(f"integer :: {name}_n")
        exchange.attached = name
        return [Node(f"call MPI_Buffer_attach({name}, {exchange.count * 8 + 2048}, ierr)", group=exchange.group)]

    def detach(self, scene, exchange):
        name = exchange.attached
        return [Node(f"call MPI_Buffer_detach({name}, {name}_n, ierr)", group=exchange.group)]
