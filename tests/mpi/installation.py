"""cmake --install puts everything in place, and the installed parts find each other.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from recorded_runs import BUILD, EXAMPLES, MPIEXEC, RecordedTestCase, run


class Installation(RecordedTestCase):
    def setUp(self):
        super().setUp()
        self.prefix = self.directory / "prefix"
        subprocess.run([os.environ["TEST_CMAKE"], "--install", BUILD, "--prefix", self.prefix], check=True,
                       stdout=subprocess.DEVNULL)

    def test_installed_files(self):
        names = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertTrue({"bin/waitdiag", "bin/waitdiag-calibrate", "include/waitprof.h", "share/man/man7/waitprof.7",
                         "share/waitprof/machines/ideal.toml", "share/doc/waitprof/README.md",
                         "share/doc/waitprof/share/doc/recording.md", "share/doc/waitprof/examples/slurm/record.sh",
                         "share/waitprof/schema/waitdiag.report-1.schema.json"} <= names, names)
        [library] = self.prefix.glob("lib*/**/libwaitprof.so")
        for part in ("libwaitprof-mpich.so", "waitdiag-calibrate-mpich"):
            self.assertTrue((library.parent / "waitprof" / part).is_file(), names)

    def test_a_wrong_wish_for_a_backend_is_one_line(self):
        for words, complaint in ((["build"], "belong together"), (["--mpicc", "mpicc"], "belong together"),
                                 (["build", "--mpicc", "/no/mpicc"], "--mpicc /no/mpicc is no program")):
            done = run([self.prefix / "bin/waitdiag", "backend", *words])
            self.assertIn(done.status, (2, 3))
            self.assertIn(complaint, done.stderr.splitlines()[-1])

    def test_installed_backends_are_listed(self):
        done = run([self.prefix / "bin/waitdiag", "backend"])
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^MPICH [\d.]+  /.*/waitprof/libwaitprof-mpich.so$")
        shutil.rmtree(next(self.prefix.glob("lib*/waitprof")))
        done = run([self.prefix / "bin/waitdiag", "backend"])
        self.assertEqual((done.status, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"\Awaitdiag: no backend in .*; make one with `waitdiag backend build --mpicc PATH`\n\Z")

    def test_installed_waitdiag_records_and_reports(self):
        done = run([self.prefix / "bin/waitdiag", "run", "--sampling", "wall", "--", MPIEXEC, "-n", "2", EXAMPLES / "imbalance"],
                   directory=self.directory)
        self.assertEqual(done.status, 0, done.stderr)
        self.assertIn("eos_match_if_970", done.stderr)

    def test_installed_header_needs_no_library(self):
        source = self.directory / "marked.c"
        source.write_text('#include <waitprof.h>\n'
                          'int main(void) { WAITPROF_FUNCTION(); waitprof_region_begin("a");'
                          ' waitprof_region_end("a"); return 0; }\n')
        program = self.directory / "marked"
        include = f"-I{self.prefix}/include"
        for compiler in (["cc", "-std=c11"], ["c++", "-x", "c++", "-std=c++17"]):
            with self.subTest(compiler=compiler):
                subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", include, source, "-o", program],
                               check=True)
                self.assertEqual(run([program]).status, 0)

    def help_of(self, *command):
        done = run([self.prefix / "bin/waitdiag", *command, "--help"])
        self.assertEqual(done.status, 0, done.stderr)
        return done.stdout

    def commands(self):
        return re.findall(r"^  ([a-z]+) ", self.help_of().split("Subcommands:")[1], re.M)

    def test_manual_pages_have_every_command_and_option(self):
        commands = self.commands()
        self.assertGreater(len(commands), 8)
        pages = self.prefix / "share/man/man1"
        self.assertEqual({path.name for path in pages.iterdir()},
                         {"waitdiag.1", "waitdiag-calibrate.1"} | {f"waitdiag-{command}.1" for command in commands})
        texts = {command: self.help_of(command) for command in commands}
        texts["calibrate"] = run([self.prefix / "bin/waitdiag-calibrate", "--help"]).stdout
        for command, text in texts.items():
            page = (pages / f"waitdiag-{command}.1").read_text().replace("\\-", "-")
            for option in set(re.findall(r"^ +(?:-\w, ?|-\w,)?(--[a-z-]+)", text, re.M)):
                self.assertIn(f"\\fB{option}\\fR" if command == "calibrate" else option, page, f"{command} {option}")

    def test_manual_of_settings_is_the_readmes(self):
        page = (self.prefix / "share/man/man7/waitprof.7").read_text().replace("\\-", "-")
        readme = (self.prefix / "share/doc/waitprof/README.md").read_text()
        settings = re.findall(r"^\| `(WAITPROF_\w+)` \| `([^`]*)`", readme, re.M)
        self.assertGreater(len(settings), 10)
        for name, values in settings:
            shown = values.replace("\\|", "|")
            self.assertIn(f"\\fB{name}\\fR=\\fI{shown}\\fR", page)

    def test_completions_are_read_by_their_shells(self):
        share = self.prefix / "share"
        scripts = {"bash": share / "bash-completion/completions/waitdiag",
                   "zsh": share / "zsh/vendor-completions/_waitdiag",
                   "fish": share / "fish/vendor_completions.d/waitdiag.fish"}
        for shell, script in scripts.items():
            with self.subTest(shell=shell):
                if shutil.which(shell) is None:
                    self.skipTest(f"no {shell}")
                done = run([shell, "-n", script])
                self.assertEqual((done.status, done.stderr), (0, ""))
        here = self.directory / "completed"
        (here / "run").mkdir(parents=True)
        for name in ("a.case", "kept.json", "mvs.toml", "notes.txt"):
            (here / name).touch()
        for words, expected in {"rep": {"report"}, "report --colo": {"--color"}, "report --color a": {"auto", "always"},
                                "predict --machine mv": {"mvs-15k", "mvs.toml"}, "patterns late_b": {"late_broadcast"},
                                "report ": {"run", "a.case"}, "compare ": {"run", "a.case", "kept.json"},
                                "predict --unit-times ": {"run", "mvs.toml"}}.items():
            line = ["waitdiag", *words.split()] + ["''"] * words.endswith(" ")
            done = run(["bash", "-c", f'cd {here}; . {scripts["bash"]}; COMP_WORDS=({" ".join(line)}); COMP_CWORD={len(line) - 1}; '
                                      '_waitdiag; printf "%s\\n" "${COMPREPLY[@]}"'])
            self.assertEqual(set(done.stdout.split()), expected, done.stderr)

    def test_examples_are_built_in_one_line(self):
        done = run([os.environ["TEST_MPICC"], "-O2", "-g", self.prefix / "share/doc/waitprof/examples/imbalance.c",
                    "-o", self.directory / "imbalance"])
        self.assertEqual((done.status, done.stdout + done.stderr), (0, ""))

    def test_build_systems_find_it(self):
        library = next(self.prefix.glob("lib*/**/libwaitprof.so")).parent
        flags = run(["pkg-config", "--cflags", "waitprof"], settings={"PKG_CONFIG_PATH": str(library / "pkgconfig")})
        self.assertEqual(Path(flags.stdout.strip().removeprefix("-I")).resolve(), self.prefix / "include", flags.stderr)
        project = self.directory / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(p C)\nfind_package(WaitProf 0.1 REQUIRED)\n"
            "add_executable(marked marked.c)\ntarget_link_libraries(marked PRIVATE WaitProf::markers)\n")
        (project / "marked.c").write_text("#include <waitprof.h>\nint main(void) { waitprof_step(); return 0; }\n")
        for arguments in (["-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                          ["--build", project / "build"]):
            done = run([os.environ["TEST_CMAKE"], *arguments])
            self.assertEqual(done.status, 0, done.stdout + done.stderr)

    def test_debian_packages(self):
        done = run(["cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", self.directory,
                    "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"], timeout=110)
        self.assertEqual(done.status, 0, done.stdout + done.stderr)
        packages = {path.name.split("_")[0]: path for path in self.directory.glob("*.deb")}
        depends = {name: run(["dpkg-deb", "--field", path, "Depends"]).stdout for name, path in packages.items()}
        for needed in ("libc6", "libunwind8", "libtbb12", "libfmt9"):
            self.assertIn(needed, depends["waitprof"])
        for mpi in ("libmpich", "libopenmpi"):
            self.assertNotIn(mpi, depends["waitprof"])
        self.assertRegex(depends["waitprof-mpich"], r"\bwaitprof \(= .*libmpich12\b")
        files = [path for package in packages.values() for path in run(["sh", "-c", 'dpkg-deb --fsys-tarfile "$0" | tar t', package]).stdout.split()
                 if not path.endswith("/")]
        self.assertEqual(sorted(set(files)), sorted(files))  # so they can be installed together
        description = run(["dpkg-deb", "--field", packages["waitprof"], "Description"]).stdout
        self.assertNotIn(";", description)  # would show that a CMake list was written
        root = self.directory / "root"
        for package in ("waitprof", "waitprof-mpich"):  # and apart
            self.assertEqual(run(["dpkg-deb", "--extract", packages[package], root]).status, 0)
            self.assertEqual(run([root / "usr/bin/waitdiag", "--version"]).status, 0)
        done = run([root / "usr/bin/waitdiag", "run", "--sampling", "wall", "--", MPIEXEC, "-n", "2", EXAMPLES / "imbalance"],
                   directory=self.directory)
        self.assertEqual(done.status, 0, done.stderr)
        self.assertIn("eos_match_if_970", done.stderr)
        if shutil.which("lintian"):
            found = run(["lintian", "--allow-root", *packages.values()]).stdout
            self.assertEqual([line for line in found.splitlines() if line.startswith("E:")], [])


if __name__ == "__main__":
    unittest.main()
