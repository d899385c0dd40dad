// Values in registers and in memory; the narrow formats are read and written by integer code.
#include "ir/value.h"

#include <fmt/format.h>

#include <bit>

#include "ir/small_float.h"

namespace burin {

Value Value::integer(Type t, int64_t v) {
    Value r;
    r.type = t;
    int spare = 64 - t.bits;
    if (t.is_bool()) r.i = v != 0;
    else if (t.is_uint()) r.i = int64_t(uint64_t(v) << spare >> spare);
    else r.i = int64_t(uint64_t(v) << spare) >> spare;
    return r;
}

Value Value::real(Type t, double v) { return exact(t, round_to(t, v)); }

Value Value::exact(Type t, double v) {
    Value r;
    r.type = t;
    r.f = v;
    return r;
}

bool same(Value a, Value b) {
    return a.type == b.type && (a.i == b.i || (a.is_nan() && b.is_nan()));
}

uint64_t bits_of(Value v) {
    Type t = v.type;
    if (!t.is_float()) return uint64_t(v.i) << (64 - t.bits) >> (64 - t.bits);
    double f = v.is_nan() ? std::bit_cast<double>(uint64_t(0x7ff8) << 48) : v.f;
    if (t.bits == 64) return std::bit_cast<uint64_t>(f);
    if (t.bits == 32) return std::bit_cast<uint32_t>(float(f));
    return encode(format_of(t), f);
}

Value of_bits(Type t, uint64_t bits) {
    if (!t.is_float()) return Value::integer(t, int64_t(bits));
    if (t.bits == 64) return Value::exact(t, std::bit_cast<double>(bits));
    if (t.bits == 32) return Value::exact(t, std::bit_cast<float>(uint32_t(bits)));
    return Value::exact(t, decode(format_of(t), uint32_t(bits)));
}

Value load(Type t, const void* from) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size_t(t.bytes()));  // little endian
    return of_bits(t, bits);
}

void store(Value v, void* to) {
    uint64_t bits = bits_of(v);
    std::memcpy(to, &bits, size_t(v.type.bytes()));
}

std::string to_string(Value v) {
    Type t = v.type;
    if (t.is_bool()) return v.i ? "true" : "false";
    if (t == u64) return fmt::format("{}", uint64_t(v.i));
    if (!t.is_float()) return fmt::format("{}", v.i);
    if (std::isnan(v.f)) return "nan";
    return t.bits == 64 ? fmt::format("{}", v.f) : fmt::format("{}", float(v.f));
}

}  // namespace burin
