#include <burin/error.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "jit/host/runtime.h"

namespace burin {
namespace {

constexpr size_t huge_page = 2 << 20;
constexpr size_t kept_blocks = 4;

bool is_mapped(size_t bytes) { return bytes >= 2 * huge_page; }

void release_block(ScratchPool::Block b) {
    if (is_mapped(b.bytes)) munmap(b.data, b.bytes);
    else std::free(b.data);
}

}  // namespace

ScratchPool::~ScratchPool() {
    for (auto& b : free_) release_block(b);
}

ScratchPool::Block ScratchPool::take(size_t bytes) {
    if (bytes == 0) return {};
    {
        std::lock_guard lock(mutex_);
        auto it = std::find_if(free_.begin(), free_.end(),
                               [&](auto& b) { return b.bytes >= bytes && b.bytes / 4 <= bytes; });
        if (it != free_.end()) {
            Block b = *it;
            free_.erase(it);
            return b;
        }
    }
    auto out_of_memory = [&] {
        return Error(ErrorKind::Resource, "out-of-memory",
                     fmt::format("{} bytes for intermediates could not be had", bytes))
            .help("a schedule that computes them in tiles needs less");
    };
    if (bytes > size_t(1) << 46) throw out_of_memory();
    if (!is_mapped(bytes)) {
        bytes = (bytes + 63) / 64 * 64;
        void* p = std::aligned_alloc(64, bytes);
        if (!p) throw out_of_memory();
        return {static_cast<char*>(p), bytes};
    }
    bytes = (bytes + huge_page - 1) / huge_page * huge_page;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw out_of_memory();
    madvise(p, bytes, MADV_HUGEPAGE);
    return {static_cast<char*>(p), bytes};
}

void ScratchPool::give(Block block) {
    if (!block.data) return;
    {
        std::lock_guard lock(mutex_);
        free_.push_back(block);
        if (free_.size() <= kept_blocks) return;
        block = free_.front();
        free_.erase(free_.begin());
    }
    release_block(block);
}

}  // namespace burin
