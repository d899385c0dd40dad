// command_fixture.h - runs the burin command in a folder of its own.
#pragma once
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "base/files.h"
#include "temp_folder.h"

struct Outcome {
    int status;
    std::string text;  // both streams
};

struct CommandFixture {
    TempFolder folder;

    // In the folder, by the shell: arguments are words that need no quotes, but for those who want them.
    Outcome burin(const std::string& arguments) { return run(BURIN_COMMAND, arguments); }
    Outcome run(const std::string& program, const std::string& arguments) {
        std::string line = "cd " + folder.path() + " && " + program + " " + arguments + " 2>&1";
        FILE* pipe = popen(line.c_str(), "r");
        REQUIRE(pipe);
        std::string text;
        char part[4096];
        while (size_t n = fread(part, 1, sizeof part, pipe)) text.append(part, n);
        int status = pclose(pipe);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
    }
    void file(const std::string& name, const std::string& text) {
        burin::write_file(folder / name, text);
    }

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
