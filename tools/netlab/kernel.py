# SPDX-License-Identifier: Apache-2.0
"""The few system calls that Python's library lacks: unshare, setns, mount, umount2, prctl."""
import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _text(value):
    return None if value is None else os.fsencode(value)


def unshare(flags):
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def setns(descriptor, flag):
    _check(_libc.setns(ctypes.c_int(descriptor), ctypes.c_int(flag)), "setns")


def mount(source, target, kind=None, flags=0, options=None):
    _check(_libc.mount(_text(source), _text(target), _text(kind), ctypes.c_ulong(flags), _text(options)),
           f"mount {kind or source} on {target}")


def unmount(target):
    """Detaches the mount at once; the kernel frees it when its last user is gone."""
    _check(_libc.umount2(_text(target), MNT_DETACH), f"umount {target}")


def die_with_parent(signal_number):
    """The kernel sends the signal to this process when its parent ends, however it ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal_number), 0, 0, 0), "prctl(PR_SET_PDEATHSIG)")
