// parts.h - the decisions of author.cpp, each in a file of its own name.
#pragma once
#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "author/author.h"

namespace burin {

inline std::vector<Expr> expressions_of(const Definition& def) {
    std::vector<Expr> all;
    for_each_expr(def, [&](const Expr& e) { all.push_back(e); });
    return all;
}

// Lanes of the widest type that the definition computes with; the same on every machine.
int lanes_of(const FuncDef& f, const Definition& def);
// An operator's update that adds a term of the domain to one point at a time: its sums can stay in registers.
bool is_accumulation(const FuncDef& f, const Definition& def);
constexpr int vectors_along = 4;  // registers of a block of sums, in each of its rows

// inlining.cpp: computed where they are read.
std::vector<bool> inlined_funcs(const Algorithm& a);

// groups.cpp: a Func at the root, and those that are computed for a tile of it at a time.
struct Group {
    int head = -1;
    std::vector<int> tiled;    // coordinates of the head that tiles split; empty: it has no members
    std::vector<int> members;  // producers before readers
};
// Of an algorithm in which what is inlined is gone (`inlined` says of which Funcs).
std::vector<Group> groups(const Algorithm& a, const std::vector<bool>& inlined);

// packing.cpp: the inputs to be copied into panels as wide as a block of sums.
struct Panel {
    std::string name, input, reader;
    int column = -1;               // these are coordinates of the input: across the panel,
    std::vector<int> down, which;  // down it, and which matrix it is
    int lanes = 0;
};
std::vector<Panel> panels(const Algorithm& a);
std::string edit_line(const Panel& p);
std::string stage_lines(const Panel& p);

// row_parts.cpp: reductions along rows that may take any order, in parts.
struct RowParts {
    std::string name, func, domain;  // the name of the parts; the reduction; its loop
    std::vector<std::string> loops;  // of the reduction's own coordinates
    int lanes;
};
// Of an algorithm in which what is inlined is gone.
std::vector<RowParts> row_parts(const Algorithm& a);
std::string edit_line(const RowParts& p);
std::string stage_lines(const RowParts& p, bool at_root);

// loops.cpp: how far apart the points are that lanes along v touch.
enum class Stride { None, One, Far };
Stride stride(const std::vector<Expr>& args, Symbol v);

// loops.cpp: the lines of one stage. `tiled`: coordinates that are split for members.
// Whether all updates walk along the last coordinate: row beside row they are vectors if f, computed for a tile of its
// reader, is stored with the last two coordinates in each other's place.
bool is_turned(const FuncDef& f);
struct PureLines {
    std::string text, place;  // place: the loop to compute the members at; empty: none
};
// reads_turned: some member is turned, so a square of it is read before the next.
PureLines pure_lines(const FuncDef& f, const std::vector<int>& tiled, bool at_root,
                     bool reads_turned = false);
std::string update_lines(const FuncDef& f, int def, bool at_root, bool registers);

}  // namespace burin
