#include "report/draw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/hash.h"
#include "ir/build.h"
#include "ir/print.h"

namespace burin {

uint64_t Random::next() { return hash_combine(seed_, ++count_); }

Value draw_value(Type type, Random& random, bool special) {
    if (type.is_float()) {
        if (special && random.one_in(16)) {
            using limits = std::numeric_limits<double>;
            static const double values[] = {0.0,
                                            -0.0,
                                            1.0,
                                            limits::infinity(),
                                            -limits::infinity(),
                                            limits::quiet_NaN(),
                                            65504.0,
                                            0x1.fffffep127,
                                            0x1p-149,
                                            0x1p-24};
            return Value::real(type, random.of(values));
        }
        return Value::real(type, double(int64_t(random.next() >> 11)) * 0x1p-52 - 1);
    }
    if (special && random.one_in(16)) {
        // of a signed type, when wrapped to it
        int64_t lowest = int64_t(uint64_t(1) << (type.bits - 1));
        const int64_t values[] = {0, 1, -1, lowest, lowest - 1};
        return Value::integer(type, random.of(values));
    }
    if (type.is_bool()) return Value::boolean(random.next() & 1);
    return Value::integer(type, int64_t(random.next()));
}

void fill_random(const AnyBuffer& buffer, Random& random, bool special) {
    for_each_point(buffer.dims(), [&](std::span<const int64_t> at) {
        store(draw_value(buffer.type(), random, special), buffer.at(at));
    });
}

AnyBuffer make_buffer(Type type, std::vector<Dim> dims) {
    int64_t low = 0, high = 0;
    for (const Dim& d : dims)
        (d.stride < 0 ? low : high) += d.stride * std::max<int64_t>(0, d.extent - 1);
    auto memory = std::make_shared<std::vector<std::byte>>(size_t((high - low + 1) * type.bytes()),
                                                           std::byte{0xA5});
    std::byte* corner = memory->data() - low * type.bytes();
    return AnyBuffer(type, corner, std::move(dims), memory);
}

std::vector<AnyBuffer> DrawnCall::fresh_outputs() const {
    std::vector<AnyBuffer> out;
    for (auto& [type, dims] : outputs) out.push_back(make_buffer(type, dims));
    return out;
}

std::vector<Arg> DrawnCall::arguments(const std::vector<AnyBuffer>& outputs) const {
    std::vector<Arg> all = inputs;
    all.insert(all.end(), outputs.begin(), outputs.end());
    return all;
}

namespace {

// Strides for a box: mostly dense, else with gaps, another order of dimensions, or backwards.
void draw_strides(std::vector<Dim>& dims, bool dense, Random& random) {
    std::vector<size_t> order(dims.size());  // the fastest dimension last
    std::iota(order.begin(), order.end(), size_t(0));
    int kind = dense ? 0 : int(random.below(8));
    if (kind == 1) std::reverse(order.begin(), order.end());
    int64_t stride = kind == 2 ? 2 : 1;
    for (size_t k = order.size(); k-- > 0;) {
        Dim& d = dims[order[k]];
        d.stride = kind == 3 && random.one_in(2) ? -stride : stride;
        stride *= std::max<int64_t>(1, d.extent) + (kind == 4 ? 3 : 0);
    }
}

struct Drawing {
    const Algorithm& a;
    Random& random;
    int64_t budget;
    bool dense;
    std::vector<int64_t> candidates;
    Expr condition = {};                          // that the numbers have to fulfil
    std::vector<std::pair<Symbol, Value>> names;  // sizes and scalar parameters
    DrawnCall call;

    int64_t eval(const Expr& e) {
        return eval_index(e, [&](const Expr& leaf) -> int64_t {
            if (auto* v = leaf.as<Var>())
                for (auto& [name, value] : names)
                    if (name == v->name) return int64_t(bits_of(value));
            auto* m = leaf.as<Meta>();  // of a shape: only a condition asks
            return condition.defined() ? dense_shape(*m) : 0;
        });
    }
    // Extents that the shape leaves open are drawn later: the condition decides again then.
    int64_t dense_shape(const Meta& m) {
        if (m.what == MetaKind::Min) return 0;
        auto* p = a.param(m.buffer);
        auto& shape =
            p ? p->shape
              : a.outputs[size_t(std::ranges::find(a.outputs, m.buffer, &OutputDecl::func) -
                                 a.outputs.begin())]
                    .shape;
        auto extent = [&](size_t d) { return shape[d].defined() ? eval(shape[d]) : 0; };
        if (m.what == MetaKind::Extent) return extent(size_t(m.dim));
        int64_t stride = 1;
        for (size_t d = shape.size(); --d > size_t(m.dim);) stride *= extent(d);
        return stride;
    }
    // The box of a declared shape; false if there is none.
    bool box(const std::vector<Expr>& shape, std::vector<Dim>& dims) {
        int64_t elements = 1;
        for (auto& e : shape) {
            int64_t extent = e.defined() ? eval(e) : random.of(candidates);
            if (extent < 0 || extent > budget) return false;
            elements *= std::max<int64_t>(1, extent);
            if (elements > budget) return false;
            dims.push_back({0, extent, 0});
        }
        return true;
    }

