// answers.h - the lines that a rival written in C++ reads and answers; bench/README.md has them.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rival {

using Sizes = std::vector<int>;
using Ranges = std::vector<std::pair<double, double>>;  // of the inputs' numbers

struct Side {
    std::function<void()> call;
    std::vector<std::pair<const void*, size_t>> outputs;  // where they lie, in bytes
    double compile_ms = 0;
};

struct Rival {
    std::string about;
    std::function<bool(const std::string& name)> knows;
    std::function<Side(const std::string& name, const Sizes&, const Ranges&)> make;
};

template <class F>
double ms_of(const F& f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

// The median of up to five, one second in all.
template <class F>
double median_ms(const F& f) {
    std::vector<double> ms;
    for (double all = 0; ms.empty() || (ms.size() < 5 && all < 1000); all += ms.back())
        ms.push_back(ms_of(f));
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

inline std::string answer(const Rival& rival, const std::string& line, Side& now) {
    std::istringstream in(line);
    std::ostringstream out;
    std::string verb, word;
    in >> verb >> word;
    if (verb == "hello") return rival.about;
    if (verb == "make") {
        if (!rival.knows(word)) return "none";
        Sizes sizes;
        Ranges ranges;
        for (std::string w; in >> w && w != ":";) sizes.push_back(std::stoi(w));
        for (double lo, hi; in >> lo >> hi;) ranges.emplace_back(lo, hi);
        now = {};  // before there are two of them
        now = rival.make(word, sizes, ranges);
        return "made";
    }
    if (!now.call) throw std::runtime_error("nothing was made");
    if (verb == "compile") {
        out << now.compile_ms;
    } else if (verb == "run") {
        for (int i = std::stoi(word); i > 0; --i) out << ms_of(now.call) << ' ';
    } else if (verb == "time") {
        int n = std::stoi(word);
        out << ms_of([&] {
                   for (int i = 0; i < n; ++i) now.call();
               }) / n;
    } else if (verb == "write") {
        std::ofstream file(word, std::ios::binary);
        for (auto& [from, bytes] : now.outputs)
            file.write(static_cast<const char*>(from), std::streamsize(bytes));
        if (!file.flush()) throw std::runtime_error("cannot write " + word);
        out << "written";
    } else {
        throw std::runtime_error("not understood: " + line);
    }
    return out.str();
}

inline void answer_all(const Rival& rival) {
    Side now;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::cout << answer(rival, line, now) << std::endl;
        } catch (const std::exception& e) {  // the next line may fare better
            std::string what = e.what();
            std::replace(what.begin(), what.end(), '\n', ' ');
            std::cout << "error " << what << std::endl;
        }
    }
}

}  // namespace rival
