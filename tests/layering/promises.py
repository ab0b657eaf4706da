"""README keeps its promises: the settings it lists are the recorder's, the files it names exist.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("TEST_SOURCE", Path(__file__).resolve().parents[2]))


def readme():
    return (SOURCE / "README.md").read_text(encoding="utf-8")


def settings_of_the_recorder():
    """The table in settings.cpp: variable -> (values, default)."""
    table = (SOURCE / "libwaitprof/record/settings.cpp").read_text(encoding="utf-8")
    rows = re.findall(r'\{\{"(WAITPROF_\w+)",\s*"([^"]*)",\s*"([^"]*)",', table)
    return {variable: (values, default) for variable, values, default in rows}


def settings_in_readme():
    rows = re.findall(r"^\| `(WAITPROF_\w+)` \| `([^`]*)` \| `([^`]*)` \|", readme(), re.MULTILINE)
    return {variable: (values.replace(r"\|", "|"), default) for variable, values, default in rows}


class Promises(unittest.TestCase):
    def test_settings_are_the_recorders(self):
        self.assertGreater(len(settings_of_the_recorder()), 3)
        self.assertEqual(settings_in_readme(), settings_of_the_recorder())

    def test_links_lead_somewhere(self):
        for path in sorted([SOURCE / "README.md", *SOURCE.glob("share/doc/**/*.md"), *SOURCE.glob("examples/*.md")]):
            for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
                with self.subTest(page=path.name, target=target):
                    self.assertTrue((path.parent / target).exists())

    def test_examples_are_all_in_their_table(self):
        page = (SOURCE / "examples/README.md").read_text(encoding="utf-8")
        built = re.findall(r"waitprof_example\((\w+)", (SOURCE / "examples/CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertGreater(len(built), 5)
        for name in set(built) - {"name"}:
            self.assertIn(f"`{name}`", page)


if __name__ == "__main__":
    unittest.main()
