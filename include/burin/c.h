/* c.h - Burin for C (C99), and for every language that can call C: load an algorithm and a schedule, compile, call with
 * DLPack tensors. Its page, with a whole program in C and one in Python: c.md.
 *
 * A function that can fail returns a status; burin_last_error() tells the rest. On failure nothing has happened, and a
 * handle or value that should have been returned is NULL or 0. Every argument is checked, but for pointers that were
 * freed or never valid. Texts are UTF-8 and end in 0; those that a function returns belong to the handle, or the thread,
 * that gave them. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The kinds of errors; see error.h. */
typedef enum burin_status {
    BURIN_OK = 0,
    BURIN_E_SCHEDULE,
    BURIN_E_SHAPE,
    BURIN_E_TYPE,
    BURIN_E_BOUNDS,
    BURIN_E_ALIAS,
    BURIN_E_VALUE, /* also a NULL that stands for no value */
    BURIN_E_RESOURCE,
    BURIN_E_DEVICE,
    BURIN_E_INTERNAL
} burin_status;

typedef struct burin_error {
    burin_status status;
    const char* id;      /* short and readable: "wrong-rank"; `burin explain` has a page for it */
    const char* message; /* one line */
    const char* report;  /* all of it: message, lines at fault, notes, help */
} burin_error;

/* The last failure in this thread; BURIN_OK and empty texts before the first. Never NULL. The texts hold until the next
 * failure in this thread. */
const burin_error* burin_last_error(void);

const char* burin_version(void); /* "0.1.0" */

/* ---- Algorithms. A handle is freed once, in any order with others; NULL may be freed. Handles of pipelines, schedules and
 * kernels are read by many threads at once if need be. ---- */
typedef struct burin_pipeline burin_pipeline;

burin_status burin_pipeline_load(const char* path, burin_pipeline** pipeline);  /* a .burin file */
burin_status burin_pipeline_parse(const char* text, burin_pipeline** pipeline); /* its text */
burin_status burin_pipeline_library(const char* name, burin_pipeline** pipeline); /* `burin list` */
burin_status burin_pipeline_text(const burin_pipeline* pipeline, const char** text); /* canonical */
void burin_pipeline_free(burin_pipeline* pipeline);

/* DLPack's DLDataType: code 0 int, 1 uint, 2 float, 4 bfloat, 6 bool; lanes is 1. */
typedef struct burin_type {
    uint8_t code, bits;
    uint16_t lanes;
} burin_type;

typedef enum burin_role { BURIN_INPUT, BURIN_PARAMETER, BURIN_SIZE, BURIN_OUTPUT } burin_role;

typedef struct burin_argument {
    const char* name; /* elements of a tuple f are outputs of their own: "f", "f.1", ... */
    burin_role role;
    burin_type type; /* of the elements, or of the number; a size is a 64-bit int */
    int32_t rank;    /* 0 for numbers */
    const char*
        shape; /* "[h - 2, w]"; "_": any extent. Sizes that stand here alone are bound by the tensor */
} burin_argument;

/* What a call takes and gives: inputs and numbers in the order of the algorithm, then outputs. */
burin_status burin_pipeline_arguments(const burin_pipeline* pipeline,
                                      const burin_argument** arguments, int32_t* count);

/* ---- Schedules ---- */
typedef struct burin_schedule burin_schedule;

burin_status burin_schedule_load(const burin_pipeline* pipeline,
                                 const char* path, /* a .sched file */
                                 burin_schedule** schedule);
burin_status burin_schedule_parse(const burin_pipeline* pipeline, const char* text,
                                  burin_schedule** schedule);
/* One by rule, that is tolerable for any pipeline. */
burin_status burin_schedule_auto(const burin_pipeline* pipeline, burin_schedule** schedule);
/* Of a pipeline of the library, by name; NULL: its best. */
burin_status burin_schedule_library(const burin_pipeline* pipeline, const char* name,
                                    burin_schedule** schedule);
burin_status burin_schedule_text(const burin_schedule* schedule, const char** text);
void burin_schedule_free(burin_schedule* schedule);

/* ---- Kernels ---- */
typedef struct burin_kernel burin_kernel;

/* schedule NULL: the plain one. target NULL: "host"; also "host-checked", "x86-64-v3", ... */
burin_status burin_compile(const burin_pipeline* pipeline, const burin_schedule* schedule,
                           const char* target, burin_kernel** kernel);
void burin_kernel_free(burin_kernel* kernel);

/* ---- Calls. A call keeps its arguments from one run to the next; it is for one thread at a time, and calls of one
 * kernel may run at the same time. ---- */

/* In memory as DLPack's DLTensor: a pointer to one may be cast to this. */
typedef struct burin_tensor {
    void* data;
    int32_t device_type, device_id; /* 1, 0: CPU memory, no other is taken */
    int32_t ndim;
    burin_type dtype;
    int64_t* shape;
    int64_t* strides; /* in elements; NULL: row-major without gaps */
    uint64_t byte_offset;
} burin_tensor;

typedef struct burin_call burin_call;

burin_status burin_call_new(const burin_kernel* kernel, burin_call** call);
/* An input or an output. The memory, not the struct, has to live until the call is freed or the argument is set anew.
 * Run checks its elements' type and extents. */
burin_status burin_call_set_tensor(burin_call* call, const char* name, const burin_tensor* tensor);
/* A parameter or a size. Run converts the number: it has to fit exactly, but a float is rounded once; for bool it is 0
 * or 1. */
burin_status burin_call_set_int(burin_call* call, const char* name, int64_t value);
burin_status burin_call_set_uint(burin_call* call, const char* name, uint64_t value);
burin_status burin_call_set_float(burin_call* call, const char* name, double value);
/* The extents of an output, as many as its rank (`rank` has to be that), from the inputs and numbers set. */
burin_status burin_call_output_shape(const burin_call* call, const char* name, int64_t* shape,
                                     int32_t rank);
/* All inputs and numbers have to be set, and all outputs or none. Outputs that are not set are allocated, anew at each
 * run. At most `threads` at once; 0: all there are. On failure no output has been written. */
burin_status burin_call_run(burin_call* call, int32_t threads);
/* What the last run wrote. Memory that run allocated, and the struct's arrays in any case, live until the next run or
 * until the call is freed. */
burin_status burin_call_get_output(const burin_call* call, const char* name, burin_tensor* tensor);
void burin_call_free(burin_call* call);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
