#include <burin/verify.h>

#include <burin/evaluate.h>
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "ir/build.h"
#include "ir/walk.h"
#include "legal/replay.h"
#include "report/verify.h"

namespace burin {
namespace {

// What a path made of a call: its outputs, or the error that it threw.
struct Outcome {
    std::vector<AnyBuffer> outputs;
    std::optional<Error> error;
    bool is_refusal() const {
        return error && (error->kind() == ErrorKind::Bounds || error->id() == "specialize-fail" ||
                         error->id() == "factor-not-positive");
    }
};
template <class F>
Outcome outcome_of(const DrawnCall& call, F run) {
    Outcome o{call.fresh_outputs(), {}};
    try {
        run(call.arguments(o.outputs));
    } catch (const Error& e) {
        o.error = e;
    }
    return o;
}

struct Difference {
    std::string path, text;
};

std::string first_line(const Error& e) { return std::string(name(e.kind())) + ": " + e.message(); }

std::string difference(const Outcome& wanted, const Outcome& got) {
    if (got.error) return first_line(*got.error);
    if (wanted.error) return "computed, where the definition gives " + first_line(*wanted.error);
    for (size_t o = 0; o < wanted.outputs.size(); ++o) {
        const AnyBuffer &w = wanted.outputs[o], &g = got.outputs[o];
        if (!is_intact(g)) return fmt::format("output {} was written outside of its elements", o);
        if (auto at = first_difference(w, g))
            return fmt::format("output {} at [{}] is {}, the definition gives {}", o,
                               fmt::join(*at, ", "), to_string(load(g.type(), g.at(*at))),
                               to_string(load(w.type(), w.at(*at))));
    }
    return "";
}

// One schedule of one pipeline, ready to be run on calls.
class Subject {
public:
    Subject(const Pipeline& p, const Directives& d, const MakePaths& kernels)
        : plan_(checked(replay(p, d))),
          interpreted_(plan_),
          paths_(interpreted_.paths()),
          binder_(plan_.pipeline.shared()),
          dispatch_(plan_, binder_) {
        if (kernels)
            for (Path& k : kernels(plan_, interpreted_.lowering())) paths_.push_back(std::move(k));
    }
    const Pipeline& derived() const { return plan_.derived(); }
    const std::vector<PlanCase>& cases() const { return plan_.cases; }
    std::string name_of(const PlanCase& c) const {
        return c.refusal ? "specialize_fail: " + c.refusal->message
                         : heading(*plan_.all()[c.variant]);
    }
    // Which of the cases the call is, if it is a call at all; there are some.
    std::optional<size_t> case_of(const DrawnCall& call) const {
        try {
            return dispatch_.find(binder_(call.arguments(call.fresh_outputs())));
        } catch (const Error&) {
            return {};
        }
    }
    const std::vector<Path>& paths() const { return paths_; }
    Outcome by_definition(const DrawnCall& call) const {
        return outcome_of(call, [&](const std::vector<Arg>& args) { evaluate(derived(), args); });
    }

