# SPDX-License-Identifier: Apache-2.0
"""The folder of results: one JSON file for each measurement, which is kept and not measured again, and pictures."""
import json
import os


class Store:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)

    def path(self, name):
        return os.path.join(self.folder, name + ".json")

    def load(self, name):
        """The kept result, failures too; None where there is nothing that can be read."""
        try:
            with open(self.path(name), encoding="utf-8") as stream:
                kept = json.load(stream)
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) and kept.get("measurement") == name else None

    def finished(self, name, quick):
        """A measurement that need not be run again: one that succeeded, and a quick one only where quick ones are wanted."""
        kept = self.load(name)
        return kept is not None and "data" in kept and (quick or not kept.get("quick"))

    def save(self, name, kept):
        """In one step, so that an interrupted run leaves no half a file. A failure replaces no success."""
        if "data" not in kept and "data" in (self.load(name) or {}):
            return
        os.makedirs(self.folder, exist_ok=True)
        partial = self.path(name) + ".part"
        with open(partial, "w", encoding="utf-8") as stream:
            json.dump(rounded(kept), stream, indent=1)
            stream.write("\n")
        os.replace(partial, self.path(name))

    def write(self, name, text):
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as stream:
            stream.write(text)


def rounded(value):
    """Six digits are more than any of these figures has."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    return value
