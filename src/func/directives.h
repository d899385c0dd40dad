// directives.h - a schedule as data, in the shape of its text form: edits, then per-stage lists of
// directives. What a directive means is legal/replay.h's business; here it only has a name,
// arguments and results.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "func/algorithm.h"

namespace burin {

struct StageName {  // "f" or "f.update(0)"
    std::string func;
    int update = -1;  // -1: the bare Func
    friend bool operator==(const StageName&, const StageName&) = default;
};
std::string to_string(const StageName& s);
Expr as_index_text(const Expr& e);  // as an argument: bare names and numbers, all of them Index

// A name alone (a loop, a stage, an enumerator) is an Expr that is a Var of that name.
// Arithmetic on numbers is Index, whatever types it had where it was written.
struct DirectiveArg {
    std::variant<Expr, StageName, std::vector<DirectiveArg>, std::string> v;
    std::vector<DirectiveArg> arrow;  // of a list: [k, j] -> [j / 32, k, j % 32]; empty: none
};

struct Directive {
    std::string verb;  // "split"
    std::vector<DirectiveArg> args;
    std::vector<std::string> results;   // names given on the left of =
    Where where;                        // not part of equality
    std::vector<Directive> lines = {};  // of specialize: what stands in its braces
};
// As in the text form, "yo, yi = split(y, 32, guard)", without what stands in braces.
std::string to_string(const Directive& d);
bool same(const Directive& a, const Directive& b);

struct StageDirectives {
    StageName stage;
    std::vector<Directive> lines;
};

struct Directives {
    std::string pipeline;         // the name after "for"
    std::optional<Hash128> hash;  // of the algorithm it was written for
    std::vector<Directive> edits;
    std::vector<StageDirectives> stages;  // a stage appears once
};
std::string to_string(const Directives& d);  // the text form; parse_directives reads it back
// E-value for what does not follow the grammar, E-resource for a text that is too long or too deep.
Directives parse_directives(std::string_view text, const std::string& file = "");
// "blur_x.compute_at(blur_y, x)"; an edit, "bp = cache_read(b, [c])", has no stage.
std::pair<StageName, Directive> parse_on_stage(std::string_view text);
bool same(const Directives& a,
          const Directives& b);  // per-stage lists, whatever the order of stages

}  // namespace burin
