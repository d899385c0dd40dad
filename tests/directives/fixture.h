// fixture.h - what is asked of every directive: the loops it makes, the values, what it refuses.
#pragma once
#include <burin/arg.h>
#include <burin/error.h>
#include <burin/pipeline.h>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace burin::directives {

enum class Program {
    Copy,     // one pure stage g
    Stencil,  // g(y, x) reads two points of f, whose rows start at -5; both pure
    Product,  // c = a * b, an update over r that runs over 7 elements
    Diamond   // g reads f and e, which reads f
};
Pipeline pipeline(Program p);

// The loops, once regions are known, under the lines of a schedule: "stage g\nsplit(y, 4)\n".
std::string shape(Program p, const std::string& lines);
void has_shape(Program p, const std::string& lines, const std::string& expected);
// The loops after a pass; "": after the last.
std::string text_after(Program p, const std::string& lines, const std::string& pass);
// For long ones: tests/golden/<name>.txt, rewritten where BURIN_BLESS=1.
void has_golden_shape(Program p, const std::string& lines, const std::string& name);

// Kernel and definition (of the algorithm with the edits applied) agree to the bit for
// 0, 1, factor - 1, factor, factor + 1 and 13 rows and columns.
void is_right(Program p, const std::string& lines, int factor);

Error refusal_of(Program p, const std::string& lines);
void refuses(Program p, const std::string& lines, const std::string& id,
             const std::string& message);

// The same of a pipeline p that is written out.
std::string shape(const std::string& pipeline, const std::string& lines);
Error refusal_of(const std::string& pipeline, const std::string& lines);
void refuses(const std::string& pipeline, const std::string& lines, const std::string& id,
             const std::string& message);
// Every path agrees with the definition, on calls of all kinds of sizes.
void agrees(const std::string& pipeline, const std::string& lines);
// The points of each stage that such a call computes, "f 120, g 80"; every path agrees, too.
std::string points(const std::string& pipeline, const std::string& lines,
                   const std::vector<Arg>& args);

}  // namespace burin::directives
