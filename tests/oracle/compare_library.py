"""compare_library.py BURIN [NAME...] - runs the library's pipelines on random inputs, under the plain schedule and their
best one, and compares what comes out with definitions.py."""
import json
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from definitions import CASES, Draw


def burin(*arguments):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"burin {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.stdout


def difference(got, want, tolerance, off_by):
    """What is wrong with `got`, or nothing."""
    if got.shape != want.shape:
        return f"its shape is {got.shape}, not {want.shape}"
    if want.dtype.kind in "iu":
        if got.dtype != want.dtype:
            return f"its type is {got.dtype}, not {want.dtype}"
        most = np.abs(got.astype(np.int64) - want.astype(np.int64)).max(initial=0)
        return f"it is off by {most}" if most > off_by else None
    error = np.abs(got - want).max(initial=0) / max(np.abs(want).max(initial=0), 1e-30)
    return None if error <= tolerance else f"it is off by {error:.2g} of the largest value"


def check(name, schedule, seed, case):
    inputs, outputs = case.function(Draw(seed), **case.sizes)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda n: str(pathlib.Path(folder, n + ".npy"))
        sizes = ",".join(f"{n}={v}" for n, v in case.sizes.items())
        arguments = ["run", name, "--schedule", schedule, "--size", sizes]
        for n, a in inputs.items():
            np.save(path(n), np.ascontiguousarray(a))
            arguments += ["--in", f"{n}={path(n)}"]
        for n in outputs:
            arguments += ["--out", f"{n}={path(n)}"]
        burin(*arguments)
        for n, want in outputs.items():
            if wrong := difference(np.load(path(n)), want, case.tolerance, case.off_by):
                return f"{name} under {schedule} at {sizes}: {n}: {wrong}"
    return None


def main():
    entries = {e["pipeline"]: e["best"] for e in json.loads(burin("list", "--json"))}
    names = sys.argv[2:] or list(entries)
    wrong = [f"{n} has no definition here" for n in names if n not in CASES]
    wrong += [f"{n} is defined here, but not in the library" for n in CASES if n not in entries]
    jobs = [(n, schedule, seed, case)
            for n in names for seed, case in enumerate(CASES.get(n, []))
            for schedule in ("plain", entries[n]) if case.plain or schedule != "plain"]
    with ThreadPoolExecutor(2) as pool:
        wrong += filter(None, pool.map(lambda job: check(*job), jobs))
    print("\n".join(wrong), f"{len(jobs)} runs of {len(names)} pipelines compared, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
