"""The work of scripts/validate-flows: runs weft on flows that other simulators were given, and prints its figures."""

import bisect
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
EXAMPLES = pathlib.Path("examples/validation").resolve()

# Sizes of messages: bytes, percentile.
STORAGE = [(0, 0), (4000, 22.93), (8000, 69.21), (16000, 80.61), (32000, 90.47), (64000, 93.53), (128000, 96.77),
           (256000, 97.53), (2000000, 100)]
HADOOP = [(0, 0), (100, 1), (200, 2), (300, 5), (350, 15), (400, 20), (500, 30), (600, 40), (700, 50), (1000, 60),
          (2000, 67), (7000, 70), (30000, 72), (50000, 82), (80000, 87), (120000, 90), (300000, 95), (1000000, 97.5),
          (2000000, 99), (10000000, 100)]


def run(scenario, *options):
    """The summary of one case."""
    command = [WEFT, "run", str(scenario), "--no-results", "--quiet", "--json", "-", *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["runs"][0]


def nearest(values, share):
    """The smallest value that so large a share of all do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def poisson_flows(hosts, load, sizes, stop_ns, seed):
    """Flows between any two hosts of 100 Gb/s, by start: (start in ns, source, destination, bytes)."""
    draw = random.Random(seed)
    mean = sum((a[0] + b[0]) / 2 * (b[1] - a[1]) / 100 for a, b in zip(sizes, sizes[1:]))
    gap = mean * 8 / (100e9 * load) * 1e9
    percentiles = [percentile for _, percentile in sizes]
    flows = []
    for source in range(hosts):
        start = draw.expovariate(1 / gap)
        while start < stop_ns:
            at = draw.random() * 100
            upper = max(bisect.bisect_left(percentiles, at), 1)
            (low, from_percent), (high, to_percent) = sizes[upper - 1], sizes[upper]
            size = max(1, int(low + (high - low) * (at - from_percent) / (to_percent - from_percent)))
            destination = draw.randrange(hosts - 1)
            destination += destination >= source
            flows.append((int(start), source, destination, size))
            start += draw.expovariate(1 / gap)
    return sorted(flows)


def with_flows(name, flows, folder):
    """A copy of the scenario whose traffic, in every case, is these flows: each has a queue pair of its own."""
    listed = pathlib.Path(folder, "flows.csv")
    listed.write_text("".join(f"host{source}, host{destination}, {size} B, {start} ns\n"
                              for start, source, destination, size in flows))
    text = (EXAMPLES / name).read_text()
    traffic = f'[[traffic]]\nname = "flows"\nkind = "flows"\nfile = "{listed}"\n'
    text = re.sub(r"\[\[traffic\]\].*?(?=\n\[\[case|\Z)", lambda _: traffic, text, flags=re.S)
    text = re.sub(r"(?m)^traffic = .*\n", "", text)
    text = re.sub(r'file = "(\w[\w.-]*\.graph)"', lambda found: f'file = "{EXAMPLES / found[1]}"', text)
    scenario = pathlib.Path(folder, name)
    scenario.write_text(text)
    return scenario


def slowdowns(summary, least=0, most=float("inf")):
    return [max(1.0, (message["finished_s"] - message["posted_s"]) / message["ideal_s"])
            for message in summary["messages"] if least < message["bytes"] <= most]


def print_slowdowns(name, values):
    figures = " ".join(f"{nearest(values, share):.2f}" for share in (0.5, 0.9, 0.95, 0.99, 0.999))
    mean = statistics.fmean(values)
    print(f"{name:20} {len(values):6} flows: mean {mean:.3f}, p50 p90 p95 p99 p99.9 {figures}", flush=True)


SEEDS = {"incast": range(1, 121), "spray-128": range(1, 11), "adaptive-128": range(1, 11)}


def htsim(_):
    """Completion times over seeds of the hash, or of the packets' choices."""
    for case in ("ecmp-32", "spray-32", "adaptive-32", "incast", "ecmp-128", "spray-128", "adaptive-128"):
        times = []
        for seed in SEEDS.get(case, range(1, 41)):
            summary = run(EXAMPLES / "htsim-permutation.toml", "--messages", "--case", case, "--seed", str(seed))
            times += [(message["finished_s"] - message["posted_s"]) * 1e6 for message in summary["messages"]]
        figures = " ".join(f"{nearest(times, share):.1f}" for share in (0.1, 0.5, 0.9, 0.99, 1))
        mean = statistics.fmean(times)
        print(f"{case:14} {len(times)} flows: p10 p50 p90 p99 max {figures}, mean {mean:.1f} us", flush=True)


def hpcc(folder):
    flows = poisson_flows(320, 0.5, HADOOP, 500_000, 50)
    keep("hpcc", flows)
    scenario = with_flows("hpcc-dcqcn.toml", flows, folder)
    summary = run(scenario, "--messages")
    print_slowdowns("all", slowdowns(summary))
    bounds = (0, 1000, 10_000, 50_000, 120_000, 300_000, 1_000_000, float("inf"))
    for least, most in zip(bounds, bounds[1:]):
        print_slowdowns(f"{least} to {most} B", slowdowns(summary, least, most))


def simai(_):
    """Bus bandwidth of rings of 32 ranks, one in each of eight rails."""
    for mib in (16, 32, 64, 128, 256, 512):
        sizes = [option for rail in range(8) for option in ("--set", f"traffic[{rail}].size={mib}MiB")]
        for case, seeds in (("rails", (1,)), ("single-tor", range(1, 6) if mib <= 128 else (1,))):
            for seed in seeds:
                jobs = run(EXAMPLES / "simai-rails.toml", "--case", case, "--seed", str(seed), *sizes)["jobs"]
                rates = [2 * 31 / 32 * mib * 2**20 / job["collective_s"]["max"] / 1e9 for job in jobs]
                mean = statistics.fmean(rates)
                print(f"{mib:4} MiB, {case}, seed {seed}: mean {mean:.1f}, slowest {min(rates):.1f} GB/s", flush=True)


def conweave(folder):
    for load in (50, 80):
        flows = poisson_flows(128, load / 200, STORAGE, 2_000_000, load)
        keep(f"conweave-{load}", flows)
        scenario = with_flows("conweave.toml", flows, folder)
        for paths in ("ecmp", "conweave", "flowlets", "conga", "spray-leaf", "drill-in-order", "drill", "spray",
                      "adaptive"):
            print_slowdowns(f"{paths}-{load}", slowdowns(run(scenario, "--messages", "--case", f"{paths}-{load}")))


def keep(name, flows):
    if "--keep" in sys.argv:
        target = pathlib.Path(sys.argv[sys.argv.index("--keep") + 1], name + ".txt")
        target.write_text("".join("{} {} {} {}\n".format(*flow) for flow in flows))


def main():
    parts = {"htsim": htsim, "hpcc": hpcc, "simai": simai, "conweave": conweave}
    chosen = sys.argv[1:2] if len(sys.argv) > 1 and sys.argv[1] in parts else list(parts)
    for part in chosen:
        print(part + ":")
        with tempfile.TemporaryDirectory() as folder:
            parts[part](folder)


if __name__ == "__main__":
    main()
