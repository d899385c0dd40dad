// names.h - from the names in a directive to what they stand for; each failure names what was
// likely meant.
#pragma once
#include "legal/plan.h"

namespace burin {

// E-schedule; the line of the directive is added by whoever applies it.
inline Error refusal(std::string id, std::string message) {
    return Error(ErrorKind::Schedule, std::move(id), std::move(message));
}

std::string name_of(const FuncDef& f, int def);            // "c" or "c.update(0)"
std::vector<std::string> stage_names(const Algorithm& a);  // of every definition, in order
int find_func(const Algorithm& a, const std::string& name);
// The definition meant: a bare Func is its pure stage for loops, its last one as a place.
int find_def(const FuncDef& f, const StageName& s, bool as_place = false);

std::vector<std::string> loop_names(const StagePlan& s);  // outermost first
const LoopPlan& find_loop(const Algorithm& a, const StagePlan& s, const std::string& name);
// `base`, numbered if a loop of the stage, present or past, a size or a parameter has that name.
std::string free_loop_name(const Algorithm& a, const StagePlan& s, const std::string& base);

std::string known_name(const Expr& e);        // of a bare name; empty if it is none
StageName stage_of(const DirectiveArg& arg);  // of a bare name or f.update(n)
DirectiveArg as_arg(const StageName& s);
StageName parse_stage_name(const std::string& text);

}  // namespace burin
