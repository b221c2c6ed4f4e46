# SPDX-License-Identifier: Apache-2.0
"""All that can be reproduced: a paper's module registers its measurements, tables and figures."""
from . import jade, jade_figures, jade_serial
from .model import Registry


def full():
    registry = Registry()
    for module in (jade, jade_figures, jade_serial):
        module.register(registry)
    registry.check()
    return registry
