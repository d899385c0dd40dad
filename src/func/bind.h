// bind.h - a call's arguments checked against a pipeline's parameters: types, ranks and shapes, and with them the value
// of every Size. The same for direct evaluation, the interpreter and compiled kernels.
#pragma once
#include <burin/arg.h>

#include "arith/eval_index.h"
#include "func/algorithm.h"
#include "ir/value.h"

namespace burin {

struct Binding {
    std::vector<AnyBuffer> inputs;   // one per parameter; undefined for a number
    std::vector<AnyBuffer> outputs;  // one per output and tuple element
    std::vector<int64_t> numbers;    // the bits of each of Binder::numbers()
};

// What can be prepared before any call. Throws at a call, before anything is written:
//   E-value  wrong number of arguments, an undefined buffer, a number that its parameter cannot hold
//   E-type   elements of another type, a number for a buffer or the reverse
//   E-shape  wrong rank, an extent that disagrees, a Size that nothing binds, an output outside the declared shape
//   E-bounds a negative extent or a Size beyond 64 bits
//   E-alias  an output that shares memory with an input or another output
class Binder {
public:
    explicit Binder(std::shared_ptr<const Algorithm> algorithm);

    // The inputs and numbers in the order of the parameters, then all outputs (a tuple's elements one by one) or none.
    // Missing outputs are allocated.
    Binding operator()(std::span<const Arg> args) const;

    // Where a call keeps what a leaf stands for: a Var that is a size or parameter, or a Meta of an input or output.
    struct Leaf {
        enum From : uint8_t { Number, Input, Output } from;
        MetaKind what;
        int at, dim;  // of numbers, inputs or outputs
    };
    Leaf find(const Expr& leaf) const;                            // E-internal: neither of these
    static int64_t read(const Binding& call, const Leaf& leaf) {  // its bits
        if (leaf.from == Leaf::Number) return call.numbers[size_t(leaf.at)];
        const Dim& d = (leaf.from == Leaf::Input ? call.inputs : call.outputs)[size_t(leaf.at)]
                           .dims()[size_t(leaf.dim)];
        return leaf.what == MetaKind::Min      ? d.min
               : leaf.what == MetaKind::Extent ? d.extent
                                               : d.stride;
    }
    Value value_of(const Binding& call, const Expr& leaf) const {
        return of_bits(leaf.type(), uint64_t(read(call, find(leaf))));
    }

    const Algorithm& algorithm() const { return *algorithm_; }
    // scalar parameters in order, then every Size
    const std::vector<Expr>& numbers() const { return numbers_; }
    const std::vector<std::string>& output_names() const { return output_names_; }

private:
    struct
        Place {  // dimension `dim` of input or output `buffer`; dim -1: the number given for parameter `buffer`
        bool output = false;
        int buffer = 0, dim = 0;
    };
    struct SizeUse {  // a dimension that is a bare Size
        int number;
        Place at, first;  // first: where the Size has its value from
        bool binds;
    };
    struct Output {
        int decl, element;
        Type type;
        size_t extents;  // the first of its roots in program_
    };
    struct Call;

    int number_of(const Expr& dim) const;  // the Size or parameter that dim is, -1 if it is none
    void add_uses(const Place& buffer, const std::vector<Expr>& shape, std::vector<SizeUse>& uses,
                  std::vector<Place>& first);
    std::string describe(const Place& p) const;
    Error disagree(const SizeUse& use, int64_t bound, int64_t got) const;

    std::shared_ptr<const Algorithm> algorithm_;
    std::vector<Expr> numbers_;
    std::vector<int> scalar_of_;  // parameter -> number, -1 for an input
    std::vector<SizeUse> input_uses_, output_uses_;
    std::vector<int> unbound_;  // Sizes that only output buffers can bind
    // dimensions of inputs that are expressions: the first roots of program_
    std::vector<Place> checked_;
    std::vector<Output> outputs_;
    std::vector<std::string> output_names_;
    IndexProgram program_;
};

}  // namespace burin
