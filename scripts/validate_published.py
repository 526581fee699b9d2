"""The work of scripts/validate-published: runs weft, reads its JSON and CSV, writes tables into docs/validation.md."""

import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
EXAMPLES = pathlib.Path("examples/published")
DOCUMENT = pathlib.Path("docs/validation.md")


def run(scenario, case, *options):
    """One case: its summary, and its tables as lists of rows."""
    with tempfile.TemporaryDirectory() as folder:
        command = [WEFT, "run", str(EXAMPLES / scenario), "--case", case, "--no-results", "--quiet",
                   "--json", f"{folder}/run.json", "--csv", folder, *options]
        subprocess.run(command, check=True)
        summary = json.loads(pathlib.Path(folder, "run.json").read_text())["runs"][0]
        tables = {}
        for name in ("ports", "samples", "messages"):
            with open(pathlib.Path(folder, name + ".csv"), newline="") as file:
                tables[name] = list(csv.DictReader(file))
    return summary, tables


def jobs(summary):
    return {job["name"]: job for job in summary["jobs"]}


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def samples_of(tables, port, after_s):
    return [row for row in tables["samples"] if row["port"] == port and int(row["at_ps"]) >= after_s * 1e12]


def gbps(value):
    return f"{value / 1e9:.1f}"


# The incast's switch sends to the receiver, the last host, by its last port.
INCAST_PORT = "leaf0/port20"
SETTLED_S = 0.02


def incast_rows():
    rates, drops, queue = [], 0, 0.0
    for senders in ("1", "2", "4", "8", "16", "20"):
        summary, tables = run("dcqcn-incast.toml", senders)
        settled = samples_of(tables, INCAST_PORT, SETTLED_S)
        rates.append(40 * statistics.fmean(float(row["utilisation"]) for row in settled))
        drops += summary["network"]["drops"]["total"]
        queue = percentile([int(row["queue_bytes"]) for row in settled], 0.95)
    listed = ", ".join(f"{rate:.1f}" for rate in rates)
    yield "K:1 incast, 1 to 20 senders: rate on the wire", "more than 39 of 40 Gb/s", f"{listed} Gb/s (1, 2, 4, 8, 16, 20)"
    yield "the same: packets dropped", "none", str(drops) if drops else "none"
    yield "20:1 incast, 95th percentile of the queue", "76.6 KB", f"{queue / 1000:.1f} KB"


def far_rates(tables, summary):
    """Goodput of each far sender."""
    sent = {}
    for row in tables["messages"]:
        if row["job"] == "far":
            sent[row["source"]] = sent.get(row["source"], 0) + int(row["bytes"])
    return [8 * count / summary["simulated_s"] for count in sent.values()]


def unfairness_rows():
    near, far, least = [], [], []
    for seed in range(1, 10):
        summary, tables = run("dcqcn-unfairness.toml", "pfc", "--seed", str(seed))
        rates = far_rates(tables, summary)
        near.append(jobs(summary)["near"]["goodput_bps"])
        far.append(statistics.fmean(rates))
        least.append(min(rates))
    yield ("PFC alone: near sender, far ones (mean)", "up to 20 Gb/s; far less",
           f"{gbps(min(near))} to {gbps(max(near))}; {gbps(min(far))} to {gbps(max(far))} Gb/s over 9 seeds")
    summary, tables = run("dcqcn-unfairness.toml", "dcqcn")
    rates = far_rates(tables, summary) + [jobs(summary)["near"]["goodput_bps"]]
    yield "DCQCN: the same four", "all about 10 Gb/s", f"{gbps(min(rates))} to {gbps(max(rates))} Gb/s"


def victim_rows():
    published = {"pfc-0": "10 Gb/s", "pfc-2": "4.5 Gb/s", "dcqcn-0": "no harm (20 Gb/s)", "dcqcn-2": "no harm (20 Gb/s)"}
    names = {"pfc": "PFC alone", "dcqcn": "DCQCN"}
    for case, figure in published.items():
        rates = [jobs(run("dcqcn-victim.toml", case, "--seed", str(seed))[0])["victim"]["goodput_bps"]
                 for seed in range(1, 10)]
        control, extra = case.split("-")
        yield (f"victim, {names[control]}, {extra} more senders: median", figure,
               f"{gbps(statistics.median(rates))} ({gbps(min(rates))} to {gbps(max(rates))}) Gb/s over 9 seeds")


def dcqcn():
    yield from incast_rows()
    yield from unfairness_rows()
    yield from victim_rows()


def up_ports():
    """Ports of leaves that lead to spines: the last 16 of 40."""
    return {f"pod{pod}/leaf{leaf}/port{port}" for pod in range(2) for leaf in range(4) for port in range(24, 40)}


