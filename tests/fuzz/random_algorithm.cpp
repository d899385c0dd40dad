#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fuzz/generate.h"

namespace fuzz {
namespace {

using namespace burin;
using Texts = std::vector<std::string>;

struct Known {  // what can be read
    std::string name;
    std::vector<Type> types;
    int rank;
    bool is_input;
};

const Texts coordinates = {"z", "y", "x"},
            sizes = {"d", "h", "w"};  // a Func of rank n has the last n

class Maker {
public:
    explicit Maker(Random& random) : random_(random) {}

    std::string make() {
        static const Type all[] = {u8,  i16, i32, i64,  f32, f64, f16, f32,
                                   i32, u8,  u16, bf16, u32, i8,  u64, f32};
        int types = 1 + int(random_.below(3));
        for (int i = 0; i < types; ++i) palette_.push_back(random_.of(all));
        Texts params, outputs;
        int inputs = 1 + int(random_.below(2));
        for (int i = 0; i < inputs; ++i) {
            Known in{
                fmt::format("in{}", i), {random_.of(palette_)}, 1 + int(random_.below(3)), true};
            known_.push_back(in);
            params.push_back(fmt::format("{}: {}[{}]", in.name, to_string(in.types[0]),
                                         fmt::join(sizes.end() - in.rank, sizes.end(), ", ")));
            if (in.rank > ranks_) ranks_ = in.rank;
        }
        if (random_.one_in(3)) params.push_back("p: i32"), has_p_ = true;
        int funcs = 1 + int(random_.below(4)) + random_.one_in(8);
        for (int i = 0; i < funcs; ++i) add_func(fmt::format("f{}", i));
        for (size_t i = known_.size() - size_t(funcs); i < known_.size(); ++i)
            if (i + 1 == known_.size() || random_.one_in(6))
                outputs.push_back(
                    fmt::format("{}[{}]", known_[i].name, fmt::join(shape(known_[i].rank), ", ")));
        return fmt::format("pipeline fuzz({}) -> {}{}\n{}", fmt::join(params, ", "),
                           fmt::join(outputs, ", "), random_.one_in(12) ? " strict" : "", text_);
    }

private:
    bool chance(int percent) { return random_.below(100) < percent; }
    int width() { return 1 + random_.one_in(4); }
    template <class... S>
    std::string one_of(S... texts) {
        const std::string all[] = {texts...};
        return random_.of(all);
    }

    Texts shape(int rank) {
        Texts s;
        for (int d = 3 - rank; d < 3; ++d)
            s.push_back(3 - d > ranks_ || chance(20) ? one_of("1", "4", "5", "9")
                        : chance(15)                 ? sizes[size_t(d)] + " + 1"
                                                     : sizes[size_t(d)]);
        return s;
    }
    std::string size() { return sizes[size_t(3 - 1 - random_.below(ranks_))]; }

    // A coordinate that is made of those in sight; `like`: the one at the same place of what is read.
    std::string coordinate(const std::string& like) {
        if (vars_.empty()) return one_of("0", "1", "3");
        auto any = [&] { return random_.of(vars_); };
        std::string v =
            std::find(vars_.begin(), vars_.end(), like) != vars_.end() && chance(70) ? like : any();
        switch (random_.below(30)) {
            case 0: return one_of("2", "-3", any()) + " * " + v;
            case 1: return v + " / 2";
            case 2: return fmt::format("{} % {}", v, 1 + random_.below(5));
            case 3: return fmt::format("min({}, {})", v, any());
            case 4: return fmt::format("max({}, {})", v, any());
            case 5: return fmt::format("{} - 1 - {}", size(), v);
            case 6: return fmt::format("clamp({}, 0, {})", v, one_of("3", size() + " - 1"));
            case 7: return one_of("0", "1", "-1");
            case 8:
                return fmt::format("index(clamp({}, {}, {}))", leaf(i32), literal(i32), "i32(6)");
            case 9: return fmt::format("{} + {}", v, any());
            case 10:
                return fmt::format("select({} < {}, {}, {})", v, one_of("2", size() + " - 2"), v,
                                   any());
            case 11:
            case 12:
            case 13: return fmt::format("{} + {}", v, 1 + random_.below(3));
            case 14:
            case 15: return fmt::format("{} - {}", v, 1 + random_.below(3));
            case 16: return fmt::format("{} * {} / {}", v, size(), size());
            case 17:
                return fmt::format("{} {} ({} - {})", v, one_of("*", "/", "%"), size(),
                                   random_.below(4));
            default: return v;
        }
    }