    // Nothing: all paths agree; `refusal` is why they refused the call, if they did.
    std::optional<Difference> compare(const DrawnCall& call, std::string& refusal) const {
        Outcome wanted;
        refusal.clear();
        for (size_t i = 0; i < paths_.size(); ++i) {
            Outcome got = outcome_of(call, paths_[i].run);
            if (i == 0 && got.is_refusal()) refusal = first_line(*got.error);
            if (i == 0 && refusal.empty()) wanted = by_definition(call);
            // It reads outside an input what no result depends on: the paths, which do not, have to agree.
            if (i == 0 && wanted.is_refusal() && !got.error) wanted = got;
            if (refusal.empty() == got.is_refusal())
                return Difference{paths_[i].name,
                                  got.error ? first_line(*got.error)
                                            : "computed what " + paths_[0].name + " refused"};
            if (got.is_refusal())
                continue;  // regions are judged as boxes: the definition may need less
            if (std::string text = difference(wanted, got); !text.empty())
                return Difference{paths_[i].name, text};
        }
        return {};
    }
    double points(const DrawnCall& call) const { return interpreted_.points(call); }
    std::string first_wrong_pass(const DrawnCall& call) const {
        return interpreted_.first_wrong_pass(call, by_definition(call).outputs);
    }

private:
    static Plan checked(Plan plan) {
        check(plan);
        return plan;
    }
    Plan plan_;
    Interpreted interpreted_;
    std::vector<Path> paths_;
    Binder binder_;
    Dispatch dispatch_;
};

// The constants of a schedule: what its tails depend on.
void add_factors(const std::vector<DirectiveArg>& args, std::set<int64_t>& factors) {
    for (auto& a : args) {
        if (auto* list = std::get_if<std::vector<DirectiveArg>>(&a.v)) add_factors(*list, factors);
        if (auto* e = std::get_if<Expr>(&a.v))
            visit(
                *e,
                [&](const IntImm& op, auto&) {
                    if (op.value > 0) factors.insert(op.value);
                },
                [&](const Literal& op, auto&) {
                    if (op.integer > 0) factors.insert(op.integer);
                });
    }
}
void add_factors(const std::vector<Directive>& lines, std::set<int64_t>& factors) {
    for (auto& line : lines) {
        add_factors(line.args, factors);
        add_factors(line.lines, factors);
    }
}
std::vector<int64_t> factors_of(const Directives& d) {
    std::set<int64_t> factors;
    add_factors(d.edits, factors);
    for (auto& s : d.stages) add_factors(s.lines, factors);
    return {factors.begin(), factors.end()};
}

// Drops every line without which the call still fails, the last ones first, until none can go.
Directives shrink(const Pipeline& p, Directives d, const DrawnCall& call,
                  const MakePaths& kernels) {
    auto fails = [&](const Directives& less) {
        try {
            std::string refusal;
            return Subject(p, less, kernels).compare(call, refusal).has_value();
        } catch (const Error&) {
            return false;  // what is left makes no sense without the line
        }
    };
    auto drop_from = [&](auto list) {  // list(d): a vector of lines in it
        bool any = false;
        for (size_t i = list(d).size(); i-- > 0;) {
            Directives less = d;
            list(less).erase(list(less).begin() + int64_t(i));
            if (!fails(less)) continue;
            d = std::move(less);
            any = true;
        }
        return any;
    };
    for (bool any = true; any;) {
        any = false;
        for (size_t s = d.stages.size(); s-- > 0;) {
            any |= drop_from([s](Directives& x) -> auto& { return x.stages[s].lines; });
            for (size_t l = 0; l < d.stages[s].lines.size(); ++l)
                any |= drop_from(
                    [s, l](Directives& x) -> auto& { return x.stages[s].lines[l].lines; });
        }
        std::erase_if(d.stages, [](auto& s) { return s.lines.empty(); });
        any |= drop_from([](Directives& x) -> auto& { return x.edits; });
    }
    return d;
}

}  // namespace

VerifyReport verify(const Pipeline& p, const Directives& d, const VerifyOptions& options,
                    const MakePaths& kernels) {
    Subject subject(p, d, kernels);
    VerifyReport report;
    std::vector<std::string> names;
    for (auto& path : subject.paths()) names.push_back(path.name);
    report.paths = fmt::format("{}", fmt::join(names, "; "));
    Random random(options.seed);
    std::vector<int64_t> factors = factors_of(d);
    std::vector<int> of_case(subject.cases().size());
    auto is_right = [&](const std::optional<DrawnCall>& call) {
        // Small outputs can stand on huge stages: the definition and the interpreter take every point.
        if (!call || subject.points(*call) > 100.0 * double(options.budget)) return true;
        std::string refusal;
        if (auto difference = subject.compare(*call, refusal)) {
            Directives less = shrink(p, d, *call, kernels);
            report.failure = {difference->path, subject.first_wrong_pass(*call), call->text,
                              difference->text, to_string(less)};
            return false;
        }
        if (auto c = of_case.empty() ? std::nullopt : subject.case_of(*call)) ++of_case[*c];
        bool refused = !refusal.empty();
        ++(refused ? report.refused : report.compared);
        if (options.progress) options.progress(report.compared);
        if (refused && report.refusal.empty()) report.refusal = call->text + ": " + refusal;
        if (refused || d.edits.empty()) return true;
        Outcome before =
            outcome_of(*call, [&](const std::vector<Arg>& args) { evaluate(p, args); });
        Outcome after = subject.by_definition(*call);
        for (size_t o = 0; o < before.outputs.size() && !before.error && !after.error; ++o)
            report.ulp_from_algorithm = std::max(report.ulp_from_algorithm,
                                                 ulp_distance(before.outputs[o], after.outputs[o]));
        return true;
    };
    CallDrawer any(p, factors, options.budget);
    for (int tries = 20 * options.calls; tries > 0 && report.compared < options.calls; --tries)
        if (!is_right(any(random, options.dense))) return report;
    Expr before = bool_imm(true);  // no case so far
    for (size_t c = 0; c < of_case.size(); ++c) {
        const Expr& when = subject.cases()[c].when;
        Expr wanted = when.defined() ? before && when : before;
        CallDrawer fitting(p, factors, options.budget, wanted);
        for (int tries = 60; tries > 0 && of_case[c] < 2; --tries)
            if (!is_right(fitting(random))) return report;
        if (of_case[c] == 0) report.untried.push_back(subject.name_of(subject.cases()[c]));
        if (when.defined()) before = before && !when;
    }
    return report;
}

std::vector<Path> kernel_paths(const Plan& plan, const Lowering& lowering) {
    std::vector<Path> paths;
    for (auto& target : {Target::host(), Target::host().checked()}) {
        Kernel k = compile_plan(plan, target, {}, lowering);
        paths.push_back(
            {target.checks ? "checked kernel" : "kernel", [k](auto args) { k.call(args); }});
    }
    return paths;
}

VerifyReport verify(const Pipeline& p, const Schedule& s, const VerifyOptions& options) {
    return verify(p, s.directives(), options, kernel_paths);
}

std::string to_string(const VerifyReport& r) {
    std::string text = fmt::format("{} calls agree bit for bit, {} refused; paths: {}", r.compared,
                                   r.refused, r.paths);
    if (r.ulp_from_algorithm > 0)
        text += fmt::format("; {} ulp from the algorithm", r.ulp_from_algorithm);
    if (r.refused) text += "; refused first: " + r.refusal;
    for (auto& name : r.untried) text += "; no call was found for the variant " + name;
    if (!r.failure) return text + "\n";
    const VerifyReport::Failure& f = *r.failure;
    text += fmt::format("\nwrong: {} for {}: {}\n", f.path, f.call, f.difference);
    text += f.pass.empty() ? "the loops are right after every pass\n"
                           : fmt::format("first wrong after the pass {}\n", f.pass);
    return text + "the lines that matter:\n" + f.schedule;
}

}  // namespace burin
