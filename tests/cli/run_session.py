"""Runs a session: commands as a user types them, with what they must print and return.

    $ waitdiag reprot x             a command, given to sh in a fresh directory
    > text                          a line of stdout
    ! text                          a line of stderr
    ? 2                             the exit status; 0 when there is no such line

"..." inside a line stands for any text; alone it stands for any number of lines. Lines starting with # are comments;
"# needs: unprivileged": root, who may read everything, runs the session as the user nobody, or skips it where
that user may not start waitdiag.

Usage: run_session.py SESSION PATH-ENTRY...      exit status 0: as expected, 1: not, 77: skipped

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

SKIPPED = 77
TIMEOUT_S = 60
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


class Step(NamedTuple):
    line: int
    command: str
    stdout: list
    stderr: list
    status: list


def read_session(path):
    steps, unprivileged = [], False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.rstrip("\n")
            if text.startswith("#"):
                unprivileged = unprivileged or text == "# needs: unprivileged"
            elif text.startswith("$ "):
                steps.append(Step(number, text[2:], [], [], []))
            elif text[:1] in (">", "!", "?") and steps:
                part = {">": steps[-1].stdout, "!": steps[-1].stderr, "?": steps[-1].status}[text[0]]
                part.append(text[2:])
            elif text:
                sys.exit(f"{path}:{number}: a line must start with $, >, !, ? or #")
    return steps, unprivileged


def pattern(lines):
    """Expected lines as one regular expression over the whole output."""
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("...")) + "\n")
    return re.compile("".join(parts))


def complaint(name, expected, actual):
    if pattern(expected).fullmatch(actual):
        return ""
    wanted = "".join(f"      {line}\n" for line in expected) or "      (nothing)\n"
    got = "".join(f"      {line}\n" for line in actual.splitlines()) or "      (nothing)\n"
    return f"    {name}: expected\n{wanted}    {name}: actual\n{got}"


def session_environment(path_entries):
    dropped = ("WAITPROF_", "TEST_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    for name in ("LD_PRELOAD", "NO_COLOR"):
        clean.pop(name, None)
    clean["PATH"] = os.pathsep.join(path_entries + [clean.get("PATH", "")])
    return clean | {"LC_ALL": "C.UTF-8", "COLUMNS": "140", "TERM": "dumb"}


def run_shell(command, directory, environment, user):
    return subprocess.run(["sh", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **user)


def run_step(step, directory, environment, user):
    done = run_shell(step.command, directory, environment, user)
    wanted = int(step.status[0]) if step.status else 0
    text = complaint("stdout", step.stdout, done.stdout) + complaint("stderr", step.stderr, done.stderr)
    if done.returncode != wanted:
        text += f"    status: expected {wanted}, actual {done.returncode}\n"
    return text


def main(session, *path_entries):
    steps, unprivileged = read_session(session)
    user = NOBODY if unprivileged and os.geteuid() == 0 else {}
    failures = 0
    environment = session_environment(list(path_entries))
    with tempfile.TemporaryDirectory(prefix="waitdiag-cli-") as directory:
        if user:
            os.chown(directory, user["user"], user["group"])
            if run_shell("waitdiag --version && command -v sample_archive", directory, environment, user).returncode:
                print("skipped: root may read everything, and nobody may not start waitdiag here")
                return SKIPPED
        for step in steps:
            text = run_step(step, directory, environment, user)
            if text:
                failures += 1
                print(f"{session}:{step.line}: {step.command}\n{text}")
    return 1 if failures or not steps else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
