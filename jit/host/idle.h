// idle.h - what is slow to make, kept for the next one to ask when it is given back.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace burin {

// For any threads at once. One is for as long as a process runs: what it keeps may be asked for as late as that.
template <class Key, class T>
class Idle {
public:
    std::unique_ptr<T> take(const Key& key) {  // null if none is there
        std::lock_guard lock(mutex_);
        auto& kept = kept_[key];
        if (kept.empty()) return {};
        auto one = std::move(kept.back());
        kept.pop_back();
        return one;
    }
    void give(const Key& key, std::unique_ptr<T> one) {
        std::lock_guard lock(mutex_);
        kept_[key].push_back(std::move(one));
    }

private:
    std::mutex mutex_;
    std::map<Key, std::vector<std::unique_ptr<T>>> kept_;
};

}  // namespace burin
