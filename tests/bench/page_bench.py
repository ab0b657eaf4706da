#!/usr/bin/env python3
"""What a page of a large run costs: its size, the seconds until it is ready, and pictures per second.

    page_bench.py [--runs small,wide,large] [--times 3]
    page_bench.py --pages FILE.html ...

Prints one line for each page. Seconds and pictures are by the clock, and by the processor time of the renderer, which
other programs on the machine do not change. The least of several times counts. The budget: 15 MB, ready in 1 s, 30
pictures per second; exit status 1 if a page does not keep to it by processor time.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "page"))
from browser import Browser, chromium  # noqa: E402

WAITDIAG = os.environ.get("TEST_WAITDIAG", "waitdiag")
REPORT_BENCH = os.environ.get("TEST_REPORT_BENCH", "report_bench")
# Ranks and steps; the largest call by call, and 10 M events, which begin with an overview.
RUNS = {"small": (4, 100), "wide": (1024, 60), "by_call": (64, 3400), "large": (64, 4600)}
BUDGET_MB, BUDGET_SECONDS, BUDGET_PICTURES = 15, 1, 30
PICTURES = 60
# Zooms in, moves, and zooms out again, with one picture after another.
MOVES = """(async () => {
  const { timeline } = waitprof, begin = performance.now();
  for (let i = 0; i < %d; ++i) {
    timeline.zoom(i %% 20 < 10 ? 0.9 : 1 / 0.9);
    const [from, to] = timeline.window;
    timeline.show(from + 0.01 * (to - from), to + 0.01 * (to - from));
    const drawn = timeline.frames;
    while (timeline.frames === drawn) await new Promise(requestAnimationFrame);
  }
  return (performance.now() - begin) / 1000;
})()""" % PICTURES


def page_of(name, directory):
    ranks, steps = RUNS[name]
    archive, page = f"{directory}/{name}", f"{directory}/{name}.html"
    subprocess.run([REPORT_BENCH, "--ranks", str(ranks), "--steps", str(steps), "--archive", archive, "--no-replays"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([WAITDIAG, "report", archive, "--quiet", "--html", page], check=True)
    return page


def processor_seconds(browser):
    metrics = browser.call("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


def measured(page):
    """Seconds until ready and pictures per second, both by the clock and by processor time."""
    browser = Browser(1400, 900)
    try:
        browser.call("Performance.enable", timeDomain="threadTicks")
        browser.open(page)
        ready = browser.run("waitprof.ready") / 1000
        browser.drawn()
        ready_processor = processor_seconds(browser)
        browser.run(MOVES)  # what is prepared at the first move is not repeated
        before = processor_seconds(browser)
        moving = browser.run(MOVES)
        return ready, ready_processor, PICTURES / moving, PICTURES / (processor_seconds(browser) - before)
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", default=",".join(RUNS))
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--pages", nargs="+", default=[])
    options = parser.parse_args()
    if not chromium():
        print("skipped: no Chromium here")
        return 0
    kept = True
    with tempfile.TemporaryDirectory() as directory:
        print(f"{'page':24} {'MB':>6} {'ready s':>8} {'processor s':>12} {'pictures/s':>11} {'by processor':>13}")
        for page in options.pages or (page_of(name, directory) for name in options.runs.split(",")):
            runs = list(zip(*(measured(page) for _ in range(options.times))))
            (ready, ready_processor), (pictures, by_processor) = map(min, runs[:2]), map(max, runs[2:])
            size = Path(page).stat().st_size / 1e6
            kept &= size <= BUDGET_MB and ready_processor <= BUDGET_SECONDS and by_processor >= BUDGET_PICTURES
            print(f"{Path(page).stem:24} {size:6.2f} {ready:8.2f} {ready_processor:12.2f} {pictures:11.0f} {by_processor:13.0f}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
