"""The floor plan holds: which file includes which, how long a file may be, which words no file may use, what
every room has.

The rooms of the analyser and their arrows are read from the CMake files, so that they are written down only
once.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("TEST_SOURCE", Path(__file__).resolve().parents[2]))
sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("waitprof_floor_plan", str(SOURCE / "tools/dev/floor-plan"))
FLOOR_PLAN = importlib.util.module_from_spec(importlib.util.spec_from_loader(_loader.name, _loader))
_loader.exec_module(FLOOR_PLAN)
TOP_FOLDERS = ("analyzer", "examples", "libwaitprof", "share", "tests", "tools", ".ci")
MAXIMAL_LINES = 400
MAXIMAL_README_WORDS = 1000

# header (as written in the #include) -> the folders that may include it
FOREIGN_HEADERS = {
    r"otf2/": ["libwaitprof/trace_files", "libwaitprof/records", "libwaitprof/definitions", "libwaitprof/archive", "libwaitprof/smpi", "analyzer/formats/read", "analyzer/formats/write", "tests"],
    r"simgrid/|smpi/": ["libwaitprof/smpi", "examples/smpi", "tests/smpi"],
    r"mpi\.h": ["libwaitprof", "examples", "tests", "tools/calibrate"],
    r"boost/graph": ["analyzer/simulation/logic_tree", "analyzer/trace/wait_for_graph", "tests"],
    r"Eigen/": ["analyzer/simulation/recorded_machine"],
    r"toml\+\+/": ["analyzer/toml"],
    r"elfutils/|dwarf\.h": ["analyzer/formats/symbols"],
    r"protozero/": ["analyzer/writers/exports", "tests"],
    r"archive(_entry)?\.h$": ["analyzer/writers/exports"],
    r"CLI/": ["tools/waitdiag", "tools/calibrate", "tests"],
    r"gtest/|gmock/": ["tests"],
    r"benchmark/": ["tests/bench"],
    r"tbb/|oneapi/": ["analyzer/trace/parallel"],
}
# The folders of the page's script: each imports from itself and from those before it.
WEB_ROOMS = ("data", "drawing", "timeline", "report", "pages")
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


def rooms(plan=None):
    """Folder of each room (of the analyser) -> folders that it may include from."""
    plan = plan or FLOOR_PLAN.rooms()
    folder = {room: str(place) for room, (place, _) in plan.items()}
    return {folder[room]: {folder[other] for other in FLOOR_PLAN.reachable(plan, room)} for room in plan}


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
        self.assertIn("analyzer/trace/model", allowed)
        self.assert_none(
            f"{path} includes {header}, but its CMake file does not depend on {target}"
            for path in tracked(".cpp", ".hpp") if str(path.parent) in allowed and str(path.parent) != "analyzer"
            for header in includes(path) for target in re.findall(r"^(analyzer/.+)/", header)
            if target not in allowed[str(path.parent)])

    def test_rooms_of_the_recorder_include_along_the_arrows(self):
        allowed = rooms(FLOOR_PLAN.recorder_rooms())
        self.assertIn("libwaitprof/buffer", allowed)
        no_rooms = ("libwaitprof", "libwaitprof/include", "libwaitprof/generated")
        for path in tracked(".cpp", ".hpp"):
            if not below(path, "libwaitprof") or str(path.parent) in no_rooms:
                continue
            for target in (str(Path(header).parent) for header in includes(path) if header.startswith("libwaitprof/")):
                with self.subTest(file=str(path)):
                    self.assertIn(target, allowed[str(path.parent)] | set(no_rooms), f"{path} must not include from there")

    def test_commands_share_only_what_stands_below_them(self):
        wing = "tools/waitdiag/"
        below_commands = {"command_line", "input", "output", "launching"}
        shared = {"command_line": {"command_line"}, "input": {"command_line", "input"},
                  "output": {"command_line", "input", "output"}, "launching": {"command_line", "input", "launching"}}
        seen = {(path.parent.name, Path(header).parent.name) for path in tracked(".cpp", ".hpp")
                if below(path, wing) and path.name != "main.cpp" for header in includes(path) if header.startswith(wing)}
        self.assertIn(("run", "launching"), seen)
        self.assert_none(f"{wing}{room} includes from {other}" for room, other in sorted(seen)
                         if other not in shared.get(room, below_commands | {room}))

    def test_every_folder_of_the_analyser_is_a_room_of_the_drawn_plan(self):
        self.assert_none(f"{path} lies in no room" for path in tracked(".cpp") if below(path, "analyzer")
                         if str(path.parent) not in rooms())
        drawn = subprocess.run([SOURCE / "tools/dev/floor-plan", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))

    def test_unit_tests_lie_as_the_rooms_do(self):
        homes = {Path("tools"): "tools/waitdiag", Path("libwaitprof"): "libwaitprof"}
        for folder in sorted({path.parent for path in tracked(".c", ".cpp") if below(path, "tests/unit")}):
            room = folder.relative_to("tests/unit")
            home = next((Path(home) / room.relative_to(top) for top, home in homes.items() if below(room, top)), "analyzer" / room)
            with self.subTest(folder=str(folder)):
                self.assertTrue((SOURCE / home).is_dir(), f"there is no {home}")
                built = text("tests/CMakeLists.txt") + " "
                self.assertTrue(re.search(rf"[ /]{room}[ \n]", built), "no test program has it")

    def test_no_constant_of_a_file_hides_one_of_a_header(self):
        """Files that are compiled as one (CMAKE_UNITY_BUILD) share their unnamed namespaces: a constant of
        one file would hide that of a header for all."""
        constant = re.compile(r"^(?:inline |static )?(?:constexpr|constinit|const) .*?\b(k[A-Z]\w*)\b(?: =|\{|\[)", re.MULTILINE)
        for top in ("analyzer", "libwaitprof", "tools"):
            headers = {name: path for path in tracked(".hpp") if below(path, top) for name in constant.findall(text(path))}
            self.assertTrue(headers)
            self.assert_none(f"{name} of {path} is also in {headers[name]}"
                             for path in tracked(".cpp") if below(path, top)
                             for name in constant.findall(text(path)) if name in headers)

    def test_rooms_of_the_page_import_from_those_before_them(self):
        web = Path("share/web")
        imports = {path.relative_to(web): [(path.parent / name).resolve() for name in re.findall(r' from "([^"]+)"', text(path))]
                   for path in tracked(".ts") if below(path, web)}
        self.assertEqual({path.parts[0] for path in imports if len(path.parts) > 1}, set(WEB_ROOMS))
        self.assertGreater(sum(map(len, imports.values())), 100)
        self.assert_none(f"{path} imports {name}" for path, names in imports.items() if len(path.parts) > 1
                         for name in names if name.parent.name not in WEB_ROOMS[:WEB_ROOMS.index(path.parts[0]) + 1])

    def test_a_type_is_defined_in_one_header(self):
        """Two types of one name in one namespace make a program ill-formed, which no compiler has to say."""
        opened = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{$|^(\})  // namespace|"
                            r"^(?:class|struct|enum class|enum|union) (\w+)(?![\w<]|::)[^;]*$")
        headers = {}
        for path in tracked(".hpp"):
            program = "recorder" if below(path, "libwaitprof") else "analyser"
            spaces = []
            for line in text(path).splitlines() if path.parts[0] in ("analyzer", "tools", "libwaitprof") else ():
                match = opened.match(line)
                if match and match[2]:
                    spaces.pop()
                elif match and match[3]:
                    headers.setdefault((program, *spaces, match[3]), []).append(str(path))
                elif match:
                    spaces.append(match[1])
        self.assertGreater(len(headers), 500)
        self.assert_none(f"{'::'.join(name[1:])}: {' and '.join(where)}" for name, where in headers.items() if len(where) > 1)

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
                         if path.name == "README.md" and len(text(path).split()) > MAXIMAL_README_WORDS)

    def test_every_wait_pattern_has_a_case(self):
        patterns = set()
        for path in tracked(".cpp"):
            if below(path, "analyzer/diagnosis/patterns"):
                patterns.update(re.findall(r'\.id\s*=\s*"(\w+)"', text(path)))
        self.assertIn("late_sender", patterns)
        cases = "\n".join(text(path) for path in tracked(".case"))
        self.assert_none(f"{pattern} occurs in no .case file" for pattern in sorted(patterns)
                         if not re.search(rf"\bwait\s+{pattern}\b", cases))

    def test_only_detection_names_wait_patterns(self):
        """It gives a wait its pattern; all others ask the pattern's members (WaitPattern)."""
        room, detection = "analyzer/diagnosis/patterns", "analyzer/diagnosis/detection"
        names = set(re.findall(r"\b(\w+)\b[,;]", "\n".join(re.findall(r"extern const WaitPattern ([^;]*;)",
                                                                    text(f"{room}/registry.hpp")))))
        ids = {name for path in tracked(".cpp") if below(path, room) for name in re.findall(r'\.id = "(\w+)"', text(path))}
        self.assertIn("late_sender", names & ids)
        named = re.compile(r"id_of\((?:" + "|".join(names) + r")\)|\b(?:" + "|".join(names - {"polling"}) + r")\b|"
                           r'"(?:' + "|".join(ids - {"polling"}) + r')"')
        self.assert_none(f"{path}: {line.strip()}" for path in tracked(".cpp", ".hpp", ".ts")
                         if path.parts[0] in ("analyzer", "tools", "share")
                         and not below(path, room) and not below(path, detection)
                         for line in text(path).splitlines() if named.search(line.split("//")[0])
                         and "footer(" not in line)

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
