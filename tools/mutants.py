"""Read thousands of damaged files of every format and make hundreds of wrong calls.

python tools/mutants.py                    5,000 mutants of every format and all wrong calls
python tools/mutants.py --count 200        fewer of them
python tools/mutants.py --only run.mcap    one format
python tools/mutants.py --json             `rows` and `checks`

Every mutant must be read, or end in one of Treadle's own errors, within 20 s and 1.5 GB. Those of STEP files
take a second each: a process of its own reads them.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.mutants import mutants, outcome, seeds
from tests.wrong_calls import wrong_calls

#: Seconds and bytes that one mutant may take.
LONGEST, LARGEST = 20, 1_500_000_000

_PROCESSES = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def main() -> int:
    """Run each format in a process of its own, and print what was found."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--count", type=int, default=5000)
    options.add_argument("--only")
    options.add_argument("--worker", help=argparse.SUPPRESS)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    if given.worker:
        return work(given.worker, given.count)
    with tempfile.TemporaryDirectory() as folder:
        names = [given.only] if given.only else [*seeds(Path(folder)), "calls"]
    rows = []
    for name in names:
        command = [sys.executable, __file__, "--worker", name, "--count", str(given.count)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        rows.append(
            json.loads(done.stdout)
            if done.returncode == 0
            else {
                "format": name,
                "mutants": 0,
                "wrong": 1,
                "memory": 0,
                "longest": 0.0,
                "first": f"the process ended with {done.returncode}",
            }
        )
        if not given.json:
            row = rows[-1]
            told = f"{row['memory'] / 1e9:5.2f} GB, longest {row['longest']:5.2f} s"
            print(
                "{format:<22} {mutants:>6} mutants  {wrong:>4} wrong  ".format(**row) + told, row["first"],
                flush=True,
            )  # fmt: skip
    checks = [
        {"name": f"{row['format']}: mutants that raise foreign errors", "value": row["wrong"], "limit": 0,
         "holds": row["wrong"] == 0}
        for row in rows
    ]  # fmt: skip
    checks += [
        {"name": f"{row['format']}: memory (bytes)", "value": row["memory"], "limit": LARGEST,
         "holds": row["memory"] <= LARGEST}
        for row in rows if "memory" in row
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}, indent=1))
    return 0 if all(check["holds"] for check in checks) else 1


def work(name: str, count: int) -> int:
    """One format: print a row."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _too_long)
    started, wrong, tried, longest = time.process_time(), [], 0, 0.0
    if name == "calls":
        for what, call in wrong_calls():
            tried += 1
            problem = _call_outcome(call)
            wrong += [f"{what}: {problem}"] if problem else []
    else:
        with tempfile.TemporaryDirectory() as folder:
            content, read = seeds(Path(folder))[name]
            for k, damaged in enumerate(mutants(content, count, seed=1)):
                tried += 1
                begun = time.process_time()
                signal.alarm(LONGEST)
                problem = outcome(read, Path(folder) / name, damaged)
                signal.alarm(0)
                longest = max(longest, time.process_time() - begun)
                wrong += [f"mutant {k}: {problem}"] if problem else []
    # the largest of this process and of those that read files for it
    memory = 1024 * max(resource.getrusage(who).ru_maxrss for who in _PROCESSES)
    row = {"format": name, "mutants": tried, "wrong": len(wrong), "memory": memory, "longest": longest,
           "seconds": time.process_time() - started, "first": wrong[0] if wrong else ""}  # fmt: skip
    for line in wrong[:10]:
        print(line, file=sys.stderr)
    print(json.dumps(row))
    return 0


def _call_outcome(call) -> str | None:
    import treadle as td

    try:
        call()
    except td.TreadleError:
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {LONGEST} s")


if __name__ == "__main__":
    sys.exit(main())
