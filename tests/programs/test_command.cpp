// test_command.cpp - the burin command as a user meets it: what it prints, what it refuses, and its exit status.
#include <burin/io.h>
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "temp_folder.h"

using namespace burin;

namespace {

struct Outcome {
    int status;
    std::string text;  // both streams
};

struct Fixture {
    TempFolder folder;

    // In the folder, by the shell: arguments are words that need no quotes, but for those who want them.
    Outcome burin(const std::string& arguments) {
        std::string line = "cd " + folder.path() + " && " BURIN_COMMAND " " + arguments + " 2>&1";
        FILE* pipe = popen(line.c_str(), "r");
        REQUIRE(pipe);
        std::string text;
        char part[4096];
        while (size_t n = fread(part, 1, sizeof part, pipe)) text.append(part, n);
        int status = pclose(pipe);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
    }
    void file(const std::string& name, const std::string& text) { write_file(folder / name, text); }

    // Refused with that status, naming the culprit, and the folder is as it was.
    void refuses(const std::string& arguments, const std::string& culprit, int status = 1) {
        auto before = folder.files();
        Outcome o = burin(arguments);
        INFO("burin " << arguments << "\n" << o.text);
        CHECK(o.status == status);
        CHECK(o.text.find(culprit) != std::string::npos);
        CHECK(o.text.find("internal") == std::string::npos);
        CHECK(folder.files() == before);
    }
};

const char* twice = "pipeline twice(in: f32[h, w]) -> out[h, w]\nout(y, x) = in(y, x) * 2.0\n";

}  // namespace

TEST_CASE_FIXTURE(Fixture, "run prints every figure as JSON and finds the result right") {
    Outcome o = burin("run blur3x3 --size h=66,w=130 --threads 2 --json");
    INFO(o.text);
    REQUIRE(o.status == 0);
    auto j = nlohmann::json::parse(o.text);
    CHECK(j["pipeline"] == "blur3x3");
    CHECK(j["schedule"] == "rows");
    CHECK(j["sizes"]["h"] == 66);
    CHECK(j["threads"] == 2);
    CHECK(j["bit_equal"] == true);
    CHECK(j["ulp_from_algorithm"] == 0);
    CHECK(j["ms"]["min"] <= j["ms"]["median"]);
    CHECK(j["ms"]["median"] <= j["ms"]["max"]);
    CHECK(j["ms"]["n"] >= 1);
    CHECK(j["gflops"] > 0);
    CHECK(j["gbps"] > 0);
    CHECK(j["compile_ms"]["total"] >= j["compile_ms"]["lower"]);
    CHECK(j["peak_bytes"] > 0);
    CHECK(j.contains("target"));
}

TEST_CASE_FIXTURE(Fixture, "an empty output is computed, and takes no work") {
    CHECK(burin("run blur3x3 --size h=2,w=2").status == 0);
    CHECK(burin("run gemm --size m=0,n=5,k=3").status == 0);
    CHECK(burin("run gemm --size m=4,n=5,k=0").status == 0);
}

TEST_CASE_FIXTURE(Fixture, "run takes algorithm, schedule and data from files and writes what it is asked for") {
    file("twice.burin", twice);
    file("rows.sched", "schedule 1 for twice\nstage out\n  yo, yi = split(y, 4)\n  parallel(yo)\n  vectorize(x, 8)\n");
    Buffer<float> in({5, 9});
    in(4, 8) = 1.25f;
    save_npy(folder / "in.npy", in);
    Outcome o = burin("run ./twice.burin --schedule rows.sched --in in=in.npy --out out=out.npy");
    INFO(o.text);
    REQUIRE(o.status == 0);
    Buffer<float> out = load_npy(folder / "out.npy");
    CHECK(out.extent(0) == 5);
    CHECK(out.extent(1) == 9);
    CHECK(out(4, 8) == 2.5f);
    CHECK(out(0, 0) == 0.0f);
}

