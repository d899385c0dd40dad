// burin.h - everything a program that uses Burin needs. burin/dlpack.h stands apart: it is for programs without DLPack's
// own header.
#pragma once
#include <burin/arg.h>
#include <burin/buffer.h>
#include <burin/error.h>
#include <burin/evaluate.h>
#include <burin/expr.h>
#include <burin/func.h>
#include <burin/io.h>
#include <burin/kernel.h>
#include <burin/pipeline.h>
#include <burin/placement.h>
#include <burin/schedule.h>
#include <burin/symbol.h>
#include <burin/target.h>
#include <burin/type.h>
#include <burin/verify.h>
