// look.h - the loops of a program and what they cost, as show and watch tell it.
#pragma once
#include <string>
#include <vector>

#include "report/loop_nest.h"
#include "report/stages.h"
#include "tools/job.h"

namespace burin {

// Of a schedule with specialize all that follows tells each variant, after a line that says which calls are its.
std::string after_pass(const ToolProgram& program, const std::string& pass);
// After the last pass that still speaks of Funcs and their points.
std::vector<NestLine> nest_of(const ToolProgram& program);

struct VariantFigures {
    std::string where;  // "where k == 3"; empty: the schedule has no variants
    std::vector<StageFigures> stages;
};
std::vector<VariantFigures> figures_of(const ToolProgram& program);

std::string explained(const std::vector<NestLine>& nest);  // each line with its why, as a comment
std::string table(const std::vector<StageFigures>& stages);

}  // namespace burin
