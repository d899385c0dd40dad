#include <burin/func.h>

#include <fmt/format.h>

#include <algorithm>

#include "func/draft.h"
#include "ir/build.h"

namespace burin {

const std::string& Named::name() const { return e_.as<Var>()->name.hint(); }
Size::Size(std::string_view name, Loc where)
    : Named(variable(declare(Declaration::Size, name, IndexType, where))) {}
Expr parameter(std::string_view name, Type type, Loc where) {
    return variable(declare(Declaration::Scalar, name, type, where));
}

// ---- inputs ----

std::vector<Expr> Rank::shape(std::string_view input, Loc where) const {
    if (n < 0)
        throw Error(ErrorKind::Shape, "negative-rank",
                    fmt::format("{} cannot have {} dimensions", input, n))
            .at(where);
    return std::vector<Expr>(size_t(n));
}

InputBase::InputBase(std::string_view name, Type type, std::span<const Expr> shape, Loc where)
    : d_(declare_input(name, type, {shape.begin(), shape.end()}, where)) {}
const std::string& InputBase::name() const { return d_->name.hint(); }
Type InputBase::type() const { return d_->type; }
int InputBase::rank() const { return int(d_->shape.size()); }
Expr InputBase::at(const std::vector<Expr>& args, const Where& where) const {
    return read(d_, args, -1, where);
}

Expr InputBase::meta(int what, int dim, const Where& where) const {
    if (dim < 0 || dim >= rank())
        throw Error(
            ErrorKind::Shape, "no-such-dimension",
            fmt::format("{} has {} dimensions: there is no dimension {}", name(), rank(), dim))
            .at(where);
    return make(Meta{d_->name, MetaKind(what), dim}, IndexType);
}
Expr extent(const InputBase& in, int dim, Loc where) {
    return in.meta(int(MetaKind::Extent), dim, where);
}
Expr origin(const InputBase& in, int dim, Loc where) {
    return in.meta(int(MetaKind::Min), dim, where);
}
Expr stride(const InputBase& in, int dim, Loc where) {
    return in.meta(int(MetaKind::Stride), dim, where);
}

InputRef::InputRef(const Expr& named)
    : d(std::static_pointer_cast<const Declaration>(named.as<Var>()->owner.p)) {}

// ---- Funcs ----

Func::Func(std::string_view name, Loc where) : f_(declare_func(name, false, where)) {}
Func::Func(Loc where) : f_(declare_func("f", true, where)) {}
const std::string& Func::name() const { return f_->name.hint(); }
int Func::rank() const { return f_->defs.empty() ? -1 : int(f_->vars.size()); }
std::vector<Type> Func::types() const { return f_->types; }
Stage Func::update(int n) const {
    if (n < 0)
        throw Error(ErrorKind::Schedule, "unknown-stage",
                    fmt::format("{} has no update({}): they count from 0", name(), n));
    return {name(), n};
}

const Expr& Tuple::operator[](size_t i) const {
    if (i >= elements.size())
        throw Error(ErrorKind::Type, "tuple-element",
                    fmt::format("a tuple of {} elements has no [{}]", elements.size(), i));
    return elements[i];
}

FuncRef::operator Expr() const { return read(f_, args_, -1, where_); }
Expr FuncRef::operator[](int element) const { return read(f_, args_, element, where_); }

namespace {

// The domains whose variables occur in a definition, in reading order.
Domain domains_in(const Definition& d) {
    Domain all;
    std::vector<const Domain*> seen;
    auto look = [&](const Definition& in) {
        visit_all(in, [&](const Var& v, auto&) {
            auto* decl = declaration(v.owner);
            if (decl && decl->kind == Declaration::RVar &&
                !std::ranges::count(seen, decl->domain.get()))
                seen.push_back(decl->domain.get());
        });
    };
    look(d);
    for (size_t i = 0; i < seen.size(); ++i) {
        all.ranges.insert(all.ranges.end(), seen[i]->ranges.begin(), seen[i]->ranges.end());
        if (!seen[i]->where.defined()) continue;
        all.where = all.where.defined() ? all.where && seen[i]->where : seen[i]->where;
        Definition condition;
        condition.where = seen[i]->where;
        look(condition);
    }
    return all;
}

}  // namespace

void FuncRef::define(const char* op, std::vector<Expr> values) {
    Definition d;
    d.args = args_;
    d.values = values;
    Domain domain = domains_in(d);
    for_each_expr(d, [&](const Expr& e) { refuse_namesakes(e, domain.ranges, where_); });
    burin::define(f_, {args_, op, {}, std::move(values), std::move(domain), where_});
}

// ---- pipelines ----

Pipeline::Pipeline(std::string name, std::initializer_list<InputRef> inputs,
                   std::initializer_list<OutputRef> outputs, std::source_location where) {
    Outline o;
    o.name = std::move(name);
    o.where = where;
    for (auto& in : inputs) o.params.push_back(in.d);
    for (auto& out : outputs) o.outputs.push_back({out.func, out.shape});
    algorithm_ = freeze(o);
}

}  // namespace burin
