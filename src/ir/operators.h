// operators.h - the infix operators of the text forms and how strongly they bind, as in C++.
#pragma once
#include <string_view>

namespace burin {

struct Infix {
    std::string_view text;
    int level;  // a higher one binds more strongly; operators of one level group from the left
};
constexpr Infix infix_operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},
                                     {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},
                                     {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9},  {"-", 9},
                                     {"*", 10}, {"/", 10}, {"%", 10}};
constexpr int prefix_level = 11;

constexpr int level_of(std::string_view op) {  // 0: no infix operator
    for (auto& o : infix_operators)
        if (o.text == op) return o.level;
    return 0;
}

}  // namespace burin
