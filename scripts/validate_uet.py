"""The work of scripts/validate-uet: makes htsim's inputs, imports and runs them, and prints times beside published ones."""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile

WEFT = os.environ["WEFT"]
DOCUMENT = pathlib.Path("docs/validation.md")
BEGIN, END = "<!-- published uet: begin -->\n", "<!-- published uet: end -->"
HEAD = ["| case, us | htsim first, last | weft first, median, last | first, last |", "|---|---|---|---|"]


def permutation(nodes, seed):
    """Pairs of hosts as the generator of htsim's repository makes them; seed 13 gives its file for 1,024 nodes, 1 and 8
    those of 1 and 8 MB for 8,192."""
    random.seed(seed)
    sources, destinations = list(range(nodes)), list(range(nodes))
    random.shuffle(sources)
    random.shuffle(destinations)
    for i in range(nodes):
        if sources[i] == destinations[i]:
            other = (i + 1) % nodes
            destinations[i], destinations[other] = destinations[other], destinations[i]
    return list(zip(sources, destinations))


def matrix(nodes, pairs, size):
    lines = [f"{source}->{destination} id {i + 1} start 0 size {size}"
             for i, (source, destination) in enumerate(pairs)]
    return "\n".join([f"Nodes {nodes}", f"Connections {len(pairs)}", *lines, ""])


def leaf_spine(gbps, nodes=8192, down=64, up=64):
    """Leaves with so many hosts and uplinks, each joined to every spine, cables of 1 us."""
    return (f"Nodes {nodes}\nTiers 2\nPodsize {nodes}\n"
            f"Tier 0\nDownlink_speed_Gbps {gbps}\nRadix_Down {down}\nRadix_Up {up}\nDownlink_Latency_ns 1000\n"
            f"Oversubscribed {down // up}\n"
            f"Tier 1\nDownlink_speed_Gbps {gbps}\nRadix_Down {nodes // down}\nDownlink_Latency_ns 1000\n")


class Case:
    """One run of htsim_uec, its options, and what it printed: first and last flow, in microseconds."""

    def __init__(self, name, text, published, options, topology=None):
        self.name, self.text, self.published, self.options, self.topology = name, text, published, options, topology


SENDER, RECEIVER = ["--sender-cc-only"], ["--receiver-cc-only"]
EACH = ["--sack-threshold", "4000"]
LARGE = ["-q", "500"]


def both_controls(name, text, published, options=(), topology=None):
    """The case under NSCC and under RCCC."""
    for word, figures, control in (("nscc", published[0], SENDER), ("rccc", published[1], RECEIVER)):
        yield Case(f"{name} {word}", text, figures, [*control, *options], topology)


def small_cases():
    """One direction, both, many to one; over 16 hosts, and over 128 and 1,024."""
    def all_to(nodes, destination):
        return [(i, destination) for i in range(nodes) if i != destination]

    def text(nodes, pairs, size=2_000_000):
        return matrix(nodes, pairs, size)
    yield from both_controls("one", text(16, [(0, 13)]), ((176.2, 176.2), (177.368, 177.368)))
    yield from both_controls("bidir", text(16, [(0, 13), (13, 0)]), ((176.804, 176.804), (178.147, 178.18)))
    yield from both_controls("incast 15", text(16, all_to(16, 15)), ((1273.56, 2478.53), (2368.38, 2464.44)))
    yield from both_controls("incast 127", text(128, all_to(128, 33)), ((10787.9, 21029.3), (20354.6, 20891.4)))
    yield from both_controls("incast 1023, 100 kB", text(1024, all_to(1024, 0), 100_000),
                             ((127.873, 10556.2), (5468.15, 8902.25)), ["--cwnd", "50"])
    overlapped = ("Nodes 128\nConnections 3\n127->0 id 1 start 0 size 2000000\n"
                  "95->0 id 2 start 40 size 250000\n61->0 id 3 start 40 size 250000\n")
    yield from both_controls("incast over a long flow", overlapped, ((114.098, 221.731), (134.186, 217.08)),
                             ["--cwnd", "50"])
    # Hosts 1 to 3 send to host 0; host 2 to nine others and host 3 to nine others besides.
    outcast = [(1, 0), (2, 0), *((2, i) for i in range(4, 13)), (3, 0), *((3, i) for i in range(13, 22))]
    yield from both_controls("outcast incast", text(128, outcast), ((208.019, 1638.08), (235.068, 1637.76)))
    for packets, time in ((10, 17.0107), (100, 46.8907)):
        yield from both_controls(f"{packets} packets", text(2, [(0, 1)], 4086 * packets), ((time, time), (time, time)))


