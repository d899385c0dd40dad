#include <doctest/doctest.h>

#include <sys/resource.h>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "error_of.h"
#include "temp_folder.h"

using namespace burin;

TEST_CASE("a file written is read back, replaced whole, and no other file stays beside it") {
    TempFolder folder;
    std::string path = folder / "a.txt";
    write_file(path, "first");
    write_file(path, {"second", "", " part"});
    CHECK(read_file(path, 100) == "second part");
    CHECK(folder.files() == std::vector<std::string>{"a.txt"});
    write_file(path, "");
    CHECK(read_file(path, 0).empty());
}

TEST_CASE("missing files, folders and files over the limit are errors that name the path") {
    TempFolder folder;
    Error e = error_of([&] { read_file(folder / "none", 10); });
    CHECK(e.kind() == ErrorKind::Value);
    CHECK(e.message() == "cannot read " + (folder / "none") + ": No such file or directory");
    CHECK(error_of([&] { read_file(folder.path(), 10); }).message().ends_with("Is a directory"));
    write_file(folder / "a", "eleven long");
    CHECK(error_of([&] { read_file(folder / "a", 10); }).message() ==
          (folder / "a") + " is longer than 10 bytes");
    CHECK(read_file(folder / "a", 11) == "eleven long");
    CHECK(error_of([] { read_file("/dev/zero", 1000); }).kind() == ErrorKind::Value);
    CHECK(error_of([&] { write_file(folder.path(), "x"); }).kind() == ErrorKind::Value);
    CHECK(error_of([&] { write_file(folder / "no/such/folder", "x"); }).kind() == ErrorKind::Value);
}

TEST_CASE("a device is written to and stays a device, and a full one is E-resource") {
    Error e = error_of([] { write_file("/dev/full", "x"); });
    CHECK(e.kind() == ErrorKind::Resource);
    CHECK(e.message() == "cannot write /dev/full: No space left on device");
    CHECK(std::filesystem::is_character_file("/dev/full"));
}

TEST_CASE("when space runs out the old file stays as it was and the new one is removed") {
    TempFolder folder;
    write_file(folder / "a", "old");
    rlimit before, small{1000, 0};
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    auto* handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    Error e = error_of([&] { write_file(folder / "a", std::string(5000, 'x')); });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(e.kind() == ErrorKind::Resource);
    CHECK(read_file(folder / "a", 10) == "old");
    CHECK(folder.files() == std::vector<std::string>{"a"});
}

TEST_CASE("writing through a link keeps the link and the mode of its target") {
    TempFolder folder;
    write_file(folder / "target", "old");
    std::filesystem::permissions(folder / "target", std::filesystem::perms(0640));
    std::filesystem::create_symlink("target", folder / "link");
    write_file(folder / "link", "new");
    CHECK(std::filesystem::is_symlink(folder / "link"));
    CHECK(read_file(folder / "target", 10) == "new");
    CHECK(std::filesystem::status(folder / "target").permissions() == std::filesystem::perms(0640));
}
