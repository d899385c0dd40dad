// test_tool.cpp - burin::tool: the command for a program's own pipelines; completion and help of both.
#include <burin/tool.h>

#include <nlohmann/json.hpp>

#include "programs/command_fixture.h"

using namespace burin;

namespace {

struct Fixture : CommandFixture {
    Outcome own(const std::string& arguments) { return run(OWN_TOOL, arguments); }

    // What may come next, one a line.
    std::string next(const std::string& words) { return burin("--complete " + words).text; }
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a program's own pipelines are listed, run, shown and verified") {
    Outcome o = own("list");
    CHECK(o.status == 0);
    CHECK(has(o.text, "sums of two; h=30,w=40"));
    CHECK(has(o.text, "*wide       eight at once"));
    CHECK_FALSE(has(o.text, "blur3x3"));
    auto j = nlohmann::json::parse(own("run sums --json").text);
    CHECK(j["schedule"] == "wide");
    CHECK(j["sizes"]["h"] == 30);
    CHECK(j["bit_equal"] == true);
    CHECK(own("run doubled --size h=5,w=7 --schedule plain").status == 0);
    CHECK(has(own("show sums").text, "vectorized for rows.xi"));
    CHECK(has(own("show sums").text, "main.cpp:"));  // the lines of the schedule are C++
    CHECK(own("verify sums --calls 2").status == 0);
    CHECK(own("doctor").status == 0);
    file("p.burin", "pipeline p(in: f32[n]) -> o[n]\no(x) = in(x)\n");
    CHECK(own("run p.burin --size n=4").status == 0);
}

TEST_CASE_FIXTURE(Fixture, "it has its own name, no demo and no bench, and the same refusals") {
    CHECK(has(own("--help").text, "own_tool list"));
    CHECK(own("bench sums").status == 2);
    CHECK(own("demo").status == 2);
    Outcome o = own("run sum");
    CHECK(o.status == 1);
    CHECK(has(o.text, "did you mean sums?"));
    CHECK(has(own("run sums --schedule wid").text, "did you mean wide?"));
    CHECK(own("rum sums").status == 2);
    CHECK(own("list >/dev/full").status == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "each command's help has examples, and the whole one groups and exit codes") {
    std::string help = burin("--help").text;
    for (auto* part : {"Run:", "See:", "Check:", "Write:", "Exit status:", "  2  "})
        CHECK(has(help, part));
    for (auto* c : {"demo", "run", "watch", "list", "show", "verify", "bench", "doctor", "explain",
                    "fmt", "completion"}) {
        INFO(c);
        CHECK(has(help, std::string("\n  ") + c + " "));
        Outcome o = burin(std::string(c) + " --help");
        CHECK(o.status == 0);
        CHECK(has(o.text, "Examples:\n  burin " + std::string(c)));
    }
}

TEST_CASE_FIXTURE(Fixture, "commands, options and names are completed") {
    CHECK(next("''") == burin("--complete").text);
    CHECK(has(next("''"), "run\n"));
    CHECK(next("ve") == "verify\n");
    CHECK(next("run blur3x3_") == "blur3x3_u16\n");
    CHECK(has(next("run blur3x3 --schedule ''"), "plain\nroot\nrows\n"));
    CHECK(next("run blur3x3 --sch") == "--schedule\n");
    CHECK(next("run blur3x3 --size ''") == "h=\nw=\n");
    CHECK(next("show gemm --what pass:vec") == "pass:vectorize_loops\n");
    CHECK(next("explain compute-at-v") == "compute-at-vectorized\n");
    CHECK(next("completion f") == "fish\n");
    CHECK(next("demo --only d") == "dense_gelu\n");
    CHECK(next("rum ''") == "");
    CHECK(next("run gemm --threads ''") == "");
    file("own.burin", "");
    file("a.sched", "");
    file("b.png", "");
    std::filesystem::create_directory(folder / "sub");
    file("sub/c.burin", "");
    CHECK(next("run ow") == "own.burin\n");
    CHECK(next("run sub") == "sub/\n");
    CHECK(next("run sub/") == "sub/c.burin\n");
    CHECK(next("run own.burin --schedule a") == "a.sched\n");
    CHECK(next("fmt own.burin a") == "a.sched\n");
    CHECK(next("watch own.burin a") == "a.sched\n");
    CHECK(next("run none/") == "");
}

TEST_CASE_FIXTURE(Fixture, "bash completes with the script, also behind = and :") {
    file("burin.bash", burin("completion bash").text);
    auto completed = [&](const std::string& line) {
        file("try.bash", "burin() { " BURIN_COMMAND
                         " \"$@\"; }\nsource burin.bash\ncompopt() { :; }\n"
                         "COMP_LINE='" +
                             line + "' COMP_POINT=" + std::to_string(line.size()) +
                             "\n_burin_complete\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
        return run("bash try.bash", "").text;
    };
    CHECK(completed("burin ver") == "verify\n");
    CHECK(completed("burin run blur3x3_") == "blur3x3_u16\n");
    CHECK(completed("burin show gemm --what pass:vec") == "vectorize_loops\n");
    CHECK(completed("burin run blur3x3 --schedule row") == "rows\n");
    CHECK(burin("completion csh").status == 2);
    for (auto* shell : {"zsh", "fish"}) {
        Outcome o = burin(std::string("completion ") + shell);
        CHECK(o.status == 0);
        CHECK(has(o.text, "burin"));
        CHECK_FALSE(has(o.text, "PROGRAM"));
    }
}
