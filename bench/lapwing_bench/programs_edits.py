# SPDX-License-Identifier: Apache-2.0
"""Edits that turn the copy of a program's sources into its version by hand (bench/recipes/README.md).

The project holds nothing of these programs: an edit names a place in a file by a regular expression, which must match
there once, and holds the text that takes that place.
"""
import os
import re

from .errors import BenchError

_BEGIN = "@@ "


class Edit:
    """One edit: the file, the pattern of its anchor, the new text, and its line in the file of edits."""

    def __init__(self, file, pattern, line):
        self.file, self.pattern, self.line, self.text = file, pattern, line, ""


class Edits:
    """A file of edits; name is that of the recipe, for sentences."""

    def __init__(self, path, name):
        self.path, self._name = path, name
        try:
            with open(path, encoding="utf-8") as file:
                self.text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise BenchError(f"The recipe {name} has no version by hand, for {path} cannot be read: {error}.") from None
        self.edits = self._parse()

    def _parse(self):
        edits = []
        for number, line in enumerate(self.text.splitlines(keepends=True), 1):
            if line.startswith(_BEGIN):
                words = line[len(_BEGIN):].rstrip("\n").split(" ", 1)
                if len(words) != 2 or os.path.isabs(words[0]) or ".." in words[0].split("/"):
                    self._refuse(number, "an edit begins with `@@ FILE REGEX`, and FILE lies below the sources")
                try:
                    edits.append(Edit(words[0], re.compile(words[1], re.MULTILINE), number))
                except re.error as error:
                    self._refuse(number, f"`{words[1]}` is no regular expression: {error}")
            elif edits:
                edits[-1].text += line
            elif line.strip() and not line.startswith("#"):
                self._refuse(number, "only comments stand before the first `@@ FILE REGEX`")
        if not edits:
            self._refuse(1, "there is no edit in it")
        return edits

    def apply(self, folder):
        """Changes the files below `folder`. Each edit sees what those before it have made."""
        for edit in self.edits:
            path = os.path.join(folder, edit.file)
            try:
                with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                    text = file.read()
            except OSError:
                self._refuse(edit.line, f"the sources have no file {edit.file}")
            places = list(edit.pattern.finditer(text))
            if len(places) != 1:
                found = f"in {len(places)} places" if places else "nowhere"
                self._refuse(edit.line, f"the anchor `{edit.pattern.pattern}` is to be found once in {edit.file}, and is {found}")
            begin, end = places[0].span(1 if edit.pattern.groups else 0)
            if begin < 0:
                self._refuse(edit.line, f"the group of the anchor `{edit.pattern.pattern}` matches nothing in {edit.file}")
            with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
                file.write(text[:begin] + edit.text + text[end:])

    def _refuse(self, line, why):
        raise BenchError(f"The recipe {self._name} has no version by hand: line {line} of {self.path} cannot be used, for {why}.")
