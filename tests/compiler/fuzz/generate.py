# SPDX-License-Identifier: Apache-2.0
"""A program from a seed: a few scenes, each a function, that use what the other files offer."""
import random

import checking
import collectives
import exchanges
import faults
import fillers
import interior
import interior_ahead
import patterns
import special
import tree
from scene import Program, Scene
from words_c_calls import CWords
from words_fortran_calls import FortranWords


def words_of(language):
    return FortranWords() if language == "fortran" else CWords(language == "c++")


def exchange(scene):
    return scene.rng.choice(exchanges.ALL + patterns.ALL + interior.ALL + interior_ahead.ALL + collectives.ALL)(scene)


def write_scene(program, number, only=()):
    scene = Scene(program, number)
    rng = scene.rng
    scene.exchange = lambda: exchange(scene)
    scene.budget = rng.randint(2, 5)
    for _ in range(rng.randint(1, 3)):
        scene.buffer()
    checking.handlers(scene)
    if only:
        known = {f.__name__: f for f in exchanges.ALL + patterns.ALL + interior.ALL + interior_ahead.ALL + collectives.ALL + special.of(scene.words)}
        for name in only:
            if name in known:
                scene.body += fillers.block(scene, 1) + known[name](scene)
    elif rng.random() < 0.35:
        scene.body += rng.choice(special.of(scene.words))(scene)
    else:
        for _ in range(rng.randint(1, 3)):
            scene.body += exchange(scene) if rng.random() < 0.7 else fillers.statement(scene)
    scene.body += fillers.block(scene, 1)
    return scene


class Generated:
    """A program with what may be left out of it, and the fault that may be planted in it."""

    def __init__(self, language, seed, scenes=0, only=()):
        self.language, self.seed = language, seed
        rng = random.Random(f"{language} {seed}")
        self.program = Program(words_of(language), rng, seed)
        for number in range(scenes or rng.randint(2, 4)):
            self.program.scenes.append(write_scene(self.program, number, only))
        self.whole = {scene: scene.body for scene in self.program.scenes}

    def groups(self):
        return sorted(group for body in self.whole.values() for group in tree.groups(body))

    def scene_numbers(self):
        return [scene.number for scene in self.whole]

    def files(self, dropped=(), scenes=None, fault=None):
        """The text of each file, without some groups and scenes; None if the fault has no place in it."""
        program = self.program
        program.scenes = [s for s in self.whole if scenes is None or s.number in scenes]
        kept = {}
        for scene in program.scenes:
            scene.body = tree.without(self.whole[scene], set(dropped))
            kept[scene] = scene.late, scene.closing
        try:
            if fault and not faults.plant(fault, program, random.Random(f"{fault} {self.seed}")):
                return None
            return program.files()
        finally:
            for scene in self.whole:
                scene.body = self.whole[scene]
