"""The house style that a compiler does not check: sizes, banned constructs, headers, white space."""

import re
import unittest

import project

FILE_LIMIT = 800
TEST_FILE_LIMIT = 1500
FUNCTION_LIMIT = 70
LINE_LIMIT = 120

LOOKUP_ONLY = "// lookup only"

# (pattern in code without comments and strings, where it is allowed, why it is banned)
EVERYWHERE = frozenset()
BANNED = [
    (r"\bs?rand\s*\(", EVERYWHERE, "the C library's random numbers; use base/random.h"),
    (r"\bstd::\w+_distribution\b|\bstd::(s?ample|shuffle)\b|\bstd::ranges::(sample|shuffle)\b", EVERYWHERE,
     "the standard library's distributions differ between platforms"),
    (r"\bstd::(random_device|mt19937(_64)?|default_random_engine|minstd_rand0?)\b", EVERYWHERE,
     "random numbers come from base/random.h with a seed"),
    (r"\b(shared_ptr|make_shared)\b", EVERYWHERE, "shared ownership; use a value, a slab or unique_ptr"),
    (r"(?<!static_)(?<!\w)assert\s*\(|#\s*include\s*<(cassert|assert\.h)>", EVERYWHERE, "use WEFT_ASSERT or WEFT_DCHECK"),
    (r"\busing\s+namespace\s+std\b", EVERYWHERE, "names the whole standard library"),
    (r"\b(exit|_exit|_Exit|quick_exit)\s*\(", {"src/cli"}, "only cli/ ends the process"),
    (r"\bstd::(cout|cerr|clog)\b|\b(printf|fprintf|puts|fputs|putchar)\s*\(|\bfmt::print\s*\(",
     {"src/cli", "src/base/assert.cc"}, "only cli/ prints"),
    (r"-march=native|\b__DATE__\b|\b__TIME__\b", EVERYWHERE, "the result would depend on the machine or the day"),
]
# Tests and files outside src/ are programs of their own: they may print and end, and watch lifetimes by a shared_ptr.
PROGRAM_FOLDERS = {"tests", "bench", "fuzz", "examples"}
PROGRAM_REASONS = {"only cli/ ends the process", "only cli/ prints",
                   "shared ownership; use a value, a slab or unique_ptr"}

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
MACHINE_PATH = re.compile(r"(?<![\w./-])/(work|home|root|Users)/")

TEXT_SUFFIXES = {".h", ".cc", ".py", ".md", ".txt", ".cmake", ".json", ".toml", ".js", ".mjs", ".css", ".html"}
TEXT_FOLDERS = ("src", "tests", "bench", "fuzz", "examples", "docs", "cmake", "scripts", "share", "web", ".ci")


def allowed_in(path, allowed):
    return any(path == place or path.startswith(place + "/") for place in allowed)


def size_faults(path, text):
    is_test = path.endswith("_test.cc") or path.startswith("tests/")
    limit = TEST_FILE_LIMIT if is_test else FILE_LIMIT
    lines = text.count("\n")
    return [f"{path}: {lines} lines, the limit is {limit}"] if lines > limit else []


def banned_faults(path, text):
    faults = []
    code = project.code_only(text)
    is_program = path.split("/")[0] in PROGRAM_FOLDERS or path.endswith("_test.cc")
    for pattern, allowed, reason in BANNED:
        if allowed_in(path, allowed) or (is_program and reason in PROGRAM_REASONS):
            continue
        for match in re.finditer(pattern, code):
            faults.append(f"{path}:{project.line_of(code, match.start())}: '{match.group(0).strip()}': {reason}")
    return faults


def unordered_faults(path, text):
    faults = []
    code = project.code_only(text).split("\n")
    for number, (line, raw) in enumerate(zip(code, text.split("\n")), 1):
        is_use = "std::unordered_" in line and path.startswith("src/")
        if is_use and not raw.rstrip().endswith(LOOKUP_ONLY):
            faults.append(f"{path}:{number}: an unordered container needs '{LOOKUP_ONLY}' at the end of its line")
    return faults


def function_lengths(text):
    """(first line, number of lines) of every function body, found by its braces.

    A brace that follows a parameter list, directly inside namespaces and classes, opens a function.
    """
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                  project.code_only(text), flags=re.MULTILINE)
    lengths = []
    stack = []  # of ("scope" | "function" | "other", offset where its head begins)
    head = 0
    for match in re.finditer(r"[{};]", code):
        mark, end = match.group(0), match.start()
        in_scope = all(kind == "scope" for kind, _ in stack)
        if mark == "{":
            kind, begin = classify(code, head, end) if in_scope else ("other", end)
            stack.append((kind, begin))
        elif mark == "}" and stack:
            kind, begin = stack.pop()
            if kind == "function":
                lengths.append((project.line_of(code, begin), code.count("\n", begin, end) + 1))
        head = end + 1
    return lengths


