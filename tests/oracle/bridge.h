// bridge.h - a program that answers over its standard streams: a line, then perhaps bytes whose number both sides know.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace oracle {

class Bridge {
public:
    explicit Bridge(std::vector<std::string> words) {
        int to[2], from[2];
        if (pipe(to) != 0 || pipe(from) != 0) return;
        pid_ = fork();
        if (pid_ == 0) {
            dup2(to[0], 0);
            dup2(from[1], 1);
            for (int fd : {to[0], to[1], from[0], from[1]}) close(fd);
            std::vector<char*> argv;
            for (auto& w : words) argv.push_back(w.data());
            argv.push_back(nullptr);
            execvp(argv[0], argv.data());
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        to_ = fdopen(to[1], "w");
        from_ = fdopen(from[0], "r");
    }
    ~Bridge() {
        if (!to_) return;
        std::fclose(to_);  // it ends when its input does
        std::fclose(from_);
        waitpid(pid_, nullptr, 0);
    }
    Bridge(const Bridge&) = delete;

    void send(const void* data, size_t bytes) { std::fwrite(data, 1, bytes, to_); }
    void send(const std::string& text) { send(text.data(), text.size()); }
    std::string answer() {  // the next line; "gone" if the program has ended
        std::fflush(to_);
        std::string line;
        int c;
        while ((c = std::fgetc(from_)) != EOF && c != '\n') line += char(c);
        return c == EOF ? "gone" : line;
    }
    bool receive(void* data, size_t bytes) { return std::fread(data, 1, bytes, from_) == bytes; }

private:
    pid_t pid_ = -1;
    std::FILE *to_ = nullptr, *from_ = nullptr;
};

}  // namespace oracle
