"""refusing_kernel.py ERROR COMMAND...: executes the command where perf_event_open fails with that error (EPERM, ENOSYS),
as by the seccomp profiles of containers.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import errno
import os
import sys

PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[os.uname().machine]


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("if_so", ctypes.c_uint8), ("if_not", ctypes.c_uint8), ("value", ctypes.c_uint32)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(Instruction))]


def refuse(number, error):
    instructions = (Instruction * 4)(Instruction(LOAD, 0, 0, 0), Instruction(JUMP_IF_EQUAL, 0, 1, number),
                                     Instruction(RETURN, 0, 0, FAIL | error), Instruction(RETURN, 0, 0, ALLOW))
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(instructions), instructions)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")


refuse(PERF_EVENT_OPEN, getattr(errno, sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])
