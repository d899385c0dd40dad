#include "lower/fresh_copy.h"

#include "ir/build.h"
#include "ir/walk.h"

namespace burin {

Stmt fresh_copy(const Stmt& s) {
    std::unordered_map<Symbol, Symbol> renamed;
    auto bind = [&](Symbol& name) { name = renamed[name] = Symbol::fresh(name.hint()); };
    auto use = [&](Symbol& name) {
        if (auto it = renamed.find(name); it != renamed.end()) name = it->second;
    };
    return rewrite(
        s,
        [&](const Let& op, auto& self) -> Stmt {
            Let l{op.name, self(op.value), {}};
            bind(l.name);
            l.body = self(op.body);
            return make(std::move(l), {}, box(op).origin);
        },
        [&](const For& op, auto& self) -> Stmt {
            For f{op.name, self(op.min), self(op.extent), op.kind, {}};
            bind(f.name);
            f.body = self(op.body);
            return make(std::move(f), {}, box(op).origin);
        },
        [&](const Allocate& op, auto& self) -> Stmt {
            Allocate a{op.buffer, op.element, self(op.extents), op.memory, {}};
            bind(a.buffer);
            a.body = self(op.body);
            return make(std::move(a), {}, box(op).origin);
        },
        [&](const Store& op, auto& self) -> Stmt {
            Store st = *self.descend(op).template as<Store>();
            use(st.buffer);
            return make(std::move(st), {}, box(op).origin);
        },
        [&](const Load& op, auto& self) -> Expr {
            Load l = *self.descend(op).template as<Load>();
            use(l.buffer);
            return make(std::move(l), handle(op).type());
        },
        [&](const Var& op, auto&) -> Expr {
            auto it = renamed.find(op.name);
            return it == renamed.end() ? handle(op) : var(it->second, handle(op).type());
        });
}

Stmt renamed(const Stmt& s, Symbol from, Symbol to) {
    return rewrite(
        s,
        [&](const Read& op, auto& self) -> Expr {
            Read r = *self.descend(op).template as<Read>();
            if (r.func == from) r.func = to;
            return make(std::move(r), handle(op).type());
        },
        [&](const Provide& op, auto& self) -> Stmt {
            Provide p = *self.descend(op).template as<Provide>();
            if (p.func == from) p.func = to;
            return make(std::move(p), {}, box(op).origin);
        },
        [&](const Realize& op, auto& self) -> Stmt {
            Realize r = *self.descend(op).template as<Realize>();
            if (r.func == from) r.func = to;
            return make(std::move(r), {}, box(op).origin);
        });
}

}  // namespace burin