    std::string read(Type type) {
        std::vector<std::pair<const Known*, int>> choices;
        for (auto& k : known_)
            for (size_t i = 0; i < k.types.size(); ++i)
                if (k.types[i] == type) choices.push_back({&k, int(i)});
        if (choices.empty()) {
            const Known& k = known_[size_t(random_.below(int64_t(known_.size())))];
            return fmt::format("{}({})", to_string(type), read(k.types[0]));
        }
        // The last ones more often, so that chains are long.
        auto [k, element] = chance(50) ? choices.back() : random_.of(choices);
        Texts at;
        for (int d = 0; d < k->rank; ++d)
            at.push_back(coordinate(coordinates[size_t(3 - k->rank + d)]));
        if (k->is_input) return input_read(*k, at);
        return fmt::format("{}({}){}", k->name, fmt::join(at, ", "),
                           k->types.size() > 1 ? fmt::format("[{}]", element) : "");
    }
    std::string input_read(const Known& in, Texts at) {
        auto size_of = [&](int d) { return sizes[size_t(3 - in.rank + d)]; };
        switch (random_.below(8)) {
            case 0: {  // as it is: a call may be refused
                return fmt::format("{}({})", in.name,
                                   fmt::join(coordinates.end() - in.rank, coordinates.end(), ", "));
            }
            case 1: {
                Texts tests;
                for (int d = 0; d < in.rank; ++d)
                    tests.push_back(fmt::format("{} >= 0 && {} < {}", at[size_t(d)], at[size_t(d)],
                                                size_of(d)));
                return fmt::format("select({}, {}({}), {})", fmt::join(tests, " && "), in.name,
                                   fmt::join(at, ", "), literal(in.types[0]));
            }
            case 2:
            case 3: {
                std::string border =
                    one_of("clamped", "mirrored", "reflected", "wrapped", "padded");
                return fmt::format("{}({}({}){})", border, in.name, fmt::join(at, ", "),
                                   border == "padded" ? ", " + literal(in.types[0]) : "");
            }
            default: {
                bool anywhere = chance(30);  // where the buffer is, or from 0 on
                for (int d = 0; d < in.rank; ++d) {
                    std::string lo = anywhere ? fmt::format("origin({}, {})", in.name, d) : "0";
                    at[size_t(d)] = fmt::format("clamp({}, {}, {} + {} - 1)", at[size_t(d)], lo, lo,
                                                size_of(d));
                }
                return fmt::format("{}({})", in.name, fmt::join(at, ", "));
            }
        }
    }

    std::string literal(Type t) {
        if (t.is_bool()) return one_of("true", "false");
        std::string number =
            t.is_float()
                ? one_of("0.0", "1.0", "0.5", "-1.25", "3.0", "100.0", "-0.0", "nan", "0.1")
            : t.is_uint() ? one_of("0", "1", "2", "3", "7", "100", "255")
                          : one_of("0", "1", "2", "3", "7", "100", "-1", "-2", "-5", "127");
        return fmt::format("{}({})", to_string(t), number);
    }

    std::string leaf(Type t) {
        if (t.is_bool()) return condition(0);
        if (chance(70)) return read(t);
        if (!vars_.empty() && chance(40))
            return fmt::format("{}({})", to_string(t), random_.of(vars_));
        if (has_p_ && chance(20)) return t == i32 ? "p" : fmt::format("{}(p)", to_string(t));
        return literal(t);
    }

    std::string condition(int depth) {
        std::string compare = one_of("<", "<=", ">", ">=", "==", "!=");
        if (depth > 0 && chance(25))
            return fmt::format("({}) {} ({})", condition(depth - 1), one_of("&&", "||", "^", "=="),
                               condition(depth - 1));
        if (chance(10)) return fmt::format("!({})", condition(depth - 1));
        if (vars_.empty() || (depth > 0 && chance(30))) {
            Type t = random_.of(palette_);
            if (t.is_float() && chance(20)) return fmt::format("is_nan({})", leaf(t));
            return fmt::format("{} {} {}", leaf(t), compare, chance(70) ? literal(t) : leaf(t));
        }
        return fmt::format(
            "{} {} {}", random_.of(vars_), compare,
            one_of("2", "0", "5", size(), size() + " - 2", std::string(random_.of(vars_))));
    }

