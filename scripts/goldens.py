"""The work of scripts/goldens: runs each case, and compares digests of everything that it gives."""

import argparse
import hashlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

WEFT = str(pathlib.Path(os.environ["WEFT"]).resolve())
EVENTS = os.environ.get("WEFT_SCENARIOS")
DIGESTS = pathlib.Path("tests/data/goldens/digests.json")
TIMEOUT = 600  # seconds for one command

# Name -> (scenario, further arguments). Together they meet every family, topology, kind of traffic and table.
RUNS = {
    "incast": ("examples/incast.toml", []),
    "permutation": ("examples/permutation.toml", ["--set", "seed=2"]),
    "two-flows": ("examples/dcqcn-two-flows.toml", []),
    "ring": ("examples/collective-ring.toml", []),
    "two-jobs": ("examples/collective-two-jobs.toml", []),
    "halo": ("examples/hpc-halo.toml", []),
    "decode": ("examples/inference-decode.toml", []),
    "testbed": ("examples/sigcomm15-latency.toml", []),
    "tutorial": ("examples/tutorial.toml", []),
    "mixed": ("examples/claims/roce-mixed.toml", []),
    "streams": ("examples/claims/iwarp-loss.toml", []),
    "ladder": ("examples/claims/latency-ladder.toml", []),
    "memory": ("examples/claims/memory-pooling.toml", []),
    "faults": ("examples/claims/fault-recovery.toml", []),
    "cnp-class": ("examples/claims/cnp-class.toml", []),
    "swift": ("examples/published/incast-hpcc-swift.toml", []),
    "experts": ("tests/data/composition/experts-2to1.toml", ["--catalogue", "tests/data/composition/catalogue"]),
}
# Name -> arguments of `weft compare`.
COMPARISONS = {
    "compare-incast": ["examples/incast.toml", "--set", "host.profile=modern", "--fabrics", "infiniband,rocev2,tcp",
                       "--seeds", "2"],
    "compare-ring": ["examples/collective-ring.toml", "--fabrics", "infiniband,rocev2-spray", "--no-risk"],
}


# What a run says of the machine that it was on, in the summary, in JSON and in a results file.
MACHINE = re.compile(r'^  simulated .*$|^ +"(setup_s|run_s|peak_memory_bytes|finished_at|threads|packet_hops_per_second)": .*$|\{"setup_ps":.*?\}', re.MULTILINE)


def command(arguments, folder):
    """Standard output; the program runs at the root of the project, as a user's would."""
    done = subprocess.run([WEFT, *arguments], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"goldens: weft {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout.replace(str(folder), "FOLDER")


def rows_of(path):
    """A results file as text: what defines its tables, and every row."""
    with sqlite3.connect(path) as database:
        return "\n".join(database.iterdump()) + "\n"


def tables_of(where):
    return "".join(f"# {path.name}\n{path.read_text()}" for path in sorted(where.iterdir()))


def outputs_of_run(scenario, arguments, folder):
    document, csv, files = folder / "run.json", folder / "csv", folder / "results.weft"
    return {
        "show": command(["show", scenario, *arguments], folder),
        "text": command(["run", scenario, *arguments, "--all-cases", "--json", str(document), "--csv", str(csv), "--out",
                         str(files)], folder),
        "json": document.read_text(),
        "csv": tables_of(csv),
        "rows": rows_of(files),
    }


def outputs_of_comparison(arguments, folder):
    out, document = folder / "out", folder / "comparison.json"
    text = command(["compare", *arguments, "--out", str(out), "--json", str(document)], folder)
    command(["report", str(document), "--csv", str(folder / "csv"), "--output", str(folder / "report.html")], folder)
    return {"text": text, "json": document.read_text().replace(str(folder), "FOLDER"), "csv": tables_of(folder / "csv")}


def outputs_of(name, folder):
    if name == "events":
        done = subprocess.run([EVENTS], capture_output=True, text=True, timeout=TIMEOUT, check=True)
        return {"hashes": done.stdout}
    if name in RUNS:
        return outputs_of_run(*RUNS[name], folder)
    return outputs_of_comparison(COMPARISONS[name], folder)


def digests_of(outputs):
    return {kind: hashlib.sha256(text.encode()).hexdigest()[:16] for kind, text in outputs.items()}


# A run's key follows from every key of a scenario: each new one would change it everywhere.
RUN_KEY = re.compile(r"\b[0-9a-f]{16}(-\d+)?\b")


def without_machine(outputs):
    """What a run says of its results alone; hashes of events stay."""
    if "hashes" in outputs:
        return outputs
    masked = {kind: RUN_KEY.sub("RUN", MACHINE.sub("MACHINE", text)) for kind, text in outputs.items()}
    if "rows" in masked:
        masked["rows"] = "\n".join(sorted(masked["rows"].split("\n")))  # a file keeps them in the order of run keys
    return masked


def keep(outputs, name, where):
    where.mkdir(parents=True, exist_ok=True)
    for kind, text in outputs.items():
        (where / f"{name}.{kind}").write_text(text)


def parsed():
    parser = argparse.ArgumentParser(prog="scripts/goldens", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the digests instead of comparing with them")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="leave the outputs there")
    parser.add_argument("names", nargs="*", help="cases; all without one")
    given = parser.parse_args()
    known = [*RUNS, *COMPARISONS, *(["events"] if EVENTS else [])]
    unknown = [name for name in given.names if name not in known]
    if unknown:
        parser.error(f"unknown case {unknown[0]}; one of {', '.join(known)}")
    given.names = given.names or known
    return given


def main():
    given = parsed()
    before = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    found, changed = dict(before), []
    for name in given.names:
        with tempfile.TemporaryDirectory() as folder:
            outputs = without_machine(outputs_of(name, pathlib.Path(folder)))
        found[name] = digests_of(outputs)
        if given.keep:
            keep(outputs, name, given.keep)
        differ = [kind for kind, digest in found[name].items() if before.get(name, {}).get(kind) != digest]
        changed += [f"{name}: {', '.join(differ)}"] if differ else []
        print(f"{name:16} {'changed: ' + ', '.join(differ) if differ else 'the same'}", flush=True)
    if given.write:
        unfinished = DIGESTS.with_suffix(".part")
        unfinished.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")
        unfinished.replace(DIGESTS)
    elif changed:
        sys.exit("goldens: other results than before; if that is meant, scripts/goldens --write.\n  " +
                 "\n  ".join(changed))


if __name__ == "__main__":
    main()
