"""ReFrame: the check as a regression test; its figures come from the lines `WAITDIAG name value unit`.

Run with `reframe -c reframe_check.py -r`. The verdict is the sanity check; the figures go into ReFrame's own log, too.

SPDX-License-Identifier: BSD-3-Clause
"""
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class NightlyCheck(rfm.RunOnlyRegressionTest):
    case = parameter(["lid64", "dam128"])  # noqa: F821 (ReFrame defines it in the class body)
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    local = True  # waitdiag starts the program itself, as waitdiag.toml says
    executable = "waitdiag"

    @run_after("init")  # noqa: F821
    def set_options(self):
        self.executable_opts = ["check", "--case", self.case, "--update-baseline"]

    @sanity_function  # noqa: F821
    def no_regression(self):
        return sn.assert_found(r"^WAITDIAG verdict (PASS|IMPROVED|INCONCLUSIVE) text$", self.stdout)

    @performance_function("s")  # noqa: F821
    def run_time(self):
        return sn.extractsingle(r"^WAITDIAG runtime_s (\S+) s$", self.stdout, 1, float)

    @performance_function("ratio")  # noqa: F821
    def parallel_efficiency(self):
        return sn.extractsingle(r"^WAITDIAG parallel_efficiency (\S+) ratio$", self.stdout, 1, float)
