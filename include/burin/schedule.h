// schedule.h - in which order, where and in what storage a Pipeline is computed: a value apart from
// the algorithm.
//
//   Schedule s(blur);                              // plain: pure Funcs inline, Funcs with updates
// at root
//   auto [yo, yi] = s[blur_y].split(y, 32);
//   s[blur_y].parallel(yo).vectorize(x, 16);
//   s[blur_x].compute_at(blur_y, yi).vectorize(x, 16);
//
// Loops are listed outermost first. Every line throws E-schedule at once for what no later line can
// cure: unknown names, loops, factors, orders that would change a result. Whether a place encloses
// every use is decided by check(s), which compile() calls. No placement changes a bit of any
// result; edits (cache_read, clone_in, rfactor) change the algorithm as they say, and derive(s) is
// that algorithm.
#pragma once
#include <burin/func.h>
#include <burin/placement.h>

#include <optional>

namespace burin {

struct Directive;  // src/func/directives.h
struct DirectiveArg;
struct Directives;

struct Loop {  // of one stage
    std::string stage, name;
};

// What may stand for a loop: a Loop, a coordinate, an RVar, a one-dimensional RDom, a name.
struct LoopRef {
    std::string stage;  // empty: whichever stage is meant
    std::string name;
    Where where;
    LoopRef(const Loop& l, Loc at = Loc::current()) : stage(l.stage), name(l.name), where(at) {}
    LoopRef(const Var& v, Loc at = Loc::current()) : name(v.name.hint()), where(at) {}
    LoopRef(const RVar& v, Loc at = Loc::current()) : name(v.name()), where(at) {}
    LoopRef(const RDom& r, Loc at = Loc::current());
    LoopRef(const char* name, Loc at = Loc::current()) : name(name), where(at) {}
    LoopRef(const std::string& name, Loc at = Loc::current()) : name(name), where(at) {}
};

// What may stand for a stage: a Func, f.update(0), an input (for cache_read), "f" or "f.update(0)".
struct StageRef {
    std::string name;
    Where where;
    Where made_at;  // of a Func: its own line
    bool numbered = false;
    StageRef(const Func& f, Loc at = Loc::current());
    StageRef(const Stage& s, Loc at = Loc::current());
    StageRef(const InputBase& in, Loc at = Loc::current()) : name(in.name()), where(at) {}
    StageRef(const char* name, Loc at = Loc::current()) : name(name), where(at) {}
    StageRef(const std::string& name, Loc at = Loc::current()) : name(name), where(at) {}
};

struct Split {
    Loop outer, inner;
};
struct Tiles {
    Loop outer0, outer1, inner0, inner1;
};

class Schedule;

// One stage of a Schedule. A bare Func is the whole Func for places and storage, its pure stage for
// loops.
class Cursor {
public:
    // v becomes outer * factor + inner, named v + "o" and v + "i" unless names are given. The
    // factor is a constant or made of Sizes and integer Params; then its being >= 1 is an entry
    // check (E-value).
    Split split(LoopRef v, At factor, Tail tail = Tail::Auto) const;
    Split split(LoopRef v, std::string outer, std::string inner, At factor,
                Tail tail = Tail::Auto) const;
    Loop fuse(LoopRef outer, LoopRef inner,
              std::string fused = {}) const;  // inner stands directly inside outer
    // of the listed loops alone
    Cursor reorder(std::initializer_list<LoopRef> outermost_first) const;
    // Splits each, then puts the outer loops outside the inner ones; both in the order given.
    Tiles tile(LoopRef v0, LoopRef v1, At factor0, At factor1, Tail tail = Tail::Auto) const;
    std::vector<Loop> tile(std::initializer_list<LoopRef> loops,
                           std::initializer_list<Expr> factors, Tail tail = Tail::Auto) const;

    // With a factor: splits first; parallel and serial take the outer loop, vectorize and unroll
    // the inner one.
    Cursor serial(LoopRef v) const;
    Cursor serial(LoopRef v, At factor, Tail tail = Tail::Auto) const;
    Cursor parallel(LoopRef v) const;
    Cursor parallel(LoopRef v, At factor, Tail tail = Tail::Auto) const;
    Cursor vectorize(LoopRef v) const;  // the extent must be constant
    Cursor vectorize(LoopRef v, At factor, Tail tail = Tail::Auto) const;
    Cursor unroll(LoopRef v) const;  // the extent must be constant
    Cursor unroll(LoopRef v, At factor, Tail tail = Tail::Auto) const;

