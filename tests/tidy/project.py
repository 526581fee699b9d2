"""What the tidy tests share: the files of the project, the text of C++ without comments and strings, and a runner."""

import argparse
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

TOKEN = re.compile(
    r"""
    (?P<line_comment>//[^\n]*)
  | (?P<block_comment>/\*.*?\*/)
  | (?P<raw_string>R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)")
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<number>\b[0-9][0-9a-zA-Z_.']*)
  | (?P<character>'(?:\\.|[^'\\\n])+')
    """,
    re.VERBOSE | re.DOTALL,
)


def files_under(root, folders, suffixes):
    """All files below the folders with one of the suffixes, in a fixed order."""
    found = []
    for folder in folders:
        found += [p for p in (root / folder).rglob("*") if p.is_file() and p.suffix in suffixes]
    return sorted(found)


def cpp_files(root, folders=("src", "tests", "bench", "fuzz", "examples")):
    return files_under(root, folders, {".h", ".cc"})


def read(path):
    return path.read_text(encoding="utf-8")


def code_only(text):
    """The text with comments and the contents of strings blanked out; line numbers stay."""

    def blank(match):
        found = match.group(0)
        if match.lastgroup == "number" or match.group("number"):
            return found.replace("'", "")
        kept = re.sub(r"[^\n]", " ", found)
        return '"' + kept[1:-1] + '"' if match.group("string") or match.group("raw_string") else kept

    return TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def run(module_name):
    """Runs the unittest cases of a module; prints all findings, and nothing else on success."""
    argparse.ArgumentParser(description=sys.modules[module_name].__doc__).parse_args()
    unittest.main(module=module_name, argv=[sys.argv[0]], verbosity=1)
