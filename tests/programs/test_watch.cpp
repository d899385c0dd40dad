// test_watch.cpp - burin watch through saves, breaks and mends, as an editor makes them.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "programs/command_fixture.h"

using namespace burin;

namespace {

const char *blur =
               "pipeline blur(in: f32[h, w]) -> out[h - 2, w]\nrows(y, x) = in(y, x) * 2.0\n"
               "out(y, x) = rows(y, x) + rows(y + 2, x)\n",
           *root = "schedule 1 for blur\nstage rows\n  compute_root()\n",
           *tile = "schedule 1 for blur\nstage rows\n  compute_at(out, y)\n";

struct Fixture : CommandFixture {
    pid_t pid = 0;
    std::string seen;  // of what it printed, so far

    Fixture() {
        file("blur.burin", blur);
        file("s.sched", root);
    }
    ~Fixture() {
        if (pid > 0) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
    }
    void start(const std::string& arguments = "watch blur.burin s.sched --size h=20,w=30") {
        std::string line =
            "cd " + folder.path() + " && exec " BURIN_COMMAND " " + arguments + " >out 2>&1";
        pid = fork();
        if (pid == 0) {
            execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            _exit(127);
        }
    }
    // Until all of it was printed since the last time; the test fails if that does not happen.
    void sees(std::initializer_list<const char*> parts) {
        std::string text;
        for (int tries = 0; tries < 600; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            text = burin::read_file(folder / "out", 1 << 20).substr(seen.size());
            bool all = text.ends_with("\n");
            for (auto* part : parts) all &= text.find(part) != std::string::npos;
            if (!all) continue;
            seen += text;
            return;
        }
        FAIL_CHECK("not seen: " << *parts.begin() << "; but:\n" << text);
    }
    int end(int signal) {
        kill(pid, signal);
        int status = 0;
        waitpid(pid, &status, 0);
        pid = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a save shows which loops changed and what that did to the figures") {
    start();
    sees({"rows: [h, w]", "ms; 1.00x as many", "of intermediates"});
    file("s.sched", tile);
    sees({"s.sched changed", "- rows: [h, w]", "+   rows: [3, w]", "(was 1.00x)",
          "of intermediates (was 2.4 kB)"});
    file("blur.burin", std::string(blur) + "# only words\n");
    sees({"blur.burin changed", "the loops are the same"});
    CHECK(end(SIGINT) == 0);
}

TEST_CASE_FIXTURE(Fixture, "a file that breaks, vanishes and comes back is met each time") {
    start();
    sees({"of intermediates"});
    file("s.sched", "schedule 1 for blur\nstage rows\n  compute_at(out, z)\n");
    sees({"unknown-loop", "s.sched:3"});
    file("s.sched", tile);  // the difference is to the last that worked
    sees({"- rows: [h, w]", "of intermediates"});
    file("s.sched", "");
    sees({"[syntax]"});
    file("s.sched", std::string("\0\1\2", 3));
    sees({"[syntax]"});
    std::filesystem::remove(folder / "blur.burin");
    sees({"blur.burin is gone", "cannot read blur.burin"});
    file("blur.burin.new", blur);
    std::filesystem::rename(folder / "blur.burin.new", folder / "blur.burin");
    sees({"blur.burin changed", "[syntax]"});
    file("s.sched", root);
    sees({"of intermediates"});
    CHECK(end(SIGTERM) == 0);
}

TEST_CASE_FIXTURE(Fixture, "it can be ended while a program runs that takes for ever") {
    start();
    sees({"of intermediates"});
    file("blur.burin",
         "pipeline blur(in: f32[h, w]) -> out[h, w]\n"
         "rows(y, x) += sqrt(in(y, x) + f32(r)) for r: 0..1000000000000\nout(y, x) = rows(y, x)\n");
    sees({"blur.burin changed"});
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(end(SIGINT) == 0);
}

TEST_CASE_FIXTURE(Fixture, "one look has an exit status") {
    CHECK(burin("watch blur.burin s.sched --once --size h=20,w=30").status == 0);
    CHECK(burin("watch blur3x3 --once --size h=20,w=30").status == 0);
    refuses("watch blur.burin missing.sched --once", "missing.sched");
    refuses("watch blur.burin --once --size h=1,w=4", "h");
    refuses("watch missing.burin --once", "missing.burin");
    refuses("watch blur3x4 --once", "did you mean blur3x3?");
    refuses("watch blur.burin s.sched --once --size hh=2", "did you mean h?");
    refuses("watch", "what", 2);
    CHECK(burin("watch blur.burin s.sched --once >/dev/full").status == 1);
}

TEST_CASE_FIXTURE(Fixture, "what cannot be printed ends it") {
    CHECK(burin("watch blur.burin s.sched --size h=20,w=30 >/dev/full").status == 1);
}
