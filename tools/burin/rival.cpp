#include "tools/burin/rival.h"

#include <burin/error.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace burin {
namespace {

// The status of a program run to its end.
int run_program(const std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[0], argv.data());
        _exit(127);
    }
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
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

}  // namespace

std::unique_ptr<Rival> Rival::halide(int threads, std::string& why) {
    const char* python = std::getenv("BURIN_PYTHON");
    if (!python) {
        why = "BURIN_PYTHON names no Python with Halide (./burin bench sets it)";
        return nullptr;
    }
    auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::string program = cache_folder() / "halide_rival";
    if (run_program({bin / "../share/burin/bench/build_rival", python, program}) != 0) {
        why = fmt::format("bench/build_rival could not build it with {}", python);
        return nullptr;
    }
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        throw Error(ErrorKind::Resource, "no-pipe", "no more pipes");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        setenv("HL_NUM_THREADS", std::to_string(threads).c_str(), 1);
        execl(program.c_str(), program.c_str(), nullptr);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    if (pid < 0) throw Error(ErrorKind::Resource, "no-process", "the rival could not be started");
    std::signal(SIGPIPE, SIG_IGN);
    return std::unique_ptr<Rival>(new Rival(pid, fdopen(to[1], "w"), fdopen(from[0], "r")));
}

Rival::~Rival() {
    std::fclose(to_);  // it ends when its input does
    std::fclose(from_);
    waitpid(pid_, nullptr, 0);
}

std::string Rival::ask(const std::string& line) {
    fmt::print(to_, "{}\n", line);
    std::fflush(to_);
    char* text = nullptr;
    size_t room = 0;
    ssize_t n = getline(&text, &room, from_);
    std::string answer = n > 0 ? std::string(text, size_t(n - 1)) : "error it has ended";
    std::free(text);
    if (answer.starts_with("error"))
        throw Error(ErrorKind::Resource, "rival-failed",
                    fmt::format("the rival answers to \"{}\": {}", line, answer));
    return answer;
}

std::vector<double> Rival::numbers(const std::string& line) {
    std::istringstream in(ask(line));
    std::vector<double> all;
    for (double v; in >> v;) all.push_back(v);
    return all;
}

}  // namespace burin
