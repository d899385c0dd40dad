// write_library FOLDER - the library's algorithms and schedules as files: NAME.burin, NAME.SCHEDULE.sched.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "schedules/library.h"

using namespace burin;

int main(int, char** argv) {
    std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    for (auto& e : library()) {
        Pipeline p = e.make();
        std::ofstream(folder / (e.name + ".burin")) << p.text();
        for (auto& s : e.schedules)
            save_schedule(library_schedule(e, p, s.name),
                          folder / fmt::format("{}.{}.sched", e.name, s.name));
    }
}