    Cursor compute_inline(Loc at = Loc::current())
        const;  // with updates: a private copy in its reader's innermost loop
    Cursor compute_root(Loc at = Loc::current()) const;
    Cursor compute_at(StageRef consumer, LoopRef loop) const;  // a bare Func: its last stage
    // The other way round: this stage, which reads the producer, takes its loops down to `loop` (of its last stage, if it
    // is a bare Func) as its own outermost ones, by the same splits and parallel where they are; the producer is then
    // computed in them. Its own lines stay and loop over what one iteration needs. Taken are loops of coordinates that
    // every read here uses as a coordinate of this stage plus a constant.
    Cursor reverse_compute_at(StageRef producer, LoopRef loop) const;
    // This stage's loops run with those of another at the same place, paired by position from the outermost to `loop` of
    // that one; a bare Func there is its last stage. In each iteration stages take turns in the order of the algorithm,
    // as far as each has iterations. Neither may depend on the other, and paired loops are of one kind.
    Cursor compute_with(StageRef stage, LoopRef loop) const;
    Cursor store_root(Loc at = Loc::current()) const;
    // Outside compute_at: what one iteration computes is there in the next ones, which compute only what is new to them
    // where that is proved (a sliding window), else all they need.
    Cursor store_at(StageRef consumer, LoopRef loop) const;

    Cursor store_in(Memory memory, Loc at = Loc::current()) const;
    // A promise: v runs over [min, min + extent) only. Checked at entry (E-bounds).
    Cursor bound(LoopRef v, At min, At extent) const;
    // {k, j} -> {j / 32, k, j % 32}: where the point (k, j) is stored; `pad`: storage may be
    // rounded up to whole blocks.
    Cursor transform_layout(std::initializer_list<Var> from, std::initializer_list<Expr> to,
                            bool pad = false, Loc at = Loc::current()) const;
    // The coordinate v is stored modulo n, 1 <= n: storage outside compute_at keeps n values of it, each in the place of
    // an old one. Refused unless it is proved that no value is lost while it is needed (check), or if n is too small.
    // Happens by itself, with n a power of two, for all coordinates but the last where that is proved.
    Cursor fold_storage(LoopRef v, int64_t n, Loc at = Loc::current()) const;
    // Whether the loop is split where its guards and clamps change (placement.h).
    Cursor partition(LoopRef loop, Partition when) const;
    // At the start of each iteration of the loop, what the one `distance` later reads of f (an
    // input, or a Func computed outside the loop) is asked for, a cache line at a time. The
    // distance is a constant of at least 1.
    Cursor prefetch(StageRef f, LoopRef loop, At distance) const;
    // Whole aligned vectors are stored past the caches (others as ever): for an output or a Func on
    // the heap that is larger than the caches and not read soon. A pure Func, vectorised along its
    // last coordinate.
    Cursor stream_stores(Loc at = Loc::current()) const;
    // What the loop's body touches of its own Func lives in that memory while the body runs. Entered for the first time it
    // begins with the pure value where that reads nothing; the loops of the pure definition are then left for a
    // reduction without a point.
    Cursor cache_write(LoopRef loop, Memory memory) const;

    // Calls for which the condition holds run a kernel of their own, in which it is known: sizes and
    // parameters equal to a number are that number, and guards that it decides are gone. It compares
    // Sizes, integer and bool Params, extent(in, 0), origin(in, 0) and stride(in, 0). Lines before
    // it are for all calls, lines added to the cursor it returns for its calls, later lines of the
    // stage for the others; the first condition that holds is the one. A condition about a Size does
    // not hold where an output of that Size is computed in part.
    //   s[f].specialize(w % 16 == 0).vectorize(x, 16);
    //   s[f].vectorize(x, 8);
    Cursor specialize(At condition) const;
    // Calls that come as far are refused: E-value, with this message. The stage's last line.
    void specialize_fail(std::string message, Loc at = Loc::current()) const;

private:
    friend class Schedule;
    Cursor(Schedule& s, std::string stage) : s_(&s), stage_(std::move(stage)) {}
    Cursor add(Directive d, const Where& where) const;
    Cursor mark(const char* verb, const LoopRef& v) const;
    Cursor mark(const char* verb, const LoopRef& v, const At& factor, Tail tail) const;
    Cursor place(const char* verb, const StageRef& consumer, const LoopRef& loop) const;
    Loop loop(const std::string& name) const { return {stage_, name}; }

