// test_bench.cpp - the bench with rivals that are shell scripts: what it writes, and that none of them is its end.
#include <nlohmann/json.hpp>

#include "programs/command_fixture.h"

using namespace burin;

namespace {

struct Fixture : CommandFixture {
    // A rival of that name which answers to a line's first word by these cases, else as it should.
    std::string rival(const std::string& name, const std::string& cases) {
        file(name + ".sh",
             "while read -r verb rest; do\ncase $verb in\n" + cases +
                 "\nhello) echo stand-in 1;;\nmake) echo made;;\ncompile) echo 2.5;;\n"
                 "time) echo 1;;\nrun) for i in $(seq $rest); do printf '7 '; done; echo;;\n"
                 "write) head -c 256 /dev/zero > $rest; echo written;;\n"
                 "*) echo error what;;\nesac\ndone\n");
        return " --rival '" + name + "=sh " + name + ".sh'";
    }
    // A small product beside them.
    nlohmann::json product(const std::string& rivals) {
        Outcome o = burin(
            "bench gemm --size m=4,n=16,k=8 --threads 1 --patience 2 --json out.json" + rivals);
        INFO(o.text);
        REQUIRE(o.status == 0);
        text = o.text;
        return nlohmann::json::parse(read_file(folder / "out.json", 1 << 20));
    }
    std::string text;
};

}  // namespace

TEST_CASE_FIXTURE(
    Fixture, "bench has every number of threads, what the machine can do, and both schedules") {
    Outcome o = burin("bench transpose gemv --size m=33,n=18 --threads 2,1,2 --json -");
    INFO(o.text);
    REQUIRE(o.status == 0);
    auto j = nlohmann::json::parse(o.text);
    REQUIRE(j["rows"].size() == 2 * j["limits"].size());
    for (auto& row : j["rows"]) {
        CHECK(row["sizes"] == "33x18");
        CHECK(row["limit_ms"] > 0);
        CHECK(row["sides"].size() == 2);
        for (auto& side : row["sides"]) {
            CHECK(side["ms"]["min"] <= side["ms"]["median"]);
            CHECK(side["ms"]["median"] <= side["ms"]["max"]);
            CHECK(side["compile_ms"]["median"] > 0);
            CHECK(side["first_ms"] > 0);
        }
        CHECK(row["sides"]["auto"]["values"] != "");
    }
    for (auto& l : j["limits"]) {
        CHECK(l["levels"].size() == 4);
        for (auto& level : l["levels"])
            for (auto* kind : {"read_gbps", "copy_gbps", "stream_gbps"}) CHECK(level[kind] > 0);
    }
    CHECK(j["call_us"]["burin"] > 0);
}

TEST_CASE_FIXTURE(
    Fixture, "a rival that is missing, crashes, hangs or answers nonsense costs its cell alone") {
    const std::pair<std::string, std::string> broken[] = {
        {"hello) echo error no such module;;", "no such module"},
        {"make) exit 1;;", "it has ended"},
        {"make) kill -9 $$;;", "it has ended"},
        {"make) sleep 60;;", "no answer in 8 s"},  // it may take longer than a call
        {"run) sleep 60;;", "no answer in 2 s"},
        {"make) echo error out of luck;;", "out of luck"},
        {"compile) echo fast;;", "\"fast\" is not 1 times"},
        {"compile) echo 1 2;;", "is not 1 times"},
        {"run) echo -1;;", "is not 1 times"},
        {"run) echo nan;;", "is not 1 times"},
        {"write) echo written;;", "No such file"},
        {"write) echo x > $rest; echo written;;", "too short"},
        {"", "its values differ"},
    };
    std::string rivals = " --rival gone=./none";
    int n = 0;
    for (auto& [cases, why] : broken) rivals += rival("r" + std::to_string(n++), cases);
    auto all = product(rivals + rival("other", "make) echo none;;"));
    auto& sides = all["rows"][0]["sides"];
    CHECK(sides["hand"]["ms"]["median"] > 0);
    CHECK(sides["auto"]["ms"]["median"] > 0);
    auto left_out = [&](const std::string& name, const std::string& why) {
        INFO(name << ": " << why);
        CHECK(sides[name]["ms"].is_null());
        std::string said = sides[name]["why"];
        said += all["about"].value(name, "");
        CHECK(said.find(why) != said.npos);
        CHECK(text.find(why) != text.npos);
    };
    left_out("gone", "it has ended");
    for (int i = 0; i < n; ++i) left_out("r" + std::to_string(i), broken[i].second);
    CHECK(sides["other"]["ms"].is_null());  // not meant for it, which is no complaint
    CHECK(text.find("other: no time") == text.npos);
}

TEST_CASE_FIXTURE(Fixture, "a call that takes too long is given up, whosever it is") {
    Outcome o = burin(
        "bench gemm --size m=1024,n=1024,k=1024 --threads 2,1 --patience 2 --json out.json"
        " --rival 'plain=" BURIN_COMMAND " bench --answer plain' --rival 'best=" BURIN_COMMAND
        " bench --answer best'");
    INFO(o.text);
    REQUIRE(o.status == 0);
    auto all = nlohmann::json::parse(read_file(folder / "out.json", 1 << 20));
    REQUIRE(all["rows"].size() == all["limits"].size());
    CHECK(all["rows"][0]["threads"] == 1);
    for (auto& row : all["rows"]) {
        auto& sides = row["sides"];
        CHECK(sides["plain"]["ms"].is_null());
        CHECK(std::string(sides["plain"]["why"]).find("no answer in 2 s") != std::string::npos);
        CHECK(sides["hand"]["ms"]["median"] > 0);
        CHECK(sides["best"]["values"] == "the same bits");
    }
    CHECK(o.text.find("> 2 s") != o.text.npos);
}

TEST_CASE_FIXTURE(Fixture, "the library answers as a rival does") {
    file("lines",
         "hello\nmake nothing 1 :\nmake transpose 2 3 : 0 1\ncompile\nrun 2\ntime 3\nwrite out\n"
         "make transpose x :\nwhat\n");
    Outcome o = burin("bench --answer best < lines");
    INFO(o.text);
    REQUIRE(o.status == 0);
    std::istringstream in(o.text);
    std::vector<std::string> answers;
    for (std::string line; std::getline(in, line);) answers.push_back(line);
    REQUIRE(answers.size() == 9);
    CHECK(answers[0].find("best") != std::string::npos);
    CHECK(answers[1] == "none");
    CHECK(answers[2] == "made");
    for (int i : {3, 4, 5}) CHECK(std::stod(answers[size_t(i)]) > 0);
    CHECK(answers[6] == "written");
    CHECK(read_file(folder / "out", 100).size() == 6 * sizeof(float));
    for (int i : {7, 8}) CHECK(answers[size_t(i)].starts_with("error "));

    o = burin("bench --answer none < lines");
    CHECK(o.text.find("transpose has no schedule none") != o.text.npos);
}

TEST_CASE_FIXTURE(Fixture, "bench refuses files it cannot write and rivals without a command") {
    refuses("bench gemm --json none/out.json", "none");
    refuses("bench gemm --json ''", "an empty name", 2);
    refuses("bench gemm --rival mine", "NAME=COMMAND");
    refuses("bench gemm --rival hand=./mine", "a side hand already");
    refuses("bench gemm --patience 0", "--patience", 2);
    refuses("bench gemm --threads 1,x", "--threads", 2);
}
