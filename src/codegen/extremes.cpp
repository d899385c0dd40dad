// extremes.cpp - one test for NaN serves a whole tree of maxima and minima.
//
// before:                                   after:
//   r1 = range(a, b)                          r1 = range(a, b)
//   m1 = select(uno(a, b), NaN, r1)           r2 = range(r1, c)
//   r2 = range(m1, c)                         m2 = select(ord(a, b) & ord(c, c), r2, NaN)
//   m2 = select(uno(m1, c), NaN, r2)
//
// Correct because m2 is NaN where any of a, b, c is, and elsewhere all in between are numbers. A tile in registers that
// takes the points of a window one after the other becomes such a tree once it is unrolled.
#include "codegen/extremes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace burin {
namespace {

using llvm::SelectInst, llvm::Value;

bool is_range(const llvm::IntrinsicInst& call) {
    namespace In = llvm::Intrinsic;
    switch (call.getIntrinsicID()) {
        case In::x86_avx512_mask_range_ps_128:
        case In::x86_avx512_mask_range_ps_256:
        case In::x86_avx512_mask_range_ps_512:
        case In::x86_avx512_mask_range_pd_128:
        case In::x86_avx512_mask_range_pd_256:
        case In::x86_avx512_mask_range_pd_512: return true;
        default:                               return false;
    }
}

// What float_extreme (emit_float.cpp) writes.
struct Extreme {
    llvm::IntrinsicInst* range;
    llvm::FCmpInst* is_nan;
    bool is_largest() const {
        return llvm::cast<llvm::ConstantInt>(range->getArgOperand(2))->getZExtValue() == 5;
    }
};

std::optional<Extreme> extreme(Value* v) {
    auto* select = llvm::dyn_cast<SelectInst>(v);
    if (!select) return {};
    auto* is_nan = llvm::dyn_cast<llvm::FCmpInst>(select->getCondition());
    auto* range = llvm::dyn_cast<llvm::IntrinsicInst>(select->getFalseValue());
    if (!is_nan || is_nan->getPredicate() != llvm::CmpInst::FCMP_UNO || !range ||
        !is_range(*range) || !range->hasOneUse())
        return {};
    auto* nan = llvm::dyn_cast<llvm::Constant>(select->getTrueValue());
    if (!nan || !nan->isNaN()) return {};
    std::set<Value*> compared{is_nan->getOperand(0), is_nan->getOperand(1)};
    if (compared != std::set<Value*>{range->getArgOperand(0), range->getArgOperand(1)}) return {};
    return Extreme{range, is_nan};
}

// The number that leaves every other one as it is.
bool is_neutral(Value* v, bool largest) {
    auto* c = llvm::dyn_cast<llvm::Constant>(v);
    if (c && c->getType()->isVectorTy()) c = c->getSplatValue();
    auto* x = llvm::dyn_cast_or_null<llvm::ConstantFP>(c);
    return x && x->getValueAPF().isInfinity() && x->getValueAPF().isNegative() == largest;
}

class Block {
public:
    explicit Block(llvm::BasicBlock& block) {
        std::vector<SelectInst*> selects;
        for (auto& i : block)
            if (auto e = extreme(&i)) {
                selects.push_back(llvm::cast<SelectInst>(&i));
                all_.emplace(&i, *e);
                select_of_[e->range] = select_of_[e->is_nan] = selects.back();
            }
        std::map<SelectInst*, SelectInst*> root_of;
        std::map<SelectInst*, std::vector<SelectInst*>> trees;
        for (size_t k = selects.size(); k-- > 0;) {  // readers first
            auto* s = selects[k];
            auto* r = reader(s);
            if (r) inside_.insert(s);
            root_of[s] = r ? root_of[r] : s;
            trees[root_of[s]].push_back(s);
        }
        for (auto* s : selects)
            if (root_of[s] == s && trees[s].size() > 1) join(s, trees[s]);
    }

private:
    // The one extreme of this block that uses v, and nothing else does.
    SelectInst* reader(SelectInst* v) const {
        SelectInst* one = nullptr;
        for (auto* user : v->users()) {
            auto at = select_of_.find(user);
            if (at == select_of_.end() || (one && at->second != one)) return nullptr;
            one = at->second;
        }
        return one;
    }

    void join(SelectInst* root, std::vector<SelectInst*> tree) {
        std::ranges::sort(tree, [&](auto* a, auto* b) {
            return all_.at(a).range->comesBefore(all_.at(b).range);
        });
        llvm::IRBuilder<> build(root);
        std::map<Value*, Value*> number;  // of each of the tree, if no operand is a NaN
        Value *waiting = nullptr, *are_numbers = nullptr;
        auto test = [&](Value* a, Value* b) {  // two at once
            Value* both = build.CreateFCmpORD(a, b);
            are_numbers = are_numbers ? build.CreateAnd(are_numbers, both) : both;
        };
        for (auto* s : tree) {
            const Extreme& e = all_.at(s);
            build.SetInsertPoint(e.range->getNextNode());
            number[s] = e.range;
            Value* operands[] = {e.range->getArgOperand(0), e.range->getArgOperand(1)};
            for (unsigned k : {0u, 1u}) {
                Value* v = operands[k];
                if (inside_.contains(v)) {
                    e.range->setArgOperand(k, number.at(v));
                } else if (is_neutral(v, e.is_largest()) && number[s] == e.range) {
                    number[s] = operands[1 - k];
                } else if (waiting) {
                    test(std::exchange(waiting, nullptr), v);
                } else {
                    waiting = v;
                }
            }
            if (auto n = number.find(number[s]); n != number.end()) number[s] = n->second;
        }
        build.SetInsertPoint(root);
        if (waiting) test(waiting, waiting);
        Value* nan = root->getTrueValue();
        root->setCondition(are_numbers);
        root->setTrueValue(number[root]);
        root->setFalseValue(nan);
    }

    std::map<Value*, Extreme> all_;            // by their selects
    std::map<Value*, SelectInst*> select_of_;  // of a range or a test
    std::set<Value*> inside_;                  // a tree, its root apart
};

}  // namespace

void join_extremes(llvm::Function& f) {
    for (auto& block : f) Block{block};
}

}  // namespace burin
