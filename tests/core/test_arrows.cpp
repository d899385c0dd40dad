// test_arrows.cpp - who may include whom. A layer includes only itself and the layers before it.
#include <doctest/doctest.h>

#include <map>
#include <optional>

#include "core/tree.h"

namespace {

// In order; what stands later may include what stands earlier.
const std::vector<std::string> layers = {
    "src/base",  "src/ir",      "src/arith", "src/func", "src/legal",  "src/author",
    "src/lower", "src/codegen", "jit",       "dsl",      "src/report", "src/grad",
    "schedules", "src/graph",   "src/tune",  "capi",     "tools"};
constexpr int above_all = 1000;  // tests, tutorials, bench, packaging
constexpr int emulator = 2000;  // cuemu: knows src/base alone, and only the tests and tools know it

struct Include {
    std::string from,
        to;  // paths in the tree; `to` is the text itself if it is no file of the tree
    int line;
};

std::vector<Include> includes(const std::vector<tree::File>& files) {
    std::vector<Include> found;
    for (auto& f : files) {
        if (!tree::is_source(f.path)) continue;
        for (int i = 0; i < int(f.lines.size()); ++i) {
            auto& line = f.lines[i];
            if (!line.starts_with("#include ")) continue;
            auto open = line.find_first_of("<\""), close = line.find_first_of(">\"", open + 1);
            auto to = line.substr(open + 1, close - open - 1);
            auto own = tree::fs::path(f.path).parent_path() / to;
            for (tree::fs::path at : {"include" / tree::fs::path(to), "src" / tree::fs::path(to),
                                      tree::fs::path(to), "tests" / tree::fs::path(to), own})
                if (tree::fs::exists(tree::root / at)) {
                    to = at.lexically_normal().generic_string();
                    break;
                }
            found.push_back({f.path, to, i + 1});
        }
    }
    return found;
}

bool under(const std::string& path, const std::string& folder) {
    return path.starts_with(folder + "/");
}

std::optional<int> layer_of_folder(const std::string& path) {
    for (int i = 0; i < int(layers.size()); ++i)
        if (under(path, layers[i])) return i;
    if (under(path, "cuemu")) return emulator;
    for (const char* user : {"tests", "tutorials", "bench", "packaging"})
        if (under(path, user)) return above_all;
    return {};
}

// A public header belongs to the lowest layer with a .cpp of its name that opens with it; one without such a .cpp is as
// high as the highest of its includes.
std::map<std::string, int> owners(const std::vector<Include>& all) {
    std::map<std::string, int> owner;
    std::string last;
    for (auto& i : all) {
        bool opens = i.from != last;
        last = i.from;
        auto layer = layer_of_folder(i.from);
        if (!opens || !layer || !under(i.to, "include") ||
            tree::fs::path(i.from).stem() != tree::fs::path(i.to).stem())
            continue;
        auto [at, fresh] = owner.try_emplace(i.to, *layer);
        at->second = std::min(at->second, *layer);
    }
    const auto owned = owner;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto& i : all) {
            if (!under(i.from, "include") || owned.contains(i.from) || !under(i.to, "include"))
                continue;
            int at_least = owner[i.to];
            changed |= owner[i.from] < at_least;
            owner[i.from] = std::max(owner[i.from], at_least);
        }
    }
    return owner;
}

std::optional<int> layer_of(const std::string& path, const std::map<std::string, int>& owner) {
    if (!under(path, "include")) return layer_of_folder(path);
    auto at = owner.find(path);
    return at == owner.end() ? 0 : at->second;
}

bool may_include(int from, int to) {
    if (from == to || from == above_all) return true;
    if (from == emulator) return to == 0;
    return to < from;
}

bool is_llvm(const std::string& to) {
    return to.starts_with("llvm/") || to.starts_with("llvm-c/") || to == "src/codegen/llvm.h";
}
bool sees_llvm(const std::string& path) {
    return under(path, "src/codegen") ||
           (under(path, "jit") && path.find('/', 4) == std::string::npos);
}
bool is_cuda(const std::string& to) { return to.starts_with("cuda") || to.starts_with("nvrtc"); }

}  // namespace

