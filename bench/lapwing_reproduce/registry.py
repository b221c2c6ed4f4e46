# SPDX-License-Identifier: Apache-2.0
"""All that can be reproduced: a paper's module registers its measurements, tables and figures."""
from . import compiler, hpf, hunt, jade, jade_figures, jade_serial, mips
from .model import Registry


def full():
    registry = Registry()
    for module in (jade, jade_figures, jade_serial, mips, hpf, compiler, hunt):
        module.register(registry)
    registry.check()
    return registry