    // Elsewhere than at 0. Where the shape leaves the extent open, what was there stays inside.
    void shift(const Parameter& p, std::vector<Dim>& dims) {
        for (size_t d = 0; d < dims.size(); ++d) {
            static const int64_t minima[] = {-7, -3, -1, 0, 1, 4};
            dims[d].min = random.of(minima);
            if (!p.shape[d].defined())
                dims[d].min = -std::abs(dims[d].min), dims[d].extent -= dims[d].min;
        }
    }

    void draw_names(bool special) {
        names.clear();
        int64_t times = condition.defined() && random.one_in(2) ? 1 + random.below(4) : 1;
        for (Symbol s : a.sizes)
            names.push_back({s, Value::integer(IndexType, random.of(candidates) * times)});
        for (auto& p : a.params)
            if (p.kind == Parameter::Scalar)
                names.push_back(
                    {p.name, p.type.is_float() || p.type.is_bool()
                                 ? draw_value(p.type, random, special)
                                 : Value::integer(p.type, condition.defined() && random.one_in(2)
                                                              ? random.of(candidates)
                                                              : 1 + random.below(9))});
    }

    bool run(bool special) {
        bool plain = condition.defined(), shifted = !plain && random.one_in(4);
        draw_names(special);
        for (int tries = 2000; plain && !eval(condition); draw_names(special))
            if (--tries == 0) return false;
        std::vector<std::string> text;
        for (auto& [name, value] : names)
            text.push_back(fmt::format("{} = {}", name.hint(), to_string(value)));
        call.text = fmt::format("{}", fmt::join(text, ", "));
        for (auto& p : a.params)
            if (!argument(p, special, shifted)) return false;
        for (auto& decl : a.outputs) {
            std::vector<Dim> whole;
            if (!box(decl.shape, whole)) return false;
            auto& types = a.func(decl.func)->types;
            bool part = !plain && types.size() == 1 && random.one_in(6);
            for (Type type : types) {
                std::vector<Dim> dims = whole;
                for (Dim& d : dims)
                    if (part && d.extent > 0) {
                        d.min = random.below(d.extent);
                        d.extent = 1 + random.below(d.extent - d.min);
                    }
                draw_strides(dims, dense, random);
                if (part)
                    call.text += fmt::format("; {}: {}", decl.func.hint(),
                                             to_string(make_buffer(type, dims)));
                call.outputs.push_back({type, dims});
            }
        }
        return true;
    }
    bool argument(const Parameter& p, bool special, bool shifted) {
        if (p.kind != Parameter::Input) {
            for (auto& [name, value] : names)
                if (name == p.name) call.inputs.push_back(number(value));
            return true;
        }
        std::vector<Dim> dims;
        if (!box(p.shape, dims)) return false;
        if (shifted) shift(p, dims);
        draw_strides(dims, dense, random);
        AnyBuffer b = make_buffer(p.type, dims);
        fill_random(b, random, special);
        if (shifted) call.text += fmt::format("; {}: {}", p.name.hint(), to_string(b));
        call.inputs.push_back(b);
        return true;
    }
    static Arg number(Value v) {
        if (v.type.is_bool()) return v.is_true();
        if (v.type == u64) return uint64_t(v.i);
        if (v.type.is_float()) return v.f;
        return v.i;
    }
};

}  // namespace

namespace {
std::optional<DrawnCall> draw(const Algorithm& a, const std::vector<int64_t>& factors,
                              Random& random, int64_t budget, bool dense, const Expr& condition) {
    std::vector<int64_t> candidates = {0, 1, 2, 3, 5, 7, 13};
    for (int64_t f : factors)
        for (int64_t n : {f - 1, f, f + 1, f + 2, 2 * f + 1}) candidates.push_back(n);
    bool special = random.one_in(3);
    Drawing d{a, random, budget, dense, std::move(candidates), condition, {}, {}};
    if (!d.run(special)) return {};
    return std::move(d.call);
}
}  // namespace

std::optional<DrawnCall> draw_call(const Algorithm& a, const std::vector<int64_t>& factors,
                                   Random& random, int64_t budget, bool dense) {
    return draw(a, factors, random, budget, dense, {});
}
std::optional<DrawnCall> draw_call(const Algorithm& a, const std::vector<int64_t>& factors,
                                   Random& random, int64_t budget, const Expr& condition) {
    return draw(a, factors, random, budget, true, condition);
}

}  // namespace burin
