// One more definition of a Func: whole-side reductions, operators in their normal form, types, and what an update may do.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "arith/facts.h"
#include "func/draft.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/equal.h"
#include "ir/print.h"

namespace burin {
namespace {

bool is_arg(ReduceOp op) { return op == ReduceOp::ArgMin || op == ReduceOp::ArgMax; }

// -e, exact. A product stays outermost, so that it still contracts.
Expr negated(const Expr& e) {
    auto minus = [](const Expr& x) {
        if (auto* n = x.as<Neg>()) return n->a;
        if (auto* f = x.as<FloatImm>()) return float_imm(x.type(), -f->value);
        if (auto* i = x.as<IntImm>()) return imm(x.type(), int64_t(-uint64_t(i->value)));
        return make(Neg{x}, x.type());
    };
    if (auto* m = e.as<Mul>()) return make(Mul{minus(m->a), m->b}, e.type());
    return minus(e);
}

class Defining {
public:
    Defining(FuncDraft& f, Written w) : f_(f), source_(w.source), op_(w.op) {
        d_.args = std::move(w.args);
        d_.op = w.reduce;
        d_.values = std::move(w.values);
        d_.domain = std::move(w.domain.ranges);
        d_.where = w.domain.where;
        d_.source = std::move(w.source);
    }

    void run() {
        check_open();
        settle_reads();
        if (!d_.op && is_whole_reduction()) become_reduction();
        if (!d_.op && op_ != "=") apply_operator();
        settle_types();
        if (!is_pure() && !d_.op) find_operator();
        vars_ = f_.vars;
        vars_.resize(d_.args.size());
        bool pure = is_pure();
        if (f_.defs.empty() && !pure && !d_.op)
            fail("no-start-value",
                 fmt::format("{} has no value yet: an assignment that is not its pure definition "
                             "needs one before it",
                             name()),
                 fmt::format("{} = ...", brief_call()));
        name_coordinates();
        check_domain();
        check_names(pure);
        check_indices();
        commit(pure);
    }

private:
    [[noreturn]] void fail(const char* id, std::string message, std::string help = {}) {
        Error e(ErrorKind::Type, id, std::move(message));
        e.at(source_);
        if (!help.empty()) e.help(std::move(help));
        throw e;
    }
    const std::string& name() const { return f_.name.hint(); }
    std::string brief_call() {
        std::string s = name() + "(";
        static constexpr std::string_view letters[] = {"x", "y", "z", "u", "v", "w"};
        for (size_t i = 0; i < d_.args.size(); ++i)
            s += fmt::format("{}{}", i ? ", " : "",
                             i < f_.vars.size() && f_.vars[i].defined()
                                 ? std::string_view(f_.vars[i].hint())
                                 : letters[i % 6]);
        return s + ")";
    }
    // The pure variable that an argument is, or no symbol.
    static Symbol bare(const Expr& e) {
        auto* v = e.as<Var>();
        return v && !v->owner.p ? v->name : Symbol();
    }
    bool has_bare_args() const {
        std::set<Symbol> seen;
        return std::ranges::all_of(
            d_.args, [&](auto& e) { return bare(e).defined() && seen.insert(bare(e)).second; });
    }
    bool is_pure() const {
        return f_.defs.empty() && !d_.op && d_.domain.empty() && self_reads_.empty() &&
               has_bare_args();
    }

    void check_open() {
        if (!f_.reader.empty())
            throw Error(ErrorKind::Type, "defined-after-read",
                        fmt::format("{} gets a definition after {} has read it", name(), f_.reader))
                .at(source_)
                .note(fmt::format("{} reads it here", f_.reader), f_.read_at)
                .help("write all definitions of a Func before its first reader");
        if (d_.values.empty()) fail("empty-tuple", fmt::format("{} is given no value", name()));
        for (auto& v : d_.values)
            if (!v.defined())
                fail("undefined-expression", fmt::format("{} is given an undefined Expr", name()));
        if (!f_.defs.empty() && d_.args.size() != f_.vars.size())
            throw Error(ErrorKind::Type, "coordinate-count",
                        fmt::format("{} has {} coordinate{}, not {}", name(), f_.vars.size(),
                                    f_.vars.size() == 1 ? "" : "s", d_.args.size()))
                .at(source_)
                .note("its first definition", f_.defs.front().source);
        for (auto& a : d_.args) a = coordinate(a, source_, name());
        if (d_.where.defined() && !d_.where.type().is_bool())
            fail("operand-type", fmt::format("where takes a bool, not {}", brief(d_.where)),
                 brief(d_.where) + " != 0");
    }

