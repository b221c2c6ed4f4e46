# SPDX-License-Identifier: Apache-2.0
"""What only Fortran programs do between a start and a wait, or after."""
from tree import Node


def region_of(buffer, low, high):
    return f"{buffer.name}({low + 1}:{high})"


def whole_array(scene):
    """Array expressions, which the compiler may put into temporaries."""
    rng, words = scene.rng, scene.words
    buffer, low, high = scene.range(True)
    part = region_of(buffer, low, high)
    value = f"{part} * 0.5d0 + {rng.randint(1, 9)}" if buffer.element == "real" else f"iand({part} + {rng.randint(1, 99)}, 65535)"
    if rng.random() < 0.4:
        value = f"{buffer.name}({high}:{low + 1}:-1)"  # reversed, through a temporary
    del words
    return [Node(f"{part} = {value}", group=scene.program.group(), role="touch", writes=[(buffer, low, high)], reads=[(buffer, low, high)])]


def intrinsic(scene):
    buffer, low, high = scene.range(False)
    part = region_of(buffer, low, high)
    what = scene.rng.choice(["maxval", "minval", "count"])
    value = f"count({part} > 100)" if what == "count" else f"int({what}({part}))"
    return [Node(f"acc = iand(acc * 31 + {value}, 1048575)", group=scene.program.group(), role="touch", reads=[(buffer, low, high)])]


def section_argument(scene):
    """A section with a stride: what is called works on a copy, which is put back."""
    rng, words = scene.rng, scene.words
    buffer, low, high = scene.range(True)
    if high - low < 4:
        return whole_array(scene)
    name = words.helper(scene.program, rng, "write", buffer.element)
    count = (high - low + 1) // 2
    line = f"call {name}({buffer.name}({low + 1}:{high}:2), 0, {count}, {rng.randint(1, 9)})"
    return [Node(line, group=scene.program.group(), role="touch", writes=[(buffer, low, high)], reads=[(buffer, low, high)])]


def saved_address(scene):
    rng, words = scene.rng, scene.words
    buffer, low, high = scene.range(True)
    if buffer.kind not in ("common", "pointer") and not buffer.target:
        return whole_array(scene)
    slot, group = rng.randint(0, 63), scene.program.group()
    keep = Node(words.keep(slot, buffer, low, high - low), group=group)
    if rng.random() < 0.5 or buffer.kind == "common":
        use = Node(f"call fz_peek({scene.program.number()}, {slot})", group=group, role="touch", reads=[(buffer, low, high)], outside=True)
    else:
        use = Node(f"call fz_poke({slot}, {rng.randint(1, 99)})", group=group, role="touch", writes=[(buffer, low, high)],
                   reads=[(buffer, low, high)], outside=True)
    return [keep, use]


def write_file(scene):
    number = scene.program.number()
    lines = ["block", "  character(len=40) :: name", f"  write(name, '(a, i0)') 'file.{number}.', rank",
             f"  open(unit={10 + number % 80}, file=name, status='replace')", f"  write({10 + number % 80}, *) acc",
             f"  close({10 + number % 80})", "end block"]
    return [Node(lines, group=scene.program.group(), role="output")]


def write_buffer(scene):
    buffer, low, high = scene.range(False)
    high = min(high, low + 8)
    form = "'(8(1x, es20.12))'" if buffer.element == "real" else "'(8(1x, i0))'"
    return [Node(f"write(*, {form}) {region_of(buffer, low, high)}", group=scene.program.group(), role="touch",
                 reads=[(buffer, low, high)], outside=True)]


def masked_assignment(scene):
    buffer, low, high = scene.range(True)
    part = region_of(buffer, low, high)
    lines = [f"where ({part} > 500)", f"  {part} = {part} / 2", "elsewhere", f"  {part} = {part} + 3", "end where"]
    return [Node(lines, group=scene.program.group(), role="touch", writes=[(buffer, low, high)], reads=[(buffer, low, high)])]


def own_array(scene):
    buffer, low, high = scene.range(False)
    kind = "double precision" if buffer.element == "real" else "integer"
    high = min(high, low + 400)
    lines = ["block", f"  {kind}, allocatable :: own(:)", f"  own = {region_of(buffer, low, high)}",
             "  own = [own, own(1)]", "  acc = iand(acc * 31 + int(own(size(own))), 1048575)", "end block"]
    return [Node(lines, group=scene.program.group(), role="touch", reads=[(buffer, low, high)])]


def concurrent(scene):
    buffer, low, high = scene.range(True)
    value = f"dble(i) + {scene.rng.randint(1, 9)}" if buffer.element == "real" else f"iand(i + {scene.rng.randint(1, 9)}, 65535)"
    lines = [f"do concurrent (i = {low + 1}:{high})", f"  {buffer.name}(i) = {value}", "end do"]
    return [Node(lines, group=scene.program.group(), role="touch", writes=[(buffer, low, high)])]


ALL = [whole_array, intrinsic, section_argument, saved_address, write_file, write_buffer, masked_assignment, own_array, concurrent]
