// point_map.h - points with integer coordinates and what is known of each: a hash table with keys and values in rows.
#pragma once
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "ir/value.h"

namespace burin {

class PointMap {
public:
    PointMap(int rank, int width) : rank_(size_t(rank)), width_(size_t(width)), slots_(16) {}

    // The `width` values of a point; null if it is not there. Valid until the next insert.
    Value* find(const int64_t* at) { return contains(at) ? values(last_) : nullptr; }
    bool contains(const int64_t* at) {
        if (last_ && is_at(last_, at)) return true;
        size_t row = slots_[slot_of(at)];
        if (row) last_ = row;
        return row;
    }
    Value* insert(const int64_t* at) {
        if (contains(at)) return values(last_);
        if (2 * (rows_ + 1) > slots_.size()) grow();
        keys_.insert(keys_.end(), at, at + rank_);
        values_.resize(values_.size() + width_);
        slots_[slot_of(at)] = last_ = ++rows_;
        return values(last_);
    }
    size_t size() const { return rows_; }

private:
    size_t slot_of(const int64_t* at) const {  // its own, or the free one where it belongs
        uint64_t h = 0;
        for (size_t d = 0; d < rank_; ++d) h = hash_combine(h, uint64_t(at[d]));
        for (size_t s = h & (slots_.size() - 1);; s = (s + 1) & (slots_.size() - 1)) {
            if (!slots_[s] || is_at(slots_[s], at)) return s;
        }
    }
    bool is_at(size_t row, const int64_t* at) const {
        const int64_t* key = keys_.data() + (row - 1) * rank_;
        for (size_t d = 0; d < rank_; ++d)
            if (key[d] != at[d]) return false;
        return true;
    }
    Value* values(size_t row) { return values_.data() + (row - 1) * width_; }
    void grow() {
        slots_.assign(2 * slots_.size(), 0);
        for (size_t row = 1; row <= rows_; ++row)
            slots_[slot_of(keys_.data() + (row - 1) * rank_)] = row;
    }

    size_t rank_, width_, rows_ = 0, last_ = 0;  // last_: the row found last
    std::vector<int64_t> keys_;
    std::vector<Value> values_;
    std::vector<size_t> slots_;  // 1 + row; 0: free
};

}  // namespace burin
