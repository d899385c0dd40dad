// Says how many bytes every heap allocation takes at most, so that all of them are obtained before anything is written.
//
// before:
//   for y in 0 .. n {
//     allocate f: f32[y + 2] in Heap { f[y] = 1.0 }
//   }
// after:
//   for y in 0 .. n {
//     allocate f: f32[y + 2] in Heap { f[y] = 1.0 }
//   }
//   scratch f: max(n + 1, 0) * 4
//
// Correct because the size is bounded over all iterations of the loops around it.
#include <fmt/format.h>

#include "arith/interval.h"
#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "lower/passes.h"

namespace burin {
namespace {

class Sizes {
public:
    explicit Sizes(State& s) : s_(s) {}
    void run() {
        visit(s_.stmt, overloaded{[this](const For& op, auto& self) {
                                      Bounds outer = scope_;
                                      scope_.push_back(
                                          {op.name, {op.min, simplify(op.min + op.extent - 1)}});
                                      parallel_ += op.kind == LoopKind::Parallel;
                                      self.scoped([&] { self(op.body); });
                                      parallel_ -= op.kind == LoopKind::Parallel;
                                      scope_ = outer;
                                  },
                                  [this](const Let& op, auto& self) {
                                      Bounds outer = scope_;
                                      if (op.value.type() == IndexType)
                                          scope_.push_back({op.name, Interval::point(op.value)});
                                      self.scoped([&] { self(op.body); });
                                      scope_ = outer;
                                  },
                                  [this](const Allocate& op, auto& self) {
                                      if (op.memory == Memory::Heap) add(op);
                                      self(op.body);
                                  }});
    }

private:
    void add(const Allocate& op) {
        Expr elements = index_imm(1);
        for (auto& n : op.extents) {
            Interval i = interval_of(n, scope_, nothing_);
            if (!i.hi.defined())
                throw Error(ErrorKind::Resource, "storage-unbounded",
                            fmt::format("the size {} of {} has no bound", to_string(n, IndexType),
                                        op.buffer.hint()));
            elements = elements * max(i.hi, index_imm(0));
        }
        elements = simplify(elements);
        s_.checks.push_back({EntryCheck::Index32, op.buffer, 0, elements, elements, {}, "", {}});
        s_.scratch.push_back({op.buffer, simplify(elements * op.element.bytes()), parallel_ > 0,
                              Symbol::named(op.buffer.hint())});
    }

    State& s_;
    Bounds scope_;
    const Facts nothing_;  // one for all: its linear forms are found once
    int parallel_ = 0;
};

}  // namespace

State size_storage(State s) {
    Sizes(s).run();
    return s;
}

}  // namespace burin
