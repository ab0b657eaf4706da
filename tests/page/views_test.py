"""The report's sliders, and its views of the run as a whole: maps, call tree, squares and histograms.

SPDX-License-Identifier: BSD-3-Clause
"""
import unittest

from browser import BrowserTest
from page_test import PICTURES, busy_run, write_page


class WhatIf(BrowserTest):
    """In each of four steps rank 2 solves for 30 ms longer than the others."""
    def setUp(self):
        self.browser.size(1400, 900)
        self.browser.scheme("light")
        self.browser.open(write_page(self.directory.name))

    def move(self, slider, share):
        self.browser.run(f"(i => {{ i.value = {share}; i.dispatchEvent(new Event('input')); }})(document.getElementById('what-if-{slider}'))")
        return self.browser.run("document.querySelector('.what-if-result').textContent")

    def test_sliders_say_what_a_change_would_bring(self):
        names = self.browser.run("[...document.querySelectorAll('.what-if label')].map(l => l.textContent.trim())")
        self.assertEqual(["solve balanced", "Network", "Rank 2 as fast as the others"], names)
        self.assertIn("as measured", self.move(0, 0))
        whole = self.move(0, 100)
        gain = self.browser.run("waitprof.model.report.causes[0].gain.runtime_s")
        self.assertRegex(whole, rf"^{1000 * gain:.1f} ms instead of 197 ms.*this point was computed")
        self.browser.screenshot(PICTURES / "what-if.png")
        self.assertRegex(self.move(0, 50), r"^137 ms instead of 197 ms.*this point was computed")
        self.assertRegex(self.move(0, 60), r"^125 ms instead of 197 ms.*≈ interpolated between computed points")

    def test_several_changes_were_computed_together(self):
        self.move(0, 100)
        self.assertIn("computed", self.move(2, 100))
        both = self.browser.run("waitprof.whatIf.answer()")
        self.assertEqual("computed", both["how"])
        self.assertLess(both["runtime_s"], self.browser.run("waitprof.whatIf.answer([1, 0, 0, 0]).runtime_s"))
        self.assertEqual("interpolated", self.browser.run("waitprof.whatIf.answer([1, 0, 0.5, 0]).how"))
        # It is in the address, and comes back from there.
        self.browser.wait("location.hash.includes('&if=')")
        words = "document.querySelector('.what-if-result').textContent"
        link, said = self.browser.run("location.hash"), self.browser.run(words)
        page = self.browser.run("decodeURIComponent(location.pathname)")
        self.browser.open(page, link)
        self.assertEqual(said, self.browser.run(words))
        self.assertNotEqual("0", self.browser.run("document.querySelector('#what-if input').value"))
        self.browser.run("[...document.querySelectorAll('#what-if button')].pop().click()")
        self.assertEqual("measured", self.browser.run("waitprof.whatIf.answer().how"))


class WholeRun(BrowserTest):
    """The views of the run as a whole. Rank 3 is late in a() and in b(), in turn."""
    def setUp(self):
        self.browser.size(1400, 900)
        self.browser.scheme("light")
        self.browser.open(write_page(self.directory.name, text=busy_run(8, 6, lambda rank, step: rank == 3)))
        self.browser.drawn()

    def test_the_map_of_causes_has_the_colour_of_who_was_late_where(self):
        middle = "(c => { const d = c.getContext('2d'), wide = (c.width - 34) / 6; return [0, 1].flatMap(step => [2.5, 3.5].map(row => d.getImageData(34 + (step + 0.5) * wide, row * c.height / 8, 1, 1).data.slice(0, 3).join(','))); })(document.querySelector('#cause-map canvas'))"
        first, late, second, later = self.browser.run(middle)
        self.assertEqual({"213,94,0", "0,114,178"}, {late, later})
        self.assertEqual(("230,234,238",) * 2, (first, second))
        self.browser.screenshot(PICTURES / "cause-map.png")

    def test_ranks_of_a_map_stand_beside_their_row(self):
        self.browser.run("CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { if (this.canvas.closest('.heatmap')) (window.told ??= []).push([text, Math.floor(8 * y / this.canvas.clientHeight)]); }")
        self.browser.run("window.dispatchEvent(new Event('recolour'))")
        told = self.browser.run("window.told")
        self.assertLess(7, len(told))
        self.assertEqual([], [one for one in told if int(one[0]) != one[1]])

    def test_the_call_tree_stands_in_colours_of_causes(self):
        boxes = self.browser.run("[...document.querySelectorAll('.icicle .box')].map(b => [b.textContent.split(':')[0], b.firstChild.getAttribute('fill')])")
        self.assertEqual({"rgb(213,94,0)", "rgb(0,114,178)"}, {fill for name, fill in boxes if name[0] in "ab"})

    def test_names_in_the_call_tree_stay_in_their_boxes(self):
        lengths = [400, 97, 60, 30, 200]
        steps = "".join(f"  {sum(lengths[:i])}..{sum(lengths[:i + 1])} main/MATCH_pressure_{i}\n" for i in range(len(lengths)))
        self.browser.open(write_page(self.directory.name, text="unit ms\n" + "".join(f"rank {rank}\n{steps if rank else steps.replace('MATCH', 'match')}  787..800 main/MPI_Barrier\n" for rank in (0, 1))))
        outside = "[...document.querySelectorAll('.icicle .box')].filter(b => b.querySelector('text')?.getBoundingClientRect().right > b.querySelector('rect').getBoundingClientRect().right).map(b => b.textContent)"
        self.assertEqual([], self.browser.run(outside))
        shown = self.browser.run("[...document.querySelectorAll('.icicle text')].map(t => t.textContent)")
        self.assertIn("match_pressure_0", shown)
        self.assertEqual([], [name for name in shown if len(name) < 8 and "…" in name])

    def test_a_square_says_who_waits_for_whom(self):
        self.browser.run("document.getElementById('wait-matrix').focus()")
        for _ in range(3):
            self.browser.key("ArrowRight")
        self.assertRegex(self.browser.run("document.getElementById('wait-matrix').parentElement.textContent"), r"rank 0 waited [23]\.\d+ ms for rank 3")
        for selector in ("#wait-matrix", "#matrix"):
            self.browser.run(f"document.querySelector('{selector}').scrollIntoView({{block: 'center'}})")
            left, top, width, height = self.browser.run(f"(r => [r.left, r.top, r.width, r.height])(document.querySelector('{selector}').getBoundingClientRect())")
            self.browser.mouse("mouseMoved", left + width - 2, top + height * 0.99)
            self.assertIn("7", self.browser.run(f"document.querySelector('{selector}').parentElement.textContent"))
        self.browser.picture(PICTURES / "wait-matrix.png", "#waits")

    def test_waits_have_a_histogram(self):
        self.assertIn("600 µs", self.browser.run("document.querySelector('.histograms').textContent"))


if __name__ == "__main__":
    unittest.main()
