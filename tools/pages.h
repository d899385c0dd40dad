// pages.h - a page for each error id: why it is one, a program that provokes it, what works instead.
//
// Pages are written in pages_*.cpp as text:
//
//   == ID [ID...]                 a page; several ids share one
//   words                         why
//   -- burin                      a block: the lines that follow, until the next -- or ==
//   -- instead sched              what works: replaces the block of that kind
//
// Blocks: `burin` an algorithm (`-- burin NAME`: the one of `== program NAME`), `sched` a schedule without its first
// line, `call` the options of `burin run`, `command` the arguments of burin, `c++` statements after the names of
// c_plus_plus_names. A page without blocks tells in words where its error comes from.
#pragma once
#include <burin/error.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace burin {

struct ErrorPage {
    std::vector<std::string> ids;
    std::string why;
    std::map<std::string, std::string> example, instead;  // kind of block -> text
};

const std::vector<ErrorPage>& pages();
const ErrorPage* page_of(const std::string& id);  // or null
std::vector<std::string> page_ids();              // sorted

extern const char* const c_plus_plus_names;  // what stands before a c++ block

// The error that a page's algorithm, schedule and call give, or those with what works instead; nothing if they give
// none, or if there is no algorithm.
std::optional<Error> provoke(const ErrorPage& page, bool instead = false);

}  // namespace burin
