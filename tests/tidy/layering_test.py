"""The layer rule: who may include what. Reads every #include in src/ and every DEPS in the build description."""

import re
import unittest

import project

# A folder may use those it names and whatever those may use; itself always. LAYER/ROOM is a folder in a layer's folder,
# which then holds nothing else.
LAYERS = {
    "base": [],
    "cluster": ["base"],
    "wire": ["base"],
    "security": ["wire"],
    "verbs": ["base"],
    "transport": ["wire", "verbs"],
    "sim": ["base"],
    "fabric": ["sim", "wire"],
    "control": ["base"],
    "subnet": ["wire"],
    "host": ["fabric", "transport"],
    "workload": ["verbs"],
    "flow": ["verbs"],
    "study/scenario": ["host", "workload"],
    "study/import": ["study/scenario"],
    "study/world": ["host", "workload", "control", "flow"],
    "study/assembly": ["study/scenario", "study/world", "subnet"],
    "study/results": ["study/scenario"],
    "study/cost": ["study/assembly"],
    "study/failures": ["study/assembly", "study/results"],
    "study/tuning": ["study/assembly", "study/results"],
    "study/run": ["study/assembly", "study/results"],
    "study/report": ["study/run"],
    "study/compare": ["study/cost", "study/failures", "study/report"],
    "study/devices": ["study/compare", "study/tuning"],
    "study/claims": ["study/compare"],
    "study/sweep": ["study/run"],
    "study/tune": ["study/sweep"],
    "study/plan": ["study/compare", "study/sweep"],
    "live": ["transport", "workload", "security", "subnet"],
    "cli": ["study/claims", "study/tune", "study/plan", "study/import", "study/devices", "live", "cluster"],
}

# System headers that only some folders may include.
RESTRICTED_HEADERS = [
    (re.compile(r"(sys/(socket|epoll|select|un|uio)|netinet/.*|arpa/.*|net/.*|linux/.*|netdb|poll|ifaddrs)\.h"),
     {"live"}, "sockets are for live/ alone"),
    (re.compile(r"ctime|time\.h|sys/time\.h|sys/timerfd\.h|sys/times\.h"), {"live", "cli"},
     "clocks are for live/ and cli/ alone"),
    (re.compile(r"mpi\.h"), {"cluster"}, "only cluster/ uses MPI"),
    (re.compile(r"pcap(/.*)?\.h|zlib\.h"), {"wire"}, "only wire/ uses zlib and libpcap"),
    (re.compile(r"openssl/.*"), {"security"}, "only security/ uses OpenSSL"),
    (re.compile(r"glpk\.h"), {"control"}, "only control/ uses the solver"),
    (re.compile(r"CLI/.*"), {"cli"}, "only cli/ reads a command line"),
    (re.compile(r"toml\+\+/.*"), {"study/scenario"}, "only study/scenario/ reads TOML"),
    (re.compile(r"sqlite3\.h|SQLiteCpp/.*"), {"study/results"}, "only study/results/ keeps a database"),
    (re.compile(r"g(test|mock)/.*"), set(), "only tests use GoogleTest"),
]

