// file_fixture.h - a file of given bytes, loaded or refused.
#pragma once
#include <burin/error.h>
#include <doctest/doctest.h>

#include "base/files.h"
#include "error_of.h"
#include "temp_folder.h"

template <auto load_file>
struct FileFixture {
    TempFolder folder;
    std::string path = folder / "file";
    auto load(const std::string& bytes) {
        burin::write_file(path, bytes);
        return load_file(path);
    }
    std::string refusal(const std::string& bytes, burin::ErrorKind kind = burin::ErrorKind::Value) {
        burin::Error e = error_of([&] { load(bytes); });
        CHECK(e.kind() == kind);
        CHECK(e.message().starts_with(path));
        return e.message().substr(path.size());
    }
};
