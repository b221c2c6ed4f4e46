# SPDX-License-Identifier: Apache-2.0
"""How C and C++ say what the generator means."""
from tree import Node

ELEMENTS = {"int": ("int", "MPI_INT"), "real": ("double", "MPI_DOUBLE")}
KINDS = ["global", "static", "heap", "stack", "member", "elsewhere", "outside", "alloca", "vla"]
STORED_ON_STACK = ("stack", "vla", "alloca")


class Words:
    name = "c"
    suffix = ".c"
    null = "0"
    end = ""

    def __init__(self, plus=False):
        if plus:
            self.name, self.suffix = "c++", ".cpp"
        self.plus = plus

    # --- expressions ---------------------------------------------------------
    @staticmethod
    def mod(a, b):
        return f"({a}) % {b}"

    @staticmethod
    def masked(value, mask=0xFFFF):
        return f"({value}) & {mask}"

    @staticmethod
    def differ(a, b):
        return f"{a} != {b}"

    @staticmethod
    def both(a, b):
        return f"({a}) && ({b})"

    @staticmethod
    def negate(a):
        return f"!({a})"

    @staticmethod
    def choose(condition, a, b):
        return f"({condition} ? {a} : {b})"

    @staticmethod
    def given(index):
        return f"fz_given[{index}]"

    @staticmethod
    def real(value):
        return f"(double)({value})"

    @staticmethod
    def truncate(value):
        return f"(int)({value})"

    @staticmethod
    def root(value):
        return f"sqrt({value})"

    @staticmethod
    def item(name, index):
        return f"{name}[{index}]"

    @staticmethod
    def type_of(buffer):
        return ELEMENTS[buffer.element][1]

    @staticmethod
    def at(name, shift, index):
        return f"{name}[{index}]" if not shift else f"{name}[({index}) - {shift}]"

    @staticmethod
    def address(name, shift, low):
        return f"{name} + {low - shift}" if low != shift else f"&{name}[0]"

    # --- statements ----------------------------------------------------------
    @staticmethod
    def set(name, value):
        return f"{name} = {value};"

    @staticmethod
    def comment(text):
        return f"/* {text} */"

    def for_loop(self, var, low, high, body, group=0, **info):
        return Node(parts=[(f"for ({var} = {low}; {var} < {high}; ++{var}) {{", body)], tail="}", group=group, **info)

    def while_loop(self, condition, body, group=0, **info):
        return Node(parts=[(f"while ({condition}) {{", body)], tail="}", group=group, **info)

    def branch(self, condition, body, other=(), group=0, role="", **info):
        parts = [(f"if ({condition}) {{", body)]
        if other:
            parts.append(("} else {", other))
        return Node(parts=parts, tail="}", group=group, role=role, **info)

    def switch(self, value, cases, group=0):
        parts = [(f"switch ({value}) {{", [])]
        for index, body in enumerate(cases):
            label = f"case {index}: {{" if index + 1 < len(cases) else "default: {"
            parts.append((label, [*body, Node("break;")]))
            parts.append(("}", []))
        return Node(parts=parts, tail="}", group=group)

    next_round = "continue;"
    leave_loop = "break;"
    leave_scene = "goto done;"

    def mpi(self, name, *arguments, error=None):
        call = f"MPI_{name}({', '.join(map(str, arguments))});"
        return f"{error} = {call}" if error else call

    @staticmethod
    def out(name):
        """An argument through which a call answers."""
        return "&" + name

    @staticmethod
    def requests(name, first=0):
        return f"{name} + {first}" if first else name

    def note(self, number, value):
        return f"fz_note({number}, (long)({value}));"

    def note_real(self, number, value):
        return f"fz_real({number}, {value});"

    def sum(self, number, buffer, name, shift, low, count):
        return f"fz_sum({number}, {self.address(name, shift, low)}, {count} * sizeof({ELEMENTS[buffer.element][0]}));"

    def keep(self, slot, buffer, low, count):
        return f"fz_keep({slot}, {self.address(buffer.name, 0, low)}, {count}, {int(buffer.element == 'real')});"

    def call(self, function, *arguments):
        return f"{function}({', '.join(map(str, arguments))});"

    def print_value(self, number, value):
        return f'printf("%d: %d\\n", {number}, (int)({value}));'

    def field(self, status, which):
        return f"{status}.MPI_{which}"

    def get_count(self, status, kind, name):
        return f"MPI_Get_count(&{status}, {kind}, &{name});"

    # --- declarations --------------------------------------------------------
    def integer(self, scene, name):
        scene.declare(f"int {name} = 0;")

    def request(self, scene, name, count, style):
        """Declares requests; returns the words for one, or for the array."""
        nothing = "MPI_REQUEST_NULL"
        if style == "global":
            scene.program.globals.append(f"static MPI_Request {name}{f'[{count}]' if count else ''};")
        elif style == "struct":
            kind = f"struct {{ int before; MPI_Request r{f'[{count}]' if count else ''}; int after; }}"
            scene.declare(f"{kind} {name}_s;")
            name = f"{name}_s.r"
        elif style == "heap":
            scene.declare(f"MPI_Request* {name}_h = (MPI_Request*)malloc({count or 1} * sizeof(MPI_Request));")
            scene.releases.append(f"free({name}_h);")
            name = f"{name}_h" if count else f"{name}_h[0]"
        else:
            scene.declare(f"MPI_Request {name}{f'[{count}]' if count else ''};")
        for i in range(count or 1):
            scene.opening.append(f"{name}[{i}] = {nothing};" if count else f"{name} = {nothing};")
        return name

    def status(self, scene, name, count=0):
        scene.declare(f"MPI_Status {name}{f'[{count}]' if count else ''};")
        scene.opening.append(f"memset(&{name}, 0, sizeof {name});")
        return name

    def one_status(self, name, index):
        return f"{name}[{index}]"

    def buffer(self, scene, buffer):
        kind, size = ELEMENTS[buffer.element][0], buffer.size
        name, where = buffer.name, buffer.kind
        program = scene.program
        if where == "global":
            program.globals.append(f"{'static ' if size % 2 else ''}{kind} {name}[{size}];")
        elif where == "elsewhere":
            program.globals.append(f"extern {kind} {name}[{size}];")
            program.elsewhere.append(f"{kind} {name}[{size}];")
        elif where == "member":
            program.globals.append(f"static struct {{ int before; {kind} v[{size}]; int after; }} {name}_s;")
            scene.declare(f"{kind}* {name} = {name}_s.v;")
        elif where == "static":
            scene.declare(f"static {kind} {name}[{size}];")
        elif where == "stack":
            scene.declare(f"{kind} {name}[{size}];")
        elif where == "vla" and not self.plus:
            scene.declare(f"{kind} {name}[{size} + fz_given[0] * 0];")
        elif where in ("alloca", "vla"):
            scene.declare(f"{kind}* {name} = ({kind}*)__builtin_alloca({size} * sizeof({kind}));")
        elif where == "outside":
            scene.declare(f"{kind}* {name} = ({kind}*)fz_memory({buffer.slot}, {size} * (long)sizeof({kind}));")
        else:
            scene.declare(f"{kind}* {name} = ({kind}*)malloc({size} * sizeof({kind}));")
            scene.releases.append(f"free({name});")

    def alias(self, scene, buffer, number, shift, style):
        """Another name for a buffer; element i of it is element i + shift of the buffer."""
        kind = ELEMENTS[buffer.element][0]
        name = f"{buffer.name}_a{number}"
        where = f"{buffer.name} + {shift}"
        if style == "global":
            scene.program.globals.append(f"static struct {{ int n; {kind}* p; }} {name};")
            scene.opening.append(f"{name}.p = {where};")
            return f"{name}.p"
        if style == "double":
            scene.declare(f"{kind}* {name}_p = {where};")
            scene.declare(f"{kind}** {name} = &{name}_p;")
            return f"(*{name})"
        if style == "laundered":
            scene.declare(f"{kind}* {name} = ({kind}*)fz_same((void*)({where}));")
        elif style == "integer":
            scene.declare(f"{kind}* {name} = ({kind}*)((unsigned long)({where}) ^ (unsigned long)fz_given[1] * 0);")
        else:
            scene.declare(f"{kind}* {name} = {where};")
        return name

    # --- functions that touch memory -----------------------------------------
    def helper(self, program, rng, what, element):
        """A function (p, low, high, salt) that reads (and gives a sum) or writes; its name."""
        kind = ELEMENTS[element][0]
        style = rng.choice(["inline", "always", "never", "elsewhere", "recursive", "boxed"])
        name = f"{what}_{element}_{style}"
        if name in program.helpers:
            return name
        program.helpers.add(name)
        give, first, step, last = {
            ("read", "int"): ("int", "int s = 1;", "s = (s * 31 + p[i]) & 1048575;", "return s;"),
            ("read", "real"): ("int", "double s = 1;", "s = s * 0.5 + p[i];", "return (int)s & 65535;"),
            ("write", "int"): ("void", "", "p[i] = (p[i] * 3 + salt + i) & 65535;", ""),
            ("write", "real"): ("void", "", "p[i] = p[i] * 0.5 + salt + i;", ""),
        }[what, element]
        loop = f"for (int i = low; i < high; ++i) {step}"
        head = f"{give} {name}({kind}* __restrict p, int low, int high, int salt)" if style == "never" else \
            f"{give} {name}({kind}* p, int low, int high, int salt)"
        body = f"{{\n  {first}\n  (void)salt;\n  {loop}\n  {last}\n}}"
        before = {"inline": "static ", "always": "static inline __attribute__((always_inline)) ",
                  "never": "static __attribute__((noinline)) ", "elsewhere": ""}.get(style)
        if style == "elsewhere":
            program.prototypes.append(head + ";")
            program.elsewhere.append(f"{head} {body}")
        elif style == "recursive":
            tail = f"int rest = {name}(p, low + 1, high, salt);" if what == "read" else f"{name}(p, low + 1, high, salt);"
            one = "int i = low;"
            base = f"if (low >= high) return{' 1' if what == 'read' else ''};"
            split = f"if (high - low > 64) {{ {'int a = ' if what == 'read' else ''}{name}(p, low, low + (high - low) / 2, salt);"
            split += f" {'int b = ' if what == 'read' else ''}{name}(p, low + (high - low) / 2, high, salt);"
            split += " return (a * 31 + b) & 1048575; }" if what == "read" else " return; }"
            last = "return (rest * 31 + (int)s) & 1048575;" if what == "read" else ""
            program.functions.append(
                f"static {head} {{\n  {first}\n  {base}\n  {split}\n  {one}\n  {step}\n  {tail}\n  {last}\n}}")
        elif style == "boxed":
            program.functions.append(
                f"struct box_{name} {{ int low, high; {kind}* p; }};\n"
                f"static {give} {name}_in(struct box_{name}* b, int salt) {{\n  {kind}* p = b->p;\n  {first}\n"
                f"  (void)salt;\n  for (int i = b->low; i < b->high; ++i) {step}\n  {last}\n}}\n"
                f"static {head} {{\n  struct box_{name} b = {{low, high, p}};\n"
                f"  {'return ' if what == 'read' else ''}{name}_in(&b, salt);\n}}")
        else:
            program.functions.append(f"{before}{head} {body}")
        return name

    def wrapped_call(self, program, rng, name):
        """A function of the program around an MPI call; its name."""
        parameters, arguments = {
            "Isend": ("void* b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Request* q", "b, n, t, p, g, c, q"),
            "Irecv": ("void* b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Request* q", "b, n, t, p, g, c, q"),
            "Send": ("void* b, int n, MPI_Datatype t, int p, int g, MPI_Comm c", "b, n, t, p, g, c"),
            "Recv": ("void* b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Status* s", "b, n, t, p, g, c, s"),
            "Wait": ("MPI_Request* q, MPI_Status* s", "q, s"),
        }[name]
        style = rng.choice(["always", "never", "elsewhere", "plain"])
        mine = f"my_{name}_{style}"
        if mine not in program.helpers:
            program.helpers.add(mine)
            head = f"int {mine}({parameters})"
            body = f"{{ return MPI_{name}({arguments}); }}"
            if style == "elsewhere":
                program.prototypes.append(head + ";")
                program.elsewhere.append(f"{head} {body}")
            else:
                before = {"always": "static inline __attribute__((always_inline)) ", "plain": "static ",
                          "never": "static __attribute__((noinline)) "}[style]
                program.functions.append(f"{before}{head} {body}")
        return mine

    # --- files ---------------------------------------------------------------
    def scene(self, scene):
        head = f"static {'__attribute__((noinline)) ' if scene.number % 2 else ''}void scene_{scene.number}(int rank, int n) {{"
        lines = ["int acc = 1, i = 0, it1 = 0, it2 = 0, it3 = 0, it4 = 0, it5 = 0, got = 0, rc = 0;", "double dacc = 1;",
                 "(void)i, (void)it1, (void)it2, (void)it3, (void)it4, (void)it5, (void)got, (void)rc, (void)rank, (void)n;"]
        return [head, *("  " + l for l in [*lines, *scene.declarations, *scene.opening]), *scene.body_lines(),
                "  goto done;", "done:", *("  " + l for l in scene.closing()), "}"]

    def program(self, program):
        plain_headers = ["mpi.h", "math.h", "stdio.h", "stdlib.h", "string.h", "setjmp.h", "signal.h"]
        if not self.plus:
            plain_headers.append("stdatomic.h")
        includes = [f"#include <{h}>" for h in plain_headers] + ['#include "fuzz.h"', *program.includes]
        main = [*includes, *program.globals, *program.prototypes, *program.functions]
        for scene in program.scenes:
            main += self.scene(scene)
        main += ["int main(int argc, char** argv) {", "  int rank, n;", f"  MPI_Init(&argc, &argv);",
                 "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);", "  MPI_Comm_size(MPI_COMM_WORLD, &n);",
                 "  fz_begin(rank, n);"]
        for scene in program.scenes:
            main += [f"  fz_scene({scene.number});", f"  scene_{scene.number}(rank, n);"]
        main += ["  fz_end();", "  MPI_Finalize();", f"  return {program.exit_code};", "}"]
        other = [*includes[:-len(program.includes) or None], *program.elsewhere]
        files = {"main" + self.suffix: "\n".join(main) + "\n"}
        if program.elsewhere:
            files["other" + self.suffix] = "\n".join(other) + "\n"
        return files
