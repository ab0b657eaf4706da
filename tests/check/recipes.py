"""The recipes for CI servers: they parse, and the options that they use exist.

SPDX-License-Identifier: BSD-3-Clause
"""
import ast
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

RECIPES = Path(os.environ["TEST_SOURCE"]) / "examples/ci"
WAITDIAG = os.environ["TEST_WAITDIAG"]

try:
    import yaml
except ImportError:
    yaml = None


class Recipes(unittest.TestCase):
    def test_yaml_parses(self):
        if yaml is None:
            self.skipTest("python3-yaml is not installed")
        gitlab = yaml.safe_load((RECIPES / "gitlab-ci.yml").read_text())
        self.assertEqual(gitlab["nightly-check"]["artifacts"]["reports"]["junit"], "results/*.xml")
        github = yaml.safe_load((RECIPES / "github-actions.yml").read_text())
        self.assertTrue(any("nightly.sh" in step.get("run", "") for step in github["jobs"]["check"]["steps"]))

    def test_shell_is_sound(self):
        for name in ("nightly.sh", "nightly.sbatch"):
            subprocess.run(["bash", "-n", RECIPES / name], check=True)
            if shutil.which("shellcheck"):
                subprocess.run(["shellcheck", "--shell=bash", RECIPES / name], check=True)

    def test_python_compiles(self):
        ast.parse((RECIPES / "reframe_check.py").read_text())

    def test_files_that_are_called_exist(self):
        for path in RECIPES.iterdir():
            for called in re.findall(r"examples/ci/([\w.]+)", path.read_text()):
                self.assertTrue((RECIPES / called).exists(), f"{path.name} calls {called}")

    def test_every_option_exists(self):
        known = subprocess.run([WAITDIAG, "check", "--help"], capture_output=True, text=True, check=True).stdout
        calls = "\n".join(re.sub(r"\\\n", " ", path.read_text()) for path in RECIPES.iterdir())
        used = {option for line in calls.splitlines() if "waitdiag check" in line or '"check"' in line
                for option in re.findall(r"--[a-z-]+", line)}
        self.assertIn("--update-baseline", used)
        for option in used:
            self.assertRegex(known, rf"{option}\b")

    def test_settings_are_understood(self):
        for case in ("lid64", "dam128"):
            done = subprocess.run([WAITDIAG, "check", "--config", RECIPES / "waitdiag.toml", "--case", case, "--self-test"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)  # understood; there is no store yet
            self.assertIn(f"{case}.jsonl", done.stderr)


if __name__ == "__main__":
    unittest.main()
