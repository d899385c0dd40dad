// Domains and the inline reductions over them.
#include <fmt/format.h>

#include "burin/func.h"
#include "func/draft.h"

namespace burin {

RDom::RDom(std::initializer_list<Extent> extents, std::string_view name, Loc where)
    : domain_(std::make_shared<Domain>()) {
    for (auto& e : extents) {
        std::string own =
            extents.size() == 1 ? std::string(name) : fmt::format("{}{}", name, vars_.size());
        auto bound = [&](const Expr& b) { return known_at_entry(b, where, "a bound of " + own); };
        Declaration d{Declaration::RVar, bare_name(own, where), where, IndexType, {}, domain_};
        domain_->ranges.push_back({d.name, bound(e.range.lo), bound(e.range.hi)});
        vars_.push_back(RVar(variable(std::make_shared<Declaration>(std::move(d)))));
    }
    if (vars_.empty())
        throw Error(ErrorKind::Type, "empty-domain", fmt::format("RDom {} has no variable", name))
            .at(where);
}

RDom& RDom::where(At condition) {
    if (!condition.e.defined())
        throw Error(ErrorKind::Type, "undefined-expression",
                    "the condition of an RDom is an undefined Expr")
            .at(condition.where);
    refuse_namesakes(condition.e, domain_->ranges, condition.where);
    // Its own variables lose their owner, or the domain would keep itself alive.
    Expr c = rewrite(condition.e, [&](const Var& v, auto&) -> Expr {
        auto* d = declaration(v.owner);
        return d && d->domain == domain_ ? make(Var{v.name, {}}, IndexType) : handle(v);
    });
    domain_->where = domain_->where.defined()
                         ? At(domain_->where, condition.where) && At(c, condition.where)
                         : c;
    return *this;
}

RVar RDom::operator[](int i) const {
    if (i < 0 || i >= rank())
        throw Error(ErrorKind::Type, "no-such-variable",
                    fmt::format("an RDom has {} variables: there is no [{}]", rank(), i))
            .at(declaration_of(vars_[0])->where);
    return vars_[i];
}

RDom::operator Expr() const {
    if (rank() != 1)
        throw Error(ErrorKind::Type, "rdom-rank",
                    fmt::format("an RDom of {} variables is no single coordinate", rank()))
            .at(declaration_of(vars_[0])->where)
            .help("r[0], r[1], ...");
    return vars_[0];
}

Over::Over(const RDom& r) : domain(r.domain_) {}
Over::Over(const RVar& v) {
    Domain d;
    auto& whole = *declaration_of(v.e_)->domain;
    for (auto& range : whole.ranges)
        if (range.name == v.e_.as<Var>()->name) d.ranges.push_back(range);
    d.where = whole.where;
    domain = std::make_shared<Domain>(std::move(d));
}
Over::Over(std::initializer_list<Over> all) {
    Domain d;
    for (auto& o : all) {
        d.ranges.insert(d.ranges.end(), o.domain->ranges.begin(), o.domain->ranges.end());
        if (o.domain->where.defined())
            d.where = d.where.defined() ? d.where && o.domain->where : o.domain->where;
    }
    domain = std::make_shared<Domain>(std::move(d));
}

static std::vector<Expr> reduced(ReduceOp op, const Over& over, const At& value,
                                 std::string_view name) {
    refuse_namesakes(value.e, over.domain->ranges, value.where);
    return reduce(op, *over.domain, value.e,
                  name.empty() ? Symbol() : stage_name(name, value.where), value.where);
}
Expr sum(const Over& over, At e, std::string_view name) {
    return reduced(ReduceOp::Sum, over, e, name)[0];
}
Expr product(const Over& over, At e, std::string_view name) {
    return reduced(ReduceOp::Product, over, e, name)[0];
}
Expr minimum(const Over& over, At e, std::string_view name) {
    return reduced(ReduceOp::Min, over, e, name)[0];
}
Expr maximum(const Over& over, At e, std::string_view name) {
    return reduced(ReduceOp::Max, over, e, name)[0];
}
Tuple argmin(const Over& over, At e, std::string_view name) {
    return {reduced(ReduceOp::ArgMin, over, e, name)};
}
Tuple argmax(const Over& over, At e, std::string_view name) {
    return {reduced(ReduceOp::ArgMax, over, e, name)};
}

}  // namespace burin
