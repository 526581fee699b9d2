"""The documents: every relative link and anchor resolves, and every entry of docs/concepts.md is complete."""

import re
import unittest

import layering_test
import project

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")
FIELDS = ["Folder", "Scenario key", "Example"]
OTHER_FOLDERS = ["tests", "bench", "fuzz", "docs", "scripts", "cmake", "examples", "share"]


def documents(root):
    return [root / name for name in DOCUMENTS] + project.files_under(root, ["docs"], {".md"})


def without_code(text):
    """The text without fenced blocks and code spans, where brackets are no links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text):
    """The anchors that the headings of a document have."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL),
                              re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.add(slug)
    return found


def link_faults(path, text, resolve):
    """Dead links of one document; resolve(target) gives the text of a linked file, "" for a folder, None if missing."""
    faults = []
    for link in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        found = resolve(target) if target else text
        if found is None:
            faults.append(f"{path}: dead link {link}")
        elif anchor and anchor not in anchors(found):
            faults.append(f"{path}: {link} names a heading that does not exist")
    return faults


def resolver(path):
    def resolve(target):
        linked = path.parent / target
        if linked.is_dir():
            return ""
        if not linked.is_file():
            return None
        return project.read(linked) if linked.suffix == ".md" else ""

    return resolve


def sentences(paragraph):
    return len(re.findall(r"[.?!](?=\s|$)", paragraph))


def concept_faults(text):
    """What is wrong with the entries of docs/concepts.md: two sentences, then the fields in order, known folders."""
    faults = []
    entries = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    terms = [entry.split("\n", 1)[0] for entry in entries]
    if terms != sorted(terms, key=str.lower):
        faults.append("the terms are not in alphabetical order")
    for entry in entries:
        term, _, rest = entry.partition("\n")
        paragraph, *fields = re.split(r"^- ", rest.strip(), flags=re.MULTILINE)
        names = [field.split(":", 1)[0] for field in fields]
        if names != FIELDS:
            faults.append(f"{term}: the fields are {names}, not {FIELDS}")
            continue
        if any(not field.split(":", 1)[1].strip() for field in fields):
            faults.append(f"{term}: an empty field")
        if sentences(paragraph.strip()) != 2:
            faults.append(f"{term}: {sentences(paragraph.strip())} sentences instead of two")
        faults += folder_faults(term, fields[0])
    return faults


def folder_faults(term, field):
    folders = re.findall(r"`([^`]*)/`", field)
    known = [f"src/{layer}" for layer in layering_test.LAYERS] + OTHER_FOLDERS
    unknown = [folder for folder in folders if not any((folder + "/").startswith(k + "/") for k in known)]
    return [f"{term}: unknown folder {field.strip()}"] if unknown or not folders else []


class Documents(unittest.TestCase):
    def test_links_resolve(self):
        faults = []
        for path in documents(project.ROOT):
            faults += link_faults(path.relative_to(project.ROOT), project.read(path), resolver(path))
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_concepts_are_complete(self):
        faults = concept_faults(project.read(project.ROOT / "docs/concepts.md"))
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_every_decision_is_in_the_index(self):
        folder = project.ROOT / "docs/decisions"
        index = project.read(folder / "README.md")
        missing = [p.name for p in folder.glob("[0-9]*.md") if f"({p.name})" not in index]
        self.assertFalse(missing)


class SelfTest(unittest.TestCase):
    """Each rule catches a small bad sample, so that this test can fail."""

    FILES = {"a.md": "# One\n\n## Two words, (here)\n", "dir": ""}
    GOOD = "## PSN\n\nOne. Two.\n\n- Folder: `src/base/`\n- Scenario key: —\n- Example: 7\n"

    def links(self, text):
        return link_faults("x.md", text, self.FILES.get)

    def test_links(self):
        self.assertEqual(self.links("[a](a.md) [b](a.md#two-words-here) [c](dir) [d](https://x.example) [e](#t)\n# T\n"), [])
        self.assertEqual(self.links("`[a](none.md)`\n\n```\n[a](none.md)\n```\n"), [])
        self.assertIn("dead link", self.links("[a](none.md)")[0])
        self.assertIn("heading", self.links("[a](a.md#three)")[0])
        self.assertIn("heading", self.links("[a](#three)\n\n## Four\n")[0])

    def test_concepts(self):
        self.assertEqual(concept_faults(self.GOOD), [])
        bad = {
            "sentences": self.GOOD.replace("One. Two.", "One."),
            "fields": self.GOOD.replace("- Example: 7\n", ""),
            "empty": self.GOOD.replace(" 7", ""),
            "unknown folder": self.GOOD.replace("src/base", "src/nowhere"),
            "order": self.GOOD + "\n" + self.GOOD.replace("PSN", "AETH"),
        }
        for fault, text in bad.items():
            found = concept_faults(text)
            self.assertEqual(len(found), 1, (fault, found))
            self.assertIn(fault, found[0])


if __name__ == "__main__":
    project.run(__name__)
