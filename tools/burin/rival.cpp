#include "tools/burin/rival.h"

#include <burin/error.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/measure.h"

namespace burin {
namespace {

// A program of a group of its own, which ends when this one does. It has no terminal to read from.
pid_t start(const std::string& command, int in, int out) {
    pid_t parent = getpid(), pid = fork();
    if (pid != 0) return pid;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    if (in >= 0) dup2(in, 0);
    if (out >= 0) dup2(out, 1);
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(127);
}

// Where what is made once is kept: $BURIN_CACHE, which the launcher sets, or the user's cache.
std::filesystem::path cache_folder() {
    const char *own = std::getenv("BURIN_CACHE"), *home = std::getenv("HOME");
    std::filesystem::path folder =
        own ? own : std::filesystem::path(home ? home : "") / ".cache/burin";
    std::error_code none;  // who writes there will tell
    std::filesystem::create_directories(folder, none);
    return folder;
}

std::string shell_word(const std::string& word) {
    std::string text = "'";
    for (char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

}  // namespace

std::vector<RivalProgram> own_sides() {
    std::string program = shell_word(std::filesystem::read_symlink("/proc/self/exe"));
    return {{"hand", program + " bench --answer best", "", true},
            {"auto", program + " bench --answer auto", "", true}};
}

std::vector<RivalProgram> known_rivals() {
    std::vector<RivalProgram> all;
    for (const char* name : {"halide", "onednn", "jax", "onnxruntime", "openblas"})
        all.push_back({name, ""});
    const char* python = std::getenv("BURIN_PYTHON");
    auto bench =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../share/burin/bench";
    for (auto& r : all) {
        if (!python) {
            r.why = "BURIN_PYTHON names no Python that has it (./burin bench --rivals sets it)";
        } else if (r.name != "halide" && r.name != "onednn") {
            r.command = fmt::format("{} {} {}", shell_word(python),
                                    shell_word(bench / "python_rival.py"), r.name);
        } else {
            std::string program = cache_folder() / (r.name + "_rival");
            int status = -1;
            pid_t pid = start(fmt::format("{} {} {} {}", shell_word(bench / "build_rival"), r.name,
                                          shell_word(python), shell_word(program)),
                              -1, 2);
            if (pid > 0) waitpid(pid, &status, 0);
            if (status == 0) r.command = shell_word(program);
            else r.why = fmt::format("bench/build_rival could not build it with {}", python);
        }
    }
    return all;
}

Rival::Rival(const RivalProgram& program, int threads, double patience)
    : name_(program.name), patience_(patience) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        throw Error(ErrorKind::Resource, "no-pipe", "no more pipes");
    setenv("BURIN_THREADS", std::to_string(threads).c_str(), 1);
    pid_ = start(program.command, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
    std::signal(SIGPIPE, SIG_IGN);
    if (pid_ > 0) return;
    close(to_);
    close(from_);
    throw Error(ErrorKind::Resource, "no-process", program.name + " could not be started");
}

Rival::~Rival() {
    close(to_);
    close(from_);
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);  // before it had its group
    waitpid(pid_, nullptr, 0);
}

void Rival::fail(const std::string& line, const std::string& what) const {
    throw Error(ErrorKind::Resource, "rival-failed",
                fmt::format("{} at \"{}\": {}", name_, line, what));
}

// It runs while it is asked and at no other time: what its threads do when they wait costs nobody else.
std::string Rival::ask(const std::string& line, double seconds) {
    if (seconds == 0) seconds = patience_;
    if (lost_) fail(line, "it has ended");
    kill(-pid_, SIGCONT);
    std::string text = line + "\n";
    lost_ = write(to_, text.data(), text.size()) != ssize_t(text.size());
    size_t end = 0;
    for (Stopwatch watch; !lost_ && (end = unread_.find('\n')) == unread_.npos;) {
        constexpr size_t most = 1 << 20;
        pollfd from{from_, POLLIN, 0};
        int left = int(std::ceil(seconds * 1000 - watch.ms()));
        if (left <= 0 || unread_.size() > most || poll(&from, 1, left) == 0) {
            lost_ = true;
            if (unread_.size() > most) fail(line, "its answer has no end");
            silent_ = seconds;
            fail(line, fmt::format("no answer in {:g} s", seconds));
        }
        char part[4096];
        ssize_t n = read(from_, part, sizeof part);
        if (n > 0) unread_.append(part, size_t(n));
        else if (n == 0 || errno != EINTR) lost_ = true;
    }
    if (lost_) fail(line, "it has ended");
    kill(-pid_, SIGSTOP);
    std::string answer = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    if (answer.starts_with("error")) fail(line, answer);
    return answer;
}

std::vector<double> Rival::numbers(const std::string& line, size_t count) {
    std::string answer = ask(line);
    std::istringstream in(answer);
    std::vector<double> all;
    for (double v; in >> v;) all.push_back(v);
    bool right = in.eof() && all.size() == count;
    for (double v : all) right = right && std::isfinite(v) && v >= 0;
    if (!right)
        fail(line, fmt::format("its answer \"{}\" is not {} times", answer.substr(0, 60), count));
    return all;
}

}  // namespace burin
