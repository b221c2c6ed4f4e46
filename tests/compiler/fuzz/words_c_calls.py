# SPDX-License-Identifier: Apache-2.0
"""C's and C++'s ways to wait, to branch and to hide a call, beside the plain words."""
from tree import Node
from words_c import KINDS, STORED_ON_STACK, Words


class CWords(Words):
    @staticmethod
    def literal(value):
        return str(value)

    literal_index = literal

    @staticmethod
    def same(a, b):
        return f"{a} == {b}"

    @staticmethod
    def ask(index):
        return f"fz_ask({index})"

    @staticmethod
    def local_condition():
        return "rank % 2 == 1"

    integer_type = "MPI_INT"

    def flag(self, scene):
        return scene.integer("flag")

    @staticmethod
    def as_integer(flag):
        return flag

    @staticmethod
    def out_word(name):
        return "&" + name

    @staticmethod
    def declare_communicator(scene, name):
        scene.declare(f"MPI_Comm {name};")

    @staticmethod
    def declare_datatype(scene, name):
        scene.declare(f"MPI_Datatype {name};")

    @staticmethod
    def address_of(name, index):
        return f"&{name}[{index}]"

    @staticmethod
    def with_requests(calls):
        return ["{", "  MPI_Request p, q;", *("  " + c for c in calls), "}"]

    @staticmethod
    def partner():
        return "((rank ^ 1) < n ? (rank ^ 1) : MPI_PROC_NULL)"

    @staticmethod
    def ignored():
        return "MPI_STATUS_IGNORE"

    @staticmethod
    def ignored_all():
        return "MPI_STATUSES_IGNORE"

    @staticmethod
    def status_out(status):
        return f"&{status}" if status else "MPI_STATUS_IGNORE"

    @staticmethod
    def checked(scene, line):
        """The lines of a call whose error is looked at, in one of many ways."""
        call, number = line.rstrip(";"), scene.program.number()
        told = f"fz_note({number}, 1);"
        ways = [
            [f"rc = {call};", "acc = (acc * 31 + rc) & 1048575;"],
            [f"rc |= {call};"],
            [f"if ({call} != MPI_SUCCESS) {{", f"  {told}", "  MPI_Abort(MPI_COMM_WORLD, 7);", "}"],
            [f"if ((rc = {call})) {{", f"  {told}", "  fz_end();", "  exit(3);", "}"],
            [f"check_plain({call}, {number});"],
            [f"acc = (acc * 31 + ({call} == MPI_SUCCESS ? 5 : 2)) & 1048575;"],
        ]
        if scene.words.plus:
            ways.append([f"if (const int wrong = {call}) throw wrong;"])
        lines = scene.rng.choice(ways)
        if lines[0].startswith("check_plain") and "check_plain" not in scene.program.helpers:
            scene.program.helpers.add("check_plain")
            scene.program.functions.append(
                "static void check_plain(int rc, int number) {\n  if (rc == MPI_SUCCESS) return;\n  fz_note(number, rc);\n"
                '  fprintf(stderr, "call %d gave %d\\n", number, rc);\n  MPI_Abort(MPI_COMM_WORLD, 7);\n}')
        if not scene.maybe and not scene.loop_depth and scene.rng.random() < 0.2:
            late = scene.integer("late")
            lines = [f"{late} = {call};"]
            scene.late.append(Node(f"acc = (acc * 31 + {late}) & 1048575;"))
        return lines

    @staticmethod
    def address_at(buffer, index):
        return f"&{buffer.name}[{index}]"

    def local_fillers(self):
        import fillers_c
        return fillers_c.ALL

    def buffer_kinds(self):
        return KINDS

    def stack_kinds(self):
        return STORED_ON_STACK

    def add_alias(self, scene, buffer, number, shift):
        style = scene.rng.choice(["pointer", "global", "double", "laundered", "integer"])
        buffer.names.append((self.alias(scene, buffer, number, shift, style), shift))

    def communicator(self, scene):
        """A communicator of the scene's own, made at its start and freed at its end."""
        if not hasattr(scene, "comm"):
            scene.comm = scene.new("comm")
            scene.declare(f"MPI_Comm {scene.comm};")
            make = scene.rng.choice(["MPI_Comm_dup(MPI_COMM_WORLD, &{0});", "MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &{0});"])
            scene.opening.append(make.format(scene.comm))
            scene.releases.append(f"MPI_Comm_free(&{scene.comm});")
        return scene.comm

    def call_wrapped(self, scene, name, element, arguments):
        del element
        return self.call(self.wrapped_call(scene.program, scene.rng, name), *arguments)

    def wait_item(self, requests, index):
        return self.mpi("Wait", f"&{requests}[{index}]", self.ignored())

    def test_loop(self, scene, request, status, info):
        target = self.status_out(status)
        if scene.rng.random() < 0.3:
            lines = ["{", "  int flag = 0;", f"  do MPI_Test(&{request}, &flag, {target}); while (!flag);", "}"]
        else:
            index = scene.rng.choice(["Waitany", "Testany"])
            if index == "Waitany":
                lines = ["{", "  int which = -1;", f"  MPI_Waitany(1, &{request}, &which, {target});", "}"]
            else:
                lines = ["{", "  int flag = 0, which = -1, spins = 0;", "  while (!flag) {",
                         f"    MPI_Testany(1, &{request}, &which, &flag, {target});", "    ++spins;", "  }", "}"]
        return [Node(lines, **{**info, "loop": True})]

    def many_loop(self, scene, how, requests, count, info):
        if how == "one by one":
            # The number of rounds is not known to the compiler.
            index = f"{count - 1} - k" if scene.rng.random() < 0.5 else "k"
            lines = ["{", f"  const int many = {count} + (n < 0 ? n : 0);", "  for (int k = 0; k < many; ++k)",
                     f"    MPI_Wait(&{requests}[{index}], MPI_STATUS_IGNORE);", "}"]
        elif how == "any":
            lines = ["{", "  int which = 0, sum = 0;", f"  for (int k = 0; k < {count}; ++k) {{",
                     f"    MPI_Waitany({count}, {requests}, &which, MPI_STATUS_IGNORE);", "    sum += which + 1;", "  }",
                     "  acc = (acc * 31 + sum) & 1048575;", "}"]
        elif how == "some":
            call = scene.rng.choice(["Waitsome", "Testsome"])
            lines = ["{", f"  int done = 0, some = 0, which[{count}];", f"  while (done < {count}) {{",
                     f"    MPI_{call}({count}, {requests}, &some, which, MPI_STATUSES_IGNORE);",
                     "    if (some != MPI_UNDEFINED) done += some;", "  }", "}"]
        else:
            lines = ["{", "  int flag = 0;", f"  while (!flag) MPI_Testall({count}, {requests}, &flag, MPI_STATUSES_IGNORE);", "}"]
        return [Node(lines, **{**info, "loop": True})]

    def attach(self, scene, exchange):
        size = f"{exchange.count} * 8 + MPI_BSEND_OVERHEAD + 64"
        name = scene.new("bs")
        scene.declare(f"char* {name} = 0;")
        scene.declare(f"int {name}_n = 0;")
        exchange.attached = name
        return [Node([f"{name} = (char*)malloc({size});", f"MPI_Buffer_attach({name}, {size});"], group=exchange.group)]

    def detach(self, scene, exchange):
        name = exchange.attached
        return [Node([f"MPI_Buffer_detach(&{name}, &{name}_n);", f"free({name});"], group=exchange.group)]