TEST_CASE_FIXTURE(Fixture, "a picture is fitted to its input, and it is said") {
    Buffer<uint8_t> picture({3, 20, 30});
    picture.fill(100);
    save_png(folder / "a.png", picture);
    Outcome o = burin("run blur3x3 --in in=a.png --out blur_y=b.png");
    INFO(o.text);
    REQUIRE(o.status == 0);
    CHECK(o.text.find("luminance") != std::string::npos);
    CHECK(o.text.find("rounded to u8") != std::string::npos);
    Image out = load_png(folder / "b.png");
    CHECK(out.pixels.extent(1) == 18);
    CHECK(out.pixels(0, 0, 0) == 100);
}

TEST_CASE_FIXTURE(Fixture, "a program can be seen at every step") {
    for (const char* what : {"nest", "ir", "pass:vectorize_loops", "llvm", "asm"}) {
        Outcome o = burin(std::string("show blur3x3 --what ") + what);
        INFO(what << "\n" << o.text);
        CHECK(o.status == 0);
        CHECK(o.text.size() > 100);
    }
    CHECK(burin("show blur3x3").text.find("parallel for blur_y.yo in 0 .. (h + 29) / 32:") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "list, doctor, verify and the help succeed") {
    CHECK(burin("list").text.find("dense_gelu") != std::string::npos);
    CHECK(nlohmann::json::parse(burin("list --json").text).size() >= 5);
    CHECK(burin("doctor").status == 0);
    CHECK(burin("verify blur3x3_u16 --calls 3").status == 0);
    CHECK(burin("--help").status == 0);
    CHECK(burin("run --help").status == 0);
}

TEST_CASE_FIXTURE(Fixture, "wrong names are refused with the nearest one") {
    refuses("run blur3x4", "did you mean blur3x3?");
    refuses("run blur3x3 --schedule row", "did you mean rows?");
    refuses("run gemm --size q=3", "--size q=3");
    refuses("run blur3x3 --size hh=3", "did you mean h?");
    refuses("run blur3x3 --in inn=a.npy", "did you mean in?");
    refuses("run blur3x3 --out blur_z=a.npy", "did you mean blur_y?");
    refuses("run blur3x3 --set p=1", "--set p=1");
    refuses("run blur3x3 --target x87", "x87");
    refuses("show blur3x3 --what nst", "did you mean nest?");
    refuses("show blur3x3 --what pass:vectorise_loops", "did you mean vectorize_loops?");
    refuses("bench gem", "did you mean gemm?");
    refuses("rum blur3x3", "did you mean run?", 2);
    refuses("run blur3x3 --threats 2", "--threats", 2);
}

TEST_CASE_FIXTURE(Fixture, "wrong values are refused before anything is written") {
    refuses("", "subcommand", 2);
    refuses("run", "what", 2);
    refuses("run blur3x3 --threads 0", "--threads", 2);
    refuses("run blur3x3 --size h=", "no value for h");
    refuses("run blur3x3 --size =4", "no name");
    refuses("run blur3x3 --size h", "h");
    refuses("run blur3x3 --size h=4.5", "h=4.5");
    refuses("run blur3x3 --size h=99999999999999999999", "h=99999999999999999999");
    refuses("run blur3x3 --size h=-3", "h=-3");
    refuses("run blur3x3 --size h=3,h=4", "h twice");
    refuses("run blur3x3 --size h=1,w=1 --out blur_y=a.npy", "h");
    refuses("run blur3x3 --size h=4611686018427387904 --out blur_y=a.npy", "4611686018427387904");
    refuses("run blur3x3 --out blur_y=a.txt", "a.txt");
    refuses("run blur3x3 --out blur_y=none/a.npy", "none/a.npy");
    refuses("run gemm --size m=4,n=4,k=4 --in a=a.npy", "a.npy");
}

TEST_CASE_FIXTURE(Fixture, "data of a wrong type, rank or shape is refused") {
    save_npy(folder / "u8.npy", Buffer<uint8_t>({6, 7}));
    save_npy(folder / "rank.npy", Buffer<float>({6}));
    save_npy(folder / "a.npy", Buffer<float>({6, 7}));
    save_npy(folder / "b.npy", Buffer<float>({8, 5}));
    refuses("run blur3x3 --in in=u8.npy --out blur_y=o.npy", "u8");
    refuses("run blur3x3 --in in=rank.npy --out blur_y=o.npy", "in");
    refuses("run gemm --in a=a.npy --in b=b.npy --out c=o.npy", "k");
    refuses("run blur3x3 --in in=a.npy --size h=9 --out blur_y=o.npy", "h");
}

TEST_CASE_FIXTURE(Fixture, "pictures that are none are refused") {
    Buffer<uint8_t> picture({3, 8, 8});
    save_png(folder / "good.png", picture);
    std::string good = read_file(folder / "good.png", 1 << 20);
    file("empty.png", "");
    file("text.png", "no picture at all");
    file("short.png", good.substr(0, good.size() / 2));
    for (const char* name : {"missing.png", "empty.png", "text.png", "short.png"}) {
        refuses(std::string("demo ") + name, name);
        refuses(std::string("run unsharp --out output=o.png --in in=") + name, name);
    }
    save_npy(folder / "flat.npy", Buffer<float>({4}));
    file("one.burin", "pipeline one(in: f32[n]) -> out[n]\nout(x) = in(x)\n");
    refuses("run one.burin --in in=flat.npy --out out=o.png", "picture");
}

TEST_CASE_FIXTURE(Fixture, "files that are no algorithm or no schedule are refused") {
    file("twice.burin", twice);
    file("empty.burin", "");
    file("binary.burin", std::string("\x7f""ELF\0\1\2\3", 8));
    file("cut.burin", std::string(twice).substr(0, 60));
    file("deep.burin", "pipeline deep(in: f32[n]) -> out[n]\nout(x) = " + std::string(200'000, '(') + "\n");
    for (const char* name : {"missing.burin", "empty.burin", "binary.burin", "cut.burin", "deep.burin"})
        refuses(std::string("run ") + name, name);
    file("empty.sched", "");
    file("binary.sched", std::string("\0\1\2\3", 4));
    file("other.sched", "schedule 1 for thrice\n");
    file("illegal.sched", "schedule 1 for twice\nstage out\n  vectorize(z, 8)\n");
    file("zero.sched", "schedule 1 for twice\nstage out\n  yo, yi = split(y, 0)\n");
    for (const char* name : {"missing.sched", "empty.sched", "binary.sched", "other.sched", "illegal.sched", "zero.sched"})
        refuses(std::string("run twice.burin --out out=o.npy --schedule ") + name, name);
    file("huge.sched", "schedule 1 for twice\n" + std::string(2 << 20, '#'));
    refuses("run twice.burin --schedule huge.sched", "huge.sched");
}

TEST_CASE_FIXTURE(Fixture, "a factor that is not positive at run time is refused") {
    file("p.burin", "pipeline p(in: f32[n], f: i32) -> out[n]\nout(x) = in(x)\n");
    file("p.sched", "schedule 1 for p\nstage out\n  xo, xi = split(x, f, guard)\n");
    refuses("run p.burin --schedule p.sched --set f=0 --out out=o.npy", "f");
    refuses("run p.burin --schedule p.sched --set f=-2 --out out=o.npy", "f");
    CHECK(burin("run p.burin --schedule p.sched --set f=3").status == 0);
}

TEST_CASE_FIXTURE(Fixture, "no space for an output is an error") {
    REQUIRE(symlink("/dev/full", (folder / "full.npy").c_str()) == 0);
    refuses("run blur3x3 --size h=66,w=130 --out blur_y=full.npy", "full.npy");
}
