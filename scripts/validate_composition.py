"""The work of scripts/validate-composition: runs each job composed and with every packet, and compares the steps."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

WEFT = os.environ["WEFT"]
JOBS = pathlib.Path("tests/data/composition")
LIMIT = 0.03
COMPOSED = 'fidelity = "composed"\n'


def runs(text, folder):
    """The runs of a scenario's cases, by case, and the seconds that they took together."""
    scenario = pathlib.Path(folder, "job.toml")
    scenario.write_text(text)
    out = pathlib.Path(folder, "run.json")
    began = time.monotonic()
    subprocess.run([WEFT, "run", str(scenario), "--catalogue", str(JOBS / "catalogue"), "--all-cases", "--no-results",
                    "--no-check", "--quiet", "--json", str(out)], check=True)
    return {run["case"]: run for run in json.loads(out.read_text())["runs"]}, time.monotonic() - began


def compare(path):
    text = path.read_text()
    assert COMPOSED in text, f"{path}: no line {COMPOSED.strip()}"
    budget = os.environ.get("BUDGET")
    composed_text = text.replace(COMPOSED, COMPOSED + (f"slice_hops = {budget}\n" if budget else ""))
    with tempfile.TemporaryDirectory() as folder:
        composed, _ = runs(composed_text, folder)
        packet, _ = runs(text.replace(COMPOSED, 'fidelity = "packet"\n'), folder)
    bad = 0
    for case, run in composed.items():
        step, true = run["steps"][0], packet[case]["steps"][0]
        error = step["step_time_s"] / true["step_time_s"] - 1
        interval = step.get("interval")
        right = abs(error) <= max(LIMIT, interval or 0)
        bad += not right
        hops = f"{run['packet_hops'] / 1e6:.1f} of {packet[case]['packet_hops'] / 1e6:.1f}"
        print(f"| {path.stem} | {case} | {true['step_time_s'] * 1e3:.3f} | {step['step_time_s'] * 1e3:.3f} "
              f"| {100 * error:+.1f} % | {'' if interval is None else f'{100 * interval:.1f} %'} "
              f"| {step['fidelity']} | {hops} | {'' if right else 'off'} |", flush=True)
    return bad


def main():
    wanted = sys.argv[1:]
    files = sorted(path for path in JOBS.glob("*.toml") if not wanted or path.stem in wanted)
    if len(files) < len(wanted):
        known = ", ".join(sorted(path.stem for path in JOBS.glob("*.toml")))
        sys.exit(f"validate-composition: unknown job among {', '.join(wanted)}; one of {known}")
    print("| job | family | every packet, ms | composed, ms | error | interval | run as | million packet-hops | |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    bad = sum(compare(path) for path in files)
    if bad:
        sys.exit(f"{bad} composed steps are off by more than {LIMIT:.0%} and their interval")


if __name__ == "__main__":
    main()
