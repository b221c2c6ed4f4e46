# SPDX-License-Identifier: Apache-2.0
"""Reads an installed mpif.h: the values of the constants, and the common blocks of the sentinels.

MPI's Fortran sentinels (MPI_BOTTOM, MPI_STATUS_IGNORE, ...) are known to the
library by their addresses in these blocks, so whatever is compiled must declare
the very same ones.
"""

import ast
import os
import re


class MpifError(Exception):
    pass


class Mpif:
    """values: name -> int or bool; wide: names of 8 bytes; commons: block -> names of its members."""

    def __init__(self, folder):
        self.values, self.wide, self.commons = {}, set(), {}
        self.folder = folder
        for statement in self.statements("mpif.h"):
            self.take(statement)
        for name in ("MPI_COMM_WORLD", "MPI_STATUS_SIZE", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR"):
            if name not in self.values:
                raise MpifError(f"{os.path.join(folder, 'mpif.h')} has no {name}; is it an MPI's mpif.h?")
        if not any("mpi_bottom" in (m.lower() for m in members) for members in self.commons.values()):
            raise MpifError(f"{os.path.join(folder, 'mpif.h')} has no common block with MPI_BOTTOM")

    def statements(self, name):
        """The statements of a file that is both free and fixed form, includes in their places."""
        path = os.path.join(self.folder, name)
        try:
            with open(path, encoding="latin-1") as file:
                lines = file.read().splitlines()
        except OSError as error:
            raise MpifError(f"cannot read {path}: {error.strerror}; is Open MPI's or MPICH's Fortran package "
                            "installed?") from None
        text = ""
        for line in lines:
            if line[:1] in "cC*!" or line.lstrip().startswith("!"):
                continue
            line = line.split("!")[0].rstrip()
            if re.match(r" {5}[^ 0]", line):
                text = text.rstrip("\n& ") + line[6:] + "\n"
            elif text.endswith("&\n"):
                text = text[:-2] + line.lstrip("& ") + "\n"
            else:
                text += line + "\n"
        for line in text.splitlines():
            include = re.match(r"\s*include\s*['\"](.*?)['\"]", line, re.I)
            # The arguments of its specific procedures are not those of MPI; ours are our own.
            if include and "sizeof" not in include[1]:
                yield from self.statements(include[1])
            elif not include:
                yield line.strip()

    def take(self, statement):
        wide = re.match(r"integer\s*(?:\*\s*8|\(\s*kind\s*=\s*mpi_(?:offset|address|count)_kind\s*\))[\s:]*(.*)",
                        statement, re.I)
        if wide:
            self.wide.update(n.strip().upper() for n in wide[1].split(","))
        parameter = re.match(r"parameter\s*\((.*)\)$", statement, re.I)
        if parameter:
            for word in parameter[1].split(","):
                name, _, value = word.partition("=")
                self.values[name.strip().upper()] = self.value(value.strip())
        for block, members in re.findall(r"common\s*/\s*(\w+)\s*/\s*([\w\s,]+)", statement, re.I):
            self.commons[block.lower()] = [m.strip().upper() for m in members.split(",")]

    def value(self, text):
        if text.lower() in (".true.", ".false."):
            return text.lower() == ".true."
        try:
            return self.integer(ast.parse(text.strip(), mode="eval").body)
        except (SyntaxError, KeyError, ValueError):
            raise MpifError(f"{os.path.join(self.folder, 'mpif.h')}: cannot tell the value of '{text}'") from None

    def integer(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return self.values[node.id.upper()]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.integer(node.operand)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            left, right = self.integer(node.left), self.integer(node.right)
            if isinstance(node.op, ast.Mult):
                return left * right
            return left + right if isinstance(node.op, ast.Add) else left - right
        raise ValueError(node)
