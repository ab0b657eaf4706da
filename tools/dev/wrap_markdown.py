#!/usr/bin/env python3
"""Wraps the paragraphs and lists of READMEs and manuals at 100 columns; tables, code and headings stay as they are.

    tools/dev/wrap_markdown.py            in place
    tools/dev/wrap_markdown.py --check    only names those that would change

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import sys
import textwrap
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
TOP_FOLDERS = ("analyzer", "examples", "libwaitprof", "share", "tests", "tools")
COLUMNS = 100
ITEM = re.compile(r"(\s*)([*-]|\d+\.) +")
KEPT = re.compile(r"\s*(\||#|<|```|$)| {4}")  # tables, headings, HTML, fences, empty lines, code
# Words that would have another meaning at the start of a line.
BOUND = re.compile(r" (?=(?:[-*+>|]|\d+\.|#+)(?: |$))")
BLANK = "\0"  # a blank at which no line may end


def documents():
    yield from (SOURCE / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    for top in TOP_FOLDERS:
        yield from sorted((SOURCE / top).rglob("README.md"))
    yield from sorted(path for path in (SOURCE / "share" / "doc").rglob("*.md") if path.name != "README.md")


def filled(lines, first, others):
    text = re.sub(r"`[^`]*`", lambda code: code.group().replace(" ", BLANK), " ".join(line.strip() for line in lines))
    text = BOUND.sub(BLANK, text)
    return textwrap.fill(text, COLUMNS, initial_indent=first, subsequent_indent=others, break_long_words=False,
                         break_on_hyphens=False).replace(BLANK, " ").split("\n")


def wrapped(text):
    result, paragraph, indents = [], [], ("", "")

    def end_paragraph():
        if paragraph:
            result.extend(filled(paragraph, *indents))
            paragraph.clear()

    fenced = False
    for line in text.split("\n"):
        item = ITEM.match(line) if paragraph or not line.startswith("    ") else None
        if line.lstrip().startswith("```"):
            fenced = not fenced
            end_paragraph()
            result.append(line)
        elif fenced or (KEPT.match(line) and not (item or (paragraph and line.strip()[:1] not in ("", "|", "#", "<")))):
            end_paragraph()
            result.append(line)
        else:
            if item:
                end_paragraph()
                indents = item.group(), " " * len(item.group())
                line = line[item.end():]
            elif not paragraph:
                indent = re.match(" *", line).group()
                indents = indent, indent
            paragraph.append(line)
    end_paragraph()
    return "\n".join(result)


def main():
    offences = 0
    for path in documents():
        text = path.read_text(encoding="utf-8")
        if (new := wrapped(text)) == text:
            continue
        if "--check" in sys.argv:
            print(f"{path.relative_to(SOURCE)}: not wrapped at {COLUMNS} columns; run tools/dev/format", file=sys.stderr)
            offences += 1
        else:
            path.write_text(new, encoding="utf-8")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