    std::string expr(Type t, int depth) {
        if (depth <= 0) return leaf(t);
        auto e = [&] { return "(" + expr(t, int(random_.below(depth))) + ")"; };
        if (chance(12)) return fmt::format("select({}, {}, {})", condition(depth - 1), e(), e());
        if (chance(8))
            return fmt::format("{}({})", to_string(t), expr(random_.of(palette_), depth - 1));
        if (chance(6))
            return fmt::format("{}({} {})", one_of("sum", "product", "minimum", "maximum"),
                               inside([&] { return expr(t, 1); }), last_domain_);
        if (chance(3))
            return fmt::format("{}(argm{}({} {})[1])", to_string(t), one_of("in", "ax"),
                               inside([&] { return expr(random_.of(palette_), 1); }), last_domain_);
        if (t.is_float()) {
            switch (random_.below(14)) {
                case 0: return fmt::format("min({}, {})", e(), e());
                case 1: return fmt::format("max({}, {})", e(), e());
                case 2: return fmt::format("{} / {}", e(), e());
                case 3:
                    return fmt::format("{}({})",
                                       one_of("exp", "tanh", "sqrt", "sigmoid", "sin", "log"), e());
                case 4:
                    return fmt::format("{}({})", one_of("abs", "floor", "ceil", "round", "trunc"),
                                       e());
                case 5:  return fmt::format("fma({}, {}, {})", e(), e(), e());
                case 6:  return fmt::format("lerp({}, {}, {})", e(), e(), e());
                case 7:
                case 8:  return fmt::format("{} - {}", e(), e());
                case 9:
                case 10: return fmt::format("{} * {}", e(), e());
                default: return fmt::format("{} + {}", e(), e());
            }
        }
        switch (random_.below(18)) {
            case 0: return fmt::format("min({}, {})", e(), e());
            case 1: return fmt::format("max({}, {})", e(), e());
            case 2: return fmt::format("{} / {}", e(), chance(50) ? literal(t) : e());
            case 3: return fmt::format("{} % {}", e(), chance(50) ? literal(t) : e());
            case 4: return fmt::format("{} {} {}", e(), one_of("&", "|", "^"), e());
            case 5:
                return fmt::format("{} {} {}", e(), one_of("<<", ">>"),
                                   chance(60) ? literal(t) : e());
            case 6:
                return fmt::format("{}({}, {})",
                                   one_of("saturating_add", "saturating_sub", "halving_add",
                                          "rounding_halving_add"),
                                   e(), e());
            case 7: return fmt::format("{}(absd({}, {}))", to_string(t), e(), e());
            case 8: return fmt::format("{}({})", one_of("popcount", "clz", "ctz"), e());
            case 9: return fmt::format("mul_high({}, {})", e(), e());
            case 10:
                return fmt::format("saturating_cast_{}({})", to_string(t),
                                   expr(random_.of(palette_), depth - 1));
            case 11:
                return t.is_int() ? fmt::format("{}({})", one_of("-", "~", "abs"), e()) : "~" + e();
            case 12:
                return t.bits < 64 ? fmt::format("{}(widening_mul({}, {}))", to_string(t), e(), e())
                                   : e() + " + " + e();
            case 13: return fmt::format("{} - {}", e(), e());
            case 14:
            case 15: return fmt::format("{} * {}", e(), e());
            default: return fmt::format("{} + {}", e(), e());
        }
    }

    // "for r: 0..3, ..." over variables that are in sight until the scope ends.
    std::string range(const std::string& name) {
        return fmt::format("{}: {}", name,
                           one_of("0..3", "-1..2", "0..5", "0..8", "0.." + size(), "1..4", "0..1",
                                  "0..0", "2.." + size()));
    }
    std::string domain() {
        Texts ranges;
        int n = chance(30) ? 2 : 1;
        for (int i = 0; i < n; ++i) {
            std::string name = fmt::format("r{}", ++rvars_);
            ranges.push_back(range(name));
            new_vars_.push_back(name);
        }
        std::string d = fmt::format("for {}", fmt::join(ranges, ", "));
        vars_.insert(vars_.end(), new_vars_.begin(), new_vars_.end());
        if (chance(15)) d += " where " + condition(1);
        return d;
    }
    template <class F>
    std::string inside(F f) {
        auto before = vars_;
        new_vars_.clear();
        std::string d = domain(), e = f();
        vars_ = before;
        last_domain_ = d;
        return e;
    }

    void line(const std::string& left, const std::string& op, const std::string& right,
              const std::string& domain = "") {
        text_ += fmt::format("{} {} {} {}\n", left, op, right, domain);
    }

