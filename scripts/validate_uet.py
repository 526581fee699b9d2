"""The work of scripts/validate-uet: makes htsim's inputs, imports and runs them, and prints times beside published ones."""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

WEFT = os.environ["WEFT"]


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
    """Leaves with as many hosts as uplinks, each joined to every spine, cables of 1 us."""
    return (f"Nodes {nodes}\nTiers 2\nPodsize {nodes}\n"
            f"Tier 0\nDownlink_speed_Gbps {gbps}\nRadix_Down {down}\nRadix_Up {up}\nDownlink_Latency_ns 1000\n"
            f"Oversubscribed {down // up}\n"
            f"Tier 1\nDownlink_speed_Gbps {gbps}\nRadix_Down {nodes // down}\nDownlink_Latency_ns 1000\n")


class Case:
    """One run of htsim_uec, its options, and what it printed: first and last flow, in microseconds."""

    def __init__(self, name, text, published, options, topology=None):
        self.name, self.text, self.published, self.options, self.topology = name, text, published, options, topology


SENDER, RECEIVER = ["--sender-cc-only"], ["--receiver-cc-only"]


def small_cases():
    pairs = {"one": [(0, 13)], "bidir": [(0, 13), (13, 0)], "incast": [(i, 15) for i in range(15)]}
    published = {"one": ((176.2, 176.2), (177.368, 177.368)), "bidir": ((176.804, 176.804), (178.147, 178.18)),
                 "incast": ((1273.56, 2478.53), (2368.38, 2464.44))}
    for name, own in pairs.items():
        text = matrix(16, own, 2_000_000)
        yield Case(f"{name} nscc", text, published[name][0], SENDER)
        yield Case(f"{name} rccc", text, published[name][1], RECEIVER)


def permutation_cases():
    text = matrix(1024, permutation(1024, 13), 2_000_000)
    each = ["--sack-threshold", "4000"]
    for name, published, options in [
            ("oblivious", (167.831, 212.794), ["oblivious"]), ("bitmap", (167.749, 200.507), ["bitmap"]),
            ("reps", (169.306, 198.246), ["reps", *each]), ("mixed", (169.237, 193.184), ["mixed", *each])]:
        yield Case(f"perm-1024 {name}", text, published,
                   [*SENDER, "--paths", "128", "--load-balancing-algo", *options])
    yield Case("perm-1024 rccc", text, (168.902, 203.384), [*RECEIVER, "--paths", "128"])


def leaf_spine_cases():
    """Queues, marks and windows grow with the speed."""
    published = {(200, 1): ((44.9417, 58.8088), (45.5253, 59.6828)), (400, 1): ((24.4568, 35.3925), (24.7102, 36.308)),
                 (800, 1): ((14.2201, 22.1351), (14.3257, 22.3295)),
                 (200, 8): ((330.909, 363.502), (336.462, 369.348)), (400, 8): ((167.285, 185.886), (169.829, 190.327)),
                 (800, 8): ((85.5993, 98.8893), (86.8344, 99.8985))}
    for (gbps, megabytes), (sender, receiver) in published.items():
        text = matrix(8192, permutation(8192, megabytes), megabytes * 1_000_000)
        low, high, queue, window = (value * gbps // 400 for value in (25, 75, 100, 150))
        options = ["--paths", "128", "-q", str(queue), "--ecn", str(low), str(high), "--cwnd", str(window)]
        for name, figures, control in (("nscc", sender, SENDER), ("rccc", receiver, RECEIVER)):
            yield Case(f"leaf-spine {gbps}G {megabytes}MB {name}", text, figures, [*control, *options],
                       leaf_spine(gbps))


def all_cases():
    yield from small_cases()
    yield from permutation_cases()
    yield from leaf_spine_cases()


def options_for(case, family):
    """What the family takes: paths and congestion control are Ultra Ethernet's."""
    if family == "uet":
        return case.options
    own = {"--sack-threshold", "--paths", "--load-balancing-algo"}
    kept, skip = [], False
    for option in case.options:
        if skip or option in own or option in SENDER + RECEIVER:
            skip = option in own
            continue
        kept.append(option)
    return kept


def times_of(case, family, folder):
    """Microseconds of each flow, ascending; or why there are none."""
    stem = pathlib.Path(folder, case.name.replace(" ", "-"))
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
    return sorted((message["finished_s"] - message["posted_s"]) * 1e6 for message in messages)


def differs(own, published):
    return f"{100 * (own / published - 1):+.1f} %"


def main():
    parser = argparse.ArgumentParser(prog="scripts/validate-uet")
    parser.add_argument("names", nargs="*", help="cases whose names begin so")
    parser.add_argument("--family", default="uet")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--list", action="store_true")
    chosen = parser.parse_args()
    cases = [case for case in all_cases()
             if not chosen.names or any(case.name.startswith(name) for name in chosen.names)]
    if chosen.list:
        print("\n".join(case.name for case in cases))
        return
    print("| case, us | htsim first, last | weft first, median, last | first, last |\n|---|---|---|---|")
    for case in cases:
        with tempfile.TemporaryDirectory() as temporary:
            folder = chosen.keep or temporary
            os.makedirs(folder, exist_ok=True)
            times = times_of(case, chosen.family, folder)
        first, last = case.published
        if isinstance(times, str):
            print(f"| {case.name} | {first}, {last} | not run: {times} | |", flush=True)
            continue
        own = f"{times[0]:.3f}, {statistics.median(times):.3f}, {times[-1]:.3f}"
        print(f"| {case.name} | {first}, {last} | {own} | {differs(times[0], first)}, {differs(times[-1], last)} |",
              flush=True)


if __name__ == "__main__":
    main()
