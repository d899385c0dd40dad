// places.cpp - the directives about a Func's place and storage.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/nearest.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "legal/line.h"
#include "legal/uses.h"

namespace burin {
namespace {

constexpr int64_t largest_fold = int64_t(1) << 30;

void set_place(Line& l, int func, Place& place, Place to, const char* verb) {
    Symbol name = l.algorithm().funcs[func].name;
    const std::string& f = name.hint();
    if (l.algorithm().is_output(name) && to.kind != Place::Root) {
        Error e = refusal("output-not-root",
                          fmt::format("{} is an output and is {} at root only", f, verb));
        if (auto readers = readers_of(l.algorithm(), name); !readers.empty())
            e.help(fmt::format("copy = clone_in({}, [{}]) makes a stage that can be placed", f,
                               name_of(l.algorithm().funcs[readers[0].func], readers[0].def)));
        throw e;
    }
    if (place.where.known())
        throw refusal("placed-twice", fmt::format("another line says where {} is {}", f, verb))
            .note("that line", place.where);
    to.where = l.directive.where.known() ? l.directive.where : Where("", 0, to_string(l.directive));
    place = to;
}

Place at(Line& l) {
    StageName s = stage_of(l.directive.args[0]);
    int func = find_func(l.algorithm(), s.func);
    if (func == l.func)
        throw refusal("placed-in-itself", fmt::format("{} cannot be placed inside its own loops",
                                                      l.func_def().name.hint()));
    return {Place::At, func, find_def(l.algorithm().funcs[func], s, true), l.name(1), {}};
}

void need_storage(const Line& l) {
    if (l.algorithm().is_output(l.func_def().name))
        throw refusal("output-storage",
                      fmt::format("{} is an output: its storage is the caller's buffer",
                                  l.func_def().name.hint()));
}

int coordinate(const Line& l, int arg) {
    const FuncDef& f = l.func_def();
    std::string name = l.name(arg);
    std::vector<std::string> vars;
    for (Symbol v : f.vars) vars.push_back(v.hint());
    auto it = std::find(vars.begin(), vars.end(), name);
    if (it == vars.end())
        throw refusal("unknown-coordinate", fmt::format("{} has no coordinate {}{}", f.name.hint(),
                                                        name, did_you_mean(name, vars)))
            .help(vars.empty() ? "it has none" : "its coordinates: " + listed(vars));
    return int(it - vars.begin());
}

// One storage coordinate: x / divide % modulus, 0 where there is no %.
struct Digit {
    Symbol of;
    int64_t divide = 1, modulus = 0;
};

Digit digit(const Expr& e, const std::vector<Symbol>& from) {
    Digit d;
    Expr rest = e;
    auto constant = [&](const Expr& c) {
        auto n = const_int(literal_as(c, IndexType));
        if (!n || *n < 1)
            throw refusal("layout-form",
                          fmt::format("{} must be a constant of at least 1", to_string(c)));
        return *n;
    };
    if (auto* m = rest.as<Mod>()) {
        d.modulus = constant(m->b);
        rest = Expr(m->a);
    }
    if (auto* q = rest.as<Div>()) {
        d.divide = constant(q->b);
        rest = Expr(q->a);
    }
    auto* v = rest.as<Var>();
    if (!v || std::find(from.begin(), from.end(), v->name) == from.end())
        throw refusal(
            "layout-form",
            fmt::format(
                "{} is no storage coordinate: x, x / c, x % c and x / c % d are, for x on the left",
                to_string(e, IndexType)));
    d.of = v->name;
    return d;
}

// Every point must have one cell: the digits of each coordinate follow on each other up to one
// without %.
void need_one_to_one(const std::vector<Symbol>& from, const std::vector<Expr>& to) {
    for (Symbol v : from) {
        std::vector<Digit> digits;
        for (auto& e : to)
            if (Digit d = digit(e, from); d.of == v) digits.push_back(d);
        std::sort(digits.begin(), digits.end(),
                  [](auto& a, auto& b) { return a.divide < b.divide; });
        int64_t reached = 1;
        bool whole = false;
        for (auto& d : digits) {
            if (whole || d.divide != reached) reached = 0;
            whole = d.modulus == 0;
            if (!whole && __builtin_mul_overflow(reached, d.modulus, &reached)) reached = 0;
        }
        if (!whole || reached == 0)
            throw refusal(
                "layout-not-one-to-one",
                fmt::format(
                    "the storage coordinates do not tell all values of {} apart exactly once",
                    v.hint()))
                .help(fmt::format("{} alone, or {} / c and {} % c of one c", v.hint(), v.hint(),
                                  v.hint()));
    }
}

}  // namespace

void set_computed(Line& l, int func, Place to) {
    set_place(l, func, l.plan.funcs[func].compute, std::move(to), "computed");
}
void apply_compute_inline(Line& l) { set_computed(l, l.func, {}); }
void apply_compute_root(Line& l) { set_computed(l, l.func, {Place::Root, -1, -1, "", {}}); }
void apply_compute_at(Line& l) { set_computed(l, l.func, at(l)); }
void apply_store_root(Line& l) {
    set_place(l, l.func, l.func_plan().store, {Place::Root, -1, -1, "", {}}, "stored");
}
void apply_store_at(Line& l) { set_place(l, l.func, l.func_plan().store, at(l), "stored"); }

void apply_store_in(Line& l) {
    need_storage(l);
    l.func_plan().memory = l.memory(0);
    l.func_plan().memory_directive = l.index;
}

void apply_stream_stores(Line& l) {
    const FuncDef& f = l.func_def();
    if (f.has_updates())
        throw refusal(
            "stream-update",
            fmt::format("the stores of {} cannot go past the caches: its updates read and "
                        "write again what is there",
                        f.name.hint()))
            .help(fmt::format("a stage that copies {} can stream", f.name.hint()));
    l.func_plan().stream_directive = l.index;
}

void settle_stream(Plan& plan, int func) {
    FuncPlan& p = plan.funcs[func];
    if (p.stream_directive < 0) return;
    const FuncDef& f = plan.pipeline.algorithm().funcs[func];
    const StagePlan& s = p.stages[0];
    auto refuse = [&](const char* id, const std::string& why) {
        return refusal(id, fmt::format("the stores of {} cannot go past the caches: {}",
                                       f.name.hint(), why))
            .at(where_of(plan, s, p.stream_directive));
    };
    if (p.memory == Memory::Stack || p.memory == Memory::Register)
        throw refuse("stream-not-heap", "it is not kept on the heap").help("store_in(Heap)");
    p.memory = Memory::Heap;
    auto vector = std::ranges::find(s.loops, LoopKind::Vectorized, &LoopPlan::kind);
    std::string last = f.rank() ? f.vars.back().hint() : "";
    if (p.layout) visit(p.layout->to.back(), [&](const Var& v, auto&) { last = v.name.hint(); });
    if (vector == s.loops.end() || !roots_of(s, vector->name).contains(last))
        throw refuse("stream-without-vectors", "they are not those of whole vectors side by side")
            .help(fmt::format("vectorize({}, 16)", last));
    for (Type t : f.types)
        if (auto bytes = uint64_t(vector->copies) * t.bytes();
            bytes < 16 || !std::has_single_bit(bytes))
            throw refuse(
                "stream-without-vectors",
                fmt::format("its vectors have {} bytes, which is not 16, 32, 64, ...", bytes));
}

void apply_bound(Line& l) {
    BoundOf b{coordinate(l, 0), l.size_expr(1), l.size_expr(2), l.index};
    if (auto n = const_int(b.extent); n && *n < 0)
        throw refusal("bound-negative",
                      fmt::format("{}: an extent is not negative", to_string(l.directive)));
    for (auto& other : l.func_plan().bounds)
        if (other.dim == b.dim)
            throw refusal("bound-twice", fmt::format("{} has a bound already", l.name(0)));
    l.func_plan().bounds.push_back(std::move(b));
}

void apply_fold_storage(Line& l) {
    need_storage(l);
    FoldOf fold{coordinate(l, 0), l.constant_factor(1, largest_fold), l.index};
    for (auto& other : l.func_plan().folds)
        if (other.dim == fold.dim)
            throw refusal("fold-twice", fmt::format("{} is folded already", l.name(0)));
    l.func_plan().folds.push_back(fold);
}

void apply_transform_layout(Line& l) {
    need_storage(l);
    const FuncDef& f = l.func_def();
    auto* list = std::get_if<std::vector<DirectiveArg>>(&l.directive.args[0].v);
    auto& arrow = l.directive.args[0].arrow;
    if (!list || arrow.empty())
        throw refusal("directive-arguments",
                      "transform_layout takes [coordinates] -> [storage coordinates]")
            .help("transform_layout([k, j] -> [j / 32, k, j % 32], pad)");
    Layout layout;
    auto expr = [](const DirectiveArg& a) {
        if (auto* e = std::get_if<Expr>(&a.v)) return *e;
        throw refusal("layout-form", "a storage coordinate is an expression");
    };
    for (auto& a : *list) {
        std::string name = known_name(expr(a));
        Symbol s = Symbol::named(name);
        if (name.empty() ||
            std::find(layout.from.begin(), layout.from.end(), s) != layout.from.end())
            throw refusal("layout-form",
                          "the left side of -> lists a different name for each coordinate");
        layout.from.push_back(s);
    }
    if (int(layout.from.size()) != f.rank())
        throw refusal("layout-rank", fmt::format("{} has {} coordinates, not {}", f.name.hint(),
                                                 f.rank(), layout.from.size()));
    if (std::is_permutation(f.vars.begin(), f.vars.end(), layout.from.begin()) &&
        f.vars != layout.from)
        throw refusal(
            "layout-order",
            fmt::format(
                "the left side of -> names the coordinates of {} in another order than they have",
                f.name.hint()));
    for (auto& a : arrow) layout.to.push_back(expr(a));
    need_one_to_one(layout.from, layout.to);
    if (l.has(1)) {
        if (l.name(1) != "pad")
            throw refusal("unknown-word",
                          fmt::format("{} is no option of transform_layout", l.name(1)))
                .help("pad");
        layout.pad = true;
    }
    if (l.func_plan().layout)
        throw refusal("layout-twice", fmt::format("{} has a layout already", f.name.hint()));
    layout.directive = l.index;
    l.func_plan().layout = std::move(layout);
}

void apply_cache_write(Line& l) {
    const LoopPlan& loop = l.loop(0);
    Memory memory = l.memory(1);
    if (!l.stage().cache_writes.empty())
        throw refusal("cache-write-twice",
                      fmt::format("{} has a cache_write already: its tile is that of {}",
                                  l.stage_text(), l.stage().cache_writes[0].loop));
    l.stage().cache_writes.push_back({loop.name, memory, l.index});
}

}  // namespace burin
