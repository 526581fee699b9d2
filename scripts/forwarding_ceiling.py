"""The work of scripts/forwarding-ceiling: each step of load balancing on four kinds of traffic."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]

# The steps, in the order from one path for each connection to any path for each packet, with what they are called.
STEPS = {
    "ecmp": "hash",
    "e-ecmp": "entropy: 16 queue pairs",
    "letflow": "flowlets",
    "conweave": "ConWeave",
    "path-pinning": "pinned by destination",
    "traffic-engineering": "traffic engineering",
    "network-level": "jobs known to the controller",
    "spray-in-order": "spray, in order",
    "spray-reordered": "spray, reordered by NICs",
    "spray-leaf": "spray, reordered by leaves",
    "spray": "spray, any order",
    "reps": "REPS, any order",
    "drill": "DRILL, any order",
    "adaptive": "adaptive, any order",
    "scheduled": "scheduled fabric",
}
TRAFFIC = ("permutation", "all-to-all", "experts", "two jobs")
# A step that has not ended in so many times what one switch takes is stopped.
PATIENCE = 20
# Traffic begins when a failed link has been routed around.
START_US = 50
POOL = concurrent.futures.ThreadPoolExecutor(os.cpu_count())  # of processes that simulate


def job(name, hosts, gpu=0):
    places = ", ".join(f'"host{host}/gpu{gpu}"' for host in hosts)
    return f'[[job]]\nname = "{name}"\ngpus = {len(hosts)}\nplacement = "listed"\nplaces = [{places}]\n\n'


def collective(name, kind, algorithm, size, group):
    return (f'[[traffic]]\nname = "{name}"\nkind = "collective"\ncollective = "{kind}"\nalgorithm = "{algorithm}"\n'
            f'size = "{size}"\njob = "{group}"\nstart = "{START_US} us"\n\n')


def permutation(_, queue_pairs):
    """Every host sends 4 MiB to another, drawn from the seed."""
    return ('[[traffic]]\nname = "permutation"\nkind = "permutation"\nsize = "4 MiB"\n'
            f'start = "{START_US} us"\nqueue_pairs = {queue_pairs}\nqueue_pair_use = "split"\n')


def all_to_all(side, _):
    """Groups of sixteen, each with one member under every leaf (of 32: every other)."""
    text = ""
    for group in range(side * side // 16):
        spread = side // 16
        hosts = [leaf * side + group // spread for leaf in range(group % spread, side, spread)]
        text += job(f"group{group}", hosts)
        text += collective(f"all-to-all-{group}", "all-to-all", "direct", "4 MiB", f"group{group}")
    return text


def experts(side, _):
    """A job on hosts in no order: all-to-alls in groups of eight, and rings of sixteen across the groups beside them. A GPU has
    one job, so each host has a second one for the rings; both use its one NIC."""
    order = list(range(side * side))
    random.Random(side).shuffle(order)
    text = ""
    for group in range(len(order) // 8):
        text += job(f"experts{group}", order[8 * group:8 * group + 8])
        text += collective(f"dispatch-{group}", "all-to-all", "direct", "4 MiB", f"experts{group}")
    for ring in range(len(order) // 16):
        # A rank of sixteen groups: the copies of the same experts.
        first = ring // 8 * 128 + ring % 8
        text += job(f"copies{ring}", [order[first + 8 * rank] for rank in range(16)], gpu=1)
        text += collective(f"gradients-{ring}", "all-reduce", "ring", "2 MiB", f"copies{ring}")
    return text


def two_jobs(side, _):
    """Half of each leaf is one job's, whose ring goes from leaf to leaf; the other half's exchange all-to-all by sixteen."""
    half = side // 2
    ring = [leaf * side + place for place in range(half) for leaf in range(side)]
    text = job("ring", ring) + collective("gradients", "all-reduce", "ring", f"{side * side // 64} MiB", "ring")
    spread = side // 16
    for group in range(side * half // 16):
        hosts = [leaf * side + half + group // spread for leaf in range(group % spread, side, spread)]
        text += job(f"group{group}", hosts)
        text += collective(f"all-to-all-{group}", "all-to-all", "direct", "4 MiB", f"group{group}")
    return text


MAKERS = dict(zip(TRAFFIC, (permutation, all_to_all, experts, two_jobs)))


def scenario(traffic, side, scheme, seed, failed, stop_us):
    """The text of one run; without a scheme all hosts are on one switch."""
    gpus = 2 if traffic == "experts" else 1
    text = f'seed = {seed}\nhardware = "equal"\n'
    if stop_us:
        text += f'stop = "{stop_us:.0f} us"\n'
    text += '\n[fabric]\nfamily = "rocev2"\n\n[link]\nrate = "100 Gbps"\n\n[collectives]\nchannels = 1\n\n'
    if scheme:
        text += (f'[topology]\nkind = "leaf-spine"\nhosts = {side * side}\ngpus_per_host = {gpus}\nhosts_per_leaf = {side}\nspines = {side}\n\n'
                 f'[routing]\nscheme = "{scheme}"\nreroute_delay = "1 us"\n\n')
    else:
        text += (f'[topology]\nkind = "single-switch"\nhosts = {side * side}\ngpus_per_host = {gpus}\n\n'
                 f'[switch]\nports = {side * side}\n\n')
    text += MAKERS[traffic](side, 16 if scheme == "e-ecmp" else 1)
    if scheme and failed:
        text += f'[[event]]\nat = "1 us"\nselect = "leaf0/port{side}"\naction = "fail"\n'
    return text


def simulate(file):
    """When each of its parts had arrived, in us from the start of traffic: name to time; None for what had not."""
    command = [WEFT, "run", str(file), "--no-results", "--quiet", "--no-cache", "--force", "--json", "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{file}: {done.stderr.strip()}")
    ended = {}
    for part in json.loads(done.stdout)["runs"][0]["jobs"]:
        finished = part["failed"] == 0 and part["unfinished"] == 0
        time = (part.get("collective_s") or part["completion_s"]).get("max") if finished else None
        ended[part["name"]] = None if time is None else time * 1e6
    return ended


class Runs:
    """Runs scenarios, each once: what a folder holds already is read there."""

    def __init__(self, folder):
        self.folder = folder

    def ended(self, traffic, side, scheme, seed, failed, stop_us=None):
        text = scenario(traffic, side, scheme, seed, failed, stop_us)
        name = "-".join([traffic.replace(" ", "-"), str(side * side), scheme or "one-switch",
                         "failed" if failed else "whole", str(seed)])
        file = self.folder / f"{name}.toml"
        result = self.folder / f"{name}.json"
        if not (file.exists() and result.exists() and file.read_text() == text):
            file.write_text(text)
            times = simulate(file)
            partial = self.folder / f"{name}.partial"
            partial.write_text(json.dumps(times))
            partial.rename(result)
        return json.loads(result.read_text())


def share(traffic, network, one_switch):
    """What one switch takes over what the network takes, for the last message; of two jobs, the mean of both. None: it was
    stopped."""
    if None in network.values():
        return None
    jobs = [list(network)]
    if traffic == "two jobs":
        jobs = [["gradients"], [name for name in network if name != "gradients"]]
    return statistics.fmean(max(one_switch[name] for name in job) / max(network[name] for name in job) for job in jobs)


def one_share(runs, traffic, side, scheme, seed, failed):
    whole = runs.ended(traffic, side, None, seed, False)
    stop_us = START_US + PATIENCE * max(whole.values())
    return share(traffic, runs.ended(traffic, side, scheme, seed, failed, stop_us), whole)


def cell(shares):
    """The mean over seeds, and the least and the most where they differ by more than a hundredth."""
    if None in shares:
        return f"< {100 / PATIENCE:.0f}"
    mean, least, most = (100 * value for value in (statistics.fmean(shares), min(shares), max(shares)))
    return f"{mean:.0f}" if most - least < 1 else f"{mean:.0f} ({least:.0f} to {most:.0f})"


def print_table(runs, side, given):
    columns = [(traffic, failed) for traffic in given.traffic for failed in (False, True)]
    print(f"\n{side * side} hosts, {side} leaf and {side} spine switches:\n")
    print("| step | " + " | ".join(traffic + (", link failed" if failed else "") for traffic, failed in columns) + " |")
    print("|---|" + "---|" * len(columns), flush=True)
    for scheme in given.schemes:
        cells = []
        for traffic, failed in columns:
            cells.append(cell(list(POOL.map(lambda seed: one_share(runs, traffic, side, scheme, seed, failed),
                                            range(1, given.seeds + 1)))))
        print(f"| {STEPS[scheme]} (`{scheme}`) | " + " | ".join(cells) + " |", flush=True)


def main():
    arguments = argparse.ArgumentParser(prog="scripts/forwarding-ceiling")
    arguments.add_argument("--hosts", type=int, choices=(256, 1024), help="one size (otherwise both)")
    arguments.add_argument("--schemes", type=lambda text: text.split(","), default=list(STEPS), help="some steps, by comma")
    arguments.add_argument("--traffic", type=lambda text: text.split(","), default=list(TRAFFIC), help="some kinds, by comma")
    arguments.add_argument("--seeds", type=int, choices=range(1, 101), default=3, metavar="N")
    arguments.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    given = arguments.parse_args()
    unknown = [scheme for scheme in given.schemes if scheme not in STEPS]
    if unknown:
        arguments.error(f"unknown scheme '{unknown[0]}'; known: {', '.join(STEPS)}")
    unknown = [traffic for traffic in given.traffic if traffic not in TRAFFIC]
    if unknown:
        arguments.error(f"unknown traffic '{unknown[0]}'; known: {', '.join(TRAFFIC)}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for hosts in [given.hosts] if given.hosts else [256, 1024]:
            try:
                print_table(Runs(folder), 16 if hosts == 256 else 32, given)
            except RuntimeError as error:
                sys.exit(f"forwarding-ceiling: {error}")


if __name__ == "__main__":
    main()
