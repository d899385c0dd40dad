#include "report/stages.h"

#include <burin/kernel.h>

#include <algorithm>
#include <map>

#include "ir/walk.h"
#include "legal/names.h"
#include "legal/storage.h"
#include "lower/dispatch.h"
#include "lower/entry.h"
#include "report/work.h"

namespace burin {
namespace {

std::string place_text(const Algorithm& a, const Place& p) {
    if (p.kind != Place::At) return p.kind == Place::Root ? "root" : "inline";
    return name_of(a.funcs[size_t(p.func)], p.def) + "." + p.loop;
}

struct Storage {
    const char* memory;
    int64_t bytes;
};

// What lies on the stack and in registers, by the name of the Func; of several elements, their sum. Not cache_write's
// tiles, which are no Funcs.
std::map<std::string, Storage> constant_storage(const State& s) {
    std::map<std::string, Storage> found;
    visit(s.stmt, [&](const Allocate& op, auto& self) {
        const std::string& name = op.buffer.hint();
        bool constant = op.memory == Memory::Stack || op.memory == Memory::Register;
        if (constant && name.find(".tile") == name.npos) {
            Storage& storage =
                found.try_emplace(name.substr(0, name.find('.')), Storage{"stack", 0})
                    .first->second;
            if (op.memory == Memory::Register) storage.memory = "registers";
            storage.bytes += constant_bytes(op.extents, op.element).value_or(0);
        }
        self.descend(op);
    });
    return found;
}

std::vector<StageFigures> stages_of(const Plan& plan, const Lowered& lowered,
                                    const std::vector<int64_t>& scratch_bytes) {
    const Algorithm& a = plan.pipeline.algorithm();
    const State& s = lowered.state;
    auto constant = constant_storage(s);
    std::vector<StageFigures> all;
    for (size_t f = 0; f < a.funcs.size(); ++f) {
        StageFigures one;
        one.func = a.funcs[f].name.hint();
        one.place = place_text(a, plan.funcs[f].compute);
        if (auto at = constant.find(one.func); at != constant.end())
            one.memory = at->second.memory, one.bytes = at->second.bytes;
        for (size_t i = 0; i < s.scratch.size(); ++i) {
            if (s.scratch[i].func != a.funcs[f].name) continue;
            one.memory = s.scratch[i].per_worker ? "heap of each thread" : "heap";
            if (!scratch_bytes.empty()) one.bytes = one.bytes.value_or(0) + scratch_bytes[i];
        }
        all.push_back(one);
    }
    return all;
}

}  // namespace

std::vector<StageFigures> stages_of(const Plan& plan) { return stages_of(plan, lower(plan), {}); }

std::vector<StageFigures> stages_of(const Plan& plan, std::span<const Arg> args, int threads) {
    Binder binder(plan.pipeline.shared());
    Binding call = binder(args);
    const Plan& taken = *plan.all()[Dispatch(plan, binder).choose(call)];
    Lowered lowered = lower(taken);
    Admission admission = Entry(lowered.state, binder).admit(call);
    auto all = stages_of(taken, lowered, admission.scratch_bytes);

    CallReport report;
    Kernel counted = compile_plan(plan, Target::host(), {.counted = true});
    counted.call(args, {threads}, &report);
    if (report.required_points.empty()) return all;  // nothing was to be computed
    std::vector<bool> inlined;
    for (int64_t n : report.required_points) inlined.push_back(n < 0);
    auto computed = points_with_inlined(plan.pipeline, report.points, inlined);
    auto required = work_of(plan.pipeline, args).points;
    for (size_t f = 0; f < all.size(); ++f)
        all[f].computed = computed[f], all[f].required = required[f];
    return all;
}

double recomputation(const std::vector<StageFigures>& stages) {
    double computed = 0, required = 0;
    for (auto& s : stages) {
        computed += double(s.computed.value_or(0));
        required += double(s.required.value_or(0));
    }
    return required > 0 ? computed / required : 1;
}

}  // namespace burin
