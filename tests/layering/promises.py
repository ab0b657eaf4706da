"""README keeps its promises: the settings it lists are the recorder's, the files it names exist.

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
import os
import re
import runpy
import sys
import types
import unittest
import unittest.mock
from pathlib import Path

SOURCE = Path(os.environ.get("TEST_SOURCE", Path(__file__).resolve().parents[2]))
SPACK = SOURCE / "share/package/spack"


def readme():
    return (SOURCE / "README.md").read_text(encoding="utf-8")


def settings_of_the_recorder():
    """Variable -> (values, default): from the table in settings.cpp and the members in settings.hpp."""
    room = SOURCE / "libwaitprof/settings"
    members = dict(re.findall(r"^  \w+ (\w+) = (?:\w+::)*(\w+);", (room / "settings.hpp").read_text(encoding="utf-8"), re.M))
    schema = (SOURCE / "libwaitprof/schema/schema.hpp").read_text(encoding="utf-8")
    members = {member: dict(re.findall(r"int (k\w+) = (\w+);", schema)).get(value, value) for member, value in members.items()}
    defaults = {member: {"true": "on", "false": "off"}.get(value, value.lower()) for member, value in members.items()}
    rows = re.findall(r'setting<(?:&S::)?(\w+)>\(\s*"(WAITPROF_\w+)",\s*"([^"]*)",\s*"([^"]*)"',
                      (room / "settings.cpp").read_text(encoding="utf-8"))
    return {variable: (values, defaults.get(member, words)) for member, variable, values, words in rows}


def settings_in_readme():
    rows = re.findall(r"^\| `(WAITPROF_\w+)` \| `([^`]*)` \| `([^`]*)` \|", readme(), re.MULTILINE)
    return {variable: (values.replace(r"\|", "|"), default) for variable, values, default in rows}


class Promises(unittest.TestCase):
    def test_settings_are_the_recorders(self):
        self.assertGreater(len(settings_of_the_recorder()), 3)
        self.assertEqual(settings_in_readme(), settings_of_the_recorder())

    def test_colours_of_the_page_are_those_of_the_classes_of_functions(self):
        rows = (SOURCE / "libwaitprof/spec/call_classes.spec").read_text(encoding="utf-8").splitlines()
        colours = {line.split()[2] for line in rows if line and not line.startswith("#")}
        for path, pattern in (("share/web/data/model.ts", r"KINDS = \[\n(.*?)\]"),
                              ("analyzer/writers/page/colour_class.cpp", r"kColourNames\{(.*?)\}")):
            names = re.search(pattern, (SOURCE / path).read_text(encoding="utf-8"), re.DOTALL).group(1)
            self.assertEqual(re.findall(r'"(\w+)"', names), [
                "computation", "point_to_point", "collective", "one_sided", "io", "start_end", "other_mpi", "measurement"])
        self.assertEqual(colours, set(re.findall(r'"(\w+)"', names)) - {"computation", "measurement"})

    def test_links_lead_somewhere(self):
        for path in sorted([SOURCE / "README.md", *SOURCE.glob("share/doc/**/*.md"), *SOURCE.glob("examples/*.md")]):
            for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
                with self.subTest(page=path.name, target=target):
                    self.assertTrue((path.parent / target).exists())

    def test_files_that_pages_name_exist(self):
        """Names in backticks: a file by its extension, or by its path below one of our folders; in tables of
        files by its stem."""
        tops = {path.name: path for path in SOURCE.iterdir() if path.name != "build" and not path.name.startswith(".git")}
        files = [top for top in tops.values() if top.is_file()]
        files += [path for top in tops.values() for path in top.rglob("*") if "__pycache__" not in path.parts]
        ends = {"/" + "/".join(path.parts[-length:]) for path in files for length in range(1, 6)}
        ends |= {end.rsplit(".", 1)[0] for end in ends if "." in end.rsplit("/", 1)[1][1:]}
        foreign = re.compile(r"mpif?\.h$|\.\w+$|waitdiag\.[\w-]+/1$|slow/report\.html$|DIR/|share/doc/waitprof/|bin/|main/|build/")
        made = (SOURCE / "libwaitprof/Wrappers.cmake").read_text(encoding="utf-8")
        made += (SOURCE / "share/cmake/MpiFunctions.cmake").read_text(encoding="utf-8")
        for page in [path for path in files if path.suffix == ".md"]:
            text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            names = set(re.findall(r"`([\w./-]+(?:\.(?:hpp|cpp|py|ts|md|spec|cmake|txt|toml|css|h|f90|sh))|[\w.-]+/[\w./-]+)`", text))
            for table in re.findall(r"^\| (?:files?|script) \|.*\n\|.*\n((?:\|.*\n)+)", text, flags=re.MULTILINE) * (page.name == "README.md"):
                names |= {name for row in table.splitlines() for name in re.findall(r"`([\w./-]+)`", row.split("|")[1])}
            for name in sorted(names):
                if not foreign.match(name) and name not in made and "/" + name.strip("/") not in ends:
                    with self.subTest(page=str(page.relative_to(SOURCE))):
                        self.assertTrue((page.parent / name).exists(), f"there is no {name}")

    def test_examples_are_all_in_their_table(self):
        page = (SOURCE / "examples/README.md").read_text(encoding="utf-8")
        built = re.findall(r"waitprof_example\((\w+)", (SOURCE / "examples/CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertGreater(len(built), 5)
        for name in set(built) - {"name"}:
            self.assertIn(f"`{name}`", page)

    def test_spacks_recipe_is_read_before_and_after_spack_1(self):
        """By stand-ins for what it takes from either of them."""
        class CMakePackage:
            def define(self, name, value):
                return f"-D{name}={value}"

        for place in ("spack.package", "spack_repo.builtin.build_systems.cmake"):  # of CMakePackage
            said = []
            directives = {name: lambda *words, name=name, **_: said.append((name, *words)) for name in ("license", "version", "depends_on", "conflicts")}
            stand_ins = {name: types.ModuleType(name) for path in {"spack.package", place} for name in itertools.accumulate(path.split("."), "{}.{}".format)}
            vars(stand_ins["spack.package"]).update(directives)
            vars(stand_ins[place]).update(CMakePackage=CMakePackage, generator=lambda *_: None)
            with self.subTest(place=place), unittest.mock.patch.dict(sys.modules, stand_ins):
                for path in sorted((SPACK / "packages").glob("*/package.py")):  # by name: waitprof is the last
                    said.clear()
                    recipe = runpy.run_path(str(path))[path.parent.name.capitalize()]
                self.assertIn(("depends_on", "mpi@3.1:"), said)  # whichever it is
                self.assertFalse([words for words in said if re.match("openmpi|mpich", words[1])])
                package = recipe()
                for name, mpicc in (("mpich", "mpicc.mpich"), ("openmpi", "mpicc.openmpi"), ("mvapich", "mpicc")):
                    package.spec = {"mpi": types.SimpleNamespace(mpicc="/usr/bin/mpicc", name=name)}
                    with unittest.mock.patch("os.path.exists", re.compile("/usr/bin/mpicc[.](mpich|openmpi)$").match):
                        words = package.cmake_args()
                    self.assertIn(f"-DWAITPROF_MPICC=/usr/bin/{mpicc}", words)
                    self.assertIn(f"-DWAITPROF_OPENMPI_MPICC=/usr/bin/{mpicc}", words)

    def test_spack_knows_every_library(self):
        recipe = (SPACK / "packages/waitprof/package.py").read_text(encoding="utf-8")
        name_in_spack = {"Boost": "boost", "CLI11": "cli11", "ELF": "elfutils", "Eigen3": "eigen", "LIBDW": "elfutils", "LibArchive": "libarchive", "MPI": "mpi@", "OTF2": "otf2@",
                         "PkgConfig": "pkgconfig", "PROTOZERO_INCLUDE": "protozero", "Python3": "python@", "TBB": "tbb",
                         "TOMLPLUSPLUS": "tomlplusplus", "tomlplusplus": "tomlplusplus", "ZLIB": "zlib-api", "fmt": "fmt", "nlohmann_json": "nlohmann-json",
                         "pugixml": "pugixml"}
        rooms = [path for room in ("analyzer", "libwaitprof", "tools") for path in (SOURCE / room).rglob("CMakeLists.txt")]
        text = "\n".join(path.read_text(encoding="utf-8") for path in rooms)
        needed = set(re.findall(r"(?:find_package|pkg_check_modules)\((\w+)|find_path\((PROTOZERO_INCLUDE)", text))
        needed = {name or path for name, path in needed} - {"Threads"}
        self.assertGreater(len(needed), 8)
        for name in needed:
            self.assertIn(f'depends_on("{name_in_spack[name]}', recipe)


if __name__ == "__main__":
    unittest.main()
