#!/usr/bin/env bash
# rivals.sh VENV - puts the rivals of `burin bench --rivals` into a virtual environment, each by itself: what is not to
# be had is said and left out. VENV/rivals.txt tells why.
set -uo pipefail
venv=$1
[[ -x $venv/bin/pip ]] || python3 -m venv "$venv" || { echo "rivals.sh: no virtual environment in $venv (python3-venv?)" >&2; exit 1; }
: >"$venv/rivals.txt"
while IFS='|' read -r name test packages; do
    "$venv/bin/python" -c "$test" 2>/dev/null && continue
    echo "rivals.sh: installing $name" >&2
    # shellcheck disable=SC2086  # several words
    "$venv/bin/pip" install -q --only-binary :all: $packages </dev/null >>"$venv/rivals.txt" 2>&1 ||
        echo "rivals.sh: $name is not to be had and left out ($venv/rivals.txt says why)" >&2
done <<'END'
Halide|import halide|halide==21.*
OpenBLAS|import numpy|numpy
JAX|import jax|jax[cpu]
ONNX Runtime|import onnxruntime, onnx|onnxruntime onnx
oneDNN|import importlib.metadata as m; m.version("onednn-devel-cpu-gomp")|onednn-cpu-gomp onednn-devel-cpu-gomp
END
exit 0
