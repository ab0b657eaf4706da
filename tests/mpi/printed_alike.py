"""The comparison of what programs print is blind to times, and to nothing else.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from printed import Steady

ONE = """LAMMPS 2022
Step Temp E_pair Press
0 1.44 -6.7733681 -5.0197
20 0.7 -5.6 2.5
Loop took 0.31 on 4 procs
total energy = -15.79449449 Ry
CPU time 1.2
scf 12 0.001 0.001 0.42
fft 40 0.001 0.001 0.33
PASSED
Timing:  incl.  excl.
density 0.1 0.1
Other 0.2 0.1

done
"""
TWO = ONE.replace("0.31", "0.29").replace("1.2", "1.4").replace("0.42", "0.43")
STEADY = Steady([ONE, TWO])


def with_change(old, new):
    assert old in ONE
    return STEADY.changes(ONE.replace(old, new))


class PrintedAlike(unittest.TestCase):
    def test_times_may_differ(self):
        self.assertEqual(with_change("took 0.31", "took 12.5"), [])
        self.assertEqual(with_change("CPU time 1.2", "CPU time 99"), [])

    def test_what_a_heading_about_time_is_for_may_differ(self):
        self.assertEqual(with_change("density 0.1 0.1\n", "something else 7 0.9\n"), [])
        self.assertNotEqual(with_change("done", "not done"), [])

    def test_columns_in_which_times_stand_may_differ(self):
        self.assertEqual(with_change("0.33", "0.35"), [])

    def test_results_must_be_the_same(self):
        for old, new in (("-15.79449449", "-15.79459449"), ("-6.7733681", "-6.7743681"), ("20 0.7", "20 0.8"), ("scf 12", "scf 13"),
                         ("PASSED", "FAILED"), ("fft", "ffu")):
            with self.subTest(old=old):
                self.assertNotEqual(with_change(old, new), [])

    def test_lines_must_be_the_same(self):
        self.assertEqual(with_change("PASSED\n", ""), ["missing: PASSED"])
        self.assertEqual(with_change("PASSED\n", "PASSED\nlibwaitprof: trouble\n"), ["new: libwaitprof: trouble"])

    def test_last_digits_may_differ(self):
        self.assertEqual(with_change("-15.79449449", "-15.79449448"), [])

    def test_what_is_compared_is_told(self):
        self.assertIn("total energy = -15.79449449 Ry", STEADY.compared())
        self.assertNotIn("CPU time 1.2", STEADY.compared())


if __name__ == "__main__":
    unittest.main()
