"""halide_bridge.py - runs algorithms in Halide for test_halide.cpp, which speaks to it over its
standard streams. Requests, and the answers if all goes well; else "no REASON":

  algorithm BYTES NAME:TYPE...      then the text; parameters and sizes       ok
  call BITS...; BOX; BOX ...        their values; MIN,EXTENT... of each       ok, then the outputs'
                                    input and output; then the inputs'        elements
                                    elements
"""

import os
import sys

import halide as hl
import numpy as np

import halide_ops as ops
from halide_text import Algorithm

ELEMENTS = {"bool": "u1", "f16": "u2", "bf16": "u2", "u64": "i8"}


def element(t):
    return np.dtype(ELEMENTS.get(t) or t[0] + str(ops.bits(t) // 8))


def boxes(text):
    return [tuple(int(n) for n in dim.split(",")) for dim in text.split()]


def as_halide(array, box):
    b = hl.Buffer(array)
    if box:
        b.set_min([lo for lo, _ in reversed(box)])
    return b


class Bridge:
    def __init__(self, source, sink):
        self.source, self.sink, self.known, self.algorithm = source, sink, {}, None

    def read_algorithm(self, words):
        text = self.source.read(int(words[0])).decode()
        numbers = dict(w.rsplit(":", 1) for w in words[1:])
        if text not in self.known:
            try:
                self.known[text] = Algorithm(text, numbers)
                self.known[text].pipeline.compile_jit()
            except (ops.Excluded, hl.HalideError) as e:
                self.known[text] = e
        self.algorithm = self.known[text]
        if isinstance(self.algorithm, Exception):
            raise self.algorithm

    def call(self, line):
        numbers, *rest = line.split(";")
        a = self.algorithm
        inputs, outputs = [boxes(r) for r in rest[: len(a.inputs)]], [
            boxes(r) for r in rest[len(a.inputs) :]
        ]
        kept = []
        for (name, param), given in zip(a.params.items(), numbers.split()):
            param.set(
                np.frombuffer(int(given).to_bytes(8, "little"), element(a.types[name]))[0].item()
            )
        for source, box in zip(a.inputs.values(), inputs):
            shape = [n for _, n in box]
            dtype = element(source.type)
            data = (
                np.frombuffer(self.source.read(int(np.prod(shape)) * dtype.itemsize), dtype)
                .reshape(shape)
                .copy()
            )
            kept.append(data)
            source.image.set(as_halide(data, box))
        made = [
            np.zeros([n for _, n in box], element(t)) for (t, _), box in zip(a.outputs, outputs)
        ]
        a.pipeline.realize([as_halide(m, box) for m, box in zip(made, outputs)])
        return b"".join(m.tobytes() for m in made)

    def run(self):
        for line in iter(self.source.readline, b""):
            verb, _, rest = line.decode().strip().partition(" ")
            try:
                answer = (
                    self.read_algorithm(rest.split()) if verb == "algorithm" else self.call(rest)
                )
                self.sink.write(b"ok\n" + (answer or b""))
            except (ops.Excluded, hl.HalideError) as e:
                reason = (
                    str(e)
                    if isinstance(e, ops.Excluded)
                    else "halide: " + str(e).replace("\n", " ")[:200]
                )
                self.sink.write(f"no {reason}\n".encode())
            self.sink.flush()


if __name__ == "__main__":
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Halide's warnings
    Bridge(sys.stdin.buffer, sink).run()