TEST_CASE("every #include follows the arrows between the layers") {
    auto all = includes(tree::files());
    REQUIRE(all.size() > 20);
    auto owner = owners(all);
    for (auto& i : all) {
        auto from = layer_of(i.from, owner), to = layer_of(i.to, owner);
        if (!to) continue;
        INFO(i.from << ":" << i.line << " includes " << i.to);
        REQUIRE(from);
        CHECK(may_include(*from, *to));
    }
}

TEST_CASE("the rule for arrows refuses what it should") {
    std::map<std::string, int> owner =
        owners({{"src/base/type.cpp", "include/burin/type.h", 1},
                {"src/func/func.cpp", "include/burin/func.h", 1},
                {"src/lower/func.cpp", "src/lower/func.h", 1},
                {"src/lower/func.cpp", "include/burin/func.h", 2},
                {"include/burin/sugar.h", "include/burin/func.h", 1}});
    auto allowed = [&](const char* from, const char* to) {
        return may_include(layer_of(from, owner).value(), layer_of(to, owner).value());
    };
    CHECK(allowed("src/lower/a.cpp", "src/ir/nodes.h"));
    CHECK_FALSE(allowed("src/ir/a.h", "src/lower/a.h"));
    CHECK_FALSE(allowed("src/codegen/a.cpp", "jit/orc.h"));
    CHECK(allowed("src/base/type.cpp", "include/burin/type.h"));
    CHECK_FALSE(allowed("src/base/a.cpp", "include/burin/func.h"));
    CHECK_FALSE(allowed("include/burin/type.h", "include/burin/func.h"));
    CHECK_FALSE(allowed("src/base/a.cpp", "include/burin/sugar.h"));  // as high as func.h
    CHECK(allowed("src/legal/a.cpp", "include/burin/sugar.h"));
    CHECK(allowed("tutorials/01_hello.cpp", "include/burin/func.h"));
    CHECK(allowed("cuemu/a.cpp", "src/base/a.h"));
    CHECK_FALSE(allowed("cuemu/a.cpp", "src/ir/nodes.h"));
}

TEST_CASE("LLVM headers are included in src/codegen and jit alone") {
    for (auto& i : includes(tree::files()))
        if (is_llvm(i.to)) {
            INFO(i.from << ":" << i.line << " includes " << i.to);
            CHECK(sees_llvm(i.from));
        }
    CHECK(sees_llvm("jit/orc.cpp"));
    CHECK_FALSE(sees_llvm("jit/host/par_for.cpp"));
    CHECK_FALSE(sees_llvm("src/lower/pipeline.cpp"));
}

TEST_CASE("CUDA headers and types stay in the files jit/cuda*") {
    const std::vector<std::string> types = {"CUcontext", "CUmodule",   "CUfunction", "CUstream",
                                            "CUevent",   "CUgraph",    "CUdevice",   "CUdeviceptr",
                                            "CUresult",  "CUgraphExec"};
    for (auto& f : tree::files()) {
        if (!tree::is_source(f.path) || f.path.starts_with("jit/cuda") || under(f.path, "cuemu") ||
            under(f.path, "tests"))
            continue;
        for (int i = 0; i < int(f.lines.size()); ++i) {
            INFO(f.path << ":" << i + 1);
            for (auto& type : types) CHECK_FALSE(tree::has_word(f.lines[i], type));
        }
    }
    for (auto& i : includes(tree::files())) {
        INFO(i.from << ":" << i.line << " includes " << i.to);
        CHECK_FALSE((is_cuda(i.to) && !i.from.starts_with("jit/cuda")));
    }
}

TEST_CASE("public headers include public headers and the system's, nothing private") {
    for (auto& i : includes(tree::files()))
        if (under(i.from, "include") && tree::fs::exists(tree::root / i.to)) {
            INFO(i.from << ":" << i.line << " includes " << i.to);
            CHECK(under(i.to, "include"));
        }
}

TEST_CASE("tutorials include public headers alone") {
    for (auto& i : includes(tree::files()))
        if (under(i.from, "tutorials") && tree::fs::exists(tree::root / i.to)) {
            INFO(i.from << ":" << i.line << " includes " << i.to);
            CHECK((under(i.to, "include") || under(i.to, "tutorials")));
        }
}
