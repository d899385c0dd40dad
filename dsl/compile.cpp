#include <burin/kernel.h>

#include <burin/schedule.h>

#include <map>
#include <mutex>

#include "legal/replay.h"

namespace burin {

Kernel compile(const Pipeline& p, const Schedule& s, const Target& target, CompileOptions options) {
    if (!(p == s.pipeline()))
        throw Error(ErrorKind::Schedule, "other-pipeline",
                    "the schedule is one of " + s.pipeline().name() + ", not of " + p.name());
    return compile_plan(replay(p, s.directives()), target, options);
}

Results run_args(const Pipeline& p, std::initializer_list<Arg> args) {
    static std::mutex mutex;
    static std::map<std::string, Kernel> kernels;
    std::unique_lock lock(mutex);
    auto it = kernels.find(p.text());
    if (it == kernels.end()) it = kernels.emplace(p.text(), compile(p, auto_schedule(p))).first;
    Kernel k = it->second;
    lock.unlock();
    return k.call(args);
}

}  // namespace burin