def permutation_16_cases():
    """The permutation that the repository has for 16 hosts: where hosts 0 to 15 send."""
    pairs = list(enumerate([8, 4, 13, 10, 12, 15, 0, 9, 14, 7, 5, 3, 11, 6, 2, 1]))
    text = matrix(16, pairs, 2_000_000)
    many = ["--paths", "128"]
    yield from both_controls("perm-16", text, ((187.97, 194.022), (186.898, 195.673)), many)
    yield from both_controls("perm-16, failed 1", text, ((188.394, 238.218), (190.183, 229.764)),
                             [*many, "--failed", "1"])
    yield from both_controls("perm-16, one path", text, ((178.443, 527.755), (181.366, 515.24)), ["--paths", "1"])


def permutation_cases():
    text = matrix(1024, permutation(1024, 13), 2_000_000)
    many = ["--paths", "128"]
    for name, published, options in [
            ("oblivious", ((167.831, 212.794), (168.657, 208.781)), ["oblivious"]),
            ("bitmap", ((167.749, 200.507), (168.743, 204.105)), ["bitmap"]),
            ("reps, each", ((169.306, 198.246), (170.04, 197.326)), ["reps", *EACH]),
            ("reps", ((167.884, 208.239), (168.709, 210.035)), ["reps"]),
            ("mixed, each", ((169.237, 193.184), (170.128, 195.608)), ["mixed", *EACH]),
            ("mixed", ((167.619, 200.507), (168.902, 203.384)), ["mixed"]),
            ("oblivious, q 500", ((167.573, 221.895), (168.791, 225.113)), ["oblivious", *LARGE]),
            ("bitmap, q 500", ((167.749, 202.349), (168.663, 202.611)), ["bitmap", *LARGE]),
            ("reps, each, q 500", ((169.306, 198.246), (170.04, 197.326)), ["reps", *EACH, *LARGE]),
            ("mixed, each, q 500", ((169.237, 193.184), (170.128, 195.608)), ["mixed", *EACH, *LARGE]),
            ("mixed, failed 1", ((167.73, 202.266), (168.791, 200.864)), ["mixed", "--failed", "1"]),
            ("oblivious, failed 8", ((167.583, 280.775), (168.647, 224.755)), ["oblivious", "--failed", "8"]),
            ("bitmap, failed 8", ((167.674, 220.269), (168.688, 211.342)), ["bitmap", "--failed", "8"]),
            ("reps, each, failed 8", ((169.216, 206.684), (170.116, 207.934)), ["reps", *EACH, "--failed", "8"]),
            ("reps, failed 8", ((167.708, 245.821), (168.847, 218.53)), ["reps", "--failed", "8"]),
            ("mixed, each, failed 8", ((169.309, 211.821), (170.132, 208.384)), ["mixed", *EACH, "--failed", "8"]),
            ("mixed, failed 8", ((167.652, 219.554), (168.62, 209.713)), ["mixed", "--failed", "8"]),
            ("oblivious, q 500, failed 8", ((167.821, 564.701), (168.574, 374.592)),
             ["oblivious", *LARGE, "--failed", "8"]),
            ("bitmap, q 500, failed 8", ((167.693, 478.668), (168.702, 356.935)), ["bitmap", *LARGE, "--failed", "8"])]:
        yield from both_controls(f"perm-1024 {name}", text, published, [*many, "--load-balancing-algo", *options])
    yield from both_controls("perm-1024 one path", text, ((167.962, 889.92), (169.94, 1063.0)), ["--paths", "1"])
    yield from both_controls("perm-1024 4:1", text, ((167.619, 785.774), (167.841, 749.717)), many,
                             leaf_spine(100, 1024, 32, 8))
    yield from both_controls("perm-1024 8:1", text, ((167.312, 1443.43), (167.713, 1459.06)), many,
                             leaf_spine(100, 1024, 32, 4))


