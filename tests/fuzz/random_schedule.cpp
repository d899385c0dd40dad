#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fuzz/generate.h"
#include "ir/print.h"
#include "legal/names.h"
#include "legal/replay.h"
#include "legal/uses.h"

namespace fuzz {
namespace {

using namespace burin;
using Texts = std::vector<std::string>;

class Maker {
public:
    Maker(const Pipeline& p, Random& random)
        : pipeline_(p),
          random_(random),
          directives_{p.name(), {}, {}, {}},
          plan_(replay(p, directives_)) {}

    Directives make(int lines) {
        for (int i = 0; i < 3; ++i)
            if (random_.one_in(4)) edit(i);
        for (int i = 0; i < lines; ++i) line();
        return directives_;
    }

private:
    template <class... S>
    std::string one_of(S... texts) {
        const std::string all[] = {texts...};
        return random_.of(all);
    }
    const Algorithm& algorithm() const { return plan_.pipeline.algorithm(); }

    // Keeps the changed directives if they are legal.
    bool keep(const Directives& d) {
        try {
            Plan plan = replay(pipeline_, d);
            check(plan);
            plan_ = std::move(plan);
            directives_ = d;
            return true;
        } catch (Error& e) {
            if (e.kind() != ErrorKind::Schedule && e.id() != "too-many-variants")
                throw e.note("under this schedule:\n" + to_string(d));
            return false;
        }
    }
    void append(Directives& d, const std::string& stage, const std::string& text) {
        auto [name, directive] = parse_on_stage(stage + "." + text);
        auto at = std::ranges::find(d.stages, name, &StageDirectives::stage);
        if (at == d.stages.end()) at = d.stages.insert(at, {name, {}});
        bool inside = inside_ && !at->lines.empty() && at->lines.back().verb == "specialize";
        (inside ? at->lines.back().lines : at->lines).push_back(directive);
    }
    bool add(const std::string& stage, const std::string& text) {
        Directives d = directives_;
        append(d, stage, text);
        return keep(d);
    }

    void edit(int number) {
        const FuncDef& f = random_.of(algorithm().funcs);
        const FuncDef& reader = random_.of(algorithm().funcs);
        std::string made = fmt::format("e{}", number), text, source = f.name.hint();
        if (random_.one_in(2) && f.has_updates()) {
            int def = 1 + int(random_.below(int64_t(f.defs.size()) - 1));
            auto& domain = f.defs[size_t(def)].domain;
            if (domain.empty()) return;
            text = fmt::format("rfactor({}, {}, {}, {}, u{}, {})", name_of(f, def),
                               random_.of(domain).name.hint(), one_of("1", "2", "3", "4", "8"),
                               one_of("inner", "outer"), number, one_of("in_order", "tree"));
        } else {
            if (auto& params = algorithm().params; !params.empty() && random_.one_in(3))
                source = params[0].name.hint();
            text = fmt::format("{}({}, [{}])", one_of("cache_read", "clone_in"), source,
                               reader.name.hint());
        }
        Directives d = directives_;
        d.edits.push_back(
            parse_directives(fmt::format("schedule 1 for {}\n{} = {}\n", d.pipeline, made, text))
                .edits[0]);
        keep(d);
    }

    std::string factor() { return one_of("1", "2", "3", "4", "4", "5", "7", "8", "8", "16"); }
    std::string tail() {
        return one_of("", "", ", guard", ", round_up", ", shift_inwards", ", predicate");
    }
    std::string memory() { return one_of("Heap", "Stack", "Register"); }

