"""One vocabulary of options: a word takes the same kind of value in every command.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import unittest

WAITDIAG = os.environ["TEST_WAITDIAG"]
OPTION = re.compile(r"^  (?:-\w,)?(--[\w-]+)(?: (?!Excludes:)([^ a-z]\S*|block\S*|[a-z]+\|\S+))?(?= |$)", re.MULTILINE)


def help_of(*command):
    return subprocess.run([WAITDIAG, *command, "--help"], text=True, check=True, capture_output=True).stdout


class Vocabulary(unittest.TestCase):
    def test_a_word_takes_one_kind_of_value(self):
        commands = re.findall(r"^  (\w+) {2,}", help_of().split("Subcommands:")[1], re.MULTILINE)
        self.assertIn("report", commands)
        kinds = {}
        for command in commands:
            for option, value in OPTION.findall(help_of(command)):
                kind = value.rstrip(".,")  # lists of it are of the same kind
                kinds.setdefault(option, {}).setdefault(kind, []).append(command)
        self.assertGreater(len(kinds), 60)
        self.assertEqual(kinds["--json"].keys(), {"FILE"})
        self.assertGreater(len(kinds["--json"]["FILE"]), 6)
        self.assertEqual({option: seen for option, seen in kinds.items() if len(seen) > 1}, {})


if __name__ == "__main__":
    unittest.main()
