"""cmake --install puts everything in place, and the installed parts find each other.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import subprocess
import unittest

from recorded_runs import BUILD, EXAMPLES, MPIEXEC, RecordedTestCase, run


class Installation(RecordedTestCase):
    def setUp(self):
        super().setUp()
        self.prefix = self.directory / "prefix"
        subprocess.run([os.environ["TEST_CMAKE"], "--install", BUILD, "--prefix", self.prefix], check=True,
                       stdout=subprocess.DEVNULL)

    def test_installed_files(self):
        names = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertTrue({"bin/waitdiag", "include/waitprof.h"} <= names, names)
        self.assertEqual(len(list(self.prefix.glob("lib*/**/libwaitprof.so"))), 1, names)

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


if __name__ == "__main__":
    unittest.main()