    Schedule* s_;
    std::string stage_;
    std::vector<size_t> path_;  // of each specialize around, its line
};

enum class Parts : uint8_t { Inner, Outer };   // r = ro * n + u, or r = u * ceil(extent / n) + ri
enum class Merge : uint8_t { InOrder, Tree };  // part 0, 1, ...; or halves onto halves, then part 0

class Schedule {
public:
    explicit Schedule(const Pipeline& p);
    Schedule(const Schedule&) = default;  // moving copies
    Schedule& operator=(const Schedule&) = default;

    // E-schedule: no such stage, or a Func of another pipeline.
    Cursor operator[](const StageRef& stage);

    // Edits. Each makes a stage of the given name, which the returned handle names in this Schedule
    // and its copies. A copy of f (an input or a Func), which the readers read in its stead.
    Func cache_read(std::string name, StageRef f, std::initializer_list<StageRef> readers);
    // f again, computed separately for these readers.
    Func clone_in(std::string name, StageRef f, std::initializer_list<StageRef> readers);
    // Splits a reduction along r into n parts, coordinate u, each starting at the identity and
    // running in order; then merges them into f as stated. The order of the operations, and so
    // every bit, follows from these words alone.
    Func rfactor(std::string name, StageRef update, LoopRef r, int n, Parts parts, LoopRef u,
                 Merge merge = Merge::InOrder);

    const Pipeline& pipeline() const { return pipeline_; }
    const Pipeline& derived() const { return derived_; }  // the edits applied
    const Directives& directives() const { return *directives_; }
    std::string text() const;  // parse_schedule reads it back

    friend bool operator==(
        const Schedule& a,
        const Schedule& b);  // the lines of each stage; not where they were written

private:
    friend class Cursor;
    friend Schedule parse_schedule(const Pipeline&, std::string_view, const std::string&);
    friend Schedule auto_schedule(const Pipeline&);
    Schedule(const Pipeline& p, Directives d);
    std::string resolve(const StageRef& stage) const;  // its name here
    // as the lines stand at the end of the cursor's
    std::string free_loop_name(const Cursor& at, const std::string& base) const;
    DirectiveArg stage_arg(const StageRef& s) const;
    DirectiveArg stages_arg(std::initializer_list<StageRef> stages) const;
    void apply(Directives d);  // all or nothing
    Func edit(Directive d, const Where& where);

    Pipeline pipeline_, derived_;
    std::shared_ptr<const Directives> directives_;
};

// Reads a .sched text for that pipeline. E-value for what is no schedule; E-schedule for what
// cannot be, or is for another pipeline. load: E-value for a file that cannot be read. save: the
// file is complete or as before.
Schedule parse_schedule(const Pipeline& p, std::string_view text, const std::string& file = "");
Schedule load_schedule(const Pipeline& p, const std::string& path);
void save_schedule(const Schedule& s, const std::string& path);
inline std::string print(const Schedule& s) { return s.text(); }

// A schedule by rule, for a pipeline that has none: an ordinary value to print and to start from. Always legal; of
// placements alone, so no bit changes; the same on every machine. run() uses it.
Schedule auto_schedule(const Pipeline& p);

inline Pipeline derive(const Schedule& s) { return s.derived(); }
void check(const Schedule& s);  // throws E-schedule unless every place encloses every use

// Why a line could not be added, without adding it: "blur_x.compute_at(blur_y, x)", or an edit such as
// "bp = cache_read(b, [c])". Nothing: it could. A place that the Func has already is replaced.
std::optional<Error> why_not(const Schedule& s, const std::string& line);
// Where f could be computed with everything else as it is: "inline", "root", "blur_y.yo", ...
std::vector<std::string> legal_places(const Schedule& s, const StageRef& f);

}  // namespace burin
