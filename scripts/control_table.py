"""Runs `weft control` over sizes, failures and kinds of detection, and prints docs/control.md's table."""

import json
import os
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
# Hosts per leaf, and as many spines: without oversubscription.
WIDTH = {64: 8, 128: 8, 256: 16, 512: 16, 1024: 32, 2048: 32, 4096: 64, 8192: 64}
DETECTION = {
    "signal": [],
    "BFD": ["control.loss_of_signal=false", "control.bfd=true"],
    "hold timer": ["control.loss_of_signal=false"],
}
SCENARIO = """
seed = 1
[fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = {hosts}
hosts_per_leaf = {width}
spines = {width}
[switch]
ports = 512
[control]
kind = "bgp"
[[traffic]]
kind = "permutation"
size = "1 MiB"
[[event]]
at = "1 s"
select = "{select}"
action = "fail"
"""


def seconds(value):
    if value is None:
        return "never"
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 0.9995 or unit == "us":
            return f"{value * scale:.3g} {unit}"
    return ""


def control(hosts, select, settings):
    text = SCENARIO.format(hosts=hosts, width=WIDTH[hosts], select=select)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        command = [WEFT, "control", file.name, "--json", "-", "--quiet"]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def row(hosts, name, select, detection):
    study = control(hosts, select, DETECTION[detection])
    own = study["control"]
    manager = study["subnet_manager"]
    event = own["events"][-1]
    holes = [leaf["black_hole_s"] for leaf in own["destinations"]]
    lost = [leaf["lost_time_s"] for leaf in own["destinations"]]
    last = event.get("last_entry_s")
    return [
        f"{hosts:,}",
        name,
        detection,
        seconds(event["noticed_s"] - event["at_s"]),
        "never" if last is None else seconds(last - event["at_s"]),
        seconds(max(holes)),
        seconds(sum(lost) / len(lost)),
        f"{own['updates']:,}",
        f"{own['cpu_time_s']:.3g} s",
        seconds(manager["bring_up_s"]),
        seconds(manager["events"][-1]["mended_s"]),
        seconds(manager["events"][-1]["without_trap_s"]),
    ]


def main():
    sizes = [int(size) for size in sys.argv[1:]] or list(WIDTH)
    for size in sizes:
        if size not in WIDTH:
            sys.exit(f"{size}: one of {', '.join(map(str, WIDTH))}")
    heads = ["hosts", "failure", "noticed by", "noticed", "last entry", "longest black hole", "traffic lost", "UPDATEs",
             "CPU", "bring-up", "tables mended", "without trap"]
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for size in sizes:
        for name, select in (("cable", f"leaf0/port{WIDTH[size]}"), ("spine", "spine0")):
            for detection in DETECTION:
                print("| " + " | ".join(row(size, name, select, detection)) + " |", flush=True)


if __name__ == "__main__":
    main()
