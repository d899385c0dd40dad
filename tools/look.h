// look.h - the loops of a program and what they cost, as show and watch tell it.
#pragma once
#include <string>
#include <vector>

#include "report/loop_nest.h"
#include "report/stages.h"
#include "tools/job.h"

namespace burin {

State after_pass(const ToolProgram& program, const std::string& pass);
State at_nest(
    const ToolProgram& program);  // after the last pass that still speaks of Funcs and their points

std::string explained(const std::vector<NestLine>& nest);  // each line with its why, as a comment
std::string table(const std::vector<StageFigures>& stages);

}  // namespace burin
