# SPDX-License-Identifier: Apache-2.0
"""Which labs exist: one record and one empty mount point for each, in a folder of the user's own.

Everything else of a lab lives in its namespaces and goes with them, so what a crash can leave behind is
one small file and one empty folder. Whether a record is alive is asked of its keeper process, known by
process id and start time, so that a reused id misleads nobody.
"""
import json
import os
import re
import secrets
import stat
import tempfile

from .errors import NetlabError


def folder():
    path = os.path.join(tempfile.gettempdir(), f"netlab-{os.getuid()}")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise NetlabError(f"Cannot make {path} for the records of labs: {error.strerror}. "
                          "Set TMPDIR to a folder that you may write to.") from None
    if re.search(r"[^-\w./+=@]", path):
        raise NetlabError(f"The folder {path} is to hold the launcher's scripts, and its name would confuse "
                          "the launchers; set TMPDIR to a folder with a plain name.")
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise NetlabError(f"{path} is not a folder of yours; remove it or set TMPDIR elsewhere.")
    return path


def new_name():
    return secrets.token_hex(3)


def mount_point(name):
    return os.path.join(folder(), name)


def _record_path(name):
    return os.path.join(folder(), name + ".json")


def start_time(pid):
    """Clock ticks since boot at which the process began; None if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def reserve(name):
    """Makes the mount point, which also reserves the name; its owner is the caller until write()."""
    try:
        os.mkdir(mount_point(name), 0o700)
    except FileExistsError:
        raise NetlabError(f"A lab named {name} exists already; use another name, "
                          f"or remove it with: netlab down {name}") from None
    write(name, {"name": name, "keeper": os.getpid()})


def write(name, record):
    record = dict(record, keeper_start=start_time(record["keeper"]))
    path = _record_path(name)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record, file)
    os.replace(path + ".new", path)


def read(name):
    """The record of a live lab, or None."""
    try:
        with open(_record_path(name), encoding="utf-8") as file:
            record = json.load(file)
    except (OSError, ValueError):
        return None
    started = start_time(record.get("keeper", 0))
    return record if started is not None and started == record.get("keeper_start") else None


def forget(name):
    """Removes the record and the mount point; harmless where they are gone already."""
    forget_at(mount_point(name))


def forget_at(place):
    """The same, by mount point: for the keeper, whom a user namespace shows another user id."""
    for path in (place + ".json", place + ".json.new"):
        try:
            os.unlink(path)
        except OSError:
            pass
    try:
        os.rmdir(place)
    except OSError:
        pass


def names():
    return sorted({entry.split(".json")[0] for entry in os.listdir(folder())})


def alive():
    return [record for record in map(read, names()) if record]


def clean():
    """Removes what dead labs left behind, and returns their names."""
    removed = []
    for name in names():
        if read(name) is None and _settled(name):
            forget(name)
            removed.append(name)
    return removed


def _settled(name):
    """False for the instant between the making of the mount point and of its record."""
    if os.path.exists(_record_path(name)):
        return True
    try:
        made = os.stat(mount_point(name)).st_mtime
    except OSError:
        return True
    with tempfile.TemporaryFile(dir=folder()) as probe:   # the file system's own clock
        return os.fstat(probe.fileno()).st_mtime - made > 2
