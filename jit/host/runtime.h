// runtime.h - what generated code needs while it runs: parallel loops and scratch memory.
#pragma once
#include <mutex>
#include <vector>

#include "codegen/abi.h"

namespace burin {

// Workers that par_for may number: what the machine can have at once, whatever a call asks for.
int max_workers();

// Runs call(data) where parallel loops use at most `threads` at once (0: all); returns when it is done.
void with_threads(int threads, void (*call)(void*), void* data);

// Blocks of memory for the intermediates of calls, kept from one call to the next: large ones are slow to map and fault.
class ScratchPool {
public:
    ~ScratchPool();
    ScratchPool() = default;
    ScratchPool(const ScratchPool&) = delete;

    struct Block {
        char* data = nullptr;
        size_t bytes = 0;
    };
    Block take(size_t bytes);  // at least so many, 64-byte aligned; E-resource naming them
    void give(Block block);

private:
    std::mutex mutex_;
    std::vector<Block> free_;
};

}  // namespace burin