    // Reads of the Func itself lose their owner, so that it does not keep itself alive; others must have a value.
    void settle_reads() {
        rewrite_all(d_, [&](const Read& r, auto& self) -> Expr {
            auto* callee = draft_of(r);
            if (callee == &f_) {
                Read own = r;
                own.owner = {};
                Expr e = self.descend(*make(std::move(own), box(r).type).template as<Read>());
                if (r.args.size() != d_.args.size())
                    fail("coordinate-count",
                         fmt::format("{} has {} coordinates, not {}: {}", name(), d_.args.size(),
                                     r.args.size(), brief(e)));
                self_reads_.push_back(e);
                return e;
            }
            if (callee && callee->types.empty())
                fail("read-before-definition",
                     fmt::format("{} reads {}, which has no definition yet", name(),
                                 callee->name.hint()));
            if (callee) callees_.push_back(callee);
            return self.descend(r);
        });
        auto check = [&](const Expr& e, const std::string& what) {
            visit(e, [&](const Read& r, auto& self) {
                if (!r.owner.p)
                    fail("self-read",
                         fmt::format("{} of {} cannot read {} itself", what, name(), name()));
                self.descend(r);
            });
        };
        if (d_.where.defined()) check(d_.where, "the where clause");
        visit_all(d_, [&](const Reduction& r, auto& self) {
            if (r.element < 0)
                fail("tuple-element",
                     fmt::format("{} gives a value and where it is: which one is meant?",
                                 burin::name(r.op)),
                     "argmin(...)[0], argmin(...)[1]");
            check(handle(r), fmt::format("an inline {} in a definition", burin::name(r.op)));
            self.descend(r);
        });
    }

    bool is_whole_reduction() const {
        if (!f_.defs.empty() || op_ != "=" || !d_.domain.empty() || !has_bare_args()) return false;
        auto* first = d_.values[0].as<Reduction>();
        if (!first || first->as.defined() ||
            d_.values.size() != (is_arg(first->op) ? first->vars.size() + 1 : 1))
            return false;
        for (size_t i = 0; i < d_.values.size(); ++i) {
            Reduction r = *first;
            r.element = int(i);
            if (!equal(d_.values[i], make(std::move(r), d_.values[i].type()))) return false;
        }
        return true;
    }
    void become_reduction() {
        Expr keep = d_.values[0];
        auto& r = *keep.as<Reduction>();
        Unbound parts = unbind(r, source_);
        d_.op = r.op;
        d_.values = std::move(parts.values);
        d_.domain = std::move(parts.domain.ranges);
        d_.where = std::move(parts.domain.where);
    }

    void apply_operator() {
        static const std::pair<std::string_view, ReduceOp> table[] = {
            {"+=", ReduceOp::Sum}, {"-=", ReduceOp::Sum}, {"*=", ReduceOp::Product},
            {"&=", ReduceOp::And}, {"|=", ReduceOp::Or},  {"^=", ReduceOp::Xor}};
        for (auto& [text, op] : table)
            if (op_ == text) d_.op = op;
    }

