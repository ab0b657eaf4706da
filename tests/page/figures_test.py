"""The pages of predict, compare, scale, grid and balance in a real browser: they open alone, their pixels are right, mouse and keys work.

Pictures of them stay in the build tree, in tests/page.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import shutil
import subprocess
import unittest
from pathlib import Path

from browser import BrowserTest
from page_test import FULL, GUTTER, PICTURES, RULER, SOURCE, TRACE, WAITDIAG, busy_run, write_page

DARKEST, MOST = (0x8c, 0x2d, 0x04), (0xd5, 0x5e, 0x00)  # of share/web/drawing/colours.ts, on light ground; --w of style.css


def solver(ranks):
    """Each rank solves its part of 8 ms, then all wait for each other."""
    return "".join(f"rank {rank}\n 0..{8000 // ranks} main/solve\n {8000 // ranks}..{8000 // ranks + 100} main/MPI_Allreduce bytes 8\n" for rank in range(ranks))


class Figures(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = Path(cls.directory.name)
        (cls.place / "run.trace").write_text(TRACE, encoding="utf-8")
        PICTURES.mkdir(parents=True, exist_ok=True)

    def open(self, *command):
        """Opens the page that a command writes, and checks that it is complete."""
        page = self.place / f"{command[0]}.html"
        done = subprocess.run([WAITDIAG, *command, "--quiet", "--html", page], capture_output=True, text=True, check=False, cwd=self.place)
        if "esbuild was not found" in done.stderr:
            self.skipTest("waitdiag was built without esbuild")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.browser.requests.clear()
        self.browser.scheme("dark")
        self.browser.open(page)
        self.browser.drawn()
        self.browser.screenshot(PICTURES / f"{command[0]}-dark.png", whole=True)
        self.browser.scheme("light")
        self.browser.drawn()
        self.browser.screenshot(PICTURES / f"{command[0]}.png", whole=True)
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 1280)
        self.assertEqual(set(self.browser.requests) - {"about:blank"}, {page.resolve().as_uri()})
        self.assertEqual(self.browser.complaints, [])
        self.assertRegex(page.read_text(encoding="utf-8"), r"<noscript><pre>[A-Z]")
        return page

    def text(self, selector):
        return self.browser.run(f"document.querySelector('{selector}').textContent")

    def box(self, selector):
        """Left, top, width and height on the screen."""
        self.browser.run(f"document.querySelector('{selector}').scrollIntoView({{block: 'center'}})")
        self.browser.drawn()
        return self.browser.run(f"(r => [r.left, r.top, r.width, r.height])(document.querySelector('{selector}').getBoundingClientRect())")

    def pixel(self, x, y):
        return self.browser.pixel(x, y + self.browser.run("window.scrollY"))

    def test_a_prediction_stands_below_the_measured_run(self):
        self.open("predict", "run.trace", "--speedup", "solve=2", "--sweep", "compute-scale=0.5..2/4")
        self.assertIn("Predicted run time", self.text("h1"))

        def colour(run, milliseconds):
            left, top, width, height = self.box(f"canvas[aria-label^={run}]")
            begin, end = self.browser.run("waitprof.timeline.window")
            share = (milliseconds / 1000 - begin) / (end - begin)
            return self.pixel(left + GUTTER + share * (width - GUTTER), top + RULER + 2.2 * (height - RULER) / 4)

        self.browser.picture(PICTURES / "doc" / "prediction.png", ".pair")
        self.browser.picture(PICTURES / "doc" / "logic-tree.png", ".treebox svg")
        self.assertEqual(colour("Measured", 25), FULL)
        self.assertEqual(colour("Predicted", 15), FULL)
        self.assertEqual(colour("Predicted", 160), (255, 255, 255))  # has ended; the measured run has not
        left, top, *_ = self.box("canvas[aria-label^=Predicted]")
        self.browser.click(left + 200, top + 60)
        self.browser.key("w")
        self.assertEqual(self.browser.run("waitprof.timeline.window"), self.browser.run("waitprof.predicted.window"))
        self.assertEqual(self.browser.run("document.querySelectorAll('#sweep circle').length"), 16)
        self.assertIn("compute-scale in the prediction", self.text("#sweep svg"))
        self.assertIn("--balance", self.text("#what-if"))

        solve = self.browser.run("waitprof.tree.tree.vertices.find(one => one.critical > 0 && one.ranks[0] === 2 && one.name === 'solve').id")
        left, top, width, height = self.box(f".vertex[data-vertex=\"{solve}\"] rect")
        self.browser.click(left + width / 2, top + height / 2)
        self.assertRegex(self.text("#vertex"), r"rank 2.*critical path.*basic computation unit.*solve")
        self.assertEqual(self.pixel(left, top + height / 2), MOST)
        self.browser.key("ArrowDown")
        self.browser.key("Enter")
        self.assertIn("MPI_Barrier", self.text("#vertex h3"))

    def test_two_runs_stand_on_one_time_scale_step_by_step(self):
        for name, step in {"before": 2000, "after": 1000}.items():
            (self.place / f"{name}.trace").write_text(busy_run(4, 12, lambda rank, _: rank == 3, step_us=step), encoding="utf-8")
        page = self.open("compare", "before.trace", "after.trace")
        self.assertIn("Faster", self.text("h1"))
        self.assertEqual(2, self.browser.run("document.querySelectorAll('.pair canvas[aria-label]').length"))
        self.browser.run("waitprof.timeline.show(0.012, 0.018)")  # from step 6 on
        begin, end = self.browser.run("waitprof.after.window")
        self.assertAlmostEqual(0.006, begin, delta=0.0004)
        self.assertAlmostEqual(0.006, end - begin, places=9)
        self.browser.screenshot(PICTURES / "compare-steps.png")
        self.browser.run("document.getElementById('by-steps').click()")
        self.assertEqual(self.browser.run("waitprof.timeline.window"), self.browser.run("waitprof.after.window"))
        self.comes_back_from_its_address(page)
        self.assertRegex(self.text("#figures tbody"), r"run time23\.8 ms11\.9 ms−50\.0 %")
        self.assertRegex(self.text("#causes tbody"), r"a.*−")

    def comes_back_from_its_address(self, page):
        view = "[waitprof.timeline, waitprof.after].map(t => [...t.window.map(s => s.toFixed(6)), t.searched, t.state.row0, t.state.rows, t.state.selected, t.shows.messages])"
        self.browser.run("(t => { t.search('b'); t.showOnly({ messages: false }); t.zoomRows(0.5); waitprof.after.select(3); t.show(0.004, 0.009); })(waitprof.timeline)")
        self.browser.wait("location.hash.startsWith('#t=0.004') && location.hash.includes('&q=b')")
        link, shown = self.browser.run("location.hash"), self.browser.run(view)
        self.browser.open(page, link)
        self.assertEqual(shown, self.browser.run(view))
        self.assertFalse(self.browser.run("document.getElementById('by-steps').checked"))

    def test_reports_are_compared_without_timelines(self):
        subprocess.run([WAITDIAG, "report", "run.trace", "--quiet", "--json", "kept.json"], check=True, cwd=self.place)
        self.open("compare", "kept.json", "run.trace")
        self.assertIn("No difference", self.text("h1"))
        self.assertIn("name two archives", self.text("#timeline"))

    def test_models_are_curves_through_what_was_measured(self):
        for ranks in (2, 4, 8):
            (self.place / f"{ranks}.trace").write_text(solver(ranks), encoding="utf-8")
        self.open("scale", "2.trace", "4.trace", "8.trace")
        self.assertEqual(self.browser.run("document.querySelectorAll('#curves circle').length"), 9)  # 3 sizes; run time and two call paths
        self.assertEqual(["Factor", "2 ranks", "4 ranks", "8 ranks"], self.browser.run("[...document.querySelectorAll('#efficiency th[scope=col]')].map(c => c.textContent)"))
        self.assertEqual([], self.browser.run("[...document.querySelectorAll('#efficiency .factor-cell')].filter(c => !/ (good|fair|bad)$/.test(c.className) || !c.textContent.endsWith(' %')).map(c => c.outerHTML)"))
        self.browser.run("document.querySelector('#curves svg').focus()")
        self.browser.key("ArrowRight")
        self.assertRegex(self.text("#curves .readings"), r"^ranks 2: .*main/solve 4\.00 µs")
        left, top, width, height = self.box("#curves circle:last-of-type")
        self.assertNotEqual(self.pixel(left + width / 2, top + height / 2), (255, 255, 255))
        self.browser.run("document.querySelector('#models input').click()")
        self.browser.drawn()
        self.assertEqual(self.browser.run("document.querySelectorAll('#curves circle').length"), 6)
        for ranks in (64, 128):
            (self.place / f"{ranks}.trace").write_text(solver(ranks), encoding="utf-8")
        self.open("scale", "64.trace", "128.trace")
        self.assertRegex(self.text("#bottlenecks tbody"), r"^64main/solve\d+ %measured(?:[6-9]\d|1[01]\d)main/MPI_Allreduce\d+ %between measured runs$")
        self.open("predict", "2.trace", "4.trace", "8.trace", "--ranks", "16")
        self.assertRegex(self.text("#sizes"), "held out.*The largest run, predicted from the others, takes")
        self.assertEqual(self.browser.run("document.querySelectorAll('#sizes .error').length"), 3)

    def test_the_best_grid_is_framed_and_dark(self):
        (self.place / "j.toml").write_text('name = "J"\narray = [1000, 1000]\nhalo = 1\ntime = "10 ns"\niterations = 10\n', encoding="utf-8")
        self.open("grid", "--program", "j.toml", "--machine", "mvs-15k", "--max-ranks", "16")
        best = self.browser.run("waitprof.grids.best.find(one => one.grid.length === 2).grid")
        left, top, width, height = self.box("#grid-2 canvas")
        rows = columns = 16  # for for for 1 to 16 ranks along each dimension
        x = left + 62 + (best[1] - 0.5) * (width - 62) / columns
        y = top + (best[0] - 0.5) * (height - 36) / rows
        self.assertEqual(self.pixel(x, y), DARKEST)
        self.browser.mouse("mouseMoved", x, y)
        self.assertIn(f"{best[0]} × {best[1]} = 16 ranks", self.text("#grid-2 .fieldbox .note"))
        self.browser.run("document.querySelector('#grid-2 canvas').focus()")
        self.browser.key("ArrowUp")
        self.assertIn(f"{best[0] - 1} × {best[1]} = ", self.text("#grid-2 .fieldbox .note"))
        self.assertEqual(self.pixel(left + width - 10, top + height - 60), (255, 255, 255))  # too many ranks

    def test_loads_are_bars_and_a_map(self):
        (self.place / "m.map").write_text("3 1 1 1\n3 1 1 0\n", encoding="utf-8")
        self.open("balance", "m.map", "--ranks", "4", "--grid", "4x1", "--decomposition", "cartesian")
        left, top, width, height = self.box("#case-1 canvas[aria-label^=load]")
        bars = [self.pixel(left + 64 + (rank + 0.5) * (width - 64) / 4, top + height - 40) for rank in range(4)]
        self.assertEqual(bars[0], MOST)
        self.assertEqual(bars[1:], 3 * [(0x9f, 0xb0, 0xc0)])
        left, top, width, height = self.box("#case-1 .field")
        self.assertEqual(self.pixel(left + width / 8, top + height / 4), DARKEST)
        self.assertEqual(self.pixel(left + width - 9, top + height - 9), (255, 255, 255))  # no load there
        self.browser.click(left + width * 0.4, top + height / 4)
        self.assertIn("rank 1, 2", self.text("#case-1 .fieldbox .note"))
        self.assertNotEqual(self.pixel(left + width / 8, top + height / 4), DARKEST)  # another rank's: faint

    def test_an_ocean_is_a_map_of_rectangles(self):
        self.open("balance", SOURCE / "examples/maps/ocean.map", "--ranks", "64", "--decomposition", "cartesian", "--cells", "3600x2400")
        self.browser.picture(PICTURES / "doc" / "balance-map.png", "#case-1 .field")
        left, top, width, height = self.box("#case-1 .field")
        colours = {self.pixel(left + width * (2 * x + 1) / 16, top + height * (2 * x + 1) / 16) for x in range(8)}  # on the diagonal
        self.assertGreater(len(colours), 4)

    def test_on_paper_there_are_the_verdict_and_the_tables(self):
        if not shutil.which("pdftotext"):
            self.skipTest("no pdftotext here (Debian: poppler-utils)")
        predicted = self.open("predict", "run.trace", "--speedup", "solve=2")
        for page, expected in ((predicted, ("Predicted run time", "parallel efficiency", "--balance", "basic|Application logic tree", "Critical path")),
                               (write_page(self.place), ("Parallel efficiency", "Wait at Barrier", "Call tree", "What the words mean", "load balance"))):
            self.browser.open(page)
            self.browser.scheme("dark")
            paper = base64.b64decode(self.browser.call("Page.printToPDF", printBackground=False)["data"])
            (PICTURES / f"{page.stem}.pdf").write_bytes(paper)
            text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=paper, capture_output=True, check=True).stdout.decode()
            for words in expected:
                self.assertRegex(text, words)
            self.assertNotIn("Sort by", text)

    def test_causes_are_shown_over_the_process_grid(self):
        (self.place / "grid.trace").write_text("property WAITPROF::TOPOLOGY::COMM_0 \"cart dims=2x2 periods=0,0\"\n" + TRACE, encoding="utf-8")
        self.open("report", "grid.trace")
        left, top, width, height = self.box("#cause-1 .over-grid canvas")
        cell = ((width - 62) / 2, (height - 36) / 2)
        colours = [self.pixel(left + 62 + (column + 0.5) * cell[0], top + (row + 0.5) * cell[1]) for row in range(2) for column in range(2)]
        self.assertEqual(colours[2], DARKEST)  # rank 2 is at (1, 0)
        self.assertEqual(len({colours[0], colours[1], colours[3]}), 1)
        self.browser.mouse("mouseMoved", left + 62 + cell[0] / 2, top + 1.5 * cell[1])
        self.assertIn("rank 2 at (1, 0): 160 ms", self.text("#cause-1 .over-grid .note"))


if __name__ == "__main__":
    unittest.main()
