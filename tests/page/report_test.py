"""The report's page with a user's eyes: what to do comes first, a timeline can be read at any zoom and with
any number of ranks, and everything can be reached by keyboard, mailed and printed.

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import itertools
import json
import math
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from browser import BrowserTest
from page_test import FULL, GUTTER, PALE, PICTURES, RULER, SOURCE, TRACE, WAITDIAG, busy_run, write_page

SAMPLE_ARCHIVE = os.environ.get("SAMPLE_ARCHIVE", "sample_archive")


class FirstScreen(BrowserTest):
    def text(self, selector):
        return self.browser.run(f"document.querySelector({selector!r}).textContent")

    def test_what_to_do_stands_below_the_verdict(self):
        self.browser.size(1400, 900)
        self.browser.scheme("light")
        self.browser.open(write_page(self.directory.name))
        self.assertRegex(self.text("#todo"), r"solve\(\).*Saves about \d.*Why.*waitdiag predict \S*run\.trace --repair solve")
        self.browser.screenshot(PICTURES / "first-screen.png")
        bottom = self.browser.run("document.querySelector('#todo li').getBoundingClientRect().bottom")
        self.assertLess(bottom, 900)
        # The command that it shows works.
        command = self.text("#todo code").split()[1:]
        done = subprocess.run([WAITDIAG, *command], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stderr)

    def test_a_saving_has_the_error_that_the_text_says(self):
        sampled = (SOURCE / "tests/cases/causes/sampled.case").read_text(encoding="utf-8").split("== trace\n")[1].split("\n== ")[0]
        self.browser.open(write_page(self.directory.name, text=sampled))
        saves = self.text("noscript").split("Saves about ")[1].split(" of ")[0].replace("\n", " ")
        self.assertIn(" ± ", saves)
        self.assertIn(f"Saves about {saves} of", self.text("#todo"))

    def test_a_single_rank_has_a_page_without_empty_tables(self):
        self.browser.open(write_page(self.directory.name, text="unit ms\nrank 0\n  0..10 main/solve\n  10..11 main/MPI_Barrier\n"))
        self.assertIn("none could wait for another", self.text("h1"))
        self.assertEqual([], self.browser.run("[...document.querySelectorAll('tbody')].filter(b => b.rows.length === 0).map(b => b.parentElement.outerHTML)"))
        self.assertIn("No rank waits", self.text("#waits"))

    def test_caveats_stand_beside_the_verdict(self):
        crowded = "rank 0 node a processors 1\n0..9 MPI_Barrier\nusage 9 cpu 1 memory 1 load 3\n10..20 MPI_Barrier\nusage 20 cpu 2 memory 1 load 3\n"
        self.browser.open(write_page(self.directory.name, text=crowded))
        self.assertIn("3.0 threads", self.text("header .caveats"))

    def test_efficiencies_say_what_is_lost(self):
        self.browser.open(write_page(self.directory.name))
        rows = self.browser.run("[...document.querySelectorAll('.factor')].map(r => [r.className, r.textContent])")
        self.assertEqual(5, len(rows))
        for kind, text in rows:
            share = float(text.split(" %")[0].split()[-1].lstrip("abcdefghijklmnopqrstuvwxyzPLCST "))
            self.assertIn("good" if share >= 80 else "fair" if share >= 60 else "bad", kind)
            self.assertRegex(text, r"lost: |nothing to speak of is lost")
        # The other ways to separate serialisation from transfer are shown on request.
        self.assertFalse(self.browser.run("document.querySelector('#efficiency details').open"))
        self.assertEqual(1, self.text("#efficiency > div > .tree").count("Transfer"))

    def test_ranks_of_a_cause_are_the_same_everywhere(self):
        slow = [0, 1, 6, 11, 15, 20, 21]
        trace = busy_run(24, 14, lambda rank, step: rank == slow[step % len(slow)])
        with tempfile.TemporaryDirectory() as directory:
            page = write_page(directory, text=trace)
            subprocess.run([WAITDIAG, "report", f"{directory}/run.trace", "--quiet", "--json", f"{directory}/r.json", "--csv", f"{directory}/csv"], check=True)
            text = subprocess.run([WAITDIAG, "report", f"{directory}/run.trace"], capture_output=True, text=True, check=True).stdout
            report = json.loads(Path(directory, "r.json").read_text(encoding="utf-8"))
            with open(f"{directory}/csv/causes.csv", newline="", encoding="utf-8") as file:
                table = list(csv.DictReader(file))
            self.browser.open(page)
        words = "ranks 0, 1, 6, 11, 15, ... (2 more)"
        self.assertEqual(slow, report["causes"][0]["leading_ranks"])
        self.assertEqual("0, 1, 6, 11, 15, 20, 21", table[0]["leading_ranks"])
        self.assertIn(words, self.text("#cause-1 summary"))
        self.assertIn(words, self.text("h1"))
        self.assertIn(words, " ".join(text.split()))

    def test_blamed_lines_are_shown_with_some_around_them(self):
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([SAMPLE_ARCHIVE, "run", "late_sender"], cwd=directory, check=True)
            Path(directory, "solver.c").write_text("".join(f"int line_{n};\n" for n in range(1, 60)), encoding="utf-8")
            subprocess.run([WAITDIAG, "report", "run", "--quiet", "--html", "page.html"], cwd=directory, check=True)
            self.browser.open(Path(directory, "page.html"))
            self.assertEqual([f"{n}int line_{n};\n" for n in range(29, 38)], self.browser.run("[...document.querySelectorAll('#cause-1 .source .line')].map(l => l.textContent)"))
            self.assertEqual("33int line_33;\n", self.text("#cause-1 .source .meant"))
            link = "document.querySelector('#cause-1 .source a').getAttribute('href')"
            self.assertRegex(self.browser.run(link), r"^vscode://file/.*solver\.c:33$")
            subprocess.run([WAITDIAG, "report", "run", "--quiet", "--editor-link", "idea://open?file={file}&line={line}", "--html", "page.html"], cwd=directory, check=True)
            self.browser.open(Path(directory, "page.html"))
            self.assertRegex(self.browser.run(link), r"^idea://open\?file=/.*solver\.c&line=33$")
            subprocess.run([WAITDIAG, "report", "run", "--quiet", "--no-source", "--html", "page.html"], cwd=directory, check=True)
            self.browser.open(Path(directory, "page.html"))
            self.assertEqual(0, self.browser.run("document.querySelectorAll('.source').length"))

    def test_paper_cuts_nothing_off(self):
        self.browser.size(718, 1000)  # A4 within its margins
        self.browser.open(write_page(self.directory.name, text=busy_run(64, 8, lambda rank, step: rank == 7)))
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.browser.drawn()
        outside = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 719).map(e => e.outerHTML.slice(0, 80))"
        try:
            self.assertEqual([], self.browser.run(outside))
            self.assertEqual("none", self.browser.run("getComputedStyle(document.querySelector('nav')).display"))
        finally:
            self.browser.call("Emulation.setEmulatedMedia", media="")

    def test_keyboards_and_screen_readers_reach_everything(self):
        self.browser.open(write_page(self.directory.name))
        self.assertEqual("#todo", self.browser.run("document.querySelector('.skip').getAttribute('href')"))
        nameless = "[...document.querySelectorAll('button:not([hidden]), canvas')].filter(e => !(e.getAttribute('aria-label') || e.textContent).trim()).map(e => e.outerHTML)"
        self.assertEqual([], self.browser.run(nameless))
        self.assertEqual([], self.browser.run("[...document.querySelectorAll('table')].filter(t => !t.getAttribute('aria-label')).map(t => t.outerHTML.slice(0, 80))"))
        self.assertRegex(self.browser.run("document.querySelector('#calls button.fold').getAttribute('aria-label')"), r"Callees of \w+")
        self.assertEqual([], self.browser.run("[...document.querySelectorAll('canvas')].filter(c => c.tabIndex !== 0).map(c => c.className)"))
        self.browser.run("document.querySelector('#cause-1 canvas').focus()")
        self.browser.key("ArrowDown")
        self.browser.key("ArrowRight")
        self.assertIn("rank 1, step 1", self.text("#cause-1 .readout"))
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        self.browser.key("?")
        self.browser.wait("document.getElementById('help').open")
        self.browser.screenshot(PICTURES / "help.png")


class Text(BrowserTest):
    """Contrast as the Web Content Accessibility Guidelines define it; 4.5 is what they ask for."""
    FAINT = """(() => {
        const part = x => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        const bright = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).map(x => part(colour.startsWith('rgb') ? x / 255 : +x)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const clear = colour => /^rgba\\(.*, 0\\)$/.test(colour), found = [];
        for (const one of document.querySelectorAll('body *')) {
            if (one.closest('svg, canvas, option, noscript, [hidden]') || ![...one.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
            let under = one;
            while (under.parentElement && clear(getComputedStyle(under).backgroundColor)) under = under.parentElement;
            const [a, b] = [getComputedStyle(one).color, getComputedStyle(under).backgroundColor].map(bright).sort((x, y) => y - x);
            if ((a + 0.05) / (b + 0.05) < 4.5) found.push(`${one.outerHTML.slice(0, 80)}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
        }
        return found; })()"""

    def test_it_stands_out_from_its_ground(self):
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([SAMPLE_ARCHIVE, "run", "late_sender"], cwd=directory, check=True)
            Path(directory, "solver.c").write_text("int line;\n" * 60, encoding="utf-8")
            subprocess.run([WAITDIAG, "report", "run", "--quiet", "--html", "page.html"], cwd=directory, check=True)
            for scheme in ("light", "dark"):
                self.browser.scheme(scheme)
                self.browser.open(Path(directory, "page.html"))
                self.assertEqual([], self.browser.run(self.FAINT), scheme)


class Timeline(BrowserTest):
    def open(self, trace, *options, width=1400):
        self.browser.size(width, 900)
        self.browser.scheme("light")
        self.browser.open(write_page(self.directory.name, *options, text=trace))
        self.browser.drawn()

    def colours(self):
        """The number of pixels of each colour in the lanes."""
        self.browser.drawn()
        return dict(self.browser.run(f"""(() => {{
            const canvas = document.querySelector('.timeline:not(.overview) canvas'), context = canvas.getContext('2d');
            const {{ data }} = context.getImageData({GUTTER}, {RULER}, canvas.width - {GUTTER}, canvas.height - {RULER}), seen = new Map();
            for (let i = 0; i < data.length; i += 4) {{ const c = data.slice(i, i + 3).join(','); seen.set(c, (seen.get(c) ?? 0) + 1); }}
            return [...seen]; }})()"""))

    def hide(self, *marks):
        for mark in marks:
            self.browser.run(f"(b => {{ if (b.checked) b.click(); }})(document.getElementById('show-{mark}'))")

    def dark(self):
        seen = self.colours()
        return sum(n for colour, n in seen.items() if max(map(int, colour.split(","))) < 90) / sum(seen.values())

    def test_a_critical_path_that_moves_all_the_time_blackens_nothing(self):
        # The path moves to another rank every 1.5 pixels, so it is not drawn, and the page says so.
        self.open(busy_run(16, 900, lambda rank, step: rank == step * 7 % 16, step_us=200))
        self.browser.screenshot(PICTURES / "moving-path.png")
        self.assertLess(self.dark(), 0.01)
        self.assertRegex(self.browser.run("document.querySelector('.timeline .note').textContent"), r"critical path changes 90\d times in view")
        self.browser.run("waitprof.timeline.show(0.01, 0.012)")
        self.assertGreater(self.dark(), 0.001)

    def test_far_away_causes_keep_their_hue(self):
        # Each pixel contains waits for a() and for b(), and the computation of both.
        self.open(busy_run(8, 3000, lambda rank, step: rank == 3, step_us=100))
        self.hide("messages", "collectives", "path")
        self.browser.screenshot(PICTURES / "far-away.png")
        self.assertEqual([], [colour for colour in self.colours() if is_brown(*map(int, colour.split(",")))])

    def test_many_ranks_share_rows_until_a_group_is_opened(self):
        self.open(busy_run(300, 4, lambda rank, step: rank == (7 if step < 2 else 77)))
        groups = self.browser.run("[...document.querySelectorAll('.groups button')].map(b => b.textContent)")
        self.assertEqual(["▸ 2 ranks7, 77", "▸ 298 ranks0-6, 8-76, 78-299"], groups)
        self.assertEqual(2, self.browser.run("waitprof.timeline.state.rowsInAll"))
        self.browser.screenshot(PICTURES / "groups.png")
        self.browser.run("document.querySelector('.groups button').click()")
        self.assertEqual(4, self.browser.run("waitprof.timeline.state.rowsInAll"))
        self.assertEqual("true", self.browser.run("document.querySelector('.groups button').getAttribute('aria-expanded')"))
        self.browser.run("(s => { s.value = 'node'; s.dispatchEvent(new Event('change')); })(document.getElementById('group'))")
        self.assertEqual(5, self.browser.run("waitprof.timeline.state.rowsInAll"))
        self.browser.run("(s => { s.value = 'none'; s.dispatchEvent(new Event('change')); })(document.getElementById('group'))")
        self.assertEqual(300, self.browser.run("waitprof.timeline.state.rowsInAll"))

    def test_rows_of_thousands_of_ranks_have_the_colours_of_single_ones(self):
        # So many that their calls are added up once (share/web/timeline/bins.ts).
        self.open(busy_run(3200, 2, lambda rank, step: rank == 7))
        self.hide("messages", "collectives", "path")
        self.browser.drawn()
        late, waiting = self.browser.run(f"""(canvas => {{
            const context = canvas.getContext('2d'), high = (canvas.height - {RULER}) / 2, x = {GUTTER} + (canvas.width - {GUTTER}) / 4;
            return [0, 1].map(row => [...context.getImageData(x, {RULER} + (row + 0.7) * high, 1, 1).data.slice(0, 3)]);
        }})(document.querySelector('.timeline canvas'))""")
        self.assertEqual((list(FULL), list(PALE)), (late, waiting))

    def test_a_heatmap_keeps_the_one_rank_that_counts(self):
        self.open(busy_run(1024, 4, lambda rank, step: rank == 500 and step == 2))
        darkest = "(c => { const d = c.getContext('2d').getImageData(40, 0, c.width - 40, c.height).data; let least = 255; for (let i = 0; i < d.length; i += 4) least = Math.min(least, d[i + 2]); return least; })(document.querySelector('#cause-1 canvas.heat'))"
        self.assertEqual(4, self.browser.run(darkest))  # fields of the full colour, #8c2d04

    def test_a_click_on_what_was_late_shows_who_waited(self):
        self.open(TRACE)
        box = self.browser.run("(c => { c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })(document.querySelector('.timeline canvas'))")
        self.browser.click(box[0] + GUTTER + 20 / 197 * (box[2] - GUTTER), box[1] + RULER + (box[3] - RULER) * 2.3 / 4)
        self.browser.drawn()
        words = self.browser.run("document.getElementById('details').textContent")
        self.assertIn("3 waited for it meanwhile, 90.0 ms in total", words)
        self.browser.screenshot(PICTURES / "victims.png")
        self.browser.run("(d => { d.open = true; })(document.querySelector('#cause-1 details.more'))")
        self.browser.wait("document.querySelector('#cause-1 .victims table')")
        self.assertIn("120 ms", self.browser.run("document.querySelector('#cause-1 .victims tbody').textContent"))

    # Rank 0 writes for 90 of 100 ms, rank 1 is without a processor for half of the time, rank 2 computes.
    OFF = "unit ms\nregion \"fwrite\" library\n" + "".join(f"rank {rank}\n{gap}  100..200 main/MPI_Barrier\n" for rank, gap in enumerate((
        "  0..10 main/save/\"fwrite\"\n  10..100 main/save/\"fwrite\"/(blocked)\n", "  0..50 main/solve\n  50..100 \"(processor taken away)\"\n", "  0..100 main/solve\n")))

    def assert_bars(self, canvas):
        """In the three rows of the timeline of OFF, by their pixels."""
        room = f"Math.min(8, 0.3 * (canvas.height - {RULER}) / 3)"
        seen = self.browser.run(f"""[0, 1, 2].map(row => {{
            const canvas = document.querySelector('{canvas}'), high = (canvas.height - {RULER}) / 3, x = {GUTTER} + (canvas.width - {GUTTER}) / 4;
            const {{ data }} = canvas.getContext('2d').getImageData(x, {RULER} + row * high + 1, 1, high / 3), colours = [];
            for (let i = 0; i < data.length; i += 4) colours.push(data.slice(i, i + 3).join(','));
            return [colours.filter(c => c === '28,35,41').length / {room}, colours.filter(c => c === '11,87,164').length / {room}]; }})""")
        for row, (blocked, taken) in enumerate(((0.9, 0), (0, 0.5), (0, 0))):
            self.assertAlmostEqual(seen[row][0], blocked, delta=0.15, msg=f"blocked, rank {row}")
            self.assertAlmostEqual(seen[row][1], taken, delta=0.15, msg=f"taken, rank {row}")

    def test_bars_say_when_a_thread_was_not_on_a_processor(self):
        self.open(self.OFF)
        self.hide("messages", "collectives", "path")
        self.browser.picture(PICTURES / "off-processor.png", "#timeline .timeline")
        self.assert_bars(".timeline canvas")
        legend = self.browser.run("document.querySelector('.legend').textContent")
        self.assertIn("not on a processor: blocked", legend)
        self.assertIn("not on a processor: taken away", legend)
        box = self.browser.run("(c => { c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })(document.querySelector('.timeline canvas'))")
        self.browser.click(box[0] + GUTTER + 0.25 * (box[2] - GUTTER), box[1] + RULER + 0.5 * (box[3] - RULER) / 3)
        self.assertIn("90.0 ms of it not on a processor: waited for files, pipes or sockets", self.browser.run("document.getElementById('details').textContent"))
        self.browser.run("waitprof.timeline.sumUp()")
        self.assertRegex(self.browser.run("document.getElementById('area').textContent"), r"not on a processor140 ms")

    def test_bars_of_a_long_run_say_so_too(self):
        self.open(self.OFF, "--most-calls", "1")
        self.browser.picture(PICTURES / "off-processor-overview.png", "#timeline .overview")
        self.assert_bars(".overview canvas")
        legend = self.browser.run("document.querySelector('.legend').textContent")
        self.assertIn("not on a processor: taken away", legend)
        box = self.browser.run("(r => [r.left, r.top, r.width, r.height])(document.querySelector('.overview canvas').getBoundingClientRect())")
        self.browser.run(f"""document.querySelector('.overview canvas').dispatchEvent(new PointerEvent('pointermove',
            {{ clientX: {box[0] + GUTTER + 0.25 * (box[2] - GUTTER)}, clientY: {box[1] + RULER + 0.5 * (box[3] - RULER) / 3} }}))""")
        self.assertIn("90 % not on a processor: blocked", self.browser.run("document.querySelector('.overview .tip').textContent"))

    def test_an_area_has_its_sums(self):
        self.open(TRACE)
        box = self.browser.run("(c => { c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })(document.querySelector('.timeline canvas'))")
        x, y = (lambda ms: box[0] + GUTTER + ms / 197 * (box[2] - GUTTER)), (lambda row: box[1] + RULER + (box[3] - RULER) * row / 4)
        self.browser.mouse("mousePressed", x(0), y(0.2), button="left", clickCount=1, modifiers=8)
        self.browser.mouse("mouseMoved", x(42), y(1.8), button="left", modifiers=8)
        self.browser.mouse("mouseReleased", x(42), y(1.8), button="left", clickCount=1, modifiers=8)
        words = self.browser.run("document.getElementById('area').textContent")
        self.assertIn("2 threads", words)
        self.assertRegex(words, r"computation(19|20)\.\d ms.*waiting for solve(59|60)\.\d ms")

    def test_the_address_brings_all_back(self):
        self.open(busy_run(300, 4, lambda rank, step: rank in (7, 77)))
        self.browser.run("waitprof.timeline.show(0.001, 0.002); waitprof.timeline.toggle(0); waitprof.timeline.sort('load'); waitprof.timeline.search('a'); document.getElementById('show-path').click()")
        self.browser.wait("location.hash.includes('hide=path')")
        state, link = self.browser.run("JSON.stringify([waitprof.timeline.state, waitprof.timeline.arrangement.sorting, waitprof.timeline.searched])"), self.browser.run("location.hash")
        self.browser.open(Path(self.directory.name, "page.html"), link)
        self.assertEqual(state, self.browser.run("JSON.stringify([waitprof.timeline.state, waitprof.timeline.arrangement.sorting, waitprof.timeline.searched])"))
        self.assertEqual(["load", "a", False], self.browser.run("[document.getElementById('sort').value, document.getElementById('search').value, document.getElementById('show-path').checked]"))

    def test_a_run_of_a_microsecond_has_times_and_an_address(self):
        self.open("unit ns\n" + "".join(f"rank {rank}\n" + "".join(f"  {at}..{at + busy} main/f\n  {at + busy}..{at + 420} main/MPI_Barrier\n" for at in (0, 420, 840)) for rank, busy in ((0, 100), (1, 400))))
        self.assertEqual({"0.000000100 s", "0.000000520 s", "0.000000940 s"}, set(self.browser.run("[...document.querySelectorAll('#timeline tbody tr')].map(r => r.children[3].textContent)")))
        self.assertRegex(self.browser.run("document.querySelector('.facts').textContent"), "^2 ranks · 1.26 µs")  # no nodes are known
        self.browser.run("waitprof.timeline.show(4e-7, 8e-7)")
        self.browser.wait("location.hash === '#t=0.0000004:0.0000008'")

    def test_keys_lead_from_wait_to_wait_and_from_match_to_match(self):
        self.open(TRACE)
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        for key in "nnp":
            self.browser.key(key)
        first = self.browser.run("waitprof.timeline.state.selected")
        self.assertGreaterEqual(first, 0)
        self.browser.run("waitprof.timeline.search('MPI_Send')")
        self.browser.key("m")
        self.assertIn("MPI_Send", self.browser.run("document.querySelector('#details h3').textContent"))
        begin, end = self.browser.run("waitprof.timeline.window")
        self.assertLess(end - begin, 0.02)  # it is zoomed to the match of 1 ms
        self.browser.key("m")
        self.assertGreater(self.browser.run("waitprof.timeline.window[0]"), begin)
        self.browser.key("f")
        self.browser.wait("document.fullscreenElement?.className === 'timeline'")
        self.browser.key("f")
        self.browser.wait("!document.fullscreenElement")


class Colours(unittest.TestCase):
    """Differences in CIELAB, for normal vision and for colour vision deficiencies as simulated by Machado,
    Oliveira and Fernandes (2009)."""
    EYES = {"usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
            "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
            "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
            "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))}

    def test_no_wait_looks_like_another_one_or_like_a_call(self):
        source = (SOURCE / "share/web/drawing/colours.ts").read_text(encoding="utf-8")
        for scheme in re.findall(r"Scheme = \{(.*?)\n\};", source, re.DOTALL):
            with self.subTest(scheme):
                self.tell_apart(scheme)

    def tell_apart(self, scheme):
        colours = {name: [tuple(int(text[i:i + 2], 16) / 255 for i in (0, 2, 4)) for text in re.findall(r"#([0-9a-f]{6})", listed)] for name, listed in re.findall(r"(\w+): (.*#.*),", scheme)}
        causes, calls, [ground] = colours["causes"], colours["kinds"], colours["ground"]
        self.assertEqual((6, 8), (len(causes), len(calls)))
        pale = float(re.search(r"pale: ([\d.]+)", scheme)[1])
        loud = [(f"{name} {i}", i, [(1 - share) * c + share * g for c, g in zip(cause, ground)]) for i, cause in enumerate(causes) for name, share in (("cause", 0), ("wait", pale))]
        quiet = [(f"call {i}", None, call) for i, call in enumerate(calls)]
        for eyes, matrix in self.EYES.items():
            for a, b in itertools.combinations(loud + quiet, 2):
                if a[1] != b[1]:
                    self.assertGreater(math.dist(lab(a[2], matrix), lab(b[2], matrix)), 8, (eyes, a[0], b[0]))


def lab(colour, matrix):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    linear = [max(0, sum(m * c for m, c in zip(row, linear))) for row in matrix]
    x, y, z = (sum(w * c for w, c in zip(row, linear)) for row in ((0.4339, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0177, 0.1095, 0.8729)))
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def is_brown(red, green, blue):
    """Whether a colour lies between the hues of two causes: dull, but neither grey nor of one hue."""
    most, least = max(red, green, blue), min(red, green, blue)
    if most - least < 40 or most > 215:
        return False
    hue = (60 * ((green - blue) / (most - least)) if most == red else 120 + 60 * (blue - red) / (most - least) if most == green else 240 + 60 * (red - green) / (most - least)) % 360
    return all(abs(hue - own) > 8 for own in (26, 202, 164, 326, 51, 202, 16))


if __name__ == "__main__":
    unittest.main()
