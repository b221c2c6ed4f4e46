# SPDX-License-Identifier: Apache-2.0
"""Adds the entry points of MPI libraries to src/calls/names.

    collect.py FAMILY LIBRARY...

A build needs the headers of one member of a family, and serves all of its
members: the names that they export are kept in one file for each family.
Libraries of the C interface and of Fortran are told apart by their file names.
"""

import fnmatch
import os
import sys

import table


def stem_of(family, path):
    file = os.path.basename(path).split(".so")[0]
    for stem in table.LIBRARIES[family]:
        if any(fnmatch.fnmatchcase(file, pattern) for pattern in stem.split("|")):
            return stem
    sys.exit(f"collect.py: {path} is no library of the family {family}, which has {', '.join(table.LIBRARIES[family])}")


def entries_of(path, known):
    """Entry points alone: what programs call, without the profiling layer."""
    for name in table.exported(path)[0]:
        try:
            symbol = table.classify(name, known)
        except table.TableError:
            continue
        if symbol and not symbol.profiling:
            yield name


def main(arguments):
    if len(arguments) < 2 or arguments[0] not in table.LIBRARIES:
        sys.exit(__doc__)
    family, known = arguments[0], table.Table()
    names = table.load_names(family)
    for path in arguments[1:]:
        stem = stem_of(family, path)
        functions, called = names.setdefault(stem, (set(), set()))
        functions.update(entries_of(path, known))
        if stem == "libmpi_usempif08":
            called.update(n for n in table.exported(path)[1] if n.startswith(("ompi_", "ompix_")))
    table.save_names(family, names)


if __name__ == "__main__":
    main(sys.argv[1:])
