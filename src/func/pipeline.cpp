#include <burin/pipeline.h>

#include "func/text.h"

namespace burin {

const std::string& Pipeline::name() const { return algorithm_->name; }
const std::string& Pipeline::text() const { return algorithm_->text; }
std::string Pipeline::hash() const { return to_hex(algorithm_->hash); }
bool operator==(const Pipeline& a, const Pipeline& b) { return a.text() == b.text(); }

Pipeline Pipeline::strict() const {
    auto a = std::make_shared<Algorithm>(*algorithm_);
    a->numerics = Numerics::Strict;
    finish(*a);
    return Pipeline(std::move(a));
}

}  // namespace burin
