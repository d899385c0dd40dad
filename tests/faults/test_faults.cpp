// test_faults.cpp - each fault of the collection under the schedules that showed it and a few more: every path agrees,
// and kernels give the values of the collection.
#include <burin/kernel.h>
#include <burin/schedule.h>
#include <burin/verify.h>
#include <fmt/format.h>

#include <map>

#include "error_of.h"
#include "faults/cases.h"
#include "func/algorithm.h"

using namespace burin;

namespace {

using Lines = std::vector<std::string>;

// Everything at root, pure stages vectorised by 4.
std::string all_root(const Algorithm& a) {
    std::string text;
    for (auto& f : a.funcs) {
        text += "stage " + f.name.hint() + "\n";
        if (!a.is_output(f.name)) text += "  compute_root()\n";
        if (f.rank() > 0) text += fmt::format("  vectorize({}, 4)\n", f.vars.back().hint());
    }
    return text;
}

Lines stencil_splits() {
    Lines all;
    for (int factor : {1, 2, 3, 4, 5})
        for (const char* tail : {"guard", "shift_inwards", "auto"})
            all.push_back(
                fmt::format("sp = rfactor(s.update(0), r, {0}, inner, u, in_order)\n"
                            "stage s\n  compute_root()\n  split(x, {0}, {1})\n"
                            "stage sp\n  compute_root()\n"
                            "stage out\n  split(y, {0}, {1})\n",
                            factor, tail));
    return all;
}

const std::map<std::string, Lines>& schedules() {
    static const std::map<std::string, Lines> all = {
        {"H01", stencil_splits()},
        {"H02", {"stage f\n  compute_at(g.update(0), r)\n", "stage g.update(0)\n  unroll(r, 3)\n"}},
        {"H03",
         {"sp = rfactor(s.update(0), r, 4, inner, u, in_order)\nstage sp\n  vectorize(u, 4)\n"
          "stage sp.update(0)\n  vectorize(u, 4)\n",
          "stage s.update(0)\n  reorder(q, r)\n  unroll(r, 4)\n"}},
        {"H05",
         {"stage c\n  split(i, 2, guard)\nstage b\n  compute_at(c, ii)\n",
          "stage c\n  split(i, 3, guard)\nstage b\n  compute_at(c, ii)\n",
          "stage c\n  split(i, 4, guard)\nstage b\n  compute_at(c, ii)\n",
          "stage c\n  split(i, 6, guard)\nstage b\n  compute_at(c, ii)\n"}},
        {"H06",
         {"stage s\n  compute_inline()\nstage o\n  vectorize(c, 4)\n",
          "stage s\n  compute_at(o, y)\nstage o\n  vectorize(c, 4)\n"}},
        {"H07",
         {"cp = rfactor(c.update(0), i, 16, inner, u, tree)\nstage cp\n  vectorize(u, 16)\n"
          "stage cp.update(0)\n  vectorize(u, 16)\n  unroll(io, 2)\n"}},
        {"H08",
         {"stage f\n  store_root()\n  compute_at(g, x)\n  vectorize(x, 4)\n",
          "stage f\n  compute_at(g, xo)\n  vectorize(x, 4)\nstage g\n  split(x, 3)\n"}},
        {"H09",
         {"stage out\n  split(x, 2, guard)\nstage s\n  store_root()\n  compute_at(out, xi)\n",
          "stage out\n  split(x, 2, shift_inwards)\nstage s\n  compute_at(out, xo)\n"}},
        {"H13",
         {"stage out\n  vectorize(x, 8, guard)\n",
          "stage out\n  vectorize(x, 8, shift_inwards)\n"}},
        {"H23", {"stage o\n  vectorize(i, 4, guard)\n"}},
        {"H24", {"stage q\n  vectorize(j, 8, guard)\nstage r\n  vectorize(j, 8, guard)\n"}},
        {"H30",
         {"stage o\n  vectorize(i, 4)\n", "stage o\n  vectorize(i, 8, guard)\n", "stage o\n  unroll(i, 8)\n"}},
        {"H34", {"stage m.update(0)\n  unroll(r, 4)\nstage l.update(0)\n  unroll(r, 8)\n"}},
        {"H35", {"stage m.update(0)\n  unroll(r, 4)\n"}},
        {"H37",
         {"stage m.update(0)\n  unroll(r, 4)\nstage l.update(0)\n  unroll(r, 8)\n",
          "mp = rfactor(m.update(0), r, 4, inner, u, tree)\nstage mp\n  vectorize(u, 4)\n"}},
        {"H46",
         {"stage m\n  compute_at(o, y)\nstage e\n  compute_at(o, y)\n  vectorize(x, 2)\nstage s\n  "
          "compute_at(o, y)\n"}},
        {"H58",
         {"stage f\n  compute_at(g, x)\nstage g\n  vectorize(y, 4)\n",
          "stage f\n  compute_at(g, x)\nstage g\n  vectorize(y, 16)\n"}},
        {"H60",
         {"stage s.update(0)\n  split(r, 4, guard)\nstage f\n  compute_at(s.update(0), ro)\n"}},
    };
    return all;
}

}  // namespace

TEST_CASE("the faults of the collection have their values under every schedule, on every path") {
    for (auto& c : faults::cases()) {
        Pipeline p = parse_pipeline(c.text);
        Lines texts = {"", all_root(p.algorithm())};
        if (auto more = schedules().find(c.id); more != schedules().end())
            texts.insert(texts.end(), more->second.begin(), more->second.end());
        for (auto& text : texts) {
            INFO(c.id << "\n" << c.text << "\n" << text);
            Schedule s = parse_schedule(p, "schedule 1 for " + p.name() + "\n" + text);
            VerifyReport r = verify(p, s, {.calls = 3});
            INFO(to_string(r));
            CHECK(r.ok());
            Kernel k = compile(p, s);
            if (!c.error.empty()) {
                CHECK(error_of([&] { k.call(c.inputs); }).kind() == ErrorKind::Bounds);
                continue;
            }
            Results got = k.call(c.inputs);
            for (int o = 0; o < got.size(); ++o) CHECK(same(got[o], c.expected[size_t(o)]));
        }
    }
}
