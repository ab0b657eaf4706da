"""A picture of a page's timeline from FROM to TO (seconds): take_picture.py REPORT.html PICTURE.png FROM TO

Those of share/doc/tutorial.md are made with it.

SPDX-License-Identifier: BSD-3-Clause
"""
import sys
from pathlib import Path

from browser import Browser


def main(page, picture, begin, end):
    browser = Browser(width=1000, height=490)
    try:
        browser.open(Path(page).resolve())
        browser.scheme("light")
        browser.run("document.getElementById('timeline').scrollIntoView()")
        browser.run(f"waitprof.timeline.show({begin}, {end})")
        browser.drawn()
        browser.screenshot(Path(picture))
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
