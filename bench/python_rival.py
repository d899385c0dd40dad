#!/usr/bin/env python3
"""python_rival.py jax|onnxruntime|openblas: one of them as a rival; bench/README.md has the lines it answers.

The definitions are written once, over the functions that an array library has in common; OpenBLAS has the products alone.
"""
import os
import sys
import time

threads = os.environ.get("BURIN_THREADS", "1")
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = threads
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])  # jax asks for nothing else

import numpy as np


def uniform(seed, n, lo, hi):
    """What tools/random.h draws."""
    with np.errstate(over="ignore"):
        i = np.arange(1, n + 1, dtype=np.uint64)
        x = np.uint64(seed) * np.uint64(0xD6E8FEB86659FD93) + i * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return lo + (hi - lo) * ((x ^ x >> np.uint64(31)) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def shapes(name, n):
    """Of the inputs, in the order of the library's pipeline."""
    if name == "gemm":
        return [(n[0], n[2]), (n[2], n[1])]
    if name == "dense_gelu":
        return [(n[0], n[2]), (n[2], n[1]), (n[1],)]
    if name == "gemv":
        return [(n[0], n[1]), (n[1],)]
    if name == "layernorm":
        return [(n[0], n[1]), (n[1],), (n[1],)]
    if name == "attention":
        return [tuple(n)] * 3
    if name in ("conv2d_bn_relu", "conv2d_bn_relu_s2"):
        return [tuple(n[:4]), (3, 3, n[3], n[4])] + [(n[4],)] * 4
    return [tuple(n)]  # blur3x3, softmax, row_sums, column_sums, transpose


def definitions(x, erf, conv):
    """The pipelines over an array library x."""

    def gelu(v):
        return v * 0.5 * (1 + erf(v * 0.7071067811865476))

    def softmax(v):
        e = x.exp(v - x.max(v, axis=-1, keepdims=True))
        return e / x.sum(e, axis=-1, keepdims=True)

    def layernorm(v, gain, shift):
        d = v - x.mean(v, axis=-1, keepdims=True)
        return d / x.sqrt(x.mean(d * d, axis=-1, keepdims=True) + 1e-5) * gain + shift

    def attention(q, k, v):
        return softmax(x.matmul(q, x.swapaxes(k, 1, 2)) * (1 / q.shape[-1] ** 0.5)) @ v

    def blur(v):
        rows = (v[:, :-2] + v[:, 1:-1] + v[:, 2:]) / 3
        return (rows[:-2] + rows[1:-1] + rows[2:]) / 3

    def layer(stride):
        def f(v, w, mean, variance, gain, shift):
            scale = gain / x.sqrt(variance + 1e-5)
            return x.maximum((conv(v, w, stride) - mean) * scale + shift, 0)

        return f

    return {
        "gemm": lambda a, b: a @ b,
        "dense_gelu": lambda v, w, bias: gelu(v @ w + bias),
        "gemv": lambda a, v: a @ v,
        "softmax": softmax,
        "layernorm": layernorm,
        "attention": attention,
        "blur3x3": blur,
        "conv2d_bn_relu": layer(1),
        "conv2d_bn_relu_s2": layer(2),
        "row_sums": lambda v: x.sum(v, axis=1),
        "column_sums": lambda v: x.sum(v, axis=0),
        "transpose": lambda v: x.swapaxes(v, 0, 1) + 0,
    }


class Jax:
    def __init__(self):
        import jax

        self.jax, self.version = jax, "jax " + jax.__version__

        def conv(v, w, stride):
            return jax.lax.conv_general_dilated(
                v, w, (stride, stride), ((1, 1), (1, 1)), dimension_numbers=("NHWC", "HWIO", "NHWC"))

        self.known = definitions(jax.numpy, jax.scipy.special.erf, conv)

    def make(self, name, inputs):
        given = [self.jax.device_put(v) for v in inputs]
        start = time.perf_counter()
        f = self.jax.jit(self.known[name]).lower(*given).compile()
        self.compile_ms = (time.perf_counter() - start) * 1e3
        return lambda: f(*given).block_until_ready()


class OpenBlas:
    """The copy that NumPy brings; what it does not compute is left out."""

    def __init__(self):
        blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        if "openblas" not in blas["name"].lower():
            raise RuntimeError("NumPy is built with " + blas["name"])
        self.version = f"OpenBLAS {blas['version']} by NumPy {np.__version__}"
        self.known = {"gemm", "gemv"}

    def make(self, name, inputs):
        a, b = inputs
        out = np.empty(a.shape[:1] + b.shape[1:], np.float32)
        self.compile_ms = 0
        return lambda: np.matmul(a, b, out=out)


class OnnxRuntime:
    def __init__(self):
        import onnx
        import onnxruntime

        self.onnx, self.runtime = onnx, onnxruntime
        self.version = "ONNX Runtime " + onnxruntime.__version__
        self.known = {"gemm", "dense_gelu", "gemv", "softmax", "layernorm", "attention", "row_sums",
                      "column_sums", "transpose"}

    def nodes(self, name, inputs):
        node = self.onnx.helper.make_node
        if name in ("gemm", "gemv"):
            return [node("MatMul", ["i0", "i1"], ["out"])], {}
        if name == "dense_gelu":
            return [node("MatMul", ["i0", "i1"], ["c"]), node("Add", ["c", "i2"], ["v"]),
                    node("Gelu", ["v"], ["out"])], {}
        if name == "softmax":
            return [node("Softmax", ["i0"], ["out"], axis=-1)], {}
        if name == "layernorm":
            return [node("LayerNormalization", ["i0", "i1", "i2"], ["out"], axis=-1, epsilon=1e-5)], {}
        if name == "attention":
            scale = np.float32(1 / inputs[0].shape[-1] ** 0.5)
            return [node("Transpose", ["i1"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["i0", "kt"], ["s"]),
                    node("Mul", ["s", "scale"], ["t"]), node("Softmax", ["t"], ["p"], axis=-1),
                    node("MatMul", ["p", "i2"], ["out"])], {"scale": np.array(scale)}
        if name == "transpose":
            return [node("Transpose", ["i0"], ["out"], perm=[1, 0])], {}
        axis = np.array([1 if name == "row_sums" else 0], np.int64)
        return [node("ReduceSum", ["i0", "axis"], ["out"], keepdims=0)], {"axis": axis}

    def make(self, name, inputs):
        helper, kind = self.onnx.helper, self.onnx.TensorProto.FLOAT
        start = time.perf_counter()
        nodes, constants = self.nodes(name, inputs)
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info(f"i{k}", kind, v.shape) for k, v in enumerate(inputs)],
            [helper.make_tensor_value_info("out", kind, None)],
            [self.onnx.numpy_helper.from_array(v, k) for k, v in constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
        model.ir_version = 9
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads = int(threads)
        session = self.runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        for k, v in enumerate(inputs):
            binding.bind_cpu_input(f"i{k}", v)
        binding.bind_output("out")
        self.compile_ms = (time.perf_counter() - start) * 1e3

        def call():
            session.run_with_iobinding(binding)
            return binding.get_outputs()[0].numpy()

        return call


class Session:
    def __init__(self, rival):
        self.rival, self.call = rival, None

    def answer(self, line):
        verb, *words = line.split()
        if verb == "hello":
            return self.rival.version
        if verb == "make":
            if words[0] not in self.rival.known:
                return "none"
            colon = words.index(":")
            sizes, ranges = [int(w) for w in words[1:colon]], [float(w) for w in words[colon + 1:]]
            inputs = []
            for k, shape in enumerate(shapes(words[0], sizes)):
                values = uniform(k + 1, int(np.prod(shape)), *ranges[2 * k: 2 * k + 2])
                inputs.append(np.ascontiguousarray(values.reshape(shape).astype(np.float32)))
            self.call = None  # before there are two of them
            self.call = self.rival.make(words[0], inputs)
            return "made"
        if verb == "compile":
            return f"{self.rival.compile_ms:.6g}"
        if verb == "run":
            return " ".join(f"{self.timed(1):.6g}" for _ in range(int(words[0])))
        if verb == "time":
            return f"{self.timed(int(words[0])) / int(words[0]):.6g}"
        if verb == "write":
            np.ascontiguousarray(self.call()).tofile(line.strip().split(maxsplit=1)[1])
            return "written"
        raise ValueError("not understood: " + line)

    def timed(self, n):
        start = time.perf_counter()
        for _ in range(n):
            self.call()
        return (time.perf_counter() - start) * 1e3


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    session = None
    for line in sys.stdin:
        try:
            if session is None:
                session = Session({"jax": Jax, "onnxruntime": OnnxRuntime, "openblas": OpenBlas}[sys.argv[1]]())
            text = session.answer(line)
        except Exception as e:  # whatever it is, the next line may fare better
            text = f"error {type(e).__name__}: {e}".replace("\n", " ")[:300]
        print(text, file=answers, flush=True)


if __name__ == "__main__":
    main()