    void line() { line(int(random_.below(int64_t(plan_.funcs.size())))); }
    void line(int func) {
        const FuncDef& f = algorithm().funcs[size_t(func)];
        if (random_.one_in(12)) return take_loops(func);
        if (!algorithm().is_output(f.name) &&
            random_.one_in(plan_.funcs[size_t(func)].compute.kind == Place::Inline ? 1 : 8))
            return place(func);
        const StagePlan& s = random_.of(plan_.funcs[size_t(func)].stages);
        std::string stage = name_of(f, s.def);
        if (s.loops.empty()) return;
        Texts loops = loop_names(s);
        std::string v = random_.of(loops), w = random_.of(loops);
        if (random_.one_in(3)) v = loops.back();
        switch (random_.below(24)) {
            case 0:
            case 1: {
                bool runs = random_.one_in(8) &&
                            std::ranges::any_of(algorithm().params,
                                                [](auto& p) { return p.name.hint() == "p"; });
                add(stage, fmt::format("split({}, {}{})", v, runs ? "index(p)" : factor(), tail()));
                break;
            }
            case 2:
                add(stage, fmt::format("tile({}, {}, {}, {}{})", v, w, factor(), factor(), tail()));
                break;
            case 3: add(stage, fmt::format("fuse({}, {})", v, w)); break;
            case 4:
            case 5: {
                for (size_t i = loops.size(); i > 1; --i)
                    std::swap(loops[i - 1], loops[size_t(random_.below(int64_t(i)))]);
                if (random_.one_in(2))
                    loops.resize(1 + size_t(random_.below(int64_t(loops.size()))));
                add(stage, fmt::format("reorder({})", fmt::join(loops, ", ")));
                break;
            }
            case 6:
            case 7:
            case 8:
                add(stage, fmt::format("vectorize({}, {}{})", v, one_of("2", "4", "8", "16", "3"),
                                       tail()));
                break;
            case 9: add(stage, fmt::format("vectorize({})", v)); break;
            case 10:
                add(stage, fmt::format("unroll({}, {}{})", v, one_of("2", "3", "4"), tail()));
                break;
            case 11: add(stage, fmt::format("unroll({})", v)); break;
            case 12: add(stage, fmt::format("parallel({})", v)); break;
            case 13: add(stage, fmt::format("parallel({}, {})", v, factor())); break;
            case 14: add(f.name.hint(), fmt::format("store_in({})", memory())); break;
            case 15: add(stage, fmt::format("cache_write({}, {})", v, memory())); break;
            case 16:
                if (f.rank() > 0 && random_.one_in(2)) layout(f);
                else add(stage, fmt::format("serial({})", v));
                break;
            case 17: bound(f); break;
            case 18: add(f.name.hint(), "stream_stores()"); break;
            case 19:
                add(stage, fmt::format("partition({}, {})", v, one_of("never", "never", "always")));
                break;
            case 20: prefetch(stage, v); break;
            case 21: specialize(func); break;
            case 22:
                for (int i = 0; i < 4 && !pair(stage);) ++i;
                break;
            default: store(func);
        }
    }

