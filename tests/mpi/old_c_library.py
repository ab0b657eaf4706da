"""Clusters have C libraries that are years older: 2.28 is the oldest that the recorder is built and works with. And other
processors than the one that it was built on.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import subprocess
import unittest

from recorded_runs import EXAMPLES, RECORDER, RecordedTestCase, launch_line

OLDEST = (2, 28)
# What the libraries import from a newer glibc, and why they can still be built with an older one.
MOVED = "was in libdl or libpthread before 2.34, or has a new version there"
HEADER = "was a function of the header, with another one behind it, before 2.33"
WEAK = "may be missing (surroundings/loaded_objects); libgcc.a needs it where the compiler was built with that glibc"
COMPILER = "comes with libgcc.a or libstdc++.a, of the compiler that builds: an older system's does not ask for it"
ALLOWED = {
    "dlopen": MOVED, "dlsym": MOVED, "dlerror": MOVED, "dladdr": MOVED, "dladdr1": MOVED, "dlinfo": MOVED, "dlclose": MOVED,
    "pthread_sigmask": MOVED, "pthread_setspecific": MOVED, "pthread_key_create": MOVED, "__pthread_key_create": MOVED,
    "pthread_once": MOVED, "pthread_getspecific": MOVED, "sem_getvalue": MOVED,
    "pthread_attr_getstack": MOVED, "pthread_attr_setstacksize": MOVED,
    "pthread_mutex_trylock": MOVED, "pthread_rwlock_tryrdlock": MOVED, "pthread_rwlock_trywrlock": MOVED, "mtx_trylock": MOVED,
    "stat": HEADER, "fstat": HEADER, "lstat": HEADER,
    "_dl_find_object": WEAK,
    "arc4random": COMPILER, "__libc_single_threaded": COMPILER,
}


def imports_of_newer_glibc(library):
    """Name -> version."""
    listing = subprocess.run(["objdump", "-T", library], text=True, check=True, capture_output=True).stdout
    names = re.findall(r"\*UND\*.*\(?GLIBC_(\d+)\.(\d+)[\d.]*\)?\s+(\w+)$", listing, re.M)
    return {name: (int(major), int(minor)) for major, minor, name in names if (int(major), int(minor)) > OLDEST}


# Encoded as AVX and what came after it: wider registers, or three operands.
AVX = re.compile(r"\tv[a-z0-9]+ .*%[xyz]mm|%[yz]mm\d|%k[0-7]\b")


def has_avx(library):
    with subprocess.Popen(["objdump", "--disassemble", "--no-show-raw-insn", library], text=True, stdout=subprocess.PIPE) as process:
        found = any(AVX.search(line) for line in process.stdout)
        process.kill()
        return found


def libraries():
    backends = sorted((RECORDER.parent / "waitprof").glob("libwaitprof-*.so"))
    assert backends
    return RECORDER, *backends


class OldProcessors(RecordedTestCase):
    def test_no_instruction_of_newer_processors(self):
        self.assertTrue(has_avx("/lib/x86_64-linux-gnu/libm.so.6"))  # where the processor is asked first
        for library in libraries():
            with self.subTest(library=library.name):
                self.assertFalse(has_avx(library))


class OldCLibrary(RecordedTestCase):
    def test_nothing_newer_is_needed(self):
        for library in libraries():
            with self.subTest(library=library.name):
                newer = imports_of_newer_glibc(library)
                self.assertIn("dlsym", newer)  # shows that the listing is parsed
                self.assertEqual({name: version for name, version in newer.items() if name not in ALLOWED}, {})

    def paths_of(self, settings):
        """Call paths of the recording, and the cause that was named."""
        command = launch_line(3, EXAMPLES / "imbalance", "--steps", "20")
        done = self.run_recorded(command, settings=settings | {"WAITPROF_SAMPLING": "wall"})
        self.assertEqual(done.status, 0, done.stderr)
        self.assertNotIn("libwaitprof", done.stderr)
        archive = self.archives()[-1]
        report = self.report(archive)
        return archive, report["causes"][0]["call_path"], report["run"]["mpi_calls"]

    def test_recordings_are_the_same(self):
        with_glibc = self.paths_of({"WAITPROF_DIR": str(self.directory / "a")})
        with_table = self.paths_of({"WAITPROF_DIR": str(self.directory / "b"), "WAITPROF_TEST_OBJECT_TABLE": "on"})
        self.assertEqual(with_table[1:], with_glibc[1:])
        self.assertIn("eos_match_if_970", str(with_table[1]))


if __name__ == "__main__":
    unittest.main()
