// fma_peak.h - how fast one core of this machine multiplies and adds.
#pragma once

namespace burin {

// GFLOP/s in f32 of one thread, a few milliseconds of nothing but fused multiply-adds in registers; 0: not known for
// this kind of processor.
double fma_peak();

}  // namespace burin