    void add_func(const std::string& name) {
        int rank = chance(4) ? 0 : 1 + int(random_.below(3));
        Type t = random_.of(palette_);
        Known f{name, {t}, rank, false};
        Texts pure(coordinates.end() - rank, coordinates.end());
        auto at = [&](const Texts& c) { return fmt::format("{}({})", name, fmt::join(c, ", ")); };
        std::string self = at(pure);
        vars_ = pure;
        auto combine = [&] {
            return t.is_float() ? one_of("+=", "+=", "-=", "*=")
                                : one_of("+=", "+=", "-=", "*=", "&=", "|=", "^=");
        };
        auto reduction = [&](bool has_start) {  // over r
            new_vars_.clear();
            std::string d = domain();
            if (chance(70))
                line(self, combine(), chance(50) ? read(t) + " * " + leaf(t) : expr(t, width()), d);
            else if (chance(70) || !has_start)
                line(self, "=",
                     fmt::format("{}({}, {})", one_of("min", "max"), self, expr(t, width())), d);
            else
                line(self, "=",
                     fmt::format("select({}, {}, {} + {})", condition(1), self, expr(t, 1), self),
                     d);
            vars_ = pure;
        };
        switch (random_.below(20)) {
            case 0:  // a tuple
                f.types.push_back(random_.of(palette_));
                line(self, "=",
                     fmt::format("{{{}, {}}}", expr(t, width()), expr(f.types[1], width())));
                break;
            case 1:
            case 2:
            case 3: reduction(false); break;
            case 4:
            case 5:
                line(self, "=", expr(t, width()));
                reduction(true);
                if (chance(40)) reduction(true);
                break;
            case 6:
            case 7:  // a scan
                if (rank == 0) return add_func(name);
                line(self, "=", expr(t, width()));
                {
                    size_t d = size_t(random_.below(rank));
                    std::string r = fmt::format("r{}", ++rvars_),
                                n = one_of(sizes[size_t(2)], "7", "4");
                    Texts left = pure, right = pure;
                    int64_t step = 1 + random_.below(2);
                    bool down = chance(25);
                    left[d] = down ? n + " - " + r : r;
                    right[d] = down ? fmt::format("{} - {} + {}", n, r, step)
                                    : fmt::format("{} - {}", r, step);
                    vars_.erase(vars_.begin() + int64_t(d));
                    vars_.push_back(r);
                    std::string value = chance(50) ? at(right) + " + " + expr(t, 1)
                                                   : fmt::format("max({} * {}, {})", at(right),
                                                                 literal(t), leaf(t));
                    line(at(left), "=", value,
                         fmt::format("for {}: {}..{}", r, 1 + random_.below(2), n));
                }
                break;
            case 8:
                if (rank == 0) return add_func(name);
                line(self, "=", literal(t));  // a histogram
                {
                    new_vars_.clear();
                    std::string d = domain();
                    Texts left = pure;
                    size_t bin = size_t(random_.below(rank));
                    vars_.erase(vars_.begin() + int64_t(bin));
                    left[bin] = fmt::format("index(clamp({}, 0, 7))", expr(i32, 1));
                    line(at(left), combine(), chance(50) ? literal(t) : expr(t, 1), d);
                }
                break;
            case 9:  // borders
                if (rank == 0) return add_func(name);
                line(self, "=", expr(t, width()));
                for (int d = 0; d < rank; ++d) {
                    Texts left = pure;
                    left[size_t(d)] = one_of("0", "1", "3", size() + " - 1");
                    vars_ = pure;
                    vars_.erase(vars_.begin() + d);
                    if (chance(60)) line(at(left), chance(50) ? "=" : "+=", expr(t, 1));
                }
                break;
            case 10:
                if (rank == 0) return add_func(name);
                f.types = {t, i64};
                {
                    std::string value = inside([&] { return expr(t, 1); });
                    line(self, "=",
                         fmt::format("argm{}({} {})", one_of("in", "ax"), value, last_domain_));
                }
                break;
            case 11:  // updates without a domain
                line(self, "=", expr(t, width()));
                line(self, combine(), expr(t, width()));
                if (chance(50))
                    line(self, "=",
                         fmt::format("select({}, {}, {})", condition(1), self, expr(t, 1)));
                break;
            default: line(self, "=", expr(t, 1 + int(random_.below(2))));
        }
        known_.push_back(f);
    }

    Random& random_;
    std::vector<Type> palette_;
    std::vector<Known> known_;
    std::string text_, last_domain_;
    Texts vars_, new_vars_;
    int rvars_ = 0, ranks_ = 1;
    bool has_p_ = false;
};

}  // namespace

std::string random_algorithm(Random& random) { return Maker(random).make(); }

}  // namespace fuzz
