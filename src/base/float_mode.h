// float_mode.h - the floating-point mode that results are defined in: to nearest even, nothing flushed to zero.
#pragma once
#include <cfenv>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace burin {

// Sets it for a scope, whatever the caller had, and restores that. For every entry that computes, and every worker.
class DefinedFloatMode {
public:
#if defined(__SSE2__)
    DefinedFloatMode() : before_(_mm_getcsr()) {
        if ((before_ & ~flags) != defined) _mm_setcsr(defined | (before_ & flags));
    }
    ~DefinedFloatMode() {
        if ((before_ & ~flags) != defined) _mm_setcsr(before_);
    }

private:
    static constexpr unsigned flags = 0x3f,
                              defined = 0x1f80;  // every exception masked, no FTZ, no DAZ, nearest
    unsigned before_;
#else
    DefinedFloatMode() { std::feholdexcept(&before_), std::fesetenv(FE_DFL_ENV); }
    ~DefinedFloatMode() { std::fesetenv(&before_); }

private:
    std::fenv_t before_;
#endif
public:
    DefinedFloatMode(const DefinedFloatMode&) = delete;
    DefinedFloatMode& operator=(const DefinedFloatMode&) = delete;
};

}  // namespace burin
