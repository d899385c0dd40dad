#include "report/paths.h"

#include <algorithm>

namespace burin {
namespace {

const char* name(Level level) {
    static constexpr const char* names[] = {"Nest", "Flat", "Device", "Emit"};
    return names[int(level)];
}

}  // namespace

bool same(const std::vector<AnyBuffer>& a, const std::vector<AnyBuffer>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](auto& x, auto& y) { return same(x, y); });
}

Interpreted::Interpreted(const Plan& plan)
    : plan_(plan), binder_(plan.pipeline.shared()), dispatch_(plan, binder_) {
    for (auto* v : plan_.all()) all_.push_back({body_of(*v, true), {}});
}

Interpreted::Body Interpreted::body_of(const Plan& plan, bool narrow) const {
    LowerOptions options;
    options.narrow = narrow;
    options.snapshots = true;
    Lowered lowered = lower(plan, options);
    Entry entry(lowered.state, binder_);
    return {std::move(lowered), std::move(entry)};
}

const Interpreted::Body& Interpreted::wide(size_t of) const {
    auto& wide = all_[of].wide;
    if (!wide) wide = body_of(*plan_.all()[of], false);
    return *wide;
}

Lowering Interpreted::lowering() const {
    return [this](const Plan& plan, const LowerOptions& options) { return lowered(plan, options); };
}

Lowered Interpreted::lowered(const Plan& plan, const LowerOptions& options) const {
    bool is_plain = !options.checked && !options.counted;
    auto all = plan_.all();
    auto is_copy = [](const Plan& a, const Plan& b) {
        return a.pipeline.shared() == b.pipeline.shared() && a.when == b.when &&
               to_string(a.directives) == to_string(b.directives);
    };
    for (size_t i = 0; is_plain && i < all.size(); ++i)
        if (is_copy(*all[i], plan))
            return options.narrow ? all_[i].narrow.lowered : wide(i).lowered;
    return lower(plan, options);
}

void Interpreted::run(size_t pass, std::span<const Arg> args,
                      const InterpretOptions& options) const {
    Binding call = binder_(args);
    size_t chosen = dispatch_.choose(call);
    const One& one = all_[chosen];
    const Body* body = &one.narrow;
    Admission admission = body->entry.admit(call);
    if (!admission.narrow) {
        body = &wide(chosen);
        admission = body->entry.admit(call);
    }
    State state = body->lowered.state;
    state.stmt = body->lowered.passes[pass].stmt;
    interpret(state, binder_, call, admission, options);
}

InterpretOptions Interpreted::options_at(size_t pass) const {
    return {.lazy = passes()[pass].level == Level::Nest};
}

std::vector<Path> Interpreted::paths() const {
    std::vector<Path> all;
    auto& passes = this->passes();
    for (size_t i = 0; i < passes.size(); ++i) {
        if (!passes[i].stmt.defined() ||
            (i + 1 < passes.size() && passes[i + 1].level == passes[i].level))
            continue;
        InterpretOptions options = options_at(i);
        std::string path = std::string("interpreter, ") + name(passes[i].level);
        all.push_back({path, [this, i, options](auto args) { run(i, args, options); }});
        if (all.size() > 1) continue;
        options.shuffle = 1;
        all.push_back(
            {path + ", shuffled", [this, i, options](auto args) { run(i, args, options); }});
    }
    return all;
}

std::string Interpreted::first_wrong_pass(const DrawnCall& call,
                                          const std::vector<AnyBuffer>& wanted) const {
    auto is_right = [&](size_t pass) {
        if (!passes()[pass].stmt.defined()) return false;
        auto outputs = call.fresh_outputs();
        try {
            run(pass, call.arguments(outputs), options_at(pass));
        } catch (const Error&) {
            return false;
        }
        return same(outputs, wanted);
    };
    for (size_t pass = passes().size(); pass-- > 0;)
        if (is_right(pass)) return pass + 1 < passes().size() ? passes()[pass + 1].pass : "";
    return "";
}

double Interpreted::points(const DrawnCall& call) const {
    double all = 0;
    try {
        Binding binding = binder_(call.arguments(call.fresh_outputs()));
        const One& one = all_[dispatch_.choose(binding)];
        for (int64_t n : one.narrow.entry.admit(binding).required_points)
            all += double(std::max(n, int64_t(0)));
    } catch (const Error&) {
        return 0;
    }
    return all;
}

}  // namespace burin
