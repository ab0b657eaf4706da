"""The HTML report in a real browser: it opens without a server and without a message, its pixels are right,
its controls work.

Pictures of it stay in the build tree, in tests/page.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from browser import BrowserTest

WAITDIAG = os.environ.get("WAITDIAG", "waitdiag")
PICTURES = Path(os.environ.get("PAGE_PICTURES", tempfile.gettempdir()))
SOURCE = Path(os.environ.get("TEST_SOURCE", Path(__file__).resolve().parents[2]))
GUTTER, RULER = 72, 34  # share/web/timeline/overlay.ts

# In each of four steps of 50 ms rank 2 solves for 40 ms, the others for 10; a barrier ends the step. Rank 0
# also sends to rank 1.
STEP = 50
TRACE = "unit us\n" + "".join(
    f"rank {rank} node n{rank // 2}\n" + "".join(
        f"  {at}..{at + busy}  solve visits {1 if rank == 2 else 2}\n"
        f"  {at + busy}..{at + 42000}  MPI_Barrier\n"
        + (f"  {at + 43000}..{at + 44000}  MPI_Send to 1 tag {step} bytes 64\n" if rank == 0 else "")
        + (f"  {at + 43000}..{at + 47000}  MPI_Recv from 0 tag {step} bytes 64\n" if rank == 1 else "")
        for step in range(4) for at in [step * STEP * 1000])
    for rank in range(4) for busy in [40000 if rank == 2 else 10000])

PALE, FULL = (226, 142, 77), (213, 94, 0)  # of the first cause, on light ground
FULL_AT_NIGHT = (226, 89, 3)


# A function that calls itself, on rank 2 four times as deep: each level is below the threshold of 20 %, and shorter than main.
RECURSION = "unit ms\n" + "".join(
    f"rank {rank}\n  0..20 main\n" + "".join(f"  {20 + 10 * level}..{30 + 10 * level} main{'/walk' * (level + 1)}\n" for level in range(depth))
    + f"  {20 + 10 * depth}..70 main/MPI_Barrier\n" for rank in range(4) for depth in [4 if rank == 2 else 1])


def busy_run(ranks, steps, slow=lambda rank, step: False, step_us=1000):
    """All compute for a fifth of each step; who is slow computes for four fifths, in a() and b() in turn; then all meet."""
    lines = ["unit us"]
    for rank in range(ranks):
        lines.append(f"rank {rank} node n{rank // 64}")
        for step in range(steps):
            at, busy = step * step_us, step_us * 4 // 5 if slow(rank, step) else step_us // 5
            lines += [f"  {at}..{at + busy} {'ab'[step % 2]} visits 1", f"  {at + busy}..{at + step_us * 9 // 10} MPI_Barrier"]
    return "\n".join(lines) + "\n"


def mixed(colour, ground, share):
    return tuple(round(c * (1 - share) + g * share) for c, g in zip(colour, ground))


def write_page(directory, *options, text=TRACE):
    trace = Path(directory) / "run.trace"
    trace.write_text(text, encoding="utf-8")
    page = Path(directory) / "page.html"
    done = subprocess.run([WAITDIAG, "report", trace, "--quiet", "--html", page, *options],
                          capture_output=True, text=True, check=False)
    if "esbuild was not found" in done.stderr:
        raise unittest.SkipTest("waitdiag was built without esbuild")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return page


class Page(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = write_page(cls.directory.name)
        PICTURES.mkdir(parents=True, exist_ok=True)

    def at(self, milliseconds, row, within=0.2):
        """The position on the screen of a time in a row of the timeline."""
        self.browser.run("document.querySelector('.timeline canvas').scrollIntoView({block: 'center'})")
        box = self.browser.run("(r => [r.left, r.top, r.width, r.height])(document.querySelector('.timeline canvas').getBoundingClientRect())")
        begin, end = self.browser.run("waitprof.timeline.window")
        share = (milliseconds / 1000 - begin) / (end - begin)
        return (box[0] + GUTTER + share * (box[2] - GUTTER), box[1] + RULER + (row + within) * (box[3] - RULER) / 4)

    def colour(self, picture, milliseconds, row):
        x, y = self.at(milliseconds, row)
        self.browser.drawn()
        self.browser.screenshot(PICTURES / picture)
        scrolled = self.browser.run("window.scrollY")
        return self.browser.pixel(x, y + scrolled)

    def window(self):
        begin, end = self.browser.run("waitprof.timeline.window")
        return end - begin

    def test_it_opens_alone_and_without_a_complaint(self):
        self.browser.requests.clear()
        self.browser.open(self.page)
        for scheme in ("light", "dark"):
            self.browser.scheme(scheme)
            for width in (1280, 390):
                self.browser.size(width, 900)
                self.browser.drawn()
                self.browser.screenshot(PICTURES / f"page-{scheme}-{width}.png", whole=True)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
        self.assertEqual(set(self.browser.requests) - {"about:blank"}, {self.page.resolve().as_uri()})
        self.assertEqual(self.browser.complaints, [])
        self.assertIn("caused by solve() on rank 2", self.browser.run("document.querySelector('h1').textContent"))
        for section in ("efficiency", "causes", "timeline", "waits", "calls", "traffic", "run", "glossary"):
            self.assertGreater(self.browser.run(f"document.getElementById('{section}').textContent.length"), 40, section)

    def test_a_wait_has_the_pale_and_its_cause_the_full_colour(self):
        self.browser.scheme("light")
        self.browser.open(self.page)
        self.browser.picture(PICTURES / "doc" / "timeline.png", "#timeline .timeline")
        self.assertEqual(self.colour("timeline.png", 25, 0), PALE)
        self.assertEqual(self.colour("timeline.png", 75, 3), PALE)
        self.assertEqual(self.colour("timeline.png", 25, 2), FULL)
        self.assertEqual(self.colour("timeline.png", 5, 0), (0xe6, 0xea, 0xee))  # computation for which no rank waited
        self.browser.run("document.getElementById('theme').click()")
        self.assertEqual(self.colour("timeline-dark.png", 25, 0), mixed(FULL_AT_NIGHT, (0x14, 0x18, 0x1d), 0.44))

    def test_a_cause_of_many_call_paths_has_its_colour_on_all_of_them(self):
        self.browser.scheme("light")
        with tempfile.TemporaryDirectory() as directory:
            self.browser.open(write_page(directory, "--hotspot-threshold", "0.2", text=RECURSION))
        self.assertIn("(4 call paths)", self.browser.run("document.querySelector('#cause-1 .path').textContent"))
        self.assertEqual(self.colour("recursion.png", 45, 0), PALE)
        self.assertEqual(self.colour("recursion.png", 45, 2), FULL)

    def test_efficiencies_by_the_critical_path_are_shown(self):
        self.browser.open(self.page)
        self.assertRegex(self.browser.run("document.getElementById('efficiency').textContent"), r"ideal network: serialisation \d+(\.\d+)? %, transfer \d")
        cells = self.browser.run("[...document.querySelector('#efficiency table').querySelectorAll('tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual(cells[0][-2:], ["path serialisation", "path transfer"])
        for row in cells[1:]:
            self.assertRegex(" ".join(row[-2:]), r"^\d+(\.\d+)? % \d+(\.\d+)? %$")

    def test_a_click_on_a_wait_leads_to_what_it_waited_for(self):
        self.browser.open(self.page)
        self.browser.click(*self.at(25, 0))
        self.browser.wait("document.getElementById('to-cause')")
        words = self.browser.run("document.getElementById('details').textContent")
        self.assertIn("waited 30.0 ms", words)
        self.assertIn("owed to solve on rank 2", words)
        self.browser.screenshot(PICTURES / "details.png")
        self.browser.run("document.getElementById('to-cause').click()")
        self.assertIn("rank 2", self.browser.run("document.querySelector('#details h3').textContent"))

    def test_keys_wheel_and_mouse_move_the_window(self):
        self.browser.open(self.page)
        self.browser.click(*self.at(25, 0))
        whole = self.window()
        self.browser.key("w")
        narrow = self.window()
        self.assertAlmostEqual(narrow, 0.6 * whole, places=6)
        x, y = self.at(100, 1)
        self.browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-250)
        self.browser.wait(f"(w => w[1] - w[0] < {narrow * 0.5})(waitprof.timeline.window)")
        before = self.browser.run("waitprof.timeline.window[0]")
        self.browser.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.browser.mouse("mouseMoved", x - 100, y, button="left")
        self.browser.mouse("mouseReleased", x - 100, y, button="left", clickCount=1)
        self.assertGreater(self.browser.run("waitprof.timeline.window[0]"), before)
        self.browser.wait("location.hash.startsWith('#t=')")
        self.browser.key("0")
        self.assertAlmostEqual(self.window(), whole, places=6)

    def test_search_fades_the_rest_and_sorting_moves_ranks(self):
        self.browser.scheme("light")
        self.browser.open(self.page)
        self.browser.run("(s => { s.value = 'solve'; s.dispatchEvent(new Event('input')); })(document.getElementById('search'))")
        self.assertEqual(self.colour("search.png", 25, 2), FULL)
        self.assertEqual(self.colour("search.png", 25, 0), mixed(PALE, (255, 255, 255), 0.82))
        self.browser.run("(s => { s.value = ''; s.dispatchEvent(new Event('input')); })(document.getElementById('search'))")
        self.browser.run("(s => { s.value = 'caused'; s.dispatchEvent(new Event('change')); })(document.getElementById('sort'))")
        self.assertEqual(self.colour("sorted.png", 25, 0), FULL)

    def test_links_and_tables_work(self):
        self.browser.open(self.page, "#t=0.05:0.1")
        begin, end = self.browser.run("waitprof.timeline.window")
        self.assertAlmostEqual(begin, 0.05, places=6)
        self.assertAlmostEqual(end, 0.1, places=6)
        self.browser.run("document.getElementById('cause-1').open = false; location.hash = '#cause-1'")
        self.browser.wait("document.getElementById('cause-1').open")
        cells = "document.querySelector('#efficiency table').querySelectorAll('tbody tr:first-child td')[1].textContent"
        self.browser.run("document.querySelector('#efficiency table').querySelectorAll('th button')[1].click()")
        longest = self.browser.run(cells)
        self.browser.run("document.querySelector('#efficiency table').querySelectorAll('th button')[1].click()")
        self.assertNotEqual(longest, self.browser.run(cells))

    def test_what_a_page_leaves_out_is_said(self):
        page = write_page(self.directory.name, "--window", "0.05:0.1", "--only-ranks", "1-2")
        self.browser.open(page)
        self.assertRegex(self.browser.run("document.querySelector('.left-out').textContent"),
                         r"shows 3 of 24 MPI calls: 0\.050 s to 0\.100 s of \d+ ms, 2 of 4 threads")


    def test_a_long_run_has_an_overview_and_its_worst_stretches(self):
        self.browser.scheme("light")
        with tempfile.TemporaryDirectory() as directory:
            self.browser.open(write_page(directory, "--most-calls", "16"))
        self.assertEqual([], self.browser.complaints)
        self.assertRegex(self.browser.run("document.querySelector('.stretches').textContent"),
                         r"24 MPI calls are too many to show one by one.*\.1: 0\.060 s to 0\.090 s, 4 calls, 90\.0 ms of waiting")
        canvas = "document.querySelector('.overview canvas')"
        self.browser.run(f"{canvas}.scrollIntoView()")
        self.browser.drawn()

        def colour(milliseconds, row):
            left, top, width, height = self.browser.run(f"(r => [r.left, r.top + scrollY, r.width, r.height])({canvas}.getBoundingClientRect())")
            return self.browser.pixel(left + GUTTER + (width - GUTTER) * milliseconds / 197, top + RULER + (height - RULER) * (row + 0.5) / 4)
        self.browser.picture(PICTURES / "doc" / "overview.png", "#timeline")
        self.assertEqual(FULL, colour(105, 2))
        self.assertEqual(PALE, colour(125, 1))
        first = self.browser.run("waitprof.stage.timeline.window")
        self.browser.run("document.getElementById('stretch-2').click()")
        self.browser.drawn()
        second = self.browser.run("waitprof.stage.timeline.window")
        self.assertNotEqual(first, second)
        self.assertGreater(self.browser.run("waitprof.stage.timeline.frames"), 0)
        self.browser.run("waitprof.stage.overview.zoom(0.25, 0.1)")
        self.browser.drawn()
        begin, end = self.browser.run("waitprof.stage.overview.view")
        self.assertAlmostEqual(0.197 / 4, end - begin, 4)
        # The address has the part in view of all of the run, and the cause that alone has its colours.
        self.browser.run("waitprof.stage.spotlight(0)")
        self.browser.wait("location.hash.includes('&only=0&of=')")
        self.browser.run("waitprof.stage.spotlight(-1), waitprof.stage.overview.move(0, 1), location.hash += ''")
        self.browser.run("window.dispatchEvent(new Event('hashchange'))")
        self.assertAlmostEqual(begin, self.browser.run("waitprof.stage.overview.view[0]"), 5)
        self.assertEqual(0, self.browser.run("waitprof.stage.timeline.painter.spotlit"))
        self.browser.run("waitprof.stage.spotlight(-1)")
        # A link leads to the stretch that contains the wait.
        self.browser.run(f"location.hash = '#t={first[0] + 1e-4}:{first[1] - 1e-4}'")
        self.browser.drawn()
        self.assertEqual("true", self.browser.run("document.getElementById('stretch-1').getAttribute('aria-pressed')"))


class WithoutABrowser(unittest.TestCase):
    def test_the_page_holds_the_text_report_for_readers_without_scripts(self):
        with tempfile.TemporaryDirectory() as directory:
            page = write_page(directory).read_text(encoding="utf-8")
        self.assertTrue(re.search(r"<noscript><pre>Parallel efficiency[^<]*caused by\s+solve\(\)", page))
        self.assertEqual([], re.findall(r"https?://(?!www\.w3\.org/2000/svg\b)|src=", page))

    def test_the_script_type_checks(self):
        done = subprocess.run(["tsc", "-p", SOURCE / "share/web"], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stdout)

    def test_the_types_are_those_of_the_results(self):
        done = subprocess.run([SOURCE / "tools/dev/web-types", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stdout)

    def test_columns_are_read_by_the_names_they_are_written_with(self):
        written = set(re.findall(r'columns\.add\("(\w+)"', "".join(f.read_text(encoding="utf-8") for f in (SOURCE / "analyzer/writers/page").glob("*.cpp"))))
        web = "".join(f.read_text(encoding="utf-8") for f in (SOURCE / "share/web").rglob("*.ts"))
        self.assertGreater(len(written), 30)
        self.assertEqual(set(), {name for name in written if f'"{name}"' not in web})


if __name__ == "__main__":
    unittest.main()
