# SPDX-License-Identifier: Apache-2.0
"""C and C++ text without what a search must not see; lines keep their numbers."""
import re

TOKEN = re.compile(
    r"""(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)
      | (?P<raw>R"(?P<delimiter>[^()\s\\]{0,16})\(.*?\)(?P=delimiter)")
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<char>(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+')""",
    re.DOTALL | re.VERBOSE)


def blank(matched):
    return "".join(c if c == "\n" else " " for c in matched)


def without_comments(source):
    return TOKEN.sub(lambda m: blank(m.group()) if m.group("comment") else m.group(), source)


def without_strings(source):
    return TOKEN.sub(lambda m: m.group() if m.group("comment") else blank(m.group()), source)