CLOCK = re.compile(r"\b(system_clock|steady_clock|high_resolution_clock|clock_gettime|gettimeofday)\b|std::time\s*\(")
CLOCK_FOLDERS = {"live", "cli"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
MODULE = re.compile(r"^weft_module\(([\w/]+)[^)]*?\bDEPS\b([^)]*)\)", re.MULTILINE)
LIBRARIES = {"weft_" + folder.replace("/", "_"): folder for folder in LAYERS}


def closure(layers):
    """The layers with everything they may use, directly or not, themselves included."""

    def reach(folder):
        seen = {folder}
        for used in layers[folder]:
            seen |= reach(used)
        return seen

    return {folder: reach(folder) for folder in layers}


ALLOWED = closure(LAYERS)


def layer_of(parts):
    """The layer or room that a path from src/ lies in, or None."""
    room = "/".join(parts[:2])
    return room if room in LAYERS else parts[0] if parts[0] in LAYERS and len(parts) > 1 else None


def quoted_include_faults(folder, target, exists):
    used = layer_of(target.split("/"))
    if used is None:
        return [f'"{target}" does not start with a layer; includes are written from src/']
    if used not in ALLOWED[folder]:
        return [f'{folder}/ may not include "{target}"; it may use {", ".join(sorted(ALLOWED[folder]))}']
    return [] if exists(target) else [f'"{target}" does not exist']


def system_include_faults(folder, target, is_test):
    faults = []
    for pattern, folders, reason in RESTRICTED_HEADERS:
        if pattern.fullmatch(target) and folder not in folders and not (is_test and "GoogleTest" in reason):
            faults.append(f"{folder}/ may not include <{target}>: {reason}")
    return faults


def faults_of(folder, text, exists, is_test=False):
    """All layering faults of one source text that lies in src/<folder>/."""
    faults = []
    for kind, target in INCLUDE.findall(text):
        if kind == '"':
            faults += quoted_include_faults(folder, target, exists)
        else:
            faults += system_include_faults(folder, target, is_test)
    clock = CLOCK.search(project.code_only(text))
    if clock and folder not in CLOCK_FOLDERS:
        faults.append(f"{folder}/ reads a clock ({clock.group(0)}); time is an argument")
    return faults


def build_faults(cmake_text):
    """Modules of the build that depend on more than the layers allow."""
    faults = []
    for name, deps in MODULE.findall(cmake_text):
        for library in re.findall(r"\bweft_\w+", deps):
            used = LIBRARIES.get(library, library.removeprefix("weft_"))
            whole = any(own.startswith(used + "/") for own in ALLOWED.get(name, {}))  # a layer with all its rooms
            if used not in ALLOWED.get(name, {}) and not whole:
                faults.append(f"CMakeLists.txt: {name} may not depend on {used}")
    return faults


class Layering(unittest.TestCase):
    def test_every_include_points_down(self):
        source = project.ROOT / "src"
        faults = []
        for path in project.cpp_files(project.ROOT, ["src"]):
            name = path.relative_to(source)
            folder = layer_of(name.parts)
            if folder is None:
                faults.append(f"src/{name} lies in no layer, and in no room of one")
                continue
            is_test = name.stem.endswith("_test")
            found = faults_of(folder, project.read(path), lambda target: (source / target).is_file(), is_test)
            faults += [f"src/{name}: {fault}" for fault in found]
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_the_build_has_the_same_layers(self):
        faults = build_faults(project.read(project.ROOT / "CMakeLists.txt"))
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_the_table_of_the_architecture_document_is_the_same(self):
        rows = re.findall(r"^\| `src/([\w/]+)/` \|.*\| ([^|]*) \|$",
                          project.read(project.ROOT / "docs/architecture.md"), re.MULTILINE)
        documented = {name: [word for word in re.findall(r"[\w/]+", used) if word in LAYERS] for name, used in rows}
        self.assertEqual(documented, LAYERS)


class SelfTest(unittest.TestCase):
    """Each rule catches a small bad sample, so that this test can fail."""

    def check(self, folder, text, fault, exists=True, is_test=False):
        found = faults_of(folder, text, lambda target: exists, is_test)
        if fault is None:
            self.assertEqual(found, [])
        else:
            self.assertEqual(len(found), 1, found)
            self.assertIn(fault, found[0])

    def test_closure_is_transitive(self):
        self.assertEqual(ALLOWED["transport"], {"transport", "wire", "verbs", "base"})
        self.assertNotIn("sim", ALLOWED["transport"])

    def test_good_includes_pass(self):
        self.check("transport", '#include "base/time.h"\n#include <vector>\n', None)
        self.check("cli", '#include "wire/packet.h"\n#include <CLI/CLI.hpp>\n', None)
        self.check("base", "#include <gtest/gtest.h>\n", None, is_test=True)

    def test_upward_and_sideways_includes_fail(self):
        self.check("base", '#include "wire/packet.h"\n', "may not include")
        self.check("wire", '#include "verbs/access.h"\n', "may not include")
        self.check("transport", '#  include "fabric/link.h"\n', "may not include")

    def test_rooms_of_a_layer_are_layers(self):
        self.check("study/scenario", '#include "study/run/simulation.h"\n', "may not include")
        self.check("study/world", '#include "study/scenario/scenario.h"\n', "may not include")
        self.check("study/run", '#include "study/world/world.h"\n', None)
        self.check("study/run", '#include "study/simulation.h"\n', "does not start with a layer")
        self.check("study/results", "#include <toml++/toml.h>\n", "TOML")
        self.check("study/run", "#include <sqlite3.h>\n", "database")

    def test_missing_and_relative_includes_fail(self):
        self.check("wire", '#include "wire/nothing.h"\n', "does not exist", exists=False)
        self.check("wire", '#include "packet.h"\n', "written from src/")
        self.check("wire", '#include "../base/time.h"\n', "written from src/")

    def test_sockets_clocks_and_libraries_stay_in_their_folders(self):
        self.check("transport", "#include <sys/socket.h>\n", "sockets")
        self.check("cli", "#include <netinet/in.h>\n", "sockets")
        self.check("live", "#include <netinet/in.h>\n", None)
        self.check("base", "#include <ctime>\n", "clocks")
        self.check("transport", "#include <pcap/pcap.h>\n", "libpcap")
        self.check("wire", "#include <gtest/gtest.h>\n", "GoogleTest")
        self.check("sim", "auto t = std::chrono::steady_clock::now();\n", "reads a clock")
        self.check("sim", "// not a steady_clock\n", None)

    def test_a_build_dependency_upwards_fails(self):
        self.assertEqual(build_faults("weft_module(wire DEPS weft_base ZLIB::ZLIB)\n"), [])
        self.assertEqual(len(build_faults("weft_module(wire DEPS weft_base weft_verbs)\n")), 1)
        self.assertEqual(build_faults("weft_module(study/run DEPS weft_study_assembly)\n"), [])
        self.assertEqual(len(build_faults("weft_module(study/world DEPS weft_study_run)\n")), 1)
        self.assertEqual(len(build_faults("weft_module(wire DEPS weft_study)\n")), 1)


if __name__ == "__main__":
    project.run(__name__)
