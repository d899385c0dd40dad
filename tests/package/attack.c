/* attack.c - the C API given what it should refuse: a status, an id, a text, nothing written, nothing crashed. */
#include <burin/c.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

static int wrong = 0;

static void expect(int true_or_not, const char* what) {
    if (true_or_not) return;
    printf("not so: %s\n  the last error: %s\n", what, burin_last_error()->report);
    wrong = 1;
}

static void refused(burin_status got, burin_status wanted, const char* id) {
    const burin_error* e = burin_last_error();
    if (got == wanted && e->status == got && strcmp(e->id, id) == 0 && *e->message &&
        strstr(e->report, e->message))
        return;
    printf("expected %d %s, got %d: %s\n", wanted, id, got, e->report);
    wrong = 1;
}

static const char* text =
    "pipeline p(in: f32[n, w], scale: f32, on: bool, big: u64, k: size, small: i8) -> out[n, k], "
    "t[k]\n"
    "out(y, x) = select(on, in(y, 0) * scale, f32(big))\n"
    "t(x) = {i32(small), u8(x)}\n";

static const burin_type f32 = {2, 32, 1};

static burin_tensor tensor(void* data, int32_t ndim, burin_type type, int64_t* shape) {
    burin_tensor t;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.device_type = 1;
    t.ndim = ndim;
    t.dtype = type;
    t.shape = shape;
    return t;
}

static void handles(void) {
    burin_pipeline *p = (burin_pipeline*)&wrong, *library = NULL;
    burin_pipeline* other = NULL;
    burin_schedule* s = NULL;
    burin_kernel* k = NULL;
    burin_call* c = NULL;
    const burin_argument* list = NULL;
    const char* words = NULL;
    int32_t count = 7;

    refused(burin_pipeline_load(NULL, &p), BURIN_E_VALUE, "null-argument");
    expect(p == NULL, "a handle that was not made is NULL");
    refused(burin_pipeline_load("/no/such.burin", &p), BURIN_E_VALUE, "cannot-read");
    refused(burin_pipeline_parse("", &p), BURIN_E_VALUE, "syntax");
    refused(burin_pipeline_parse("pipeline p(", &p), BURIN_E_VALUE, "syntax");
    refused(burin_pipeline_parse("\xff\xfe\x01", &p), BURIN_E_VALUE, "syntax");
    refused(burin_pipeline_parse(NULL, &p), BURIN_E_VALUE, "null-argument");
    refused(burin_pipeline_parse(text, NULL), BURIN_E_VALUE, "null-argument");
    refused(burin_pipeline_library("gem", &p), BURIN_E_VALUE, "unknown-pipeline");
    refused(burin_pipeline_library(NULL, &p), BURIN_E_VALUE, "null-argument");
    refused(burin_pipeline_text(NULL, &words), BURIN_E_VALUE, "null-argument");
    refused(burin_pipeline_arguments(NULL, &list, &count), BURIN_E_VALUE, "null-argument");
    expect(list == NULL && count == 0, "nothing is told of a pipeline that is none");

    expect(burin_pipeline_parse(text, &p) == BURIN_OK, "the text is read");
    expect(burin_pipeline_library("gemm", &library) == BURIN_OK, "the library has gemm");
    refused(burin_pipeline_arguments(p, NULL, &count), BURIN_E_VALUE, "null-argument");
    refused(burin_pipeline_arguments(p, &list, NULL), BURIN_E_VALUE, "null-argument");
    refused(burin_pipeline_text(p, NULL), BURIN_E_VALUE, "null-argument");

    refused(burin_schedule_parse(p, "schedule 1 for p\nstage nobody\n", &s), BURIN_E_SCHEDULE,
            "unknown-stage");
    refused(burin_schedule_parse(p, "nonsense", &s), BURIN_E_VALUE, "syntax");
    refused(burin_schedule_parse(p, NULL, &s), BURIN_E_VALUE, "null-argument");
    refused(burin_schedule_parse(NULL, "schedule 1 for p\n", &s), BURIN_E_VALUE, "null-argument");
    refused(burin_schedule_load(p, "/no/such.sched", &s), BURIN_E_VALUE, "cannot-read");
    refused(burin_schedule_library(p, NULL, &s), BURIN_E_VALUE, "unknown-pipeline");
    refused(burin_schedule_library(library, "slow", &s), BURIN_E_VALUE, "unknown-schedule");
    burin_pipeline_parse("pipeline gemm(a: u8[n]) -> c[n]\nc(x) = a(x)\n", &other);
    refused(burin_schedule_library(other, NULL, &s), BURIN_E_VALUE, "not-of-the-library");
    burin_pipeline_free(other);
    refused(burin_schedule_auto(NULL, &s), BURIN_E_VALUE, "null-argument");
    expect(s == NULL, "no schedule was made");
    expect(burin_schedule_auto(p, &s) == BURIN_OK, "any pipeline has a schedule by rule");
    burin_schedule_free(s);
    s = NULL;
    refused(burin_schedule_text(s, &words), BURIN_E_VALUE, "null-argument");

    refused(burin_compile(NULL, NULL, NULL, &k), BURIN_E_VALUE, "null-argument");
    refused(burin_compile(p, NULL, "pdp11", &k), BURIN_E_VALUE, "unknown-target");
    refused(burin_compile(p, NULL, NULL, NULL), BURIN_E_VALUE, "null-argument");
    refused(burin_compile((burin_pipeline*)&text, NULL, NULL, &k), BURIN_E_VALUE, "not-a-handle");
    expect(burin_schedule_library(library, NULL, &s) == BURIN_OK, "gemm has a best schedule");
    refused(burin_compile(p, s, NULL, &k), BURIN_E_SCHEDULE, "other-pipeline");
    refused(burin_compile((burin_pipeline*)s, NULL, NULL, &k), BURIN_E_VALUE, "not-a-handle");
    refused(burin_call_new(NULL, &c), BURIN_E_VALUE, "null-argument");
    refused(burin_call_new((burin_kernel*)p, &c), BURIN_E_VALUE, "not-a-handle");
    refused(burin_call_run(NULL, 0), BURIN_E_VALUE, "null-argument");
    refused(burin_call_set_int(NULL, "k", 1), BURIN_E_VALUE, "null-argument");

    burin_pipeline_free(NULL);
    burin_schedule_free(NULL);
    burin_kernel_free(NULL);
    burin_call_free(NULL);
    burin_pipeline_free((burin_pipeline*)s); /* of another kind: nothing is freed */
    expect(burin_schedule_text(s, &words) == BURIN_OK, "the schedule is still there");
    burin_schedule_free(s);
    burin_pipeline_free(library);
    burin_pipeline_free(p);
}

