"""Sentences that users read have fewer than 30 words: README, manuals, changes, help texts, messages.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("TEST_SOURCE", Path(__file__).resolve().parents[2]))
FEWER_THAN = 30
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "share/doc/*.md", "examples/*.md", "examples/*/README.md"]
TEXTS = ["analyzer/**/*.[ch]pp", "tools/**/*.[ch]pp", "libwaitprof/**/*.[ch]pp"]
PAGE_TEXTS = ["share/web/**/*.ts"]


def paragraphs(page):
    """Of a page in Markdown: each with the number of its first line. Rows of tables are one for each cell."""
    block, begin, code, after_blank = [], 0, False, True
    for number, line in enumerate([*page.splitlines(), ""], 1):
        text = line.strip()
        fence = text.startswith("```")
        indented = after_blank and line.startswith("    ") and not re.match(r"[*-] |\d+\. ", text)
        apart = not text or fence or indented or text[0] in "#|" or re.match(r"[*-] |\d+\. |!\[", text)
        if (apart or code) and block:
            yield begin, " ".join(block)
            block = []
        after_blank = not text or (indented and not code)
        if fence:
            code = not code
        elif not code and not indented and text:
            if text[0] == "|":
                yield from ((number, cell) for cell in text.strip("|").split(" | "))
            elif text[0] != "#":
                block, begin = block + [re.sub(r"^([*-]|\d+\.) ", "", text)], begin if block else number


def sentences(text):
    """Code is one word, a link its text."""
    text = re.sub(r"``.*?``|`[^`]*`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.split(r"(?<=[a-zA-Z0-9)\]*/\"'%][.!?])[)\"*]*\s+(?=[^a-z])", text)


def clauses(message):
    """A message is one line: what happened; the likely reason; what to do."""
    return [clause for sentence in sentences(message) for clause in re.split(r"[;:] ", sentence)]


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def literals(source):
    """The texts of a C++ file, neighbours joined, with the number of their first line."""
    source = re.sub(r"^\s*(//|#include).*$", "", source, flags=re.M)
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', source):
        parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', found.group())
        yield source.count("\n", 0, found.start()) + 1, "".join(parts)


class Sentences(unittest.TestCase):
    def short(self, path, number, parts):
        for sentence in parts:
            if len(words(sentence)) >= FEWER_THAN:
                with self.subTest(place=f"{path.relative_to(SOURCE)}:{number}", words=len(words(sentence))):
                    self.fail(sentence)

    def files(self, patterns):
        found = sorted({path for pattern in patterns for path in SOURCE.glob(pattern)})
        self.assertTrue(found)
        return found

    def test_of_pages_are_short(self):
        for path in self.files(PAGES):
            for number, text in paragraphs(path.read_text(encoding="utf-8")):
                self.short(path, number, sentences(text))

    def test_of_help_texts_and_messages_are_short(self):
        for path in self.files(TEXTS):
            for number, text in literals(path.read_text(encoding="utf-8")):
                for line in text.split("\\n"):
                    self.short(path, number, clauses(line))

    def test_of_the_page_are_short(self):
        for path in self.files(PAGE_TEXTS):
            for number, text in literals(path.read_text(encoding="utf-8")):
                self.short(path, number, clauses(text))

    def test_long_ones_are_found(self):
        long = "Word " * FEWER_THAN
        self.assertEqual([len(words(one)) for one in sentences(f"Short one. {long}end. `a b c` is one.")], [2, FEWER_THAN + 1, 3])
        self.assertEqual(list(paragraphs("# Title\n\n* one\n  more\n* two\n\n    code\n\nText\n")), [(3, "one more"), (5, "two"), (9, "Text")])
        self.assertEqual(clauses("A file: it is gone; name another."), ["A file", "it is gone", "name another."])
        self.assertEqual(list(literals('f("a "\n  "b");')), [(1, "a b")])


if __name__ == "__main__":
    unittest.main()
