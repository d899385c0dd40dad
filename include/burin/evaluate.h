// evaluate.h - a pipeline's outputs straight from its definitions. It knows nothing of schedules, bounds or loops: it is
// what every other path is compared with, bit for bit. Made to be right, and quick enough for tiles and small sizes.
#pragma once
#include <burin/arg.h>
#include <burin/pipeline.h>

namespace burin {

// Arguments as for a compiled kernel (inputs, then perhaps all outputs), and the errors of such a call; but bounds are
// not judged beforehand: reading an input outside its buffer is E-bounds where a value really needs it.
Results evaluate(const Pipeline& p, std::span<const Arg> args);
inline Results evaluate(const Pipeline& p, std::initializer_list<Arg> args) {
    return evaluate(p, std::span(args.begin(), args.size()));
}

// The same over parts of the outputs: a box (minima and extents) for each output and tuple element.
Results evaluate(const Pipeline& p, std::span<const Arg> inputs,
                 std::span<const std::vector<Dim>> boxes);
inline Results evaluate(const Pipeline& p, std::initializer_list<Arg> inputs,
                        std::initializer_list<std::vector<Dim>> boxes) {
    return evaluate(p, std::span(inputs.begin(), inputs.size()),
                    std::span(boxes.begin(), boxes.size()));
}

}  // namespace burin
