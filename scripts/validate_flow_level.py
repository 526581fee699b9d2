"""The work of scripts/validate-flow-level: runs each case with packets and at the flow level, and compares messages."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
SEED = os.environ.get("SEED", "1")

LEAF_SPINE = 'kind = "leaf-spine"\nhosts = {hosts}\nhosts_per_leaf = {per_leaf}\nspines = {spines}\n'
TWO_LEAVES = LEAF_SPINE.format(hosts=8, per_leaf=4, spines=2)
SWITCH_16 = 'kind = "single-switch"\nhosts = 17\n'
SHARED_32 = LEAF_SPINE.format(hosts=32, per_leaf=8, spines=4)
WIDE_64 = LEAF_SPINE.format(hosts=64, per_leaf=8, spines=8)

# What each name adds to a scenario: a family and what it does about congestion.
FAMILIES = {
    "rocev2": "",
    "rocev2-none": '[congestion_control]\nalgorithm = "none"\n',
    "infiniband": "",
    "uet": "",
    "tcp": "",
    "iwarp": "",
}


def flow(size, source, destination):
    return (f'[[traffic]]\nkind = "flows"\nsize = "{size}"\nsources = ["{source}"]\n'
            f'destinations = ["{destination}"]\n')


def incast(size, fan_in):
    return f'[[traffic]]\nkind = "incast"\nsize = "{size}"\nfan_in = {fan_in}\n'


def poisson(cdf, load, stop):
    return f'[[traffic]]\nkind = "poisson"\ncdf = "{cdf}"\nload = "{load}"\nstop = "{stop}"\n'


def cases():
    """By name: topology and traffic."""
    known = {}
    for size in ("8 B", "4 KiB", "64 KiB", "1 MiB", "16 MiB"):
        known[f"one flow, {size}, same leaf"] = (TWO_LEAVES, flow(size, "host0", "host1"))
        known[f"one flow, {size}, across"] = (TWO_LEAVES, flow(size, "host0", "host5"))
    for fan_in in (2, 4, 8, 16):
        known[f"incast of {fan_in}, 1 MiB"] = (SWITCH_16, incast("1 MiB", fan_in))
    known["incast of 8, 4 MB"] = (SWITCH_16, incast("4 MB", 8))
    for size in ("256 KiB", "4 MB"):
        known[f"permutation, {size}, shared paths"] = (
            WIDE_64, f'[[traffic]]\nkind = "permutation"\nsize = "{size}"\n')
    known["all-to-all, 64 KiB, shared paths"] = (SHARED_32, '[[traffic]]\nkind = "all-to-all"\nsize = "64 KiB"\n')
    for cdf, stop in (("websearch", "1 ms"), ("fb-hadoop", "200 us")):
        for load in ("30%", "50%"):
            known[f"Poisson {cdf}, {load}, 32 hosts"] = (SHARED_32, poisson(cdf, load, stop))
    return known


def run(folder, text, *more):
    scenario = pathlib.Path(folder, "case.toml")
    scenario.write_text(text)
    out = pathlib.Path(folder, "run.json")
    subprocess.run([WEFT, "run", str(scenario), "--no-results", "--no-cache", "--quiet", "--messages", "--json", str(out),
                    "--threads", "1", *more], check=True)
    return json.loads(out.read_text())["runs"][0]


def times(result):
    return {(m["job"], m["source"], m["destination"], m["flow"], m["number"]): m["finished_s"] - m["posted_s"]
            for m in result["messages"] if m["status"] == "success"}


def at(values, share):
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def errors(flows, packets):
    """End, median and 99th percentile of the messages that both have, and the median of what each is off by."""
    of_flow, of_packet = times(flows), times(packets)
    both = sorted(of_flow.keys() & of_packet.keys())
    assert both, "no message ended at both levels"
    a, b = [of_flow[name] for name in both], [of_packet[name] for name in both]
    return [flows["simulated_s"] / packets["simulated_s"] - 1, at(a, 0.5) / at(b, 0.5) - 1, at(a, 0.99) / at(b, 0.99) - 1,
            at([abs(x / y - 1) for x, y in zip(a, b)], 0.5)]


def text_of(values):
    return " | ".join(f"{100 * value:+.1f} %" for value in values[:3]) + f" | {100 * values[3]:.1f} %"


def scenario_text(family, topology, traffic):
    return (f'seed = {SEED}\n[fabric]\nfamily = "{family.split("-")[0]}"\n{FAMILIES[family]}'
            f'[topology]\n{topology}[flow]\nprobes = 0\n{traffic}')


def correct(folder, family, topology, traffic):
    """The corrections of the case's devices; None: there are none."""
    scenario = pathlib.Path(folder, "calibrated.toml")
    scenario.write_text(scenario_text(family, topology, traffic))
    out = pathlib.Path(folder, f"{family}.corrections.toml")
    done = subprocess.run([WEFT, "calibrate", "flow", str(scenario), "--out", str(out)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"validate-flow-level: {family}: {done.stderr}")
    return out


def compare(family, wanted, folder):
    corrections = None
    for name, (topology, traffic) in cases().items():
        if wanted and wanted not in name:
            continue
        text = scenario_text(family, topology, traffic)
        packets = run(folder, text)
        before = errors(run(folder, text, "--fidelity", "flow"), packets)
        corrections = corrections or correct(folder, family, topology, traffic)
        after = errors(run(folder, text, "--fidelity", "flow", "--corrections", str(corrections)), packets)
        print(f"| {name} | {family} | {len(packets['messages'])} | {text_of(before)} | {text_of(after)} |", flush=True)


def main():
    families = sys.argv[1].split(",") if len(sys.argv) > 1 and sys.argv[1] else list(FAMILIES)
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    if unknown := [family for family in families if family not in FAMILIES]:
        sys.exit(f"validate-flow-level: unknown family {unknown[0]}; one of {', '.join(FAMILIES)}")
    print("| case | family | messages | end | p50 | p99 | each | corrected: end | p50 | p99 | each |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for family in families:
        with tempfile.TemporaryDirectory() as folder:
            compare(family, wanted, folder)


main()
