"""Two nodes with a network between them: what is recorded there is whole, and a run recorded on a fast network is
predicted for a slow one that waitdiag-calibrate measured, and then made. By night only, and with root's rights.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import subprocess
import unittest

from recorded_runs import BUILD, MPIEXEC, PROGRAMS, RecordedTestCase, UNIT, WAITDIAG, may_make_namespaces, run, waiting_by_rank

RING = PROGRAMS / "ring"
MPI = os.environ["OVER_NETWORK"].split(":")[0]
CALIBRATE = BUILD / "tools" / "calibrate" / f"waitdiag-calibrate-{MPI}"
SLOW = "400mbit"
RUNS = 5
LONGEST = 120  # seconds, of a run
TOLERANCE = 0.05
LATE = 10 * 2  # units of time that each rank but the first waits in a program made of late_worker.h


@unittest.skipUnless(may_make_namespaces(), "no rights to make namespaces")
class Network(RecordedTestCase):
    def on_slow_nodes(self, *words):
        """MPICH 4.0 hangs in MPI_Finalize now and then, between nodes, also if nobody records."""
        for left in reversed(range(3)):
            try:
                done = run([MPIEXEC, "-n", 2, *words], directory=self.directory, timeout=LONGEST,
                           settings={"OVER_NETWORK": f"{MPI}:2:{SLOW}"})
            except subprocess.TimeoutExpired:
                if MPI != "mpich" or left == 0:
                    raise
            else:
                self.assertEqual((done.status, done.stderr), (0, ""), done.stdout)
                return done.stdout
        return None

    def seconds_of_ring(self, arguments):
        """Of runs that are not recorded, on slow nodes; other work on the machine can only lengthen them."""
        return min(float(self.on_slow_nodes(RING, *arguments)) for _ in range(RUNS))

    def recorded_ring(self, name, arguments):
        done = self.run_recorded([MPIEXEC, "-n", 2, RING, *arguments], settings={"WAITPROF_DIR": str(self.directory / name)})
        self.assertEqual((done.status, done.stderr), (0, ""))
        return self.directory / name, float(done.stdout)

    def calibrated(self):
        self.on_slow_nodes(CALIBRATE, "-o", "slow.toml", "--seconds", 10)
        return self.directory / "slow.toml"

    @unittest.skipIf(MPI == "openmpi", "over a slow network, Open MPI 4.1 sends both ways one after the other if both begin at "
                                       "once, and at a time if not: no machine file says both")
    def test_a_slower_network_is_as_predicted(self):
        machine = self.calibrated()
        for arguments in ((262144, 100, 2), (65536, 200, 0.5), (1048576, 20, 10)):
            with self.subTest(arguments=arguments):
                archive, recorded = self.recorded_ring("-".join(str(argument) for argument in arguments), arguments)
                done = run([WAITDIAG, "predict", archive, "--machine", machine, "--json", "-"])
                self.assertEqual(done.status, 0, done.stderr)
                around = self.report(archive)["run"]["runtime_s"] - recorded  # MPI_Init and MPI_Finalize
                predicted = json.loads(done.stdout)["runtime_s"] - around
                measured = self.seconds_of_ring(arguments)
                print(f"{MPI}, ring of {arguments[0]} bytes: {recorded:.3f} s recorded, {predicted:.3f} s predicted, "
                      f"{measured:.3f} s measured")
                self.assertGreater(measured, 1.2 * recorded)
                self.assertAlmostEqual(predicted, measured, delta=TOLERANCE * measured)

    def test_nodes_with_clocks_of_their_own(self):
        def check(unit):
            archive = self.directory / f"archive-{unit}"
            done = self.run_recorded([MPIEXEC, "-n", 2, PROGRAMS / "user_regions", "--unit", f"{1e3 * unit:g}"],
                                     settings={"WAITPROF_DIR": str(archive)})
            self.assertEqual((done.status, done.stderr), (0, ""))
            report = self.report(archive)
            self.assertEqual([entry for entry in report["data_quality"] if entry["severity"] == "serious"], [])
            self.assertEqual(sorted(node["node"] for node in report["resources"]["nodes"]), ["node0", "node1"])
            self.assert_seconds(waiting_by_rank(report, "wait_at_barrier").get(1, 0.0), LATE * unit, 2 * unit, "wait of rank 1")

        self.when_undisturbed(check, UNIT)


if __name__ == "__main__":
    unittest.main()
