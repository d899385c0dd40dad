#include <burin/type.h>

namespace burin {

std::string to_string(Type t) {
    std::string s = t.is_bool()              ? "bool"
                    : t.is_index()           ? "index"
                    : t.code == Type::BFloat ? "bf16"
                                             : (t.is_int()    ? "i"
                                                : t.is_uint() ? "u"
                                                              : "f") +
                                                   std::to_string(t.bits);
    return t.lanes > 1 ? s + "x" + std::to_string(t.lanes) : s;
}

std::optional<Type> type_named(std::string_view name) {
    for (Type t : {Bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, IndexType})
        if (name == to_string(t)) return t;
    return {};
}

}  // namespace burin
