#include <burin/symbol.h>

#include <deque>
#include <mutex>
#include <unordered_map>

namespace burin {
namespace {

// Hints live as long as the program: a Symbol is a number and a pointer, and may be used from any thread.
struct Table {
    std::mutex mutex;
    uint32_t last = 0;
    std::unordered_map<std::string, uint32_t> named;
    std::unordered_map<std::string, int> hints;  // node-based: keys never move
};
Table& table() {
    static Table* t = new Table;  // never destroyed: Symbols in other static objects stay valid
    return *t;
}

}  // namespace

Symbol Symbol::named(std::string_view name) {
    Table& t = table();
    std::lock_guard lock(t.mutex);
    auto [it, is_new] = t.named.try_emplace(std::string(name), t.last + 1);
    if (is_new) ++t.last;
    return Symbol(it->second, &it->first);
}

Symbol Symbol::fresh(std::string_view hint) {
    Table& t = table();
    std::lock_guard lock(t.mutex);
    return Symbol(++t.last, &t.hints.try_emplace(std::string(hint)).first->first);
}

const std::string& Symbol::hint() const {
    static const std::string none;
    return hint_ ? *hint_ : none;
}

}  // namespace burin