def classify(code, head, brace):
    """What the brace opens, and where its head begins, given the text since the last statement or block."""
    label = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)*")
    begin = label.match(code, head, brace).end()
    words = code[begin:brace].strip()
    if re.match(r"(inline\s+)?namespace\b|extern\s+\"", words):
        return "scope", begin
    if re.match(r"(template\s*<.*>\s*)?(class|struct|union|enum)\b", words, re.DOTALL) and not words.endswith(")"):
        return "scope", begin
    if words.endswith("=") or (words and ")" not in words):
        return "other", begin
    # An empty head is the body after a braced member initializer.
    return "function", begin


def function_faults(path, text):
    return [f"{path}:{line}: function of {length} lines, the limit is {FUNCTION_LIMIT}"
            for line, length in function_lengths(text) if length > FUNCTION_LIMIT]


def header_faults(path, text):
    faults = []
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines or not lines[0].startswith("// "):
        faults.append(f"{path}: a header begins with a comment that is its contract")
    if "#pragma once" not in lines:
        faults.append(f"{path}: no #pragma once")
    return faults


def partner_faults(path, exists):
    """src/x/foo.cc implements src/x/foo.h, so it has one; foo_part.cc may hold a part of foo.h."""
    if not path.startswith("src/") or not path.endswith(".cc") or path.endswith(("_test.cc", "/main.cc")):
        return []
    words = path[:-3].split("_")
    headers = ["_".join(words[:count]) + ".h" for count in range(len(words), 0, -1)]
    return [] if any(exists(header) for header in headers) else [f"{path}: no header of its name"]


def text_faults(path, text):
    faults = []
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            faults.append(f"{path}:{number}: white space at the end of the line")
        if "\t" in line:
            faults.append(f"{path}:{number}: a tab")
        if MACHINE_PATH.search(line):
            faults.append(f"{path}:{number}: a path of one machine")
        if UNFINISHED.search(line) and not path.endswith("tidy_test.py"):
            faults.append(f"{path}:{number}: an unfinished place; finish it or say so in docs/status.md")
        if path.endswith((".h", ".cc")) and len(line) > LINE_LIMIT:
            faults.append(f"{path}:{number}: {len(line)} columns, the limit is {LINE_LIMIT}")
    if text and not text.endswith("\n"):
        faults.append(f"{path}: no newline at the end")
    return faults


def cpp_faults(path, text):
    faults = size_faults(path, text) + banned_faults(path, text) + unordered_faults(path, text)
    faults += function_faults(path, text)
    return faults + (header_faults(path, text) if path.endswith(".h") else [])


def text_files(root):
    found = project.files_under(root, TEXT_FOLDERS, TEXT_SUFFIXES)
    found += [p for folder in ("scripts", ".ci") for p in (root / folder).rglob("*") if p.is_file() and not p.suffix]
    found += [p for p in root.glob("*") if p.is_file() and p.suffix in TEXT_SUFFIXES]
    return sorted(p for p in found if "tests/data" not in p.as_posix())


class Tidy(unittest.TestCase):
    def fail_with(self, faults):
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_cpp_files(self):
        faults = []
        for file in project.cpp_files(project.ROOT):
            path = file.relative_to(project.ROOT).as_posix()
            faults += cpp_faults(path, project.read(file))
            faults += partner_faults(path, lambda header: (project.ROOT / header).is_file())
        self.fail_with(faults)

    def test_text_files(self):
        faults = []
        for file in text_files(project.ROOT):
            faults += text_faults(file.relative_to(project.ROOT).as_posix(), project.read(file))
        self.fail_with(faults)

    def test_no_build_file_tunes_for_the_build_host(self):
        files = project.files_under(project.ROOT, ["cmake", "tests", "bench", "fuzz"], {".cmake", ".txt"})
        files += [project.ROOT / "CMakeLists.txt", project.ROOT / "CMakePresets.json"]
        self.fail_with([str(file) for file in files if re.search(r"-m(arch|tune)=native|-ffast-math", project.read(file))])


def body_of(lines):
    return "int f(int a) {\n" + "  ++a;\n" * (lines - 2) + "}\n"


