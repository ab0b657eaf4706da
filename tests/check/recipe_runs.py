"""The recipes for CI servers, run as their servers run them: in a clone without a branch or a name in git,
with the server's variables.

They start the real `waitdiag check`; the program that it records only writes a prepared archive, and cmake
does nothing.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

SOURCE = Path(os.environ["TEST_SOURCE"])
RECIPES = SOURCE / "examples/ci"
WAITDIAG = Path(os.environ["TEST_WAITDIAG"])
SAMPLE_ARCHIVE = Path(os.environ["TEST_SAMPLE_ARCHIVE"])
SETTINGS = "baseline = 'nightly'\nruns = 1\n" + "".join(
    f"[case.{case}]\ncommand = ['sh', '-c', 'sample_archive \"$WAITPROF_DIR\" late_sender']\n" for case in ("lid64", "dam128"))

try:
    import yaml
except ImportError:
    yaml = None


class RecipeRuns(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="waitdiag-recipes-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        tools = self.directory / "tools"
        tools.mkdir()
        for program in (WAITDIAG, SAMPLE_ARCHIVE):
            (tools / program.name).symlink_to(program)
        (tools / "cmake").write_text("#!/bin/sh\n")
        (tools / "cmake").chmod(0o755)
        self.environment = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(self.directory), "LANG": "C.UTF-8",
                            "WAITPROF_LIBRARY": os.environ["TEST_INERT_RECORDER"]}
        self.git("init", "--quiet", "--bare", "--initial-branch=main", "server.git")
        self.git("clone", "--quiet", "server.git", "solver", stderr=subprocess.DEVNULL)
        self.solver = self.directory / "solver"
        shutil.copytree(RECIPES, self.solver / "examples/ci")
        (self.solver / "waitdiag.toml").write_text(SETTINGS)
        self.git("checkout", "--quiet", "-B", "main", where=self.solver)
        self.git("add", ".", where=self.solver)
        self.git("-c", "user.name=n", "-c", "user.email=n@n", "commit", "--quiet", "--message=Start", where=self.solver)
        self.git("push", "--quiet", "origin", "main", where=self.solver)

    def git(self, *words, where=None, **options):
        return subprocess.run(["git", *words], cwd=where or self.directory, env=self.environment, check=True, **options)

    def start(self, script, status=0, **variables):
        done = subprocess.run(["bash", "-e", "-c", script], cwd=self.solver, env=self.environment | variables, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def nights_on_the_server(self):
        text = subprocess.run(["git", "show", "main:nightly/lid64.jsonl"], cwd=self.directory / "server.git", capture_output=True,
                              text=True, env=self.environment, check=False).stdout
        return text.count('"kind":"verdict"')

    def assert_results(self):
        names = {path.name for path in (self.solver / "results").iterdir()}
        self.assertEqual(names, {f"{case}.{kind}" for case in ("lid64", "dam128") for kind in ("json", "xml", "md", "prom", "csv", "html")})

    def need_yaml(self):
        if yaml is None:
            self.skipTest("python3-yaml is not installed")

    def test_gitlab(self):
        self.need_yaml()
        job = yaml.safe_load((RECIPES / "gitlab-ci.yml").read_text())["nightly-check"]
        self.git("checkout", "--quiet", "--detach", where=self.solver)
        self.start("\n".join(job["before_script"] + job["script"]), CI_COMMIT_BRANCH="main", **job["variables"])
        self.assert_results()
        self.assertEqual(self.nights_on_the_server(), 1)

    def test_github(self):
        self.need_yaml()
        summary = self.directory / "summary.md"
        for step in yaml.safe_load((RECIPES / "github-actions.yml").read_text())["jobs"]["check"]["steps"]:
            if "run" in step:
                self.start(step["run"], GITHUB_STEP_SUMMARY=str(summary), GITHUB_REF_NAME="main", **step.get("env", {}))
        self.assert_results()
        self.assertEqual(len(re.findall(r"\*\*INCONCLUSIVE (lid64|dam128)\*\*", summary.read_text())), 2)
        self.assertEqual(self.nights_on_the_server(), 1)

    def test_jenkins(self):
        text = (RECIPES / "Jenkinsfile").read_text()
        variables = dict(re.findall(r"(\w+) = '([^']*)'", text))
        self.git("checkout", "--quiet", "--detach", where=self.solver)
        for script in re.findall(r"sh '([^']*)'", text):
            self.start(script, GIT_BRANCH="origin/main", **variables)
        self.assert_results()
        self.assertEqual(self.nights_on_the_server(), 1)
        self.assertEqual([text.count(bracket) for bracket in "{("], [text.count(bracket) for bracket in "})"])

    def test_cron(self):
        entry = next(line for line in (RECIPES / "nightly.cron").read_text().splitlines() if re.match(r"\d+ \d+ \* \* \* ", line))
        self.start(entry.split(" ", 5)[5])
        self.assert_results()

    def test_slurm(self):
        self.start("cd /; bash $SLURM_SUBMIT_DIR/examples/ci/nightly.sbatch", SLURM_SUBMIT_DIR=str(self.solver))
        self.assert_results()
        self.assertEqual(self.nights_on_the_server(), 1)

    def test_a_store_that_cannot_be_pushed_is_a_failure(self):
        shutil.rmtree(self.directory / "server.git")
        done = self.start("examples/ci/nightly.sh lid64", status=1, WAITDIAG_PUSH="yes")
        self.assertIn("nightly.sh: the store was not pushed", done.stderr)

    def test_reframe(self):
        with mock.patch.dict(sys.modules, reframe_stand_in()):
            spec = importlib.util.spec_from_file_location("reframe_check", RECIPES / "reframe_check.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        for case in ("lid64", "dam128"):
            test = module.NightlyCheck()
            test.case = case
            test.set_options()
            test.stdout = self.start(" ".join([test.executable, *test.executable_opts])).stdout
            self.assertTrue(test.no_regression())
            self.assertGreater(test.run_time(), 0)
            self.assertTrue(0 < test.parallel_efficiency() <= 1)


def reframe_stand_in():
    """The names that the recipe uses, with the meaning that ReFrame's manual gives them."""

    def keep(method):
        return method

    class InClassBody(type):
        @classmethod
        def __prepare__(mcs, *_):
            return {"parameter": lambda values: values[0], "run_after": lambda stage: keep, "sanity_function": keep,
                    "performance_function": lambda unit: keep}

    class RunOnlyRegressionTest(metaclass=InClassBody):
        pass

    def found(pattern, text):
        return re.search(pattern, text, re.M)

    frame, utility, sanity = (types.ModuleType(name) for name in ("reframe", "reframe.utility", "reframe.utility.sanity"))
    frame.simple_test, frame.RunOnlyRegressionTest = keep, RunOnlyRegressionTest
    frame.utility, utility.sanity = utility, sanity
    sanity.assert_found = lambda pattern, text: found(pattern, text) is not None
    sanity.extractsingle = lambda pattern, text, group, kind: kind(found(pattern, text).group(group))
    return {"reframe": frame, "reframe.utility": utility, "reframe.utility.sanity": sanity}


if __name__ == "__main__":
    unittest.main()
