# SPDX-License-Identifier: Apache-2.0
"""What only C and C++ programs do between a start and a wait, or after."""
from tree import Node


def copy_memory(scene):
    words, rng = scene.words, scene.rng
    to, low, high = scene.range(True)
    source, first, last = scene.range(False, to.element)
    count = min(high - low, last - first)
    kind = "double" if to.element == "real" else "int"
    target = scene.address(to, low)
    how = rng.choice(["memcpy", "memmove", "memset"])
    if how == "memset" or to is source:
        line, reads = f"memset({target}, 0, {count} * sizeof({kind}));", []
    else:
        line, reads = f"{how}({target}, {scene.address(source, first)}, {count} * sizeof({kind}));", [(source, first, first + count)]
    return [Node(line, group=scene.program.group(), role="touch", writes=[(to, low, low + count)], reads=reads, memory=True)]


def compare_memory(scene):
    one, low, high = scene.range(False)
    other, first, last = scene.range(False, one.element)
    count = min(high - low, last - first)
    kind = "double" if one.element == "real" else "int"
    line = f"acc = (acc * 31 + (memcmp({scene.address(one, low)}, {scene.address(other, first)}, {count} * sizeof({kind})) != 0)) & 1048575;"
    return [Node(line, group=scene.program.group(), role="touch", reads=[(one, low, low + count), (other, first, first + count)])]


def saved_pointer(scene):
    """Somebody else changes the buffer, or looks at it, by a pointer kept before."""
    rng, words = scene.rng, scene.words
    buffer, low, high = scene.range(True)
    slot, group = rng.randint(0, 63), scene.program.group()
    keep = Node(words.keep(slot, buffer, low, high - low), group=group)
    if rng.random() < 0.5:
        use = Node(f"fz_poke({slot}, {rng.randint(1, 99)});", group=group, role="touch", writes=[(buffer, low, high)],
                   reads=[(buffer, low, high)], outside=True)
    else:
        use = Node(f"fz_peek({scene.program.number()}, {slot});", group=group, role="touch", reads=[(buffer, low, high)], outside=True)
    return [keep, use]


def volatile(scene):
    buffer, low, high = scene.range(True)
    kind = "double" if buffer.element == "real" else "int"
    name = scene.new("v")
    lines = ["{", f"  volatile {kind}* {name} = {scene.address(buffer, low)};", f"  {name}[0] = {name}[{high - low - 1}] + 1;",
             f"  acc = (acc * 31 + (int){name}[0]) & 1048575;", "}"]
    return [Node(lines, group=scene.program.group(), role="touch", writes=[(buffer, low, low + 1)],
                 reads=[(buffer, low, low + 1), (buffer, high - 1, high)])]


def assembly(scene):
    buffer, low, high = scene.range(True)
    if scene.rng.random() < 0.5:
        return [Node('__asm__ volatile("" ::: "memory");', group=scene.program.group())]
    if buffer.element == "real":
        return compare_memory(scene)
    line = f'__asm__ volatile("addl $3, %0" : "+m"(({scene.address(buffer, low)})[0]));'
    return [Node(line, group=scene.program.group(), role="touch", writes=[(buffer, low, low + 1)], reads=[(buffer, low, low + 1)])]


def atomics(scene):
    name = "atom"
    if name not in scene.program.helpers:
        scene.program.helpers.add(name)
        scene.program.globals.append("static int atom_value;")
    lines = [f"__atomic_fetch_add(&atom_value, {scene.rng.randint(1, 9)}, __ATOMIC_SEQ_CST);",
             "acc = (acc * 31 + __atomic_load_n(&atom_value, __ATOMIC_ACQUIRE)) & 1048575;", "atom_value = 0;"]
    return [Node(lines, group=scene.program.group(), role="output")]


def callback(scene):
    """A function of this file, called from outside, that changes what it is given."""
    buffer, low, high = scene.range(True)
    kind = "double" if buffer.element == "real" else "int"
    name = f"back_{buffer.element}"
    if name not in scene.program.helpers:
        scene.program.helpers.add(name)
        change = "*v = *v * 0.5 + 3;" if buffer.element == "real" else "*v = (*v * 3 + 1) & 65535;"
        scene.program.functions.append(f"static void {name}(void* p) {{\n  {kind}* v = ({kind}*)p;\n  {change}\n}}")
    line = f"fz_call({name}, {scene.address(buffer, low)});"
    return [Node(line, group=scene.program.group(), role="touch", writes=[(buffer, low, low + 1)], reads=[(buffer, low, low + 1)],
                 outside=True)]


