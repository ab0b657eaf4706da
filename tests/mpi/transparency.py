"""The recorder is a guest: programs print, compute and end as they do without it, and programs that do not
use MPI do not notice it at all.

SPDX-License-Identifier: BSD-3-Clause
"""
import shutil
import sys
import unittest

from recorded_runs import EXAMPLES, MPIEXEC, PROGRAMS, PROGRESS_NAP, RECORDER, RecordedTestCase, launch_line, run


class Transparency(RecordedTestCase):
    off_processor = "switches"

    def assert_inert(self, *command):
        """Nothing printed, nothing written, nothing changed, however the loader binds."""
        plain = run(command, directory=self.directory)
        for binding in ({}, {"LD_BIND_NOW": "1"}):
            with self.subTest(command=command, **binding):
                self.assertEqual(run(command, preload=[RECORDER], settings=binding, directory=self.directory), plain)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_preload_into_true(self):
        self.assert_inert("/bin/true")

    def test_preload_into_a_shell(self):
        self.assert_inert("bash", "-c", "echo out; echo err >&2; ls /dev/null | cat; exit 3")

    def test_preload_into_the_launcher(self):
        self.assert_inert(MPIEXEC, "--version")
        # MPICH's launcher may end by SIGPIPE, recorded or not, if its processes are gone before it has passed on its input.
        self.assert_inert(MPIEXEC, "-n", "2", "sh", "-c", "sleep 0.2; echo hello")

    def test_output_and_status_are_unchanged(self):
        for program, arguments in [(PROGRAMS / "mixture", ()), (PROGRAMS / "ends", ("normal",)),
                                   (PROGRAMS / "ends", ("status",)), (PROGRAMS / "ends", ("empty",)),
                                   (EXAMPLES / "imbalance", ("--steps", "2"))]:
            with self.subTest(program=program.name, arguments=arguments):
                command = launch_line(3, program, *arguments)
                archive = {"WAITPROF_DIR": str(self.directory / f"{program.name}-{''.join(arguments)}")}
                self.assertEqual(self.run_recorded(command, settings=archive), self.run_plain(command))

    def test_what_mpi_refuses_and_what_its_callbacks_do(self):
        """MPI rejects a NULL status, with the recorder as without; messages sent in callbacks are missing,
        and the report says so."""
        command = launch_line(2, PROGRAMS / "callbacks")
        plain, recorded = self.run_plain(command), self.run_recorded(command)
        self.assertEqual((recorded.status, recorded.stderr), (plain.status, plain.stderr))
        self.assertEqual(sorted(recorded.stdout.splitlines()), sorted(plain.stdout.splitlines()))
        exchanged = sum(int(line.split()[-1]) for line in plain.stdout.splitlines() if "exchanged" in line)
        self.assertGreater(exchanged, 0)
        [archive] = self.archives()
        quality = {entry["id"]: entry["count"] for entry in self.report(archive)["data_quality"]}
        self.assertEqual(quality.get("untracked_communication"), exchanged)

    def test_the_end_comes_also_where_ranks_talk_by_sockets(self):
        """As between nodes: without the recorder, MPICH before 4.2 hangs in MPI_Finalize here most of the time."""
        sockets = {"UCX_TLS": "tcp,self", "MPIR_CVAR_NOLOCAL": "1", "WAITPROF_TEST_CLOCKS": "0",
                   "WAITPROF_DIR": str(self.directory / "archive")}
        for arguments in [()] * 6 + [("alarms",)] * 4:
            done = run(launch_line(4, PROGRAMS / "late_messages", *arguments), preload=[RECORDER], settings=sockets,
                       directory=self.directory, timeout=30)
            self.assertEqual(done, (0, "all sent\n", ""))
            shutil.rmtree(self.directory / "archive")

    def test_a_single_process_without_a_launcher(self):
        command = [PROGRAMS / "mixture"]
        self.assertEqual(self.run_recorded(command), self.run_plain(command))
        self.assertEqual(len(self.archives()), 1)

    def test_lazy_and_immediate_binding_record_the_same(self):
        command = launch_line(2, PROGRAMS / "mixture")
        done = self.run_recorded(command, settings={"LD_BIND_NOW": "1"})
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assertEqual(len(self.archives()), 1)

    def outcomes(self, command, times):
        """hydra's exit status after an abnormal end depends on a race: the set of outcomes without the
        recorder."""
        return {self.run_plain(command).status for _ in range(times)}

    def test_abort_ends_as_it_does_without(self):
        command = launch_line(2, PROGRAMS / "ends", "abort")
        self.assertIn(self.run_recorded_to_a_status(command).status, self.outcomes(command, 5) | {8, 9})

    def test_exit_without_finalize_ends_as_it_does_without(self):
        command = launch_line(2, PROGRAMS / "ends", "unfinalized")
        self.assertIn(self.run_recorded_to_a_status(command).status, self.outcomes(command, 5) | {5, 9})

    def test_no_rank_waits_for_ranks_without_the_library(self):
        def part(ranks, *preload):
            libraries = ":".join(str(library) for library in (*preload, PROGRESS_NAP))
            return ["-n", ranks, "-env", "LD_PRELOAD", libraries, PROGRAMS / "ends", "status"]

        for first, second in (((2, RECORDER), (1,)), ((1,), (2, RECORDER))):
            with self.subTest(first=first, second=second):
                done = run([MPIEXEC, *part(*first), ":", *part(*second)], directory=self.directory)
                self.assertEqual((done.status, done.stdout), (7, "ends: 3 ranks\n"))
                self.assertRegex(done.stderr, r"\Alibwaitprof: only 2 of 3 ranks have this library .*\n\Z")
        self.assertEqual(self.archives(), [])

    def test_mpi_that_comes_by_dlopen_is_recorded(self):
        done = run([PROGRAMS / "local_mpi", PROGRAMS / "liblocal_mpi_plugin.so"], preload=[RECORDER], directory=self.directory)
        self.assertEqual((done.status, done.stdout, done.stderr), (0, "local_mpi: 0\n", ""))
        self.assertEqual(len(self.archives()), 1)

    def test_names_of_libraries_that_come_late_mean_the_same(self):
        names = ("liblate_plugin.so", "$ORIGIN/late/liblate_plugin.so", "/none/liblate_plugin.so", "libnone.so")
        for tags in ("enable-new-dtags", "disable-new-dtags"):
            with self.subTest(tags):
                command = launch_line(1, PROGRAMS / f"opens_late_{tags}", *names)
                plain = self.run_plain(command)
                self.assertEqual(plain.stdout.count("found"), 2, plain.stdout)
                self.assertEqual(self.run_recorded(command, settings={"WAITPROF_DIR": str(self.directory / tags)}), plain)

    def test_mpi_calls_that_bypass_the_recorder_are_reported(self):
        plugin = PROGRAMS / "liblocal_mpi_plugin.so"
        line = r"\Alibwaitprof: this program uses (MPICH \(libmpich.so.12\)|an MPI), but not by the names of its functions .*\n\Z"
        for arguments in ((), (plugin, "deepbind"), (plugin, "namespace")):
            with self.subTest(arguments=arguments):
                command = [PROGRAMS / "local_mpi", *arguments]
                done = run(command, preload=[RECORDER], directory=self.directory)
                self.assertEqual((done.status, done.stdout), (0, "local_mpi: 0\n"), done.stderr)
                self.assertRegex(done.stderr, line)
                for settings in ({"PMI_RANK": "1"}, {"WAITPROF_ENABLE": "off"}):
                    self.assertEqual(run(command, preload=[RECORDER], settings=settings).stderr, "")
        self.assertEqual(self.archives(), [])

    def test_mpi_that_is_loaded_but_not_used_is_not_reported(self):
        load = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
        done = run([sys.executable, "-c", load, "libmpich.so.12"], preload=[RECORDER])
        self.assertEqual((done.status, done.stdout, done.stderr), (0, "", ""))

    def test_recorded_without_room_for_thread_local_storage(self):
        """All thread-local data is in the preloaded library: the backend needs no room that may already be
        used up."""
        copies = [self.directory / f"eater{number}.so" for number in range(200)]
        for copy in copies:
            shutil.copy(PROGRAMS / "libtls_eater.so", copy)
        done = run(launch_line(2, PROGRAMS / "full_tls", *copies), preload=[RECORDER, PROGRESS_NAP], directory=self.directory)
        self.assertEqual((done.status, done.stdout, done.stderr), (0, "full_tls: full\n", ""))
        self.assertEqual(len(self.archives()), 1)

    def test_threads_on_the_smallest_stacks(self):
        """A stack holds the thread-local data of all libraries: there has to be room for ours, and for our calls."""
        for settings in ({}, {"WAITPROF_SAMPLING": "wall", "WAITPROF_OFF_PROCESSOR": "switches"}):
            with self.subTest(settings):
                done = self.run_recorded(launch_line(2, PROGRAMS / "small_stacks"), settings=settings)
                self.assertEqual((done.status, done.stdout, done.stderr), (0, "small_stacks: done\n", ""))
                [archive] = self.archives()
                self.assertEqual(self.events(archive)["MPI_SEND"], 2 * 3)
                shutil.rmtree(archive)

    def test_an_mpi_without_a_backend_is_named_and_left_alone(self):
        line = r"\Alibwaitprof: this program uses an MPI with the ABI of the MPI standard \(libmpi_abi.so.0\), which cannot be recorded: .*\n\Z"
        program, plugin = PROGRAMS / "standard_abi_user", PROGRAMS / "libstandard_abi_plugin.so"
        done = run([program, "an argument"], preload=[RECORDER], directory=self.directory)
        self.assertEqual((done.status, done.stdout), (0, f"{program} an argument: rank 3, preloaded {RECORDER}\n"))
        self.assertRegex(done.stderr, line)
        other_rank = run([program, "an argument"], preload=[RECORDER], settings={"OMPI_COMM_WORLD_RANK": "1"})
        self.assertEqual((other_rank.status, other_rank.stderr), (0, ""))
        by_dlopen = run([PROGRAMS / "local_mpi", plugin], preload=[RECORDER], directory=self.directory)
        self.assertEqual((by_dlopen.status, by_dlopen.stdout), (0, "local_mpi: 0\n"), by_dlopen.stderr)
        self.assertRegex(by_dlopen.stderr, line)
        self.assertEqual(self.archives(), [])

    def test_without_its_backend_the_recorder_says_what_is_missing(self):
        """And the program runs as usual, even if the library was named by a path that is no longer valid."""
        alone = self.directory / "alone" / "libwaitprof.so"
        alone.parent.mkdir()
        shutil.copy(RECORDER, alone)
        done = run(launch_line(2, PROGRAMS / "ends", "status"), preload=[alone, PROGRESS_NAP], directory=self.directory)
        self.assertEqual((done.status, done.stdout), (7, "ends: 2 ranks\n"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in ("MPICH", str(alone.parent / "waitprof"), "mpicc", "nothing is recorded"):
            self.assertIn(word, done.stderr)
        (alone.parent / "waitprof").symlink_to(RECORDER.parent / "waitprof")
        done = run([PROGRAMS / "mixture"], preload=["alone/libwaitprof.so"], directory=self.directory)
        self.assertEqual((done.status, done.stderr, len(self.archives())), (0, "", 1))

    def test_children_of_an_mpi_program_leave_no_trace(self):
        command = launch_line(2, "bash", "-c", f"/bin/true; {PROGRAMS / 'ends'} normal")
        done = self.run_recorded(command)
        self.assertEqual((done.status, done.stderr), (0, ""))
        self.assertEqual(len(self.archives()), 1)


class Trouble(RecordedTestCase):
    """Whatever goes wrong with the recording, the application does not notice; the user gets one line."""

    def run_with(self, **settings):
        variables = {f"WAITPROF_{name}": str(value) for name, value in settings.items()}
        return self.run_recorded(launch_line(2, PROGRAMS / "ends", "status"), settings=variables)

    def assert_application_unaffected(self, done):
        self.assertEqual((done.status, done.stdout), (7, "ends: 2 ranks\n"), done.stderr)

    def assert_one_line(self, done, *words):
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_a_directory_that_cannot_be_made(self):
        (self.directory / "file").write_text("in the way")
        done = self.run_with(DIR=self.directory / "file" / "archive")
        self.assert_application_unaffected(done)
        self.assert_one_line(done, "libwaitprof: ", str(self.directory / "file"))

    def test_an_existing_archive_is_never_overwritten(self):
        self.assert_application_unaffected(self.run_with(DIR=self.directory / "archive"))
        before = {path: path.read_bytes() for path in (self.directory / "archive").rglob("*") if path.is_file()}
        done = self.run_with(DIR=self.directory / "archive")
        self.assert_application_unaffected(done)
        self.assert_one_line(done, "archive-2")
        after = {path: path.read_bytes() for path in (self.directory / "archive").rglob("*") if path.is_file()}
        self.assertEqual(before, after)
        self.assertEqual([path.name for path in self.archives()], ["archive", "archive-2"])

    def test_an_unknown_setting_names_the_nearest(self):
        done = self.run_with(DIR=self.directory / "archive", SAMPLNG="wall")
        self.assert_application_unaffected(done)
        self.assert_one_line(done, "WAITPROF_SAMPLNG", "WAITPROF_SAMPLING")

    def test_a_value_that_makes_no_sense(self):
        done = self.run_with(DIR=self.directory / "archive", SAMPLING="sometimes")
        self.assert_application_unaffected(done)
        self.assert_one_line(done, "WAITPROF_SAMPLING", "sometimes", "cpu")

    def test_switched_off(self):
        done = self.run_with(ENABLE="off", DIR=self.directory / "archive")
        self.assert_application_unaffected(done)
        self.assertEqual((done.stderr, self.archives()), ("", []))

    def test_the_default_name_says_what_was_recorded(self):
        self.assert_application_unaffected(self.run_with())
        self.assertRegex(self.archives()[0].name, r"^waitprof-ends-2p-\d{8}-\d{4,6}$")


if __name__ == "__main__":
    unittest.main()
