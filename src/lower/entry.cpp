#include "lower/entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/print.h"
#include "ir/walk.h"

namespace burin {
namespace {

// half open
std::string range(int64_t first, int64_t end) { return fmt::format("{} .. {}", first, end); }

bool has_unit_stride(const AnyBuffer& b) {
    return !b.defined() || b.rank() == 0 || b.dims().back().stride == 1 ||
           b.dims().back().extent <= 1;
}

}  // namespace

int Entry::root(const Expr& e) {
    if (!e.defined()) return -1;
    roots_.push_back(e);
    return int(roots_.size()) - 1;
}

Entry::Entry(const State& state, const Binder& binder)
    : checks_(state.checks), lets_(state.entry_lets.size()), scratch_(state.scratch.size()) {
    Substitution lets;  // each in terms of leaves alone
    for (auto& [name, value] : state.entry_lets) root(lets[name] = substitute(value, lets));
    for (auto& s : state.scratch) root(substitute(s.bytes, lets));
    for (auto& c : checks_) {
        slots_.push_back({root(substitute(c.lo, lets)), root(substitute(c.hi, lets)),
                          root(substitute(c.when, lets))});
        bool of_buffer = c.kind == EntryCheck::Region;
        regions_.push_back(of_buffer
                               ? binder.find(make(Meta{c.symbol, MetaKind::Min, c.dim}, IndexType))
                               : Binder::Leaf{});
    }
    for (auto& e : state.required_points)
        required_.push_back(e.defined() ? root(substitute(e, lets)) : -1);
    program_ = CallProgram(roots_, binder);
}

void Entry::check_region(const EntryCheck& c, int64_t lo, int64_t hi, const Binding& call) const {
    const Binder::Leaf& leaf = regions_[size_t(&c - checks_.data())];
    const Dim& d = (leaf.from == Binder::Leaf::Input ? call.inputs : call.outputs)[size_t(leaf.at)]
                       .dims()[size_t(leaf.dim)];
    if (hi < lo || (lo >= d.min && hi < d.min + d.extent)) return;
    throw Error(ErrorKind::Bounds, "input-too-small",
                fmt::format("{} is needed over {} in dimension {}, but holds {}", c.symbol.hint(),
                            range(lo, hi + 1), c.dim, range(d.min, d.min + d.extent)))
        .at(c.where);
}

Admission Entry::admit(const Binding& call) const {
    Admission result;
    result.empty = !call.outputs.empty() && std::all_of(call.outputs.begin(), call.outputs.end(),
                                                        [](auto& b) { return b.size() == 0; });
    if (result.empty) return result;
    IndexValue few[64];
    std::vector<IndexValue> many(roots_.size() > 64 ? roots_.size() : 0);
    std::span<IndexValue> v(many.empty() ? few : many.data(), roots_.size());
    program_.run(call, v);

    auto known = [&](int slot) {
        if (slot < 0) return int64_t(0);
        if (v[size_t(slot)].overflow) throw index_overflow(roots_[size_t(slot)]);
        return v[size_t(slot)].value;
    };
    for (auto* buffers : {&call.inputs, &call.outputs})
        result.narrow &= std::all_of(buffers->begin(), buffers->end(), has_unit_stride);
    for (size_t k = 0; k < checks_.size(); ++k) {
        const EntryCheck& c = checks_[k];
        Slots s = slots_[k];
        if (s.when >= 0 && !v[size_t(s.when)].overflow && !v[size_t(s.when)].value) continue;
        if (c.kind == EntryCheck::Index32) {
            auto fits = [&](int slot) {
                return slot < 0 || (!v[size_t(slot)].overflow && fits_lane(v[size_t(slot)].value));
            };
            result.narrow = result.narrow && fits(s.lo) && fits(s.hi);
            continue;
        }
        int64_t lo = known(s.lo), hi = known(s.hi);
        if (c.kind == EntryCheck::Usual) {
            result.narrow = result.narrow && lo == hi;
            continue;
        }
        auto refuse = [&](ErrorKind kind, const char* id, const std::string& seen) {
            throw Error(kind, id, fmt::format("{}: {}", c.text, seen)).at(c.where);
        };
        switch (c.kind) {
            case EntryCheck::Region: check_region(c, lo, hi, call); break;
            case EntryCheck::Positive:
                if (lo < 1)
                    refuse(ErrorKind::Value, "factor-not-positive",
                           fmt::format("{} is {}, at least 1 is wanted", to_string(c.lo), lo));
                break;
            case EntryCheck::NonNegative:
                if (lo < 0)
                    refuse(ErrorKind::Bounds, "negative-extent",
                           fmt::format("{} is {}", to_string(c.lo), lo));
                break;
            case EntryCheck::Equal:
                if (lo != hi)
                    refuse(ErrorKind::Bounds, "broken-promise",
                           fmt::format("{} is {}, not {}", to_string(c.lo, IndexType), lo, hi));
                break;
            case EntryCheck::Index32:
            case EntryCheck::Usual:
            case EntryCheck::Index64: break;
        }
    }
    for (size_t i = 0; i < lets_; ++i) result.lets.push_back(known(int(i)));
    for (size_t i = 0; i < scratch_; ++i)
        result.scratch_bytes.push_back(std::max<int64_t>(0, known(int(lets_ + i))));
    for (int r : required_) result.required_points.push_back(r < 0 ? -1 : v[size_t(r)].value);
    return result;
}

}  // namespace burin