def leaf_spine_cases():
    """8,192 hosts; queues, marks and windows grow with the speed. Figures of July 2024, of another revision."""
    published = {(200, 1): ((44.9417, 58.8088), (45.5253, 59.6828)), (400, 1): ((24.4568, 35.3925), (24.7102, 36.308)),
                 (800, 1): ((14.2201, 22.1351), (14.3257, 22.3295)),
                 (200, 8): ((330.909, 363.502), (336.462, 369.348)), (400, 8): ((167.285, 185.886), (169.829, 190.327)),
                 (800, 8): ((85.5993, 98.8893), (86.8344, 99.8985))}
    for (gbps, megabytes), figures in published.items():
        text = matrix(8192, permutation(8192, megabytes), megabytes * 1_000_000)
        low, high, queue, window = (value * gbps // 400 for value in (25, 75, 100, 150))
        options = ["--paths", "128", "-q", str(queue), "--ecn", str(low), str(high), "--cwnd", str(window)]
        yield from both_controls(f"leaf-spine {gbps}G {megabytes}MB", text, figures, options, leaf_spine(gbps))


def all_cases():
    yield from small_cases()
    yield from permutation_16_cases()
    yield from permutation_cases()
    yield from leaf_spine_cases()


def options_for(case, family):
    """What the family takes: paths and congestion control are Ultra Ethernet's."""
    if family == "uet":
        return case.options
    own = {"--sack-threshold", "--paths", "--load-balancing-algo"}  # each with a value
    kept, skip = [], False
    for option in case.options:
        if skip or option in own or option in SENDER + RECEIVER:
            skip = option in own
            continue
        kept.append(option)
    return kept


def times_of(case, family, folder):
    """When each flow ended, as htsim says it, in microseconds, ascending; or why there are no times."""
    stem = pathlib.Path(folder, re.sub("[^A-Za-z0-9]+", "-", case.name))
    stem.with_suffix(".cm").write_text(case.text)
    command = [WEFT, "import", "htsim", "--family", family, "--cm", stem.with_suffix(".cm"), "--output",
               stem.with_suffix(".toml"), "--force", *options_for(case, family)]
    if case.topology:
        stem.with_suffix(".topo").write_text(case.topology)
        command += ["--topo", stem.with_suffix(".topo")]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if made.returncode != 0:
        return made.stderr.strip().splitlines()[-1]
    run = subprocess.run([WEFT, "run", stem.with_suffix(".toml"), "--no-results", "--quiet", "--messages", "--json", "-"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        return run.stderr.strip().splitlines()[-1]
    messages = json.loads(run.stdout)["runs"][0]["messages"]
    expected = case.text.count("->")
    if len(messages) != expected:
        return f"{len(messages)} of {expected} flows ended"
    return sorted(message["finished_s"] * 1e6 for message in messages)


def differs(own, published):
    return f"{100 * (own / published - 1):+.1f} %"


def row_of(case, times):
    first, last = case.published
    if isinstance(times, str):
        return f"| {case.name} | {first}, {last} | not run: {times} | |"
    own = f"{times[0]:.3f}, {statistics.median(times):.3f}, {times[-1]:.3f}"
    return f"| {case.name} | {first}, {last} | {own} | {differs(times[0], first)}, {differs(times[-1], last)} |"


def write(rows):
    """Puts the rows in the place of those of the same cases in the document, in the order of the cases."""
    before, rest = DOCUMENT.read_text().split(BEGIN)
    table, after = rest.split(END)
    known = {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines()[2:]}
    known.update(rows)
    lines = [*HEAD, *(known[case.name] for case in all_cases() if case.name in known)]
    DOCUMENT.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after)


def main():
    parser = argparse.ArgumentParser(prog="scripts/validate-uet")
    parser.add_argument("names", nargs="*", help="cases whose names begin so")
    parser.add_argument("--family", default="uet")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    cases = [case for case in all_cases()
             if not chosen.names or any(case.name.startswith(name) for name in chosen.names)]
    if chosen.list:
        print("\n".join(case.name for case in cases))
        return
    print("\n".join(HEAD))
    for case in cases:
        with tempfile.TemporaryDirectory() as temporary:
            folder = chosen.keep or temporary
            os.makedirs(folder, exist_ok=True)
            row = row_of(case, times_of(case, chosen.family, folder))
        print(row, flush=True)
        if chosen.write:
            write({case.name: row})


if __name__ == "__main__":
    main()