class SelfTest(unittest.TestCase):
    """Each rule catches a small bad sample, so that this test can fail."""

    def caught(self, faults, fault):
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(fault, faults[0])

    def test_sizes(self):
        self.caught(size_faults("src/base/a.cc", "\n" * (FILE_LIMIT + 1)), "801 lines")
        self.assertEqual(size_faults("src/base/a_test.cc", "\n" * (FILE_LIMIT + 1)), [])
        self.caught(size_faults("src/base/a_test.cc", "\n" * (TEST_FILE_LIMIT + 1)), "1501 lines")

    def test_function_length(self):
        self.assertEqual(function_faults("a.cc", body_of(FUNCTION_LIMIT)), [])
        self.caught(function_faults("a.cc", body_of(FUNCTION_LIMIT + 1)), "71 lines")

    def test_functions_are_found_in_namespaces_classes_and_after_initializers(self):
        text = ("namespace a {\n" "struct S {\n" " public:\n" "  S(int x) : x_{x} {\n" "    if (x) {\n" "    }\n" "  }\n"
                "  int x_ = 0;\n" "};\n" "constexpr int kTable[] = {\n" "  f(1),\n" "};\n"
                "template <class T>\n" "T g(\n" "    T t) {\n" "  return {t};\n" "}\n" "}\n")
        self.assertEqual([length for _, length in function_lengths(text)], [1, 4, 5])

    def test_braces_in_comments_strings_and_macros_do_not_count(self):
        text = 'int f() {\n  // {\n  auto s = "{{";\n  char c = \'{\';\n  int n = 1\'000;\n}\n#define M(x) \\\n  { x\nint g() {\n}\n'
        self.assertEqual([length for _, length in function_lengths(text)], [6, 2])

    def test_banned_constructs(self):
        for line in ("int i = rand();", "srand(1);", "std::uniform_int_distribution<int> d;", "std::mt19937 g;",
                     "std::shared_ptr<int> p;", "assert(x);", "#include <cassert>", "using namespace std;",
                     "std::exit(1);", 'std::cout << "a";', 'printf("a");', 'fmt::print("a");', "auto d = __DATE__;"):
            self.assertEqual(len(banned_faults("src/wire/a.cc", line + "\n")), 1, line)

    def test_what_only_looks_banned_passes(self):
        for line in ("static_assert(x);", "// rand()", 'auto s = "exit(1)";', "WEFT_ASSERT(x);", "on_exit_state(1);",
                     "auto operand(int x);", "snprintf(a, b);"):
            self.assertEqual(banned_faults("src/wire/a.cc", line + "\n"), [], line)

    def test_printing_is_for_programs(self):
        self.assertEqual(banned_faults("src/cli/a.cc", 'fmt::print("a");\n'), [])
        self.assertEqual(banned_faults("fuzz/a.cc", 'std::printf("a");\n'), [])
        self.caught(banned_faults("tests/cli/a.cc", "rand();\n"), "random")

    def test_unordered_containers(self):
        self.caught(unordered_faults("src/base/a.cc", "std::unordered_map<int, int> m;\n"), "lookup only")
        self.assertEqual(unordered_faults("src/base/a.cc", "std::unordered_map<int, int> m;  // lookup only\n"), [])

    def test_headers(self):
        self.assertEqual(header_faults("a.h", "// What it is for.\n#pragma once\n"), [])
        self.caught(header_faults("a.h", "#pragma once\nint x;\n"), "contract")
        self.caught(header_faults("a.h", "// What it is for.\nint x;\n"), "pragma")

    def test_partners(self):
        self.caught(partner_faults("src/base/a.cc", lambda header: False), "no header")
        self.caught(partner_faults("src/base/ab_part.cc", lambda header: header == "src/base/a.h"), "no header")
        self.assertEqual(partner_faults("src/base/ab_part.cc", lambda header: header == "src/base/ab.h"), [])
        for path in ("src/base/a_test.cc", "src/cli/main.cc", "tests/cli/a.cc"):
            self.assertEqual(partner_faults(path, lambda header: False), [])

    def test_text(self):
        self.caught(text_faults("a.md", "x \n"), "white space")
        self.caught(text_faults("a.cc", "int\tx;\n"), "tab")
        self.caught(text_faults("a.md", "see /ho" + "me/somebody\n"), "path of one machine")
        self.caught(text_faults("a.cc", "// TODO: later\n"), "unfinished")
        self.caught(text_faults("a.cc", "/" * 121 + "\n"), "121 columns")
        self.caught(text_faults("a.cc", "int x;"), "newline")
        self.assertEqual(text_faults("a.md", "src/workload/ and tests/home/x\n"), [])


if __name__ == "__main__":
    project.run(__name__)
