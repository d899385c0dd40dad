// test_command.cpp - the burin command as a user meets it: what it prints, what it refuses, and its exit status.
#include <burin/io.h>

#include <nlohmann/json.hpp>

#include "programs/command_fixture.h"

using namespace burin;

namespace {

using Fixture = CommandFixture;

const char* twice = "pipeline twice(in: f32[h, w]) -> out[h, w]\nout(y, x) = in(y, x) * 2.0\n";

}  // namespace

TEST_CASE_FIXTURE(Fixture, "run prints every figure as JSON and finds the result right") {
    Outcome o = burin("run blur3x3 --schedule rows --size h=66,w=130 --threads 2 --json");
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

TEST_CASE_FIXTURE(
    Fixture, "run takes algorithm, schedule and data from files and writes what it is asked for") {
    file("twice.burin", twice);
    file("rows.sched",
         "schedule 1 for twice\nstage out\n  yo, yi = split(y, 4)\n  parallel(yo)\n  vectorize(x, "
         "8)\n");
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
    CHECK(burin("show blur3x3 --schedule rows")
              .text.find("parallel for blur_y.yo in 0 .. (h + 29) / 32:") != std::string::npos);
}

TEST_CASE_FIXTURE(
    Fixture, "the loops are shown with the lines that made them, and the stages with figures") {
    file("blur.burin",
         "pipeline blur(in: f32[h, w]) -> out[h - 2, w]\nrows(y, x) = in(y, x) * 2.0\n"
         "out(y, x) = rows(y, x) + rows(y + 2, x)\n");
    file("s.sched",
         "schedule 1 for blur\nstage out\n  yo, yi = split(y, 4)\n  parallel(yo)\nstage rows\n"
         "  compute_at(out, yo)\n");
    Outcome o = burin("show blur.burin --schedule s.sched --size h=18,w=10");
    INFO(o.text);
    CHECK(o.status == 0);
    for (auto* part :
         {"parallel for out.yo in 0 .. (h + 1) / 4:",
          "# yo, yi = split(y, 4) (s.sched:3); parallel(yo) (s.sched:4)",
          "# f32; compute_at(out, yo) (s.sched:6)", "# blur.burin:3",
          "rows   out.yo  heap of each thread     240 B             240             180    1.33x"})
        CHECK(o.text.find(part) != std::string::npos);
    auto j = nlohmann::json::parse(
        burin("show blur.burin --schedule s.sched --size h=18,w=10 --json").text);
    CHECK(j["lines"][0]["text"].get<std::string>().starts_with("parallel for out.yo"));
    CHECK(j["stages"][0]["computed"] == 240);
    CHECK(j["stages"][0]["required"] == 180);
    CHECK(j["stages"][0]["bytes"] == 240);
    j = nlohmann::json::parse(burin("show blur.burin --schedule plain --json").text);
    CHECK(j["stages"][0]["place"] == "inline");
    CHECK(j["stages"][0]["computed"].is_null());
    CHECK(nlohmann::json::parse(burin("show blur.burin --what asm --json").text)["text"].size() >
          0);
    // what nobody wrote: where sums start, and reductions inside of others
    CHECK(burin("show gemm").text.find("c.tile(i, j) = 0.0") != std::string::npos);
    file("s.burin", "pipeline s(in: f32[n]) -> out[n]\nout(x) = in(x) / sum(in(r) for r: 0..n)\n");
    CHECK(burin("show s.burin").text.find("for r: 0..n)  in out_sum") != std::string::npos);
    refuses("show blur.burin --what ir --size h=18", "--size");
    refuses("show blur.burin --size hh=18", "did you mean h?");
    refuses("show blur.burin --size h=1,w=3", "h");
}

TEST_CASE_FIXTURE(Fixture, "list, doctor, verify and the help succeed") {
    CHECK(burin("list").text.find("dense_gelu") != std::string::npos);
    CHECK(nlohmann::json::parse(burin("list --json").text).size() >= 5);
    CHECK(burin("doctor").status == 0);
    auto doctor = nlohmann::json::parse(burin("doctor --json").text);
    CHECK(doctor["ok"] == true);
    CHECK(doctor["target"].get<std::string>().size() > 3);
    CHECK(burin("verify blur3x3_u16 --calls 3").status == 0);
    auto verified = nlohmann::json::parse(burin("verify blur3x3_u16 --calls 3 --json").text);
    CHECK(verified["ok"] == true);
    CHECK(verified["compared"] == 3);
    CHECK(verified["failure"].is_null());
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
    refuses("bench soft_max", "did you mean softmax?");
    refuses("rum blur3x3", "did you mean run?", 2);
    refuses("run blur3x3 --threats 2", "did you mean --threads?", 2);
    refuses("run blur3x3 --target x86-64-v33", "did you mean x86-64-v3?");
    refuses("run blur3x3 --target host,+avx512g", "did you mean avx512f?");
    refuses("run blur3x3 --target i386", "i386");
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

TEST_CASE_FIXTURE(Fixture, "numbers and names that are none are refused by every command") {
    for (const char* n : {"0", "-1", "4097", "1.5", "x", "''"}) {
        refuses(std::string("run blur3x3 --threads ") + n, "--threads", 2);
        refuses(std::string("verify blur3x3 --calls ") + (n[0] == '4' ? "1000001" : n), "--calls",
                2);
        refuses(std::string("bench gemm --threads ") + n, "--threads", 2);
        refuses(std::string("demo --threads ") + n, "--threads", 2);
    }
    for (const char* n : {"-1", "18446744073709551616", "x"})
        refuses(std::string("verify blur3x3 --seed ") + n, "--seed", 2);
    for (const char* c :
         {"run ''", "run blur3x3 --schedule ''", "show ''", "verify ''", "bench ''", "demo ''"})
        refuses(c, "an empty name", 2);
    refuses("demo --only pictures", "--only", 2);
    refuses("demo a.png --only dense_gelu", "takes no picture");
    refuses("show blur3x3 --target x86-64-v3", "--target x86-64-v3");
    refuses("verify blur3x3 --target host", "--target", 2);
    refuses("run " + std::string(300, 'a'), "there is no pipeline aaa");
    refuses("run blur3x3 --out blur_y=" + std::string(300, 'a') + ".npy", "name too long");
}

TEST_CASE_FIXTURE(Fixture, "a parameter takes the numbers of its type, and no others") {
    file("p.burin",
         "pipeline p(b: bool, v: u64, f: f32, i: i8) -> out[1]\nout(x) = select(b, v + u64(i), "
         "u64(f))\n");
    Outcome o =
        burin("run p.burin --set b=true,v=18446744073709551615,f=1e3,i=-128 --out out=o.npy");
    INFO(o.text);
    CHECK(o.status == 0);
    CHECK(load_npy(folder / "o.npy").type() == u64);
    CHECK(burin("run p.burin --set b=false").status == 0);
    CHECK(burin("run p.burin").status == 0);
    for (const char* bad : {"b=1", "b=yes", "v=-1", "v=18446744073709551616", "v=1.5", "f=1e400",
                            "f=1e39", "f=x", "i=128", "i=1.0"})
        refuses(std::string("run p.burin --set ") + bad, std::string(bad).substr(0, 1));
}

TEST_CASE_FIXTURE(Fixture, "no two outputs go into one file") {
    file("two.burin", "pipeline two(in: f32[n]) -> a[n], b[n]\na(x) = in(x)\nb(x) = in(x) + 1.0\n");
    refuses("run two.burin --out a=o.npy --out b=o.npy", "o.npy");
    refuses("run two.burin --out a=o.npy --out b=./o.npy", "o.npy");
    refuses("run two.burin --out a=o.npy,b=p.npy", "--out for each");
    CHECK(burin("run two.burin --size n=3 --out a=o.npy --out b=p.npy").status == 0);
}

TEST_CASE_FIXTURE(Fixture, "what cannot be printed is no success") {
    for (const char* c : {"list", "list --json", "run blur3x3 --size h=6,w=6",
                          "run blur3x3 --size h=6,w=6 --json", "--help"}) {
        Outcome full = burin(std::string(c) + " 2>&1 >/dev/full #"),
                closed = burin(std::string(c) + " 2>&1 >&- #");
        INFO(c << "\n" << full.text << closed.text);
        CHECK(full.status == 1);
        CHECK(full.text.find("standard output") != std::string::npos);
        CHECK(closed.status == 1);
    }
    Outcome o = burin("run blur3x3 --size h=6,w=6 --out blur_y=o.npy --json >&- 2>&- #");
    CHECK(load_npy(folder / "o.npy").extent(0) == 4);  // nothing that was to be printed is in it
}

TEST_CASE_FIXTURE(Fixture,
                  "a stream that is full is one error, and reports hold no control characters") {
    for (const char* c : {"list", "explain", "show gemm --what llvm"}) {
        Outcome o = burin(std::string(c) + " 2>&1 >/dev/full #");
        INFO(o.text);
        CHECK(o.text.starts_with("error: cannot write to the standard output: "));
        CHECK(std::ranges::count(o.text, '\n') == 1);
    }
    for (const char* c : {"explain", "show", "bench", "fmt", ""}) {
        Outcome o = burin(std::string(c) + " 'a\033[2Jb'");
        INFO(o.text);
        CHECK(o.text.find('\033') == std::string::npos);
        CHECK(o.text.find("a?[2Jb") != std::string::npos);
    }
}

TEST_CASE_FIXTURE(Fixture, "burin itself has options: its help and its version") {
    Outcome o = burin("--version");
    CHECK(o.status == 0);
    CHECK(o.text.starts_with("Burin 0."));
    refuses("--verison", "has no option --verison; did you mean --version?", 2);
    refuses("-x list", "has no option -x", 2);
    refuses("list -x", "list has no option -x", 2);
}

TEST_CASE_FIXTURE(Fixture, "JSON stays JSON, whatever the files are called") {
    file("twice.burin", twice);
    file("s\xff.sched", "schedule 1 for twice\n");
    Outcome o = burin("run twice.burin --schedule s*.sched --size h=3,w=3 --json");
    INFO(o.text);
    CHECK(o.status == 0);
    CHECK(nlohmann::json::accept(o.text));
}

TEST_CASE_FIXTURE(Fixture,
                  "demo converts a picture, says what it converted, and writes the sharpened one") {
    constexpr char grey_alpha_16[] =  // one pixel
        "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\001\000\000"
        "\000"
        "\001\020\004\000\000\000\345\214\320\101\000\000\000\015\111\104\101\124\170\234\143\020"
        "\062"
        "\151\140\000\000\001\351\000\307\172\027\233\047\000\000\000\000\111\105\116\104\256\102"
        "\140"
        "\202";
    file("tiny.png", std::string(grey_alpha_16, sizeof grey_alpha_16 - 1));
    Outcome o = burin("demo tiny.png --only unsharp");
    INFO(o.text);
    REQUIRE(o.status == 0);
    for (const char* said : {"grey expanded to RGB", "alpha dropped", "16-bit reduced to 8",
                             "the same bits", "tiny-sharpened.png"})
        CHECK(o.text.find(said) != std::string::npos);
    CHECK(o.text.find("DIFFERS") == std::string::npos);
    CHECK(load_png(folder / "tiny-sharpened.png").pixels.extent(0) == 3);
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
    file("binary.burin", std::string("\x7f"
                                     "ELF\0\1\2\3",
                                     8));
    file("cut.burin", std::string(twice).substr(0, 60));
    file("deep.burin",
         "pipeline deep(in: f32[n]) -> out[n]\nout(x) = " + std::string(200'000, '(') + "\n");
    for (const char* name :
         {"missing.burin", "empty.burin", "binary.burin", "cut.burin", "deep.burin"})
        refuses(std::string("run ") + name, name);
    file("empty.sched", "");
    file("binary.sched", std::string("\0\1\2\3", 4));
    file("other.sched", "schedule 1 for thrice\n");
    file("illegal.sched", "schedule 1 for twice\nstage out\n  vectorize(z, 8)\n");
    file("zero.sched", "schedule 1 for twice\nstage out\n  yo, yi = split(y, 0)\n");
    for (const char* name : {"missing.sched", "empty.sched", "binary.sched", "other.sched",
                             "illegal.sched", "zero.sched"})
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
