#include "report/work.h"

#include <algorithm>
#include <map>

#include "arith/simplify.h"
#include "ir/build.h"
#include "ir/walk.h"
#include "lower/entry.h"

namespace burin {
namespace {

// Every Func whole, one after another.
Directives all_at_root(const Algorithm& a) {
    Directives d{a.name, {}, {}, {}};
    for (auto& f : a.funcs)
        if (!f.has_updates() && !a.is_output(f.name))
            d.stages.push_back({{f.name.hint()}, {Directive{"compute_root", {}, {}, {}}}});
    return d;
}

int64_t operations_of(const Algorithm& a, const FuncDef& f, const Definition& d) {
    int64_t n = 0;
    auto arithmetic = [&]<class T>(const T& op, auto& self)
        requires requires {
            op.a;
            op.b;
        }
    {
        bool is_data = !box(op).type.is_index() && !box(op).type.is_bool();
        n += is_data;
        self.descend(op);
    };
    auto call = [&](const Call& op, auto& self) {
        n += op.fn == Fn::Fma ? 2 : is_hint(op.fn) ? 0 : 1;
        self.descend(op);
    };
    for (auto& v : written_out(a, f, d)) visit(v, overloaded{arithmetic, call});
    return n;
}

// Points of f that one evaluation reads; the elements of a tuple come together.
int64_t reads_of(const Definition& d, Symbol func) {
    std::map<int, int64_t> of_element;
    for_each_expr(d, [&](const Expr& e) {
        visit(e, [&](const Read& r, auto& self) {
            if (r.func == func) ++of_element[r.element];
            self.descend(r);
        });
    });
    int64_t most = 0;
    for (auto& [element, n] : of_element) most = std::max(most, n);
    return most;
}

}  // namespace

Work work_of(const Pipeline& p, std::span<const Arg> args) {
    const Algorithm& a = p.algorithm();
    Binder binder(p.shared());
    Binding call = binder(args);
    LowerOptions options;
    options.stop_after = "infer_bounds";
    State s = lower(replay(p, all_at_root(a)), options).state;
    size_t first = s.entry_lets.size();
    for (auto& n : s.required_points) s.entry_lets.emplace_back(Symbol::fresh("points"), n);
    for (auto& f : a.funcs)  // the points of the domain of each definition
        for (auto& d : f.defs) {
            Expr n = index_imm(1);
            for (auto& r : d.domain) n = n * max(r.hi - r.lo, index_imm(0));
            s.entry_lets.emplace_back(Symbol::fresh("domain"), n);
        }
    Admission admission = Entry(s, binder).admit(call);
    std::vector<int64_t> values(s.entry_lets.size(), 0);  // of empty outputs: no work
    if (!admission.empty) values = admission.lets;

    Work work;
    auto domain = values.begin() + int64_t(first + a.funcs.size());
    work.operations = 0;
    for (size_t i = 0; i < a.funcs.size(); ++i) {
        auto& f = a.funcs[i];
        int64_t total = values[first + i], visits = 0;
        double each = 0;
        for (auto& d : f.defs) {
            int64_t steps = *domain++, ops = operations_of(a, f, d);
            visits += steps;
            each += double(ops) * double(steps);
            if (ops > 0 && !f.are_bare(d.args)) work.operations.reset();
        }
        work.points.push_back(total);
        if (work.operations && visits > 0)
            *work.operations += each * double(total) / double(visits);
    }
    for (auto* buffers : {&call.inputs, &call.outputs})
        for (auto& b : *buffers)
            if (b.defined()) work.bytes += double(b.size_bytes());
    return work;
}

std::vector<int64_t> points_with_inlined(const Pipeline& derived, std::vector<int64_t> counted,
                                         const std::vector<bool>& inlined) {
    const Algorithm& a = derived.algorithm();
    for (size_t f = a.funcs.size(); f-- > 0;) {
        if (!inlined[f]) continue;
        counted[f] = 0;
        for (size_t reader = f + 1; reader < a.funcs.size(); ++reader)
            for (auto& d : a.funcs[reader].defs)
                counted[f] += counted[reader] * reads_of(d, a.funcs[f].name);
    }
    return counted;
}

}  // namespace burin