def own_memory(scene):
    """Memory that comes and goes."""
    buffer, low, high = scene.range(False)
    kind = "double" if buffer.element == "real" else "int"
    count = min(high - low, 500)
    lines = ["{", f"  {kind}* p = ({kind}*)malloc({count} * sizeof({kind}));",
             f"  memcpy(p, {scene.address(buffer, low)}, {count} * sizeof({kind}));",
             f"  p = ({kind}*)realloc(p, {count + 100} * sizeof({kind}));",
             f"  acc = (acc * 31 + (int)p[{count - 1}]) & 1048575;", "  free(p);", "}"]
    return [Node(lines, group=scene.program.group(), role="touch", reads=[(buffer, low, low + count)])]


def dynamic_index(scene):
    """An element whose place only the run knows."""
    buffer, low, high = scene.range(True)
    where = f"{low} + (fz_given[{scene.rng.randint(0, 63)}] % {high - low})"
    line = f"{scene.access(buffer, where)} = {scene.value(buffer.element, 5, 'it1')};"
    return [Node(line, group=scene.program.group(), role="touch", writes=[(buffer, low, high)])]


def jump_back(scene):
    """A loop made of goto."""
    buffer, low, high = scene.range(True)
    label = scene.new("again")
    where = scene.access(buffer, "i")
    value = f"{where} + 1.5" if buffer.element == "real" else f"({where} + 1) & 65535"
    lines = [f"i = {low};", f"{label}:", f"{where} = {value};", f"if (++i < {high}) goto {label};"]
    return [Node(lines, group=scene.program.group(), role="touch", writes=[(buffer, low, high)], reads=[(buffer, low, high)])]


def write_file(scene):
    number = scene.program.number()
    lines = ["{", "  char name[40];", f'  snprintf(name, sizeof name, "file.{number}.%d", rank);', '  FILE* f = fopen(name, "w");',
             '  fprintf(f, "%d\\n", acc);', "  fclose(f);", "}"]
    return [Node(lines, group=scene.program.group(), role="output")]


def switch_through(scene):
    buffer, low, high = scene.range(True)
    where = scene.access(buffer, low)
    add = "+= 1.25" if buffer.element == "real" else "= 77"
    lines = [f"switch (fz_given[{scene.rng.randint(0, 63)}] % 4) {{", f"  case 0: {where} {add}; /* fall through */",
             "  case 1: acc ^= 5; break;", f"  case 2: {where} {add};", "    break;", "  default: acc ^= 9;", "}"]
    return [Node(lines, group=scene.program.group(), role="touch", writes=[(buffer, low, low + 1)], reads=[(buffer, low, low + 1)])]


def parallel(scene):
    """A parallel region, which shares a buffer by its name or by a variable that holds its address."""
    buffer, low, high = scene.range(True)
    kind = "double" if buffer.element == "real" else "int"
    held, q = scene.new("held"), scene.new("q")
    how = scene.rng.choice(["", " schedule(dynamic, 64)", " schedule(static, 7)"])
    where = f"{held}[{q} - {low}]" if scene.rng.random() < 0.5 else scene.access(buffer, q)
    value = f"{where} * 0.5 + {q}" if buffer.element == "real" else f"({where} + {q}) & 65535"
    lines = ["{", f"  {kind}* {held} = {scene.address(buffer, low)};", f"  #pragma omp parallel for num_threads(2){how}",
             f"  for (int {q} = {low}; {q} < {high}; ++{q}) {where} = {value};", f"  acc ^= {held} == 0;", "}"]
    return [Node(lines, group=scene.program.group(), role="touch", writes=[(buffer, low, high)], reads=[(buffer, low, high)])]


ALL = [copy_memory, compare_memory, saved_pointer, volatile, assembly, atomics, callback, own_memory, dynamic_index, jump_back,
       write_file, switch_through, parallel, parallel]
