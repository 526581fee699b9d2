"""The table of docs/attacks.md: see scripts/attack-table."""

import json
import os
import pathlib
import subprocess
import sys

REFUSALS = {
    "refused_switch_p_key": "P_Key at the switch",
    "refused_switch_address": "source at the leaf",
    "refused_switch_key": "key of the switch",
    "refused_sm_key": "SM_Key",
    "refused_untrusted": "answered without the M_Key",
    "refused_authentication": "TSS",
    "refused_queue_pair": "queue pair",
    "refused_p_key": "P_Key",
    "refused_q_key": "Q_Key",
    "refused_psn_ahead": "PSN ahead",
    "refused_psn_behind": "PSN behind",
    "refused_r_key": "R_Key",
    "refused_limit": "limit of CNPs",
    "refused_no_receive": "no receive request",
    "refused_other": "other",
    "lost": "lost or ignored",
}


def effects(row):
    parts = []
    if row["bytes_written"]:
        parts.append(f"{row['bytes_written']} B written")
    if row["queue_pairs_broken"]:
        parts.append(f"queue pairs broken: {row['queue_pairs_broken']}")
    if row["throttled_s"]:
        parts.append(f"connections throttled for {row['throttled_s'] * 1e6:.0f} us")
    if row["paused_s"]:
        parts.append(f"paused for {row['paused_s'] * 1e6:.0f} us")
    if row["diverted"]:
        parts.append(f"{row['diverted']} packets diverted")
    if row["sessions_broken"]:
        parts.append(f"{row['sessions_broken']} sessions broken")
    return ", ".join(parts)


def victims_step(run):
    """Time of the victim's slowest collective in seconds, of those that have ended; None: there is none."""
    times = run["jobs"][0].get("collective_s")
    return times["max"] if times else None


def loses_job(run):
    return run["end"] == "job-lost" and "job 'victim'" in run.get("error", "")


def victim_text(run, quiet):
    own = victims_step(run)
    if loses_job(run):
        return f"job lost at {run['simulated_s'] * 1e6:.0f} us"
    text = f"{own * 1e6:.0f} us the slowest step"
    if run["end"] == "job-lost":
        text += "; the neighbour's job lost"
    return text if quiet in (None, 0) or own == quiet else f"{text} ({100 * (own / quiet - 1):+.0f} %)"


def line_of(run, quiet):
    name = run["case"]
    victim = victim_text(run, quiet)
    row = (run.get("attacks") or [None])[0]
    if row is None:
        return f"| {name} | | | | {victim} |"
    if row.get("not_possible"):
        return f"| {name} | not possible: {row['not_possible']} | | | {victim} |"
    refused = ", ".join(f"{row[key]} {text}" for key, text in REFUSALS.items() if row[key])
    return f"| {name} | {row['accepted']} of {row['sent']} | {refused} | {effects(row)} | {victim} |"


def main(names):
    folder = pathlib.Path("examples/attacks")
    for path in sorted(folder.glob("*.toml")):
        if names and path.stem not in names:
            continue
        command = [os.environ["WEFT"], "run", str(path), "--no-results", "--no-cache", "--quiet", "--json", "-"]
        runs = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
        quiet = {run["case"].split("-")[0]: victims_step(run) for run in runs["runs"] if run["case"].endswith("-quiet")}
        print(f"\n### {path.stem}\n")
        print("| case | accepted | refused | effect | victim |")
        print("|---|---|---|---|---|")
        for run in runs["runs"]:
            print(line_of(run, quiet.get(run["case"].split("-")[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