def scale():
    idle = jobs(run("rdma-at-scale.toml", "idle")[0])["probe"]["latency_s"]
    yield "probes, idle: 99th and 99.9th percentile", "50 and 80 us", "{:.0f} and {:.0f} us".format(
        idle["p99"] * 1e6, idle["p99.9"] * 1e6)
    for case, name in (("load", "with DCQCN"), ("load-pfc-alone", "PFC alone")):
        summary, tables = run("rdma-at-scale.toml", case, "--set", "output.sample_interval=1ms")
        ports = up_ports()
        rows = [row for row in tables["samples"] if row["port"] in ports and int(row["at_ps"]) > 5e9]
        share = statistics.fmean(float(row["utilisation"]) for row in rows)
        yield f"share of the links to spines, {name}", "60 % (3.0 of 5.12 Tb/s)", "{:.0f} % ({:.1f} Tb/s on the wire)".format(
            100 * share, 5.12 * share)
        drops = summary["network"]["drops"]["total"]
        yield f"packets dropped, {name}", "none", str(drops) if drops else "none"
        loaded = jobs(summary)["probe"]["latency_s"]
        yield f"probes under load, {name}: 99th and 99.9th percentile", "400 and 800 us", "{:.0f} and {:.0f} us".format(
            loaded["p99"] * 1e6, loaded["p99.9"] * 1e6)


    whole = jobs(run("rdma-loss.toml", "no-loss")[0])["stream"]["goodput_bps"]
    for case, timeout in (("go-back-n-1ms", "1 ms"), ("go-back-n", "67 ms")):
        lossy = jobs(run("rdma-loss.toml", case)[0])["stream"]["goodput_bps"]
        yield (f"one packet in 256 lost, go-back-N, timeout of {timeout}", "close to the rate of the link",
               f"{gbps(lossy)} of {gbps(whole)} Gb/s")


# Bytes on the bus of an operation for each byte of the vector, as nccl-tests count them.
def bus_factor(kind, ranks):
    return (2 if kind == "all-reduce" else 1) * (ranks - 1) / ranks


def collectives():
    runs = [
        ("infiniband", "all-reduce", 16, 2**30, "2 x 8 H100, 8 x 400G InfiniBand, ring, 1 GiB", "about 370 GB/s"),
        ("rocev2", "all-reduce", 16, 2**30, "the same, RoCEv2 that loses nothing", "within 0 to 3 % of InfiniBand"),
        ("nvls", "all-reduce", 8, 2**28, "8 H100, NVLS, 256 MiB", "480 GB/s"),
        ("a100", "all-reduce", 16, 2**30, "2 x 8 A100, 8 x 100G RoCEv2, ring, 1 GiB", "about 75 GB/s"),
        ("mis-tuned-all-reduce", "all-reduce", 16, 2**30, "2 x 8 H100, mis-tuned RoCEv2, all-reduce, 1 GiB",
         "216 GB/s (231 with 8 GiB)"),
        ("mis-tuned-all-gather", "all-gather", 16, 2**28, "the same, all-gather, 256 MiB", "101 GB/s"),
        ("mis-tuned-all-to-all", "all-to-all", 16, 2**28, "the same, all-to-all, 256 MiB", "25 GB/s"),
    ]
    for case, kind, ranks, size, name, figure in runs:
        summary, _ = run("nccl-two-hosts.toml", case, "--set", f"traffic[0].size={size} B")
        seconds = jobs(summary)[kind]["collective_s"]["max"]
        network = summary["network"]
        lost = ""
        if case.startswith("mis-tuned"):
            lost = "; {} packets dropped, {} timeouts".format(network["drops"]["total"], network["timeouts"])
        yield name, figure, f"{size / seconds / 1e9 * bus_factor(kind, ranks):.1f} GB/s{lost}"


def bill(case):
    command = [WEFT, "show", str(EXAMPLES / "fat-tree-cost.toml"), "--case", case, "--bill", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def cost():
    for case, name, published in (("two-tiers", "two tiers", "4.39"), ("three-tiers", "three tiers", "7.5")):
        made = bill(case)
        lines = made["bill"]
        endpoints = sum(line["count"] for line in lines if line["part"] == "nic")
        nics = sum(line["price_usd"] for line in lines if line["part"] == "nic")
        switches = sum(line["count"] for line in lines if line["part"] == "switch")
        thousand = 1000 * endpoints
        yield (f"fat tree of {name}, {endpoints:,} endpoints, {switches:,} switches", f"{published} thousand USD",
               f"{(made['cost_usd'] - nics) / thousand:.2f} thousand USD ({made['cost_usd'] / thousand:.2f} with NICs), "
               f"{made['power_w'] / endpoints:.0f} W")


HEADINGS = {"dcqcn": "experiment", "scale": "experiment", "collectives": "run", "cost": "network"}
TABLES = {"dcqcn": dcqcn, "scale": scale, "collectives": collectives, "cost": cost}


def write(name):
    lines = [f"| {HEADINGS[name]} | published | weft |", "|---|---|---|"]
    for row in TABLES[name]():
        lines.append("| " + " | ".join(row) + " |")
        print(lines[-1], flush=True)
    begin, end = f"<!-- published {name}: begin -->\n", f"<!-- published {name}: end -->"
    before, rest = DOCUMENT.read_text().split(begin)
    DOCUMENT.write_text(before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def main():
    wanted = sys.argv[1:] or list(TABLES)
    for name in wanted:
        if name not in TABLES:
            sys.exit(f"validate-published: unknown table '{name}'; one of {', '.join(TABLES)}")
    for name in wanted:
        write(name)


main()