    void settle_types() {
        if (!f_.types.empty() && f_.types.size() != d_.values.size())
            throw Error(ErrorKind::Type, "tuple-arity",
                        fmt::format("{} has {} element{}, not {}", name(), f_.types.size(),
                                    f_.types.size() == 1 ? "" : "s", d_.values.size()))
                .at(source_)
                .note("its first definition", f_.defs.front().source);
        for (size_t i = 0; i < d_.values.size(); ++i) {
            Expr& v = d_.values[i];
            v = f_.types.empty() ? typed(v) : literal_as(v, f_.types[i], source_);
            v = typed(v);
            if (v.type().is_index()) v = cast(i64, At(v, source_));
            if (f_.types.empty()) {
                types_.push_back(v.type());
                continue;
            }
            types_.push_back(f_.types[i]);
            if (v.type() == f_.types[i]) continue;
            throw Error(ErrorKind::Type, "mixed-types",
                        fmt::format("{} is {}, but this definition gives it {}", name(),
                                    to_string(f_.types[i]), to_string(v.type())))
                .at(source_)
                .note(fmt::format("its first definition makes it {}", to_string(f_.types[i])),
                      f_.defs.front().source)
                .help(cast_text(f_.types[i], brief(v), source_));
        }
        for (auto& e : self_reads_) {
            auto& r = *e.as<Read>();
            if (r.element >= int(types_.size()))
                fail("tuple-element", fmt::format("{} has {} elements: there is no [{}]", name(),
                                                  types_.size(), r.element));
            if (e.type() != types_[r.element])
                fail("mixed-types",
                     fmt::format("{} is {}, but {} is used as {}", name(),
                                 to_string(types_[r.element]), brief(e), to_string(e.type())));
        }
        for (Type t : types_)
            if (d_.op && t.is_bool() && *d_.op <= ReduceOp::ArgMax)
                fail("operand-type", fmt::format("{} is bool, which {} does not take", name(), op_),
                     "&= |= ^=");
            else if (d_.op && *d_.op > ReduceOp::ArgMax && t.is_float())
                fail("operand-type",
                     fmt::format("{} is {}, which {} does not take", name(), to_string(t), op_));
        if (op_ == "-=")
            for (auto& v : d_.values) v = negated(v);
    }

    // f(args) op e, in either order, as an operator and e. Every element of a tuple must have the same.
    void find_operator() {
        std::vector<Expr> rest;
        std::optional<ReduceOp> op;
        for (size_t i = 0; i < d_.values.size(); ++i) {
            Expr e;
            auto found = operator_of(d_.values[i], int(i), e);
            if (!found || (op && op != found)) return;
            op = found;
            rest.push_back(e);
        }
        d_.op = op;
        d_.values = std::move(rest);
    }
    std::optional<ReduceOp> operator_of(const Expr& value, int element, Expr& rest) const {
        auto is_self = [&](const Expr& e) {
            auto* r = e.as<Read>();
            return r && !r->owner.p && r->element == element && equal(r->args, d_.args);
        };
        return dispatch(value, [&]<class T>(const T& op) -> std::optional<ReduceOp> {
            if constexpr (requires {
                              op.a;
                              op.b;
                          }) {
                if (is_self(op.a)) rest = op.b;
                else if (!std::is_same_v<T, Sub> && is_self(op.b)) rest = op.a;
                else return {};
                if constexpr (std::is_same_v<T, Sub>) rest = negated(rest);
                if constexpr (std::is_same_v<T, Add> || std::is_same_v<T, Sub>)
                    return ReduceOp::Sum;
                if constexpr (std::is_same_v<T, Mul>) return ReduceOp::Product;
                if constexpr (std::is_same_v<T, Min>) return ReduceOp::Min;
                if constexpr (std::is_same_v<T, Max>) return ReduceOp::Max;
                if constexpr (std::is_same_v<T, And>) return ReduceOp::And;
                if constexpr (std::is_same_v<T, Or>) return ReduceOp::Or;
                if constexpr (std::is_same_v<T, Xor>) return ReduceOp::Xor;
            }
            return {};
        });
    }

    // A coordinate has the name of the first bare variable that stands there.
    void name_coordinates() {
        for (size_t i = 0; i < d_.args.size(); ++i) {
            Symbol v = bare(d_.args[i]);
            if (v.defined() && !vars_[i].defined() && !std::ranges::count(vars_, v)) vars_[i] = v;
        }
    }

    void check_domain() {
        std::set<Symbol> seen;
        for (auto& range : d_.domain) {
            const std::string& r = range.name.hint();
            if (!seen.insert(range.name).second)
                fail("same-name",
                     fmt::format(
                         "two variables named {} run over the domain of one definition of {}", r,
                         name()),
                     "give one RDom another name");
            if (std::ranges::count(vars_, range.name))
                fail(
                    "same-name",
                    fmt::format("{} is a coordinate of {} and a variable of its domain", r, name()),
                    "give the RDom another name");
        }
    }