static void description(const burin_pipeline* p) {
    static const char* wanted[] = {"in 0 2:32 2 [n, w]",  "scale 1 2:32 0 ", "on 1 6:8 0 ",
                                   "big 1 1:64 0 ",       "k 2 0:64 0 ",     "small 1 0:8 0 ",
                                   "out 3 2:32 2 [n, k]", "t 3 0:32 1 [k]",  "t.1 3 1:8 1 [k]"};
    const burin_argument* list;
    int32_t count, i;
    char got[100];
    expect(burin_pipeline_arguments(p, &list, &count) == BURIN_OK && count == 9, "nine arguments");
    for (i = 0; i < count; ++i) {
        sprintf(got, "%s %d %d:%d %d %s", list[i].name, (int)list[i].role, list[i].type.code,
                list[i].type.bits, (int)list[i].rank, list[i].shape);
        if (strcmp(got, wanted[i]) != 0) printf("%s, not %s\n", got, wanted[i]), wrong = 1;
    }
}

static void arguments(const burin_kernel* kernel) {
    float in[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, out[64];
    int32_t t0[8];
    uint8_t t1[8];
    int64_t in_shape[2] = {4, 3}, shape[2] = {4, 2}, negative[2] = {4, -1}, k_shape[1] = {2};
    const burin_type f64 = {2, 64, 1}, four = {2, 32, 4}, strange = {9, 32, 1}, i32 = {0, 32, 1},
                     u8 = {1, 8, 1};
    burin_tensor t = tensor(in, 2, f32, in_shape), bad, got;
    burin_call* c;
    int i;
    for (i = 0; i < 64; ++i) out[i] = -7;
    expect(burin_call_new(kernel, &c) == BURIN_OK, "a call");

    refused(burin_call_run(c, 0), BURIN_E_VALUE, "argument-not-set");
    refused(burin_call_get_output(c, "out", &got), BURIN_E_VALUE, "not-run");
    refused(burin_call_set_tensor(c, "inn", &t), BURIN_E_VALUE, "unknown-argument");
    expect(strstr(burin_last_error()->message, "did you mean in?") != NULL, "the nearest name");
    refused(burin_call_set_tensor(c, NULL, &t), BURIN_E_VALUE, "null-argument");
    refused(burin_call_set_tensor(c, "in", NULL), BURIN_E_VALUE, "null-argument");
    refused(burin_call_set_tensor((burin_call*)kernel, "in", &t), BURIN_E_VALUE, "not-a-handle");
    bad = t, bad.ndim = 1;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_SHAPE, "wrong-rank");
    bad = t, bad.ndim = -1;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_SHAPE, "wrong-rank");
    bad = t, bad.ndim = 2000000000;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_SHAPE, "wrong-rank");
    bad = t, bad.dtype = strange;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_TYPE, "dlpack-type");
    bad = t, bad.dtype = four;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_TYPE, "dlpack-type");
    bad = t, bad.device_type = 2;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_DEVICE, "dlpack-device");
    bad = t, bad.data = NULL;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_VALUE, "null-buffer");
    bad = t, bad.shape = NULL;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_VALUE, "dlpack-tensor");
    bad = t, bad.shape = negative;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_SHAPE, "negative-extent");
    bad = t, bad.byte_offset = 1;
    refused(burin_call_set_tensor(c, "in", &bad), BURIN_E_VALUE, "misaligned-buffer");

    expect(burin_call_set_tensor(c, "in", &t) == BURIN_OK, "in");
    refused(burin_call_run(c, 0), BURIN_E_VALUE, "argument-not-set");
    expect(burin_call_set_float(c, "scale", 0.5) == BURIN_OK, "scale");
    expect(burin_call_set_int(c, "on", 1) == BURIN_OK, "on");
    expect(burin_call_set_uint(c, "big", UINT64_MAX) == BURIN_OK, "big");
    expect(burin_call_set_int(c, "k", 2) == BURIN_OK, "k");
    expect(burin_call_set_int(c, "small", -128) == BURIN_OK, "small");
    refused(burin_call_set_int(c, "scal", 1), BURIN_E_VALUE, "unknown-argument");
    refused(burin_call_set_float(c, NULL, 1), BURIN_E_VALUE, "null-argument");

    refused(burin_call_output_shape(c, "in", shape, 2), BURIN_E_VALUE, "not-an-output");
    refused(burin_call_output_shape(c, "out", shape, 1), BURIN_E_SHAPE, "wrong-rank");
    refused(burin_call_output_shape(c, "out", shape, -2), BURIN_E_SHAPE, "wrong-rank");
    refused(burin_call_output_shape(c, "out", NULL, 2), BURIN_E_VALUE, "null-argument");
    expect(
        burin_call_output_shape(c, "out", shape, 2) == BURIN_OK && shape[0] == 4 && shape[1] == 2,
        "out is 4 x 2");
    refused(burin_call_run(c, -1), BURIN_E_VALUE, "thread-count");

    /* numbers that their parameters cannot hold, and things of the wrong kind */
    expect(burin_call_set_int(c, "small", 128) == BURIN_OK, "run looks at it");
    refused(burin_call_run(c, 0), BURIN_E_VALUE, "number-does-not-fit");
    refused(burin_call_output_shape(c, "out", shape, 2), BURIN_E_VALUE, "number-does-not-fit");
    burin_call_set_float(c, "small", 2.5);
    refused(burin_call_run(c, 0), BURIN_E_VALUE, "number-does-not-fit");
    burin_call_set_int(c, "small", -128);
    burin_call_set_int(c, "big", -1);
    refused(burin_call_run(c, 0), BURIN_E_VALUE, "number-does-not-fit");
    burin_call_set_uint(c, "big", UINT64_MAX);
    burin_call_set_int(c, "on", 2);
    refused(burin_call_run(c, 0), BURIN_E_TYPE, "wrong-argument-type");
    burin_call_set_int(c, "on", 1);
    burin_call_set_int(c, "k", -1);
    refused(burin_call_run(c, 0), BURIN_E_BOUNDS, "negative-extent");
    burin_call_set_int(c, "k", INT64_MAX);
    refused(burin_call_run(c, 0), BURIN_E_RESOURCE, "buffer-too-large");
    burin_call_set_int(c, "k", 2);
    burin_call_set_float(c, "scale", DBL_MAX);
    refused(burin_call_run(c, 0), BURIN_E_VALUE, "number-does-not-fit");
    burin_call_set_float(c, "scale", 0.5);
    burin_call_set_int(c, "in", 3);
    refused(burin_call_run(c, 0), BURIN_E_TYPE, "wrong-argument-type");
    bad = tensor(in, 2, f64, shape);
    expect(burin_call_set_tensor(c, "in", &bad) == BURIN_OK, "run looks at it");
    refused(burin_call_run(c, 0), BURIN_E_TYPE, "wrong-element-type");
    burin_call_set_tensor(c, "in", &t);

    /* outputs: all or none, not over each other, of the right shape; nothing was written so far */
    bad = tensor(in, 2, f32, shape);
    burin_call_set_tensor(c, "out", &bad);
    refused(burin_call_run(c, 0), BURIN_E_VALUE, "argument-not-set");
    bad = tensor(t0, 1, i32, k_shape);
    burin_call_set_tensor(c, "t", &bad);
    bad = tensor(t1, 1, u8, k_shape);
    burin_call_set_tensor(c, "t.1", &bad);
    refused(burin_call_run(c, 0), BURIN_E_ALIAS, "overlapping-arguments");
    shape[1] = 3;
    bad = tensor(out, 2, f32, shape);
    burin_call_set_tensor(c, "out", &bad);
    refused(burin_call_run(c, 0), BURIN_E_SHAPE, "output-outside-shape");
    for (i = 0; i < 64; ++i) expect(out[i] == -7, "nothing is written by what is refused");
    shape[1] = 2;
    bad = tensor(out, 2, f32, shape);
    burin_call_set_tensor(c, "out", &bad);
    expect(burin_call_run(c, 1) == BURIN_OK, "the call runs");
    expect(out[0] == 0.5f && out[1] == 0.5f && out[7] == 5 && out[8] == -7 && t0[1] == -128 &&
               t1[1] == 1,
           "the values");
    expect(burin_call_get_output(c, "t.1", &got) == BURIN_OK && got.data == t1 &&
               got.shape[0] == 2 && got.dtype.bits == 8,
           "the caller's output");
    refused(burin_call_get_output(c, "in", &got), BURIN_E_VALUE, "not-an-output");
    refused(burin_call_get_output(c, "t.2", &got), BURIN_E_VALUE, "unknown-argument");
    refused(burin_call_get_output(c, "t", NULL), BURIN_E_VALUE, "null-argument");
    burin_call_free(c);

    expect(burin_call_new(kernel, &c) == BURIN_OK, "another call");
    t.shape = shape, shape[0] = 0; /* no rows */
    burin_call_set_tensor(c, "in", &t);
    burin_call_set_int(c, "scale", 1);
    burin_call_set_int(c, "on", 0);
    burin_call_set_int(c, "big", 0);
    burin_call_set_int(c, "k", 0);
    burin_call_set_int(c, "small", 0);
    expect(burin_call_run(c, 0) == BURIN_OK, "an empty call runs");
    expect(burin_call_get_output(c, "out", &got) == BURIN_OK && got.ndim == 2 &&
               got.shape[0] == 0 && got.device_type == 1,
           "its outputs are allocated and empty");
    burin_call_free(c);
}

int main(void) {
    burin_pipeline* p;
    burin_kernel* kernel = NULL;
    expect(burin_last_error()->status == BURIN_OK && !*burin_last_error()->report, "no error yet");
    handles();
    expect(burin_pipeline_parse(text, &p) == BURIN_OK, "the text is read");
    description(p);
    expect(burin_compile(p, NULL, "host-checked", &kernel) == BURIN_OK, "the kernel");
    burin_pipeline_free(p);
    if (kernel) arguments(kernel);
    burin_kernel_free(kernel);
    if (!wrong) printf("all refused\n");
    return wrong;
}
