# tensors.py PAGE - tensors of every type that NumPy has, through the functions of the page's Python program.
import sys
import threading

exec(open(sys.argv[1]).read())
kinds = "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64".split()
numpy_type = {"b": "", "i": "int", "u": "uint", "f": "float"}
for kind in kinds:
    dtype = np.dtype("bool" if kind == "bool" else numpy_type[kind[0]] + kind[1:])
    text = f"pipeline p(in: {kind}[n, m]) -> out[n, m]\nout(y, x) = in(y, x)\n"
    pipeline = made(lib.burin_pipeline_parse, text.encode())
    kernel = made(lib.burin_compile, pipeline, None, None)
    call = made(lib.burin_call_new, kernel)
    given = np.arange(15).reshape(3, 5).astype(dtype)[::-1, ::2]  # negative and wide strides
    out = np.zeros((3, 3), dtype)
    check(lib.burin_call_set_tensor(call, b"in", byref(tensor(given))))
    check(lib.burin_call_set_tensor(call, b"out", byref(tensor(out))))
    check(lib.burin_call_run(call, 2))
    assert np.array_equal(out, given), (kind, out)
    check(lib.burin_call_run(call, 1))
    assert lib.burin_call_set_tensor(call, b"in", byref(tensor(given[0]))) == 2
    for handle, name in ((call, "call"), (kernel, "kernel"), (pipeline, "pipeline")):
        getattr(lib, f"burin_{name}_free")(handle)

# An error belongs to the thread in which it happened; calls of one kernel run at the same time.
assert b"dimensions" in lib.burin_last_error().contents.message
pipeline = made(lib.burin_pipeline_library, b"gemm")
kernel = made(lib.burin_compile, pipeline, None, None)
results = []


def work():
    clean = lib.burin_last_error().contents.message == b""
    mine = made(lib.burin_call_new, kernel)
    c = np.empty((3, 5), np.float32)
    for name, array in (b"a", a), (b"b", b), (b"c", c):
        check(lib.burin_call_set_tensor(mine, name, byref(tensor(array))))
    for _ in range(20):
        check(lib.burin_call_run(mine, 1))
    lib.burin_call_free(mine)
    results.append(clean and np.array_equal(c, a @ b))


threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert results == [True] * 4, results