    void place(int func) {
        auto places = legal_places(plan_, func);
        if (places.empty()) return;  // what other stages fold leaves none
        const Place& p = random_.of(places);
        std::string name = algorithm().funcs[size_t(func)].name.hint();
        if (p.kind == Place::Inline) add(name, "compute_inline()");
        else if (p.kind == Place::Root) add(name, "compute_root()");
        else if (add(name,
                     fmt::format("compute_at({}, {})",
                                 name_of(algorithm().funcs[size_t(p.func)], p.def), p.loop)) &&
                 !random_.one_in(3))
            store(func);
    }
    // A reader takes loops of a Func, split or not.
    void take_loops(int func) {
        const FuncDef& f = algorithm().funcs[size_t(func)];
        auto readers = readers_of(algorithm(), f.name);
        auto& s = plan_.funcs[size_t(func)].stages.back();
        if (readers.empty() || s.loops.empty()) return;
        const StageOf& reader = random_.of(readers);
        std::string by = name_of(algorithm().funcs[size_t(reader.func)], reader.def);
        Texts loops = loop_names(s);
        std::string v = random_.of(loops), stage = name_of(f, s.def);
        Directives d = directives_;
        if (random_.one_in(2)) {
            append(d, stage, fmt::format("to, ti = split({}, {}{})", v, factor(), tail()));
            if (random_.one_in(2)) append(d, stage, "parallel(to)");
            v = one_of("to", "to", "ti");
        }
        append(d, by, fmt::format("reverse_compute_at({}, {})", stage, v));
        keep(d);
    }
    // Outside the loop it is computed at, and maybe folded.
    void store(int func) {
        const FuncDef f = algorithm().funcs[size_t(func)];
        const Place& p = plan_.funcs[size_t(func)].compute;
        if (p.kind != Place::At) return;
        auto around = loops_around(plan_, p);
        size_t at = size_t(random_.below(int64_t(around.size())));
        add(f.name.hint(), at == 0
                               ? "store_root()"
                               : fmt::format("store_at({}, {})",
                                             name_of(algorithm().funcs[size_t(around[at - 1].func)],
                                                     around[at - 1].def),
                                             around[at - 1].loop->name));
        if (f.rank() > 0 && random_.one_in(3))
            add(f.name.hint(), fmt::format("fold_storage({}, {})", random_.of(f.vars).hint(),
                                           one_of("1", "2", "3", "3", "4", "5", "8", "16")));
    }
    // With a stage of another Func, mostly where both are; down to some loop.
    bool pair(const std::string& stage) {
        const FuncDef& g = random_.of(algorithm().funcs);
        const StagePlan& t = random_.of(plan_.funcs[size_t(algorithm().func_index(g.name))].stages);
        return !t.loops.empty() && add(stage, fmt::format("compute_with({}, {})", name_of(g, t.def),
                                                          random_.of(t.loops).name));
    }
    void prefetch(const std::string& stage, const std::string& loop) {
        Texts sources;
        for (auto& p : algorithm().params)
            if (p.kind == Parameter::Input) sources.push_back(p.name.hint());
        for (auto& f : algorithm().funcs) sources.push_back(f.name.hint());
        add(stage,
            fmt::format("prefetch({}, {}, {})", random_.of(sources), loop, one_of("1", "2", "5")));
    }
    std::string condition() {
        Texts subjects;
        for (Symbol s : algorithm().sizes) subjects.push_back(s.hint());
        for (auto& p : algorithm().params) {
            if (p.kind == Parameter::Scalar && p.type.is_integer())
                subjects.push_back(p.name.hint());
            for (int d = 0; p.kind == Parameter::Input && d < p.rank(); ++d)
                subjects.push_back(fmt::format("{}({}, {})", one_of("extent", "stride", "origin"),
                                               p.name.hint(), d));
        }
        for (auto& out : algorithm().outputs)
            for (size_t d = 0; d < out.shape.size(); ++d)
                subjects.push_back(fmt::format("extent({}, {})", out.func.hint(), d));
        if (subjects.empty()) return "";
        return random_.of(subjects) +
               one_of(" % 4 == 0", " % 8 == 0", " >= 8", " > 3", " == 5", " == 1", " < 9", " != 7");
    }
    // A block with a few lines; what follows is for the other calls.
    void specialize(int func) {
        std::string c = condition(),
                    stage = name_of(algorithm().funcs[size_t(func)],
                                    int(random_.of(plan_.funcs[size_t(func)].stages).def));
        if (inside_ || c.empty()) return;
        if (random_.one_in(4)) c += one_of(" && ", " || ") + condition();
        if (!add(stage, "specialize(" + c + ") {\n}")) return;
        inside_ = true;
        for (int i = int(random_.below(4)); i > 0; --i) line(func);
        inside_ = false;
    }
    void bound(const FuncDef& f) {
        if (f.rank() == 0) return;
        size_t d = size_t(random_.below(f.rank()));
        std::string lo = "0", n = one_of("1", "4", "9");
        for (auto& out : algorithm().outputs)
            if (out.func == f.name) n = to_string(out.shape[d], IndexType);
        if (!algorithm().is_output(f.name)) {
            lo = one_of("0", "0", "-1", "1");
            if (auto& sizes = algorithm().sizes; !sizes.empty() && random_.one_in(2))
                n = random_.of(sizes).hint() + one_of("", "", " + 1", " + 2");
        }
        add(f.name.hint(), fmt::format("bound({}, {}, {})", f.vars[d].hint(), lo, n));
    }
    void layout(const FuncDef& f) {
        Texts from, to;
        for (Symbol v : f.vars) from.push_back(v.hint());
        to = from;
        std::reverse(to.begin(), to.end());
        bool block = random_.one_in(2);
        if (block) {
            std::string n = one_of("2", "4", "8");
            to.push_back(fmt::format("{} % {}", to[0], n));
            to[0] += " / " + n;
        }
        add(f.name.hint(), fmt::format("transform_layout([{}] -> [{}]{})", fmt::join(from, ", "),
                                       fmt::join(to, ", "), block ? ", pad" : ""));
    }

    Pipeline pipeline_;
    Random& random_;
    Directives directives_;
    Plan plan_;            // of the calls that no specialize takes
    bool inside_ = false;  // lines go into the braces of the last specialize of their stage
};

}  // namespace

Directives random_schedule(const Pipeline& p, Random& random, int lines) {
    return Maker(p, random).make(lines);
}

}  // namespace fuzz
