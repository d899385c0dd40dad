// c_plus_plus_pages.h - the C++ blocks of the pages of errors, compiled (c_plus_plus_pages.awk).
#pragma once
#include <vector>

struct PageOfCode {
    const char* id;
    bool instead;  // what works, not what is an error
    void (*run)();
};
extern const std::vector<PageOfCode> pages_of_code;
