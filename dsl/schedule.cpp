#include <burin/schedule.h>

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "author/author.h"
#include "base/files.h"
#include "func/directives.h"
#include "func/draft.h"
#include "ir/build.h"
#include "legal/names.h"
#include "legal/replay.h"
#include "legal/uses.h"

namespace burin {
namespace {

constexpr int64_t longest_file = 1 << 20;

DirectiveArg name_arg(const std::string& name) { return {var(Symbol::named(name)), {}}; }

DirectiveArg number_arg(const At& e) {
    if (!e.e.defined())
        throw Error(ErrorKind::Type, "undefined-expression", "an undefined Expr cannot be used")
            .at(e.where);
    return {as_index_text(e.e), {}};
}

DirectiveArg tail_arg(Tail t) {
    static constexpr const char* words[] = {"auto", "guard", "round_up", "shift_inwards",
                                            "predicate"};
    return name_arg(words[int(t)]);
}
DirectiveArg memory_arg(Memory m) {
    static constexpr const char* words[] = {"Auto", "Heap", "Stack", "Register"};
    return name_arg(words[int(m)]);
}

void with_tail(Directive& d, Tail t) {
    if (t != Tail::Auto) d.args.push_back(tail_arg(t));
}

StageDirectives& lines_of(Directives& d, const StageName& s) {
    for (auto& stage : d.stages)
        if (stage.stage == s) return stage;
    return d.stages.emplace_back(StageDirectives{s, {}});
}

// Those in the braces that the path leads into.
std::vector<Directive>& lines_at(std::vector<Directive>& lines, std::span<const size_t> path) {
    return path.empty() ? lines : lines_at(lines[path[0]].lines, path.subspan(1));
}

// A loop handle of another stage is a slip, not a name. A bare Func's stage as a place is its last
// one.
const std::string& checked(const LoopRef& l, const std::string& stage) {
    auto base = [](const std::string& s) { return s.substr(0, s.find('.')); };
    bool same = l.stage.empty() || l.stage == stage ||
                (stage.find('.') == std::string::npos && base(l.stage) == stage);
    if (!same)
        throw refusal("loop-of-other-stage",
                      fmt::format("{} is a loop of {}, not of {}", l.name, l.stage, stage))
            .at(l.where);
    return l.name;
}

}  // namespace

LoopRef::LoopRef(const RDom& r, Loc at) : where(at) {
    if (r.rank() != 1)
        throw refusal("loop-of-domain",
                      fmt::format("an RDom of {} variables is no loop; r[0] is one", r.rank()))
            .at(at);
    name = r[0].name();
}

StageRef::StageRef(const Func& f, Loc at)
    : name(f.name()), where(at), made_at(f.f_->where), numbered(f.f_->numbered) {}
StageRef::StageRef(const Stage& s, Loc at)
    : name(to_string(StageName{s.func, s.update})), where(at) {}

// ---- cursor ----

Cursor Cursor::add(Directive d, const Where& where) const {
    StageName s = parse_stage_name(stage_);
    d.where = where;
    Directive shown = d;
    shown.results.clear();
    d.where.text = fmt::format("s[{}].{}", stage_, to_string(shown));
    Directives all = *s_->directives_;
    lines_at(lines_of(all, s).lines, path_).push_back(std::move(d));
    s_->apply(std::move(all));
    return *this;
}

Split Cursor::split(LoopRef v, At factor, Tail tail) const {
    return split(std::move(v), "", "", std::move(factor), tail);
}

Split Cursor::split(LoopRef v, std::string outer, std::string inner, At factor, Tail tail) const {
    Directive d{"split", {name_arg(checked(v, stage_)), number_arg(factor)}, {}, {}};
    with_tail(d, tail);
    if (outer.empty()) outer = s_->free_loop_name(*this, v.name + "o");
    if (inner.empty()) inner = s_->free_loop_name(*this, v.name + "i");
    d.results = {outer, inner};
    add(std::move(d), v.where);
    return {loop(outer), loop(inner)};
}

Loop Cursor::fuse(LoopRef outer, LoopRef inner, std::string fused) const {
    Directive d{
        "fuse", {name_arg(checked(outer, stage_)), name_arg(checked(inner, stage_))}, {}, {}};
    if (fused.empty()) fused = s_->free_loop_name(*this, outer.name + inner.name);
    d.results = {fused};
    add(std::move(d), outer.where);
    return loop(fused);
}

Cursor Cursor::reorder(std::initializer_list<LoopRef> outermost_first) const {
    Directive d{"reorder", {}, {}, {}};
    for (auto& l : outermost_first) d.args.push_back(name_arg(checked(l, stage_)));
    return add(std::move(d), outermost_first.size() ? outermost_first.begin()->where : Where());
}

std::vector<Loop> Cursor::tile(std::initializer_list<LoopRef> loops,
                               std::initializer_list<Expr> factors, Tail tail) const {
    Directive d{"tile", {}, {}, {}};
    for (auto& l : loops) d.args.push_back(name_arg(checked(l, stage_)));
    for (auto& f : factors) d.args.push_back(number_arg(f));
    with_tail(d, tail);
    for (const char* part : {"o", "i"})
        for (auto& l : loops) d.results.push_back(s_->free_loop_name(*this, l.name + part));
    std::vector<Loop> made;
    for (auto& r : d.results) made.push_back(loop(r));
    add(std::move(d), loops.size() ? loops.begin()->where : Where());
    return made;
}

Tiles Cursor::tile(LoopRef v0, LoopRef v1, At factor0, At factor1, Tail tail) const {
    auto l = tile({v0, v1}, {factor0.e, factor1.e}, tail);
    return {l[0], l[1], l[2], l[3]};
}

Cursor Cursor::mark(const char* verb, const LoopRef& v) const {
    return add({verb, {name_arg(checked(v, stage_))}, {}, {}}, v.where);
}
Cursor Cursor::mark(const char* verb, const LoopRef& v, const At& factor, Tail tail) const {
    Directive d{verb, {name_arg(checked(v, stage_)), number_arg(factor)}, {}, {}};
    with_tail(d, tail);
    return add(std::move(d), v.where);
}

Cursor Cursor::serial(LoopRef v) const { return mark("serial", v); }
Cursor Cursor::serial(LoopRef v, At factor, Tail tail) const {
    return mark("serial", v, factor, tail);
}
Cursor Cursor::parallel(LoopRef v) const { return mark("parallel", v); }
Cursor Cursor::parallel(LoopRef v, At factor, Tail tail) const {
    return mark("parallel", v, factor, tail);
}
Cursor Cursor::vectorize(LoopRef v) const { return mark("vectorize", v); }
Cursor Cursor::vectorize(LoopRef v, At factor, Tail tail) const {
    return mark("vectorize", v, factor, tail);
}
Cursor Cursor::unroll(LoopRef v) const { return mark("unroll", v); }
Cursor Cursor::unroll(LoopRef v, At factor, Tail tail) const {
    return mark("unroll", v, factor, tail);
}

Cursor Cursor::place(const char* verb, const StageRef& consumer, const LoopRef& l) const {
    std::string stage = s_->resolve(consumer);
    return add({verb, {as_arg(parse_stage_name(stage)), name_arg(checked(l, stage))}, {}, {}},
               consumer.where);
}

Cursor Cursor::compute_inline(Loc at) const { return add({"compute_inline", {}, {}, {}}, at); }
Cursor Cursor::compute_root(Loc at) const { return add({"compute_root", {}, {}, {}}, at); }
Cursor Cursor::compute_at(StageRef consumer, LoopRef l) const {
    return place("compute_at", consumer, l);
}
Cursor Cursor::reverse_compute_at(StageRef producer, LoopRef l) const {
    return place("reverse_compute_at", producer, l);
}
Cursor Cursor::compute_with(StageRef stage, LoopRef l) const {
    return place("compute_with", stage, l);
}
Cursor Cursor::store_root(Loc at) const { return add({"store_root", {}, {}, {}}, at); }
Cursor Cursor::store_at(StageRef consumer, LoopRef l) const {
    return place("store_at", consumer, l);
}
Cursor Cursor::store_in(Memory memory, Loc at) const {
    return add({"store_in", {memory_arg(memory)}, {}, {}}, at);
}

Cursor Cursor::bound(LoopRef v, At min, At extent) const {
    return add(
        {"bound", {name_arg(checked(v, stage_)), number_arg(min), number_arg(extent)}, {}, {}},
        v.where);
}

Cursor Cursor::fold_storage(LoopRef v, int64_t n, Loc at) const {
    return add({"fold_storage",
                {name_arg(checked(v, stage_)), number_arg({index_imm(n), Where(at)})},
                {},
                {}},
               at);
}

Cursor Cursor::transform_layout(std::initializer_list<Var> from, std::initializer_list<Expr> to,
                                bool pad, Loc at) const {
    std::vector<DirectiveArg> left, right;
    for (auto& v : from) left.push_back(name_arg(v.name.hint()));
    for (auto& e : to) right.push_back(number_arg({e, Where(at)}));
    Directive d{"transform_layout", {{left, right}}, {}, {}};
    if (pad) d.args.push_back(name_arg("pad"));
    return add(std::move(d), at);
}

Cursor Cursor::cache_write(LoopRef l, Memory memory) const {
    return add({"cache_write", {name_arg(checked(l, stage_)), memory_arg(memory)}, {}, {}},
               l.where);
}

Cursor Cursor::partition(LoopRef v, Partition when) const {
    static constexpr const char* words[] = {"auto", "never", "always"};
    return add({"partition", {name_arg(checked(v, stage_)), name_arg(words[int(when)])}, {}, {}},
               v.where);
}

Cursor Cursor::prefetch(StageRef f, LoopRef v, At distance) const {
    return add({"prefetch",
                {s_->stage_arg(f), name_arg(checked(v, stage_)), number_arg(distance)},
                {},
                {}},
               v.where);
}

Cursor Cursor::stream_stores(Loc at) const { return add({"stream_stores", {}, {}, {}}, at); }

Cursor Cursor::specialize(At condition) const {
    Directives all = *s_->directives_;
    Cursor inside = *this;
    inside.path_.push_back(lines_at(lines_of(all, parse_stage_name(stage_)).lines, path_).size());
    add({"specialize", {number_arg(condition)}, {}, {}}, condition.where);
    return inside;
}

void Cursor::specialize_fail(std::string message, Loc at) const {
    if (message.find_first_of("\"\n") != message.npos)
        throw refusal("message-text", "a message of specialize_fail is one line without quotes")
            .at(at);
    add({"specialize_fail", {{std::move(message), {}}}, {}, {}}, at);
}

// ---- schedule ----

Schedule::Schedule(const Pipeline& p)
    : pipeline_(p),
      derived_(p),
      directives_(
          std::make_shared<const Directives>(Directives{p.name(), p.algorithm().hash, {}, {}})) {}

Schedule::Schedule(const Pipeline& p, Directives d) : Schedule(p) { apply(std::move(d)); }

void Schedule::apply(Directives d) {
    bool edited = d.edits.size() != directives_->edits.size();
    Pipeline derived = edited ? burin::derive(pipeline_, d) : derived_;
    check_lines(derived, d, is_stale(pipeline_, d));
    derived_ = std::move(derived);
    directives_ = std::make_shared<const Directives>(std::move(d));
}

std::string Schedule::free_loop_name(const Cursor& at, const std::string& base) const {
    const Algorithm& a = derived_.algorithm();
    StageName s = parse_stage_name(at.stage_);
    Directives d = *directives_;
    std::vector<Directive> lines, *level = &lines_of(d, s).lines;
    auto is_plain = [](const Directive& l) { return !l.verb.starts_with("specialize"); };
    for (size_t inner : at.path_) {
        std::copy_if(level->begin(), level->begin() + ptrdiff_t(inner), std::back_inserter(lines),
                     is_plain);
        level = &(*level)[inner].lines;
    }
    std::ranges::copy_if(*level, std::back_inserter(lines), is_plain);
    d.stages = {{s, lines}};
    Plan plan = replay_lines(derived_, d);
    int func = find_func(a, s.func);
    return burin::free_loop_name(a, plan.funcs[func].stages[find_def(a.funcs[func], s)], base);
}

std::string Schedule::resolve(const StageRef& stage) const {
    const Algorithm& a = derived_.algorithm();
    try {
        if (!stage.made_at.known()) {
            StageName s = parse_stage_name(stage.name);
            find_def(a.funcs[find_func(a, s.func)], s);
            return stage.name;
        }
        auto is_here = [&](const FuncDef& f) {
            return f.where.file == stage.made_at.file && f.where.line == stage.made_at.line;
        };
        if (stage.numbered)
            for (auto& f : a.funcs)
                if (is_here(f) && f.name.hint().starts_with(stage.name)) return f.name.hint();
        const FuncDef& f = a.funcs[find_func(a, stage.name)];
        if (!is_here(f) && !f.where.file.empty() && !f.where.file.ends_with(".burin"))
            throw refusal("stage-of-other-pipeline",
                          fmt::format("this {} is not the one in {}", stage.name, a.name))
                .note("the one in the pipeline", f.where)
                .note("this one", stage.made_at);
        return stage.name;
    } catch (Error& e) {
        e.at(stage.where);
        throw;
    }
}

Cursor Schedule::operator[](const StageRef& stage) { return Cursor(*this, resolve(stage)); }

Func Schedule::edit(Directive d, const Where& where) {
    d.where = where;
    d.where.text = to_string(d);
    std::string name = d.results[0];
    Directives all = *directives_;
    all.edits.push_back(std::move(d));
    apply(std::move(all));
    return Func(declare_func(name, false, where));
}

DirectiveArg Schedule::stage_arg(const StageRef& s) const {
    return as_arg(
        parse_stage_name(pipeline_.algorithm().param(Symbol::named(s.name)) ? s.name : resolve(s)));
}
DirectiveArg Schedule::stages_arg(std::initializer_list<StageRef> stages) const {
    std::vector<DirectiveArg> list;
    for (auto& s : stages) list.push_back(stage_arg(s));
    return {std::move(list), {}};
}

Func Schedule::cache_read(std::string name, StageRef f, std::initializer_list<StageRef> readers) {
    return edit({"cache_read", {stage_arg(f), stages_arg(readers)}, {std::move(name)}, {}},
                f.where);
}
Func Schedule::clone_in(std::string name, StageRef f, std::initializer_list<StageRef> readers) {
    return edit({"clone_in", {stage_arg(f), stages_arg(readers)}, {std::move(name)}, {}}, f.where);
}
Func Schedule::rfactor(std::string name, StageRef update, LoopRef r, int n, Parts parts, LoopRef u,
                       Merge merge) {
    return edit({"rfactor",
                 {stage_arg(update),
                  name_arg(checked(r, update.name)),
                  {index_imm(n), {}},
                  name_arg(parts == Parts::Inner ? "inner" : "outer"),
                  name_arg(u.name),
                  name_arg(merge == Merge::InOrder ? "in_order" : "tree")},
                 {std::move(name)},
                 {}},
                update.where);
}

std::string Schedule::text() const { return to_string(*directives_); }
bool operator==(const Schedule& a, const Schedule& b) {
    return a.pipeline_ == b.pipeline_ && same(*a.directives_, *b.directives_);
}

Schedule parse_schedule(const Pipeline& p, std::string_view text, const std::string& file) {
    Directives d = parse_directives(text, file);
    try {
        return Schedule(p, std::move(d));
    } catch (Error& e) {
        e.at(Where(file, 1));
        throw;
    }
}
Schedule load_schedule(const Pipeline& p, const std::string& path) {
    return parse_schedule(p, read_file(path, longest_file), path);
}
Schedule auto_schedule(const Pipeline& p) { return Schedule(p, author(p)); }
void save_schedule(const Schedule& s, const std::string& path) { write_file(path, s.text()); }

void check(const Schedule& s) { check(replay(s.pipeline(), s.directives())); }

std::optional<Error> why_not(const Schedule& s, const std::string& line) {
    try {
        auto [stage, directive] = parse_on_stage(line);
        Directives d = s.directives();
        for (std::string kind : {"compute_", "store_"})
            if (directive.verb.starts_with(kind) && directive.verb != "store_in")
                for (auto& other : d.stages)
                    if (other.stage.func == stage.func)
                        std::erase_if(other.lines, [&](auto& l) {
                            return l.verb.starts_with(kind) && l.verb != "store_in";
                        });
        (stage.func.empty() ? d.edits : lines_of(d, stage).lines).push_back(directive);
        check(replay(s.pipeline(), d));
    } catch (const Error& e) {
        return e;
    }
    return {};
}

std::vector<std::string> legal_places(const Schedule& s, const StageRef& f) {
    Plan plan = replay(s.pipeline(), s.directives());
    const Algorithm& a = plan.pipeline.algorithm();
    std::vector<std::string> names;
    for (auto& p : legal_places(plan, find_func(a, f.name))) names.push_back(to_string(plan, p));
    return names;
}

}  // namespace burin
