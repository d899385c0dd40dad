#include <llvm/Transforms/Scalar/LoopLoadElimination.h>

#include "codegen/codegen.h"
#include "codegen/extremes.h"

namespace burin {
namespace {

// A masked store of which one lane is left becomes the store of that number: LLVM 22 writes it at the width that the
// values had before they were truncated, over what stands beside it.
void store_single_lanes(llvm::Function& f) {
    std::vector<llvm::IntrinsicInst*> masked;
    for (auto& block : f)
        for (auto& i : block)
            if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
                call && call->getIntrinsicID() == llvm::Intrinsic::masked_store)
                masked.push_back(call);
    for (auto* store : masked) {
        auto* mask = llvm::dyn_cast<llvm::Constant>(store->getArgOperand(2));
        auto* value = store->getArgOperand(0);
        auto* type = llvm::cast<llvm::FixedVectorType>(value->getType());
        std::vector<unsigned> lanes;
        for (unsigned k = 0; mask && k < type->getNumElements(); ++k)
            if (auto* lane = mask->getAggregateElement(k); lane && lane->isOneValue())
                lanes.push_back(k);
        if (lanes.size() != 1) continue;
        llvm::IRBuilder<> build(store);
        auto* element = type->getElementType();
        auto* to = build.CreateConstGEP1_64(element, store->getArgOperand(1), lanes[0]);
        build
            .CreateAlignedStore(build.CreateExtractElement(value, lanes[0]), to,
                                llvm::Align(element->getPrimitiveSizeInBits() / 8))
            ->copyMetadata(*store);
        store->eraseFromParent();
    }
}

struct JoinExtremes : llvm::PassInfoMixin<JoinExtremes> {
    llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
        join_extremes(f);
        llvm::PreservedAnalyses kept;
        kept.preserveSet<llvm::CFGAnalyses>();
        return kept;
    }
};

}  // namespace

void optimize(Generated& generated, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);

    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(JoinExtremes());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                         /*UseMemorySSA=*/true));
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    if (generated.scans)  // one keeps its last value in a register
        passes.addPass(llvm::LoopLoadEliminationPass());
    passes.addPass(llvm::DSEPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    for (auto& f : *generated.module)
        if (!f.isDeclaration()) {
            passes.run(f, functions);
            store_single_lanes(f);
        }
}

}  // namespace burin
