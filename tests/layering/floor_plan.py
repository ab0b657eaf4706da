"""The floor plan holds: who includes whom, how long a file may be, what no file may say, what every room has.

The rooms of the analyser and their arrows are read from the CMake files, so that they are written down once.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("TEST_SOURCE", Path(__file__).resolve().parents[2]))
TOP_FOLDERS = ("analyzer", "examples", "libwaitprof", "share", "tests", "tools", ".ci")
MAXIMAL_LINES = 400
MAXIMAL_README_LINES = 60

# header (as written in the #include) -> the folders that may include it
FOREIGN_HEADERS = {
    r"otf2/": ["libwaitprof/archive", "libwaitprof/smpi", "analyzer/read", "analyzer/write", "tests"],
    r"simgrid/|smpi/": ["libwaitprof/smpi", "examples/smpi", "tests/smpi"],
    r"mpi\.h": ["libwaitprof", "examples", "tests", "tools/calibrate"],
    r"boost/graph": ["analyzer/logic_tree"],
    r"toml\+\+/": ["analyzer/toml"],
    r"elfutils/|dwarf\.h": ["analyzer/read"],
    r"protozero/": ["analyzer/exports", "tests"],
    r"CLI/": ["tools/waitdiag", "tools/calibrate", "tests"],
    r"gtest/|gmock/": ["tests"],
    r"benchmark/": ["tests/bench"],
    r"tbb/|oneapi/": ["analyzer/parallel"],
}
# folder -> folders of ours that it must not include from
FORBIDDEN_NEIGHBOURS = {
    "libwaitprof": r"(analyzer|tools|tests)/",
    "analyzer": r"(libwaitprof/(?!schema/)|tools/|tests/)",
    "tools": r"(libwaitprof/(?!schema/|recover/recover_archive\.hpp)|tests/)",
    "examples": r"(analyzer|libwaitprof|tools|tests)/",
}


def tracked(*suffixes):
    """Our files with one of the suffixes, relative to the source directory."""
    for top in TOP_FOLDERS:
        for path in sorted((SOURCE / top).rglob("*")):
            if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
                yield path.relative_to(SOURCE)


def text(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def includes(path):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text(path), re.MULTILINE)


def below(path, folder):
    return path.is_relative_to(folder)


def rooms():
    """Room of the analyser -> rooms it may include from: the DEPENDS of its waitdiag_room(), followed to the end."""
    direct = {}
    for path in tracked(".txt"):
        if path.name == "CMakeLists.txt" and below(path, "analyzer"):
            for name, body in re.findall(r"waitdiag_room\((\w+)(.*?)\)", text(path), re.DOTALL):
                depends = re.search(r"(?<!PRIVATE_)\bDEPENDS\s+([\w\s]*?)(?:PRIVATE_DEPENDS|SOURCES|$)", body, re.DOTALL)
                direct[name] = set(depends.group(1).split()) if depends else set()

    def closure(name):
        return {name}.union(*(closure(other) for other in direct.get(name, ())))
    return {name: closure(name) for name in direct}


class FloorPlan(unittest.TestCase):
    def assert_none(self, offences):
        self.assertEqual([], list(offences))

    def test_foreign_headers_stay_in_their_rooms(self):
        self.assert_none(
            f"{path} includes {header}: only {', '.join(folders)} may"
            for path in tracked(".c", ".h", ".cpp", ".hpp") for header in includes(path)
            for pattern, folders in FOREIGN_HEADERS.items()
            if re.match(pattern, header) and not any(below(path, folder) for folder in folders))

    def test_neighbours_do_not_look_into_each_other(self):
        self.assert_none(
            f"{path} includes {header}"
            for path in tracked(".c", ".h", ".cpp", ".hpp") for header in includes(path)
            for folder, forbidden in FORBIDDEN_NEIGHBOURS.items()
            if below(path, folder) and re.match(forbidden, header))

    def test_rooms_of_the_analyser_include_along_the_arrows(self):
        allowed = rooms()
        self.assertIn("model", allowed)
        self.assert_none(
            f"{path} includes {header}, but {room} does not depend on {target}"
            for path in tracked(".cpp", ".hpp") if below(path, "analyzer") and len(path.parts) > 2
            for room in [path.parts[1]]
            for header in includes(path) for target in re.findall(r"^analyzer/(\w+)/", header)
            if target not in allowed.get(room, set()))

    def test_no_constant_of_a_file_hides_one_of_a_header(self):
        """Files that are compiled as one (CMAKE_UNITY_BUILD) share their unnamed namespaces: it would hide it for all."""
        constant = re.compile(r"^(?:inline |static )?(?:constexpr|constinit|const) .*?\b(k[A-Z]\w*)\b(?: =|\{|\[)", re.MULTILINE)
        for top in ("analyzer", "libwaitprof", "tools"):
            headers = {name: path for path in tracked(".hpp") if below(path, top) for name in constant.findall(text(path))}
            self.assertTrue(headers)
            self.assert_none(f"{name} of {path} is also in {headers[name]}"
                             for path in tracked(".cpp") if below(path, top)
                             for name in constant.findall(text(path)) if name in headers)

    def test_files_are_short(self):
        self.assert_none(
            f"{path}: {lines} lines" for path in tracked(".c", ".h", ".cpp", ".hpp", ".py", ".f90", ".cmake", ".txt")
            for lines in [text(path).count("\n")] if lines > MAXIMAL_LINES)

    def test_every_source_has_a_licence_line(self):
        self.assert_none(
            str(path) for path in tracked(".c", ".h", ".cpp", ".hpp", ".py", ".f90")
            if "SPDX-License-Identifier: BSD-3-Clause" not in text(path))

    def test_every_header_is_guarded(self):
        self.assert_none(str(path) for path in tracked(".h", ".hpp")
                         if "#pragma once" not in text(path) and "#ifndef" not in text(path))

    def test_no_paths_of_a_machine(self):
        machine = re.compile("/(?:" + "|".join(["work", "root"]) + r")\b")
        self.assert_none(f"{path}: {line.strip()}" for path in tracked(".c", ".h", ".cpp", ".hpp", ".py", ".f90", ".cmake",
                                                                       ".txt", ".md", ".spec", ".case", ".json")
                         for line in text(path).splitlines() if machine.search(line) and path != self.this_file())

    def test_nothing_is_left_to_do(self):
        unfinished = re.compile(r"\b(?:" + "|".join(["TODO", "FIXME", "XXX", "HACK"]) + r")\b(?!\(#\d+\))")
        self.assert_none(f"{path}: {line.strip()}" for path in tracked(".c", ".h", ".cpp", ".hpp", ".py", ".f90", ".cmake",
                                                                       ".txt", ".md")
                         for line in text(path).splitlines() if unfinished.search(line) and path != self.this_file())

    @staticmethod
    def this_file():
        return Path(__file__).resolve().relative_to(SOURCE.resolve())

    def test_every_room_explains_itself(self):
        folders = {path.parent for path in tracked(".c", ".cpp", ".hpp", ".py", ".f90", ".case")
                   if path.parts[0] in ("analyzer", "examples", "libwaitprof", "tools")
                   or path.parts[0] == "tests" and len(path.parts) == 3}
        self.assert_none(f"{folder} has no README.md" for folder in sorted(folders)
                         if not (SOURCE / folder / "README.md").exists())
        self.assert_none(f"{path} is longer than a page" for path in tracked(".md")
                         if path.name == "README.md" and text(path).count("\n") > MAXIMAL_README_LINES)

    def test_every_wait_pattern_has_a_case(self):
        patterns = set()
        for path in tracked(".cpp"):
            if below(path, "analyzer/patterns"):
                patterns.update(re.findall(r'\.id\s*=\s*"(\w+)"', text(path)))
        self.assertIn("late_sender", patterns)
        cases = "\n".join(text(path) for path in tracked(".case"))
        self.assert_none(f"{pattern} occurs in no .case file" for pattern in sorted(patterns)
                         if not re.search(rf"\bwait\s+{pattern}\b", cases))

    def test_every_script_is_executable(self):
        scripts = [path for top in ("tools", ".ci") for path in (SOURCE / top).rglob("*")
                   if path.is_file() and path.suffix == "" and path.read_bytes()[:2] == b"#!"]
        self.assertTrue(scripts)
        self.assert_none(str(path) for path in scripts if not os.access(path, os.X_OK))

    def test_bootstrap_names_what_it_does_not_know(self):
        done = subprocess.run([SOURCE / "tools/dev/bootstrap", "nonsense"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("nonsense", done.stderr)


if __name__ == "__main__":
    unittest.main()
