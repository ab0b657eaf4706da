"""A job in which only some ranks have the recorder runs as without it: no rank waits for ranks that do not
answer.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from recorded_runs import PROGRAMS, PROGRESS_NAP, RECORDER, RecordedTestCase, launch_line, run

RANKS = 5
# Some ranks run without the recorder; MACHINES=several hides that all share one machine.
SCRIPT = """
case " $WITHOUT " in *" ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} "*) LIBRARIES=$WITHOUT_IT ;; esac
case $MACHINES in
several) [ -z "$PMI_RANK" ] || export MPI_LOCALNRANKS=1; [ -z "$OMPI_COMM_WORLD_RANK" ] || export OMPI_COMM_WORLD_LOCAL_SIZE=1 ;;
esac
LD_PRELOAD=$LIBRARIES exec "$@"
"""
MISSING = r"\Alibwaitprof: (only \d of 5|not all of 5) ranks have this library .*\n\Z"


class Attendance(RecordedTestCase):
    def run_some(self, machines, without):
        variables = {"MACHINES": machines, "WITHOUT": without, "WITHOUT_IT": str(PROGRESS_NAP),
                     "LIBRARIES": f"{RECORDER}:{PROGRESS_NAP}"}
        done = run(launch_line(RANKS, "sh", "-c", SCRIPT, "sh", PROGRAMS / "ends", "normal"), settings=variables,
                   directory=self.directory, timeout=30)
        self.assertEqual((done.status, done.stdout), (0, f"ends: {RANKS} ranks\n"), done.stderr)
        self.assertEqual([path.name for path in self.directory.iterdir() if path.name.startswith(".")], [])
        return done

    def assert_unrecorded(self, machines, *groups):
        for without in groups:
            with self.subTest(without=without):
                done = self.run_some(machines, without)
                self.assertRegex(done.stderr, MISSING)
                self.assertEqual(self.archives(), [])

    def test_some_ranks_of_one_machine(self):
        self.assert_unrecorded("one", "0", "1 3")

    def test_some_ranks_of_several_machines(self):
        self.assert_unrecorded("several", "0", "4", "1 2", "0 1 2 3")

    def test_all_ranks_of_several_machines(self):
        done = self.run_some("several", "")
        self.assertEqual((done.stderr, len(self.archives())), ("", 1))


if __name__ == "__main__":
    unittest.main()
