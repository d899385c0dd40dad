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
#include "ir/walk.h"

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

namespace {

constexpr std::byte untouched{0xA5};
constexpr int64_t margin = 1024;  // bytes: several vectors

// Bytes from the first to behind the last, relative to the corner at the minima.
struct Span {
    int64_t first, end;
};
Span span_of(Type type, std::span<const Dim> dims) {
    int64_t low = 0, high = 0;
    for (const Dim& d : dims)
        (d.stride < 0 ? low : high) += d.stride * std::max<int64_t>(0, d.extent - 1);
    return {low * type.bytes() - margin, (high + 1) * type.bytes() + margin};
}

}  // namespace

AnyBuffer make_buffer(Type type, std::vector<Dim> dims) {
    auto [first, end] = span_of(type, dims);
    auto memory = std::make_shared<std::vector<std::byte>>(size_t(end - first), untouched);
    return AnyBuffer(type, memory->data() - first, std::move(dims), memory);
}

bool is_intact(const AnyBuffer& made) {
    auto [first, end] = span_of(made.type(), made.dims());
    std::vector<std::byte> memory(made.data() + first, made.data() + end);
    AnyBuffer elements(made.type(), memory.data() - first,
                       {made.dims().begin(), made.dims().end()});
    for_each_point(made.dims(), [&](std::span<const int64_t> at) {
        std::fill_n(static_cast<std::byte*>(elements.at(at)), made.type().bytes(), untouched);
    });
    return std::ranges::count(memory, untouched) == std::ssize(memory);
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

// The expression where every buffer lies densely from 0. Extents that a shape leaves open are drawn later: 0 for now.
Expr dense_shapes(const Algorithm& a, const Expr& e) {
    return rewrite(e, [&](const Meta& m, auto&) -> Expr {
        if (m.what == MetaKind::Min) return index_imm(0);
        auto* p = a.param(m.buffer);
        auto& shape =
            p ? p->shape : std::ranges::find(a.outputs, m.buffer, &OutputDecl::func)->shape;
        auto extent = [&](int d) {
            return shape[size_t(d)].defined() ? shape[size_t(d)] : index_imm(0);
        };
        if (m.what == MetaKind::Extent) return extent(m.dim);
        Expr stride = index_imm(1);
        for (int d = int(shape.size()); --d > m.dim;) stride = stride * extent(d);
        return stride;
    });
}

}  // namespace

CallDrawer::CallDrawer(const Pipeline& p, const std::vector<int64_t>& factors, int64_t budget,
                       const Expr& condition)
    : algorithm_(p.shared()),
      budget_(budget),
      candidates_{0, 1, 2, 3, 5, 7, 13},
      conditional_(condition.defined()) {
    for (int64_t f : factors)
        for (int64_t n : {f - 1, f, f + 1, f + 2, 2 * f + 1}) candidates_.push_back(n);
    const Algorithm& a = *algorithm_;
    std::vector<Expr> leaves, roots = {conditional_ ? dense_shapes(a, condition) : bool_imm(true)};
    for (Symbol s : a.sizes) leaves.push_back(var(s));
    for (auto& param : a.params)
        if (param.kind == Parameter::Scalar) leaves.push_back(var(param.name, param.type));
    auto add = [&](const std::vector<Expr>& shape) {
        for (auto& e : shape)
            if (e.defined()) roots.push_back(e);
    };
    for (auto& param : a.params) add(param.shape);
    for (auto& decl : a.outputs) add(decl.shape);
    program_ = IndexProgram(std::move(roots), leaves);
}

// One call.
struct Drawing {
    const CallDrawer& drawer;
    Random& random;
    bool dense;
    const Algorithm& a = *drawer.algorithm_;
    std::vector<std::pair<Symbol, Value>> names = {};  // the leaves of the program
    std::vector<int64_t> inputs = std::vector<int64_t>(a.sizes.size() + a.params.size());
    std::vector<IndexValue> known = std::vector<IndexValue>(drawer.program_.roots().size());
    size_t next = 1;  // root
    DrawnCall call = {};

    int64_t root(size_t i) const {
        if (known[i].overflow) throw index_overflow(drawer.program_.roots()[i]);
        return known[i].value;
    }
    // The box of a declared shape; false if there is none.
    bool box(const std::vector<Expr>& shape, std::vector<Dim>& dims) {
        int64_t elements = 1;
        for (auto& e : shape) {
            int64_t extent = e.defined() ? root(next++) : random.of(drawer.candidates_);
            if (extent < 0 || extent > drawer.budget_) return false;
            elements *= std::max<int64_t>(1, extent);
            if (elements > drawer.budget_) return false;
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
        int64_t times = drawer.conditional_ && random.one_in(2) ? 1 + random.below(4) : 1;
        for (Symbol s : a.sizes)
            names.push_back({s, Value::integer(IndexType, random.of(drawer.candidates_) * times)});
        for (auto& p : a.params)
            if (p.kind == Parameter::Scalar)
                names.push_back(
                    {p.name, p.type.is_float() || p.type.is_bool()
                                 ? draw_value(p.type, random, special)
                                 : Value::integer(p.type, drawer.conditional_ && random.one_in(2)
                                                              ? random.of(drawer.candidates_)
                                                              : 1 + random.below(9))});
        for (size_t i = 0; i < names.size(); ++i) inputs[i] = int64_t(bits_of(names[i].second));
        drawer.program_.run(inputs, known);
    }

    bool run(bool special) {
        bool plain = drawer.conditional_, shifted = !plain && random.one_in(4);
        draw_names(special);
        for (int tries = 2000; plain && !root(0); draw_names(special))
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

std::optional<DrawnCall> CallDrawer::operator()(Random& random, bool dense) const {
    bool special = random.one_in(3);
    Drawing d{*this, random, dense || conditional_};
    if (!d.run(special)) return {};
    return std::move(d.call);
}

}  // namespace burin
