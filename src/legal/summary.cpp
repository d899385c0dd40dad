#include <fmt/format.h>

#include "ir/print.h"
#include "legal/names.h"
#include "legal/replay.h"
#include "legal/uses.h"

namespace burin {

std::string heading(const Plan& variant) {
    return variant.when.empty() ? "otherwise" : "where " + variant.when;
}

namespace {

std::string text_of(const Plan& plan) {
    static constexpr const char* kinds[] = {"for", "parallel", "vectorized", "unrolled"};
    static constexpr const char* tails[] = {"auto", "guard", "round_up", "shift_inwards",
                                            "predicate"};
    static constexpr const char* memories[] = {"", ", in heap", ", on the stack", ", in registers"};
    std::string out;
    for (auto& f : plan.funcs) {
        if (f.compute.kind == Place::Inline) continue;
        std::string place = to_string(plan, f.compute);
        if (!(f.store == f.compute)) place += ", stored at " + to_string(plan, f.store);
        for (auto& s : f.stages) {
            out +=
                fmt::format("{}: {}{}\n", name_of(plan.pipeline.algorithm().funcs[s.func], s.def),
                            place, memories[int(f.memory)]);
            std::string indent = "  ";
            for (auto& l : s.loops) {
                out += fmt::format("{}{} {}", indent, kinds[int(l.kind)], l.name);
                for (auto& x : s.splits)
                    if (x.kind == LoopSplit::Split && x.inner == l.name)
                        out += fmt::format(" in {} ({})", to_string(x.factor, IndexType),
                                           tails[int(x.tail)]);
                out += "\n";
                indent += "  ";
            }
        }
    }
    return out;
}

}  // namespace

std::string to_string(const Plan& plan) {
    if (plan.cases.empty()) return text_of(plan);
    std::string all;
    for (auto& c : plan.cases) {
        const Plan& v = *plan.all()[c.variant];
        if (!c.refusal) all += heading(v) + "\n" + text_of(v);
        else
            all += fmt::format("{}fail: {}\n", c.when.defined() ? "" : "otherwise ",
                               c.refusal->message);
    }
    return all;
}

}  // namespace burin
