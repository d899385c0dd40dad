#include "lower/rolled.h"

#include <algorithm>
#include <unordered_set>

#include "ir/build.h"
#include "ir/walk.h"

namespace burin {
namespace {

using Symbols = std::unordered_set<Symbol>;

// When unrolled loops, less those that are serial, are their rounds; nothing above `most` matters.
int64_t unrolled_size(const Stmt& s, const Symbols& serial, int64_t most) {
    int64_t n = 0, copies = 1;
    auto count = [&](const auto& op, auto& self) {
        n += copies;
        self.descend(op);
    };
    auto loop = [&](const For& op, auto& self) {
        n += copies;
        bool one = op.kind != LoopKind::Unrolled || serial.contains(op.name);
        auto rounds = one ? std::nullopt : const_int(op.extent);
        int64_t outside = std::exchange(copies, std::min(copies * rounds.value_or(1), most + 1));
        self.descend(op);
        copies = outside;
    };
    visit(s, overloaded{loop, count});
    return n;
}

bool has_unrolled(const Stmt& s) {
    bool found = false;
    visit(s, [&](const For& op, auto& self) {
        found |= op.kind == LoopKind::Unrolled;
        self.descend(op);
    });
    return found;
}

}  // namespace

int64_t size_of(const Stmt& s) { return unrolled_size(s, {}, 0); }

Stmt rolled(const Stmt& s, int64_t most) {
    Symbols serial;
    for (bool innermost : {false, true})
        visit(s, [&](const For& op, auto& self) {
            if (op.kind == LoopKind::Unrolled && has_unrolled(op.body) != innermost &&
                unrolled_size(s, serial, most) > most)
                serial.insert(op.name);
            self.descend(op);
        });
    if (serial.empty()) return s;
    return rewrite(s, [&](const For& op, auto& self) -> Stmt {
        Stmt same = self.descend(op);
        if (!serial.contains(op.name)) return same;
        For loop = *same.as<For>();
        loop.kind = LoopKind::Serial;
        return make(std::move(loop), {}, box(op).origin);
    });
}

}  // namespace burin
