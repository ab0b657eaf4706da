"""A picture of a page, for README and share/doc:

take_picture.py REPORT.html PICTURE.png FROM TO           a report's timeline from FROM to TO (seconds)
take_picture.py PAGE.html PICTURE.png '#tree' [SCRIPT]    a part of any page; SCRIPT runs first

SPDX-License-Identifier: BSD-3-Clause
"""
import sys
from pathlib import Path

from browser import Browser


def timeline(browser, picture, begin, end):
    browser.size(1000, 490)
    browser.run("document.getElementById('timeline').scrollIntoView()")
    browser.run(f"waitprof.timeline.show({begin}, {end})")
    browser.drawn()
    browser.screenshot(Path(picture))


def part(browser, picture, selector, script="0"):
    browser.run(script)
    browser.picture(picture, selector)


def main(page, picture, *what):
    browser = Browser(width=1000, height=900)
    try:
        browser.open(Path(page).resolve())
        browser.scheme("light")
        (part if what[0][:1] in "#." else timeline)(browser, picture, *what)
    finally:
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