    // Each variable is a coordinate that stands bare in its place on the left, or runs over the domain, or is known at entry.
    void check_names(bool pure) {
        std::set<Symbol> known, bound;
        std::vector<bool> stands(vars_.size());
        for (size_t i = 0; i < vars_.size(); ++i) {
            stands[i] = vars_[i].defined() && bare(d_.args[i]) == vars_[i];
            if (stands[i]) known.insert(vars_[i]);
        }
        for (auto& range : d_.domain) known.insert(range.name);
        visit_all(d_, [&](const Reduction& r, auto& self) {
            bound.insert(r.vars.begin(), r.vars.end());
            self.descend(r);
        });
        visit_all(d_, [&](const Var& v, auto&) {
            auto* d = declaration(v.owner);
            if (known.contains(v.name) || bound.contains(v.name) ||
                (d && d->kind != Declaration::RVar))
                return;
            const std::string& n = v.name.hint();
            if (d)
                fail("unknown-variable",
                     fmt::format("{} belongs to no domain of this definition of {}", n, name()));
            if (auto at = std::ranges::find(vars_, v.name); at != vars_.end() && !pure)
                fail("variable-not-bare",
                     fmt::format("{} is used in an update of {}, so it must stand alone as "
                                 "coordinate {} on the left",
                                 n, name(), at - vars_.begin()),
                     "an RDom takes coordinates of any form");
            fail("unknown-variable", fmt::format("{} is no coordinate of {}", n, brief_call()));
        });
        for (auto& e : self_reads_)
            for (size_t i = 0; i < stands.size(); ++i)
                if (stands[i] && bare(e.as<Read>()->args[i]) != vars_[i])
                    fail(
                        "self-read-position",
                        fmt::format("an update of {} at {} may read {} only at the same {}, not {}",
                                    name(), vars_[i].hint(), name(), vars_[i].hint(), brief(e)),
                        fmt::format("an RDom in the place of {} gives the order in which the "
                                    "points are computed",
                                    vars_[i].hint()));
    }

    // By its type, by constants or by coordinates and what is known at entry, through clamps.
    static bool is_bounded(const Expr& e, bool above) {
        ConstantRange range = range_of(e);
        if (above ? range.hi.value_or(INT64_MAX) < INT64_MAX
                  : range.lo.value_or(INT64_MIN) > INT64_MIN)
            return true;
        if (is_known_at_entry(e)) return true;
        if (e.type() != i64) return false;
        auto* lesser = e.as<Min>();
        auto* greater = e.as<Max>();
        if (lesser) {
            bool a = is_bounded(lesser->a, above), b = is_bounded(lesser->b, above);
            return above ? a || b : a && b;
        }
        if (greater) {
            bool a = is_bounded(greater->a, above), b = is_bounded(greater->b, above);
            return above ? a && b : a || b;
        }
        auto* coordinate = e.as<Cast>();
        return coordinate && coordinate->value.type().is_index();
    }

    // Data used as an index must have a finite range, or be known at entry, so that the region it reads is.
    void check_indices() {
        visit_all(d_, [&](const Cast& c, auto& self) {
            self.descend(c);
            if (!box(c).type.is_index()) return;
            if (is_bounded(c.value, false) && is_bounded(c.value, true)) return;
            fail("unbounded-index",
                 fmt::format("index({}) has no finite range, so the region it reads is unknown",
                             brief(c.value)),
                 fmt::format("index(clamp({}, 0, 1000))", brief(c.value)));
        });
    }

    void commit(bool pure) {
        if (f_.defs.empty() && !pure) {
            Definition start;
            start.implicit = true;
            start.source = source_;
            for (size_t i = 0; i < types_.size(); ++i) {
                bool is_coordinate = i && is_arg(*d_.op);
                start.values.push_back(is_coordinate ? constant(types_[i], -1)
                                                     : identity_of(*d_.op, types_[i]));
            }
            f_.defs.push_back(std::move(start));
        }
        f_.types = types_;
        f_.vars = vars_;
        f_.defs.push_back(std::move(d_));
        for (auto* callee : callees_)
            if (callee->reader.empty()) {
                callee->reader = name();
                callee->read_at = source_;
            }
    }

    FuncDraft& f_;
    Definition d_;
    Where source_;
    std::string op_;
    std::vector<Symbol> vars_;
    std::vector<Type> types_;
    std::vector<Expr> self_reads_;
    std::vector<const FuncDraft*> callees_;
};

}  // namespace

void define(const DraftPtr& f, Written w) {
    Where source = w.source;
    try {
        Defining(*f, std::move(w)).run();
    } catch (Error& e) {
        throw e.at(source);
    }
}

}  // namespace burin
