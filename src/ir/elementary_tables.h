// elementary_tables.h - the constants and coefficients of elementary.h, angles.h and powers.h.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

namespace burin::functions {
// clang-format off

template <class T>
struct Format;
template <>
struct Format<float> {
    using Int = int32_t;
    static constexpr int fraction_bits = 23;
    static constexpr Int exponent(int e) { return (127 + e) << fraction_bits; }
    static constexpr float power(int e) { return std::bit_cast<float>(exponent(e)); }
    static constexpr float infinity = std::numeric_limits<float>::infinity();
    static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    static constexpr float least_normal = 0x1p-126f;
    static constexpr float shifter = 0x1.8p23f;
    static constexpr Int two_thirds = 0x3f2aaaab;
    static constexpr float ln2 = 0x1.62e43p-1f, ln2_high = ln2, ln2_low = -0x1.05c61p-29f,
                           log2_e = 0x1.715476p0f;
    static constexpr float exp_least = -104, exp_small = -80,
                           exp_most = 89;  // 0; far from the denormals; infinity
    static constexpr float near = 0x1p17f;  // of sin and cos: above it an angle needs more of 2 / pi
    static constexpr float two_over_pi = 0x1.45f306p-1f, half_pi[] = {0x1.921fb4p0f, 0x1.4442d2p-24f, -0x1.ee59dap-50f};
    static constexpr float tanh_one = 10, erf_one = 4, gelu_zero = 14.375f;  // the result there and beyond
};

template <>
struct Format<double> {
    using Int = int64_t;
    static constexpr int fraction_bits = 52;
    static constexpr Int exponent(int e) { return Int(1023 + e) << fraction_bits; }
    static constexpr double power(int e) { return std::bit_cast<double>(exponent(e)); }
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr double least_normal = 0x1p-1022;
    static constexpr double shifter = 0x1.8p52;
    static constexpr Int two_thirds = 0x3fe5555555555555;
    static constexpr double ln2 = 0x1.62e42fefa39efp-1, log2_e = 0x1.71547652b82fep0;
    static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    static constexpr double exp_least = -746, exp_small = -600, exp_most = 710;
    static constexpr double near = 0x1p47;  // likewise
    static constexpr double tanh_one = 20, erf_one = 6, gelu_zero = 38.625;
    static constexpr double half_pi = 0x1.921fb54442d18p0, half_pi_rest = 0x1.1a62633145c07p-54;
};

template <class T>
struct Tables;
template <>
struct Tables<float> {
    static constexpr float exp[] = {
        1, 0x1.fffffap-2f, 0x1.555492p-3f, 0x1.555a26p-5f, 0x1.123988p-7f, 0x1.694cd2p-10f};  // (e^r - 1) / r
    static constexpr float log[] = {-0.5f,           0x1.555502p-2f,  -0x1.ffff14p-3f,
                                    0x1.99d1c4p-3f,  -0x1.559802p-3f, 0x1.1ec0fep-3f,
                                    -0x1.f3a7e4p-4f, 0x1.1ec5e2p-3f,  -0x1.06cddep-3f};
    static constexpr float tanh[] = {-0x1.55553cp-2f, 0x1.110be6p-3f, -0x1.b96288p-5f, 0x1.600bd6p-6f,
                                     -0x1.04675p-7f,  0x1.2db79ep-9f, -0x1.7806d8p-12f};
    static constexpr float erf[] = {0x1.06eba8p-3f, -0x1.812742p-2f,  0x1.ce2de6p-4f, -0x1.b80bf6p-6f,
                                    0x1.54afccp-8f, -0x1.a96b04p-11f, 0x1.5a14ep-14f};
    static constexpr float log_erfc[] = {-0x1.079b78p-3f, -0x1.45148cp-1f,  -0x1.b44e94p-4f,
                                         0x1.872dap-6f,   -0x1.d5cbb4p-9f,  0x1.01d2p-12f,
                                         0x1.4539cap-16f, -0x1.631d54p-18f, 0x1.5552e4p-22f};
    static constexpr float normal_tail[] = {0x1.0bdb2ep0f,   -0x1.890c92p0f, 0x1.1caedp0f,   -0x1.afd70ep-4f,
                                            -0x1.572f2cp-2f, 0x1.8a66a6p-6f, 0x1.352b68p-3f, 0x1.5dbb26p-5f,
                                            -0x1.c80bd8p-4f, 0x1.ac848ep-6f};
    // Below angle_below[i]: 2 / pi without a multiple of 2^-s that gives whole fours, s = 0, 23, 46, 69, 92.
    static constexpr float angle_below[] = {0x1p48f, 0x1p71f, 0x1p94f, 0x1p117f};
    static constexpr double two_over_pi[] = {0x1.45f306dc9c883p-1, -0x1.236377d5ac07bp-25,
                                             0x1.529fc2757d1f5p-52, -0x1.ec54170565912p-71,
                                             0x1.f534ddc0db629p-96};
    static constexpr double two_over_pi_rest[] = {-0x1.6b01ec5417056p-55, -0x1.505c1596447e5p-81,
                                                  0x1.a6ee06db14acdp-107, 0x1.b6c52b3278872p-129,
                                                  0x1.664f10e4107f9p-150};
    static constexpr float sin[] = {0x1.555544p-3f, -0x1.1107p-7f, 0x1.992f58p-13f};  // (r - sin r) / r^3
    static constexpr float cos[] = {-0.5f, 0x1.55554ep-5f, -0x1.6c0e46p-10f, 0x1.9a5e72p-16f};
    static constexpr double wide_sin[] = {-0x1.555541d731babp-3, 0x1.1105ef877c05bp-7, -0x1.98d4b424066b9p-13};
    static constexpr double wide_cos[] = {-0x1.ffffffbc5fb09p-2, 0x1.5555374c56e98p-5, -0x1.6c05f6b142fd6p-10,
                                     0x1.98a30c8690ee6p-16};
    static constexpr double log2[] = {0x1.715476521ca52p0,   -0x1.7154764ba90d1p-1, 0x1.ec70a3dc21e3bp-2,
                                      -0x1.715484562b51dp-2, 0x1.27744d0982937p-2,  -0x1.ec68bc40a7324p-3,
                                      0x1.a6d179d3e7388p-3,  -0x1.7245444e8883ap-3, 0x1.3c0f6752662c3p-3,
                                      -0x1.19b3c89163c13p-3, 0x1.689c4e7c55a8dp-3,  -0x1.5396bfe0b26fep-3};
    static constexpr double exp2[] = {1,
                                      0x1.62e430b1638d1p-1,
                                      0x1.ebfbdc30a72a3p-3,
                                      0x1.c6aee53e7424ep-5,
                                      0x1.3b2d524b4fed2p-7,
                                      0x1.5f400e73a1f55p-10,
                                      0x1.41fa9dc9ed059p-13};
};

template <>
struct Tables<double> {
    static constexpr double two_over_pi[] = {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55,
                                             -0x1.6447e493ad4cep-109};
    static constexpr double exp[] = {1,
                                     0x1.000000000000ap-1,
                                     0x1.55555555554fep-3,
                                     0x1.55555555506acp-5,
                                     0x1.1111111126b2ep-7,
                                     0x1.6c16c1847c94ap-10,
                                     0x1.a01a012ffa32bp-13,
                                     0x1.a019994c1311ep-16,
                                     0x1.71df18b9a1062p-19,
                                     0x1.28ae10fca39b6p-22,
                                     0x1.ad937209d2824p-26};
    static constexpr double log[] = {
        -0x1.ffffffffffffbp-2, 0x1.5555555555934p-2, -0x1.000000000106ep-2, 0x1.99999998ec4f3p-3,
        -0x1.55555553a06adp-3, 0x1.24924977f96b1p-3, -0x1.0000009f1827bp-3, 0x1.c71c4a80dd6e1p-4,
        -0x1.99995b4422f35p-4, 0x1.74624ddd28a85p-4, -0x1.555c92dacf6ccp-4, 0x1.3aa9496141e0cp-4,
        -0x1.240cecb64227ap-4, 0x1.163e3b093022p-4,  -0x1.05f9ac10f9e0dp-4, 0x1.95aa42e70c23fp-5,
        -0x1.74f18f828cfa4p-5, 0x1.6b43896f3f098p-4, -0x1.62d01de29db0bp-4};
    static constexpr double tanh[] = {-0x1.555555555550fp-2,  0x1.111111110d7f3p-3,   -0x1.ba1ba1b810d96p-5,
                                      0x1.664f4836aeacfp-6,   -0x1.226e2ec043622p-7,  0x1.d6d3100ade67fp-9,
                                      -0x1.7d9bccb5a890dp-10, 0x1.352140e36937p-11,   -0x1.f3369ca2b93d6p-13,
                                      0x1.8d7bedb60e01bp-14,  -0x1.2eb62622fda66p-15, 0x1.9e17828811758p-17,
                                      -0x1.caf4367a981cbp-19, 0x1.5f59181f58122p-21,  -0x1.0d3b9086654edp-24};
    static constexpr double erf[] = {0x1.06eba8214db68p-3,   -0x1.812746b0379c4p-2,  0x1.ce2f21a0417dep-4,
                                     -0x1.b82ce31233f35p-6,  0x1.565bcd01efec9p-8,   -0x1.c02db1bd93406p-11,
                                     0x1.f9a2e2b307369p-14,  -0x1.f4ccf3db519fdp-17, 0x1.b99c71ff6cbp-20,
                                     -0x1.5cc602aa102b1p-23, 0x1.dcb424d6b77fbp-27,  -0x1.bdc7bbf3b7e69p-31};
    static constexpr double log_erfc[] = {
        -0x1.06ebab488a2c0p-3,  -0x1.45f2fdecde84bp-1,  -0x1.a4f660bd00e23p-4,  0x1.397a870440432p-6,
        0x1.9f27715210b3cp-13,  -0x1.b77938a8b3732p-10, 0x1.27554d82fce00p-11,  0x1.78dfa1b102542p-19,
        -0x1.746e95aa95f73p-14, 0x1.80bd0f0845c8bp-15,  -0x1.80511edf04174p-17, -0x1.20cd6e25b24bfp-22,
        0x1.ccfb5496340bfp-20,  -0x1.fb7eaf294fb96p-21, 0x1.6d0cd0cb3db54p-22,  -0x1.92cb0f333dc91p-24,
        0x1.664ac56fac689p-26,  -0x1.05daaf0b85e81p-28, 0x1.3c3ca7fb30960p-31,  -0x1.3acf0045938cdp-34,
        0x1.00152ad28e85cp-37,  -0x1.4f3f46bae1359p-41, 0x1.58c2ce707327fp-45,  -0x1.0c434f7f2f7b8p-49,
        0x1.28f873efb8d23p-54,  -0x1.a0bfd3465c909p-60, 0x1.169cfbed9c714p-66};
    static constexpr double normal_tail[] = {0x1.0bdb2e039df32p0, -0x1.890c892e9fc61p0};  // and, from the square on:
    static constexpr double normal_tail_rest[] = {
        0x1.1caebd6060bb4p0, -0x1.b01218563b371p-4, -0x1.57042b2be3672p-2, 0x1.a1d3693b7f181p-6,
        0x1.29462aeb8a4e4p-3, 0x1.29f11ec22f77ep-5, -0x1.c3777ac58cd6ap-5, -0x1.8ac5e86cdb0c1p-5,
        0x1.1137db3258901p-11, 0x1.c677d37bfc942p-6, 0x1.4dc25944be49cp-6, -0x1.618f1c12152afp-11,
        -0x1.aefbec9d46750p-7, -0x1.4f05179bac4f5p-7, -0x1.7918e44a09293p-8, 0x1.def108a22a6aap-10,
        0x1.5b2035b05cf8dp-5, -0x1.95420be455b38p-5, -0x1.d9085a194ce35p-5, 0x1.4cd7bedb493adp-2,
        -0x1.1aa229774936ep-1, 0x1.e092ae6e86c6fp-2, -0x1.9ce28794b9794p-3, 0x1.1e3b57d70295cp-5};
    static constexpr double sin[] = {-0x1.5555555555548p-3, 0x1.111111110f747p-7,   -0x1.a01a019bedba9p-13,
                                     0x1.71de355a31aabp-19, -0x1.ae5e50109e99bp-26, 0x1.5d8ccbe457564p-33};
    static constexpr double cos[] = {-0.5,
                                     0x1.555555555554bp-5,
                                     -0x1.6c16c16c15005p-10,
                                     0x1.a01a019c8c65p-16,
                                     -0x1.27e4f7eee47d3p-22,
                                     0x1.1ee9d99a1c66ap-29,
                                     -0x1.8fa5341562635p-37};
    // log(m) = 2 s + 2/3 s^3 + s^5 P(s^2), s = (m - 1) / (m + 1)
    static constexpr double log_by_quotient[] = {
        0x1.999999999999ap-2, 0x1.2492492492492p-2, 0x1.c71c71c71c71cp-3, 0x1.745d1745d1746p-3,
        0x1.3b13b13b13b14p-3, 0x1.1111111111111p-3, 0x1.e1e1e1e1e1e1ep-4, 0x1.af286bca1af28p-4,
        0x1.8618618618618p-4, 0x1.642c8590b2164p-4, 0x1.47ae147ae147bp-4};
    // The bits of 2 / pi after 64 zeros.
    static constexpr uint64_t two_over_pi_bits[] = {
        0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
        0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
        0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
        0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
        0xf0cfbc209af4361d};
};

}  // namespace burin::functions
