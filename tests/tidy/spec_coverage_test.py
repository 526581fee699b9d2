"""docs/spec-coverage.md lists the citations that the code has now, and scripts/spec-coverage reads them right."""

import importlib.machinery
import importlib.util
import unittest

import project


def load_script():
    path = str(project.ROOT / "scripts" / "spec-coverage")
    loader = importlib.machinery.SourceFileLoader("spec_coverage", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("spec_coverage", loader))
    loader.exec_module(module)
    return module


SCRIPT = load_script()


class SpecCoverage(unittest.TestCase):
    def test_the_document_is_up_to_date(self):
        cited, faults = SCRIPT.collect(SCRIPT.project_files())
        self.assertFalse(faults, "\n" + "\n".join(faults))
        committed = project.read(project.ROOT / "docs/spec-coverage.md")
        self.assertTrue(committed == SCRIPT.document_of(cited), "out of date; run scripts/spec-coverage")


class SelfTest(unittest.TestCase):
    def test_code_and_tests_are_told_apart_and_sections_sort_by_number(self):
        files = {
            "src/a.cc": "//= ibta-1.7 9.10\n  //= ibta-1.7 9.7.5\n",
            "src/a_test.cc": "//= ibta-1.7 9.7.5\n",
            "src/b.h": "//= ibta-1.7 A16.3\n//= ieee-802.1Q 36\n",
        }
        cited, faults = SCRIPT.collect(files)
        self.assertEqual(faults, [])
        rows = SCRIPT.document_of(cited).split("\n")[-5:-1]
        self.assertEqual(rows, [
            "| ibta-1.7 | A16.3 | `src/b.h` | — |",
            "| ibta-1.7 | 9.7.5 | `src/a.cc` | `src/a_test.cc` |",
            "| ibta-1.7 | 9.10 | `src/a.cc` | — |",
            "| ieee-802.1Q | 36 | `src/b.h` | — |",
        ])

    def test_malformed_citations_are_faults(self):
        for line in ("//= ibta-1.7", "//=ibta-1.7 9.7", "//= ibta-1.7 9.7 because", "//= 9.7"):
            self.assertEqual(len(SCRIPT.collect({"src/a.cc": line + "\n"})[1]), 1, line)

    def test_other_comments_are_not_citations(self):
        self.assertEqual(SCRIPT.collect({"src/a.cc": "// = x\nint a;  //= ibta-1.7 9\n"}), ({}, []))


if __name__ == "__main__":
    project.run(__name__)
