#include "legal/line.h"

#include <fmt/format.h>

#include <algorithm>

#include "arith/simplify.h"
#include "base/nearest.h"
#include "func/draft.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"

namespace burin {
namespace {

template <class T, class... Ts>
constexpr bool is_in(List<Ts...>) {
    return (std::is_same_v<T, Ts> || ...);
}

Error bad_argument(const Line& l, int i, const std::string& wanted) {
    return refusal("directive-arguments",
                   fmt::format("argument {} of {} must be {}", i + 1, l.directive.verb, wanted));
}

constexpr std::pair<const char*, Tail> tails[] = {{"auto", Tail::Auto},
                                                  {"guard", Tail::Guard},
                                                  {"round_up", Tail::RoundUp},
                                                  {"shift_inwards", Tail::ShiftInwards},
                                                  {"predicate", Tail::Predicate}};

template <class T, size_t n>
T word(const Line& l, int i, const std::pair<const char*, T> (&words)[n], const char* what) {
    std::string s = l.name(i);
    std::vector<std::string> known;
    for (auto& [text, value] : words) {
        if (s == text) return value;
        known.push_back(text);
    }
    throw refusal("unknown-word", fmt::format("{} is no {}{}", s, what, did_you_mean(s, known)))
        .help("one of " + listed(known));
}

}  // namespace

bool is_tail(const std::string& word) {
    return std::ranges::any_of(tails, [&](auto& t) { return word == t.first; });
}

Expr Line::expr(int i) const {
    if (auto* e = std::get_if<Expr>(&directive.args[i].v)) return *e;
    throw bad_argument(*this, i, "a name or a number");
}

std::string Line::name(int i) const {
    std::string s = known_name(expr(i));
    if (s.empty()) throw bad_argument(*this, i, "a name");
    return s;
}

const LoopPlan& Line::loop(int i) const { return find_loop(algorithm(), stage(), name(i)); }

Expr Line::size_expr(int i) const {
    const Algorithm& a = algorithm();
    Expr written = expr(i);
    bool refused = written.type() != IndexType;
    visit(written, [&]<class T>(const T& op, auto& self) {
        refused |= !is_in<T>(List<IntImm, Var, Neg, Add, Sub, Mul, Div, Mod, Min, Max>{}) ||
                   box(op).type != IndexType;
        self.descend(op);
    });
    if (refused) throw bad_argument(*this, i, "made of numbers, sizes and integer parameters");
    Expr e = rewrite(written, [&](const Var& v, auto&) -> Expr {
        auto* p = a.param(v.name);
        bool is_size = std::find(a.sizes.begin(), a.sizes.end(), v.name) != a.sizes.end();
        if (is_size || (p && p->kind == Parameter::Size)) return var(v.name);
        if (p && p->kind == Parameter::Scalar && p->type.is_integer())
            return cast(IndexType, At(var(v.name, p->type)));
        if (p) throw refusal("factor-type", fmt::format("{} is no integer", v.name.hint()));
        std::vector<std::string> known;
        for (Symbol s : a.sizes) known.push_back(s.hint());
        for (auto& q : a.params)
            if (q.kind == Parameter::Scalar) known.push_back(q.name.hint());
        throw refusal("unknown-size",
                      fmt::format("{} has no size or parameter {}{}", a.name, v.name.hint(),
                                  did_you_mean(v.name.hint(), known)));
    });
    return simplify(e);
}

Expr Line::factor(int i) const {
    Expr e = size_expr(i);
    if (auto c = const_int(e); c && *c < 1)
        throw refusal("factor-below-one",
                      fmt::format("{}: a factor is at least 1, not {}", to_string(directive), *c));
    return e;
}

int64_t Line::constant_factor(int i, int64_t most) const {
    Expr e = factor(i);
    auto c = const_int(e);
    if (!c)
        throw refusal("factor-not-constant", fmt::format("{} needs a constant factor, not {}",
                                                         directive.verb, to_string(e, IndexType)))
            .help("split by it, and " + directive.verb + " a split of constant factor inside");
    if (*c > most)
        throw refusal("factor-too-large", fmt::format("{} by {} is more than the limit of {}",
                                                      directive.verb, *c, most));
    return *c;
}

Tail Line::tail(int i) const { return has(i) ? word(*this, i, tails, "tail") : Tail::Auto; }

Memory Line::memory(int i) const {
    static constexpr std::pair<const char*, Memory> words[] = {
        {"Heap", Memory::Heap}, {"Stack", Memory::Stack}, {"Register", Memory::Register}};
    return word(*this, i, words, "kind of memory");
}

Partition Line::partition(int i) const {
    static constexpr std::pair<const char*, Partition> words[] = {
        {"auto", Partition::Auto}, {"never", Partition::Never}, {"always", Partition::Always}};
    return word(*this, i, words, "way to partition a loop");
}

std::string Line::result(int i, const std::string& base) const {
    if (i >= int(directive.results.size())) return free_loop_name(algorithm(), stage(), base);
    return new_loop(bare_name(directive.results[i], directive.where).hint());
}

std::string Line::new_loop(const std::string& asked) const {
    if (free_loop_name(algorithm(), stage(), asked) != asked)
        throw refusal(
            "loop-name-taken",
            fmt::format("{} cannot have a new loop {}: the name is taken", stage_text(), asked));
    return asked;
}

std::set<std::string> roots_of(const StagePlan& s, const std::string& loop) {
    for (auto& x : s.splits) {
        if (x.kind == LoopSplit::Split && (x.outer == loop || x.inner == loop))
            return roots_of(s, x.from);
        if (x.kind == LoopSplit::Fuse && x.from == loop) {
            auto r = roots_of(s, x.outer);
            r.merge(roots_of(s, x.inner));
            return r;
        }
    }
    return {loop};
}

std::set<std::string> made_of(const StagePlan& s, const std::string& loop) {
    for (auto& x : s.splits) {
        if (x.kind == LoopSplit::Fuse && (x.outer == loop || x.inner == loop))
            return made_of(s, x.from);
        if (x.kind == LoopSplit::Split && x.from == loop) {
            auto r = made_of(s, x.outer);
            r.merge(made_of(s, x.inner));
            return r;
        }
    }
    return {loop};
}

Where where_of(const Plan& plan, const StagePlan& s, int directive) {
    const std::string& func = plan.pipeline.algorithm().funcs[s.func].name.hint();
    for (auto& d : plan.directives.stages)
        if (directive >= 0 && d.stage == StageName{func, s.def - 1})
            return d.lines[directive].where;
    return {};
}

}  // namespace burin
