#include "func/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ir/build.h"
#include "ir/print.h"
#include "ir/walk.h"

namespace burin {
namespace {

Expr var_of(const Parameter& p) { return var(p.name, p.type); }

std::string shape_text(const std::vector<Expr>& shape) {
    std::string s;
    for (auto& d : shape) s += (s.empty() ? "" : ", ") + (d.defined() ? to_string(d) : "_");
    return "[" + s + "]";
}

// The number as a value of the parameter's type: exact for integers, rounded once for floats.
int64_t convert(const Parameter& p, const Arg& arg) {
    Type wanted = p.type;
    auto wrong_type = [&](const std::string& seen) {
        return Error(ErrorKind::Type, "wrong-argument-type",
                     fmt::format("{}: {} is given for {}", p.name.hint(), seen,
                                 p.kind == Parameter::Size ? "a size" : to_string(wanted)))
            .note("declared here", p.where);
    };
    if (!arg.is_number()) throw wrong_type("a buffer");
    if (arg.type().is_bool() != wanted.is_bool()) throw wrong_type(to_string(arg.type()));
    Value given = of_bits(arg.type(), arg.bits()), v = eval_cast(wanted, given);
    bool fits = true;
    if (wanted.is_float()) {
        fits = given.type.is_float() ? std::isinf(given.f) || !std::isinf(v.f) : !std::isinf(v.f);
    } else if (given.type.is_float()) {
        fits = given.f == std::floor(given.f) && std::fabs(given.f) < 0x1p63 &&
               eval_cast(f64, v).f == given.f;
    } else {
        fits = v.i == given.i && (v.i >= 0 || wanted.is_uint() == given.type.is_uint());
    }
    if (!fits)
        throw Error(
            ErrorKind::Value, "number-does-not-fit",
            fmt::format("{}: {} does not fit {}", p.name.hint(), to_string(given),
                        p.kind == Parameter::Size ? "a size, a whole number" : to_string(wanted)))
            .note("declared here", p.where);
    return wanted.is_index() ? v.i : int64_t(bits_of(v));
}

void check_buffer(const std::string& name, const Arg& arg, Type type, int rank,
                  const std::vector<Expr>& shape) {
    if (arg.is_number())
        throw Error(ErrorKind::Type, "wrong-argument-type",
                    fmt::format("{}: a number is given for the buffer {}{}", name, to_string(type),
                                shape_text(shape)));
    const AnyBuffer& b = arg.buffer();
    if (!b.defined())
        throw Error(ErrorKind::Value, "undefined-buffer",
                    fmt::format("{}: the buffer given is undefined", name));
    if (b.type() != type)
        throw Error(ErrorKind::Type, "wrong-element-type",
                    fmt::format("{}: {} is given, its elements are {}", name, to_string(b),
                                to_string(type)));
    if (b.rank() != rank)
        throw Error(ErrorKind::Shape, "wrong-rank",
                    fmt::format("{}: {} is given, its shape is {}{}", name, to_string(b),
                                to_string(type), shape_text(shape)));
}

// Distinct points have distinct addresses if each stride exceeds what the smaller ones reach.
bool overlaps_itself(const AnyBuffer& b) {
    std::vector<std::pair<int64_t, int64_t>> strides;  // and extents
    for (const Dim& d : b.dims()) {
        if (d.extent == 0) return false;
        if (d.extent > 1) strides.push_back({std::abs(d.stride), d.extent});
    }
    std::sort(strides.begin(), strides.end());
    int64_t reach = 0;
    for (auto [stride, extent] : strides) {
        if (stride <= reach) return true;
        reach += stride * (extent - 1);
    }
    return false;
}

}  // namespace

Binder::Binder(std::shared_ptr<const Algorithm> algorithm) : algorithm_(std::move(algorithm)) {
    const Algorithm& a = *algorithm_;
    for (auto& p : a.params) {
        scalar_of_.push_back(p.kind == Parameter::Scalar ? int(numbers_.size()) : -1);
        if (p.kind == Parameter::Scalar) numbers_.push_back(var_of(p));
    }
    size_t first_size = numbers_.size();
    for (Symbol s : a.sizes) numbers_.push_back(var(s));

    std::vector<Place> bound_at(numbers_.size(), Place{.dim = -2});
    for (size_t i = 0; i < a.params.size(); ++i)
        if (a.params[i].kind == Parameter::Size) {
            scalar_of_[i] = number_of(var_of(a.params[i]));
            bound_at[size_t(scalar_of_[i])] = {false, int(i), -1};
        }
    std::vector<Expr> roots;
    for (size_t i = 0; i < a.params.size(); ++i) {
        auto& shape = a.params[i].shape;
        add_uses({false, int(i), 0}, shape, input_uses_, bound_at);
        for (size_t d = 0; d < shape.size(); ++d)
            if (shape[d].defined() && number_of(shape[d]) < 0) {
                checked_.push_back({false, int(i), int(d)});
                roots.push_back(shape[d]);
            }
    }
    for (size_t n = first_size; n < numbers_.size(); ++n)
        if (bound_at[n].dim == -2) unbound_.push_back(int(n));
    for (size_t o = 0; o < a.outputs.size(); ++o) {
        const OutputDecl& decl = a.outputs[o];
        const FuncDef& f = *a.func(decl.func);
        for (size_t e = 0; e < f.types.size(); ++e) {
            add_uses({true, int(outputs_.size()), 0}, decl.shape, output_uses_, bound_at);
            outputs_.push_back({int(o), int(e), f.types[e], roots.size()});
            output_names_.push_back(e ? fmt::format("{}.{}", decl.func.hint(), e)
                                      : decl.func.hint());
        }
        roots.insert(roots.end(), decl.shape.begin(), decl.shape.end());
    }
    std::erase_if(output_uses_, [](const SizeUse& u) {
        return !u.first.output;
    });  // the others may be any box inside the shape
    program_ = IndexProgram(std::move(roots), numbers_);
}

int Binder::number_of(const Expr& dim) const {
    auto* v = dim.defined() ? dim.as<Var>() : nullptr;
    for (size_t n = 0; v && n < numbers_.size(); ++n)
        if (numbers_[n].as<Var>()->name == v->name) return int(n);
    return -1;
}

void Binder::add_uses(const Place& buffer, const std::vector<Expr>& shape,
                      std::vector<SizeUse>& uses, std::vector<Place>& first) {
    for (size_t d = 0; d < shape.size(); ++d)
        if (int n = number_of(shape[d]); n >= 0) {
            Place at{buffer.output, buffer.buffer, int(d)};
            bool binds = first[size_t(n)].dim == -2;
            if (binds) first[size_t(n)] = at;
            uses.push_back({n, at, first[size_t(n)], binds});
        }
}

std::string Binder::describe(const Place& p) const {
    std::string name = p.output ? output_names_[size_t(p.buffer)]
                                : algorithm_->params[size_t(p.buffer)].name.hint();
    return p.dim < 0 ? "the number given" : fmt::format("dimension {} of {}", p.dim, name);
}

Error Binder::disagree(const SizeUse& use, int64_t bound, int64_t got) const {
    return Error(ErrorKind::Shape, "size-mismatch",
                 fmt::format("{} is {} by {} but {} by {}", to_string(numbers_[size_t(use.number)]),
                             bound, describe(use.first), got, describe(use.at)));
}

// One call: the steps of operator() in order.
struct Binder::Call {
    const Binder& b;
    const Algorithm& a;
    std::span<const Arg> args;
    Binding out;
    std::vector<IndexValue> extents;  // of program_

    size_t inputs() const { return a.params.size(); }
    bool outputs_given() const { return args.size() > inputs(); }

    void count() const {
        if (args.size() == inputs() || args.size() == inputs() + b.outputs_.size()) return;
        std::vector<std::string> names;
        for (auto& p : a.params) names.push_back(p.name.hint());
        throw Error(ErrorKind::Value, "wrong-argument-count",
                    fmt::format("{} arguments are given to {}", args.size(), a.name))
            .help(fmt::format("it takes ({}), and if wished its outputs: {}",
                              fmt::join(names, ", "), fmt::join(b.output_names_, ", ")));
    }

    void parameters() {
        out.inputs.resize(inputs());
        out.numbers.resize(b.numbers_.size());
        for (size_t i = 0; i < inputs(); ++i) {
            const Parameter& p = a.params[i];
            if (p.kind != Parameter::Input) {
                out.numbers[size_t(b.scalar_of_[i])] = convert(p, args[i]);
                continue;
            }
            check_buffer(p.name.hint(), args[i], p.type, p.rank(), p.shape);
            out.inputs[i] = args[i].buffer();
        }
    }

    void sizes() {
        for (const SizeUse& u : b.input_uses_) {
            int64_t extent = out.inputs[size_t(u.at.buffer)].dims()[size_t(u.at.dim)].extent;
            int64_t& number = out.numbers[size_t(u.number)];
            if (u.binds) number = extent;
            else if (number != extent) throw b.disagree(u, number, extent);
        }
        if (outputs_given())
            for (const SizeUse& u : b.output_uses_) {
                auto dims = args[inputs() + size_t(u.at.buffer)].buffer().dims();
                int64_t end = dims[size_t(u.at.dim)].min + dims[size_t(u.at.dim)].extent;
                int64_t& number = out.numbers[size_t(u.number)];
                number = u.binds ? end : std::max(number, end);  // all boxes are inside
            }
        else if (!b.unbound_.empty())
            throw Error(ErrorKind::Shape, "unbound-size",
                        fmt::format("no argument tells the Size {}",
                                    to_string(b.numbers_[size_t(b.unbound_[0])])))
                .help("give the outputs too, or make the Size an input of the Pipeline");
        for (size_t n = b.numbers_.size() - a.sizes.size(); n < b.numbers_.size(); ++n)
            if (out.numbers[n] < 0)
                throw Error(
                    ErrorKind::Bounds, "negative-extent",
                    fmt::format("the Size {} is {}", to_string(b.numbers_[n]), out.numbers[n]));
    }

    void shapes() {
        extents.resize(b.program_.roots().size());
        b.program_.run(out.numbers, extents);
        for (size_t k = 0; k < extents.size(); ++k)
            if (extents[k].overflow) throw index_overflow(b.program_.roots()[k]);
        for (size_t k = 0; k < b.checked_.size(); ++k) {
            const Place& p = b.checked_[k];
            int64_t extent = out.inputs[size_t(p.buffer)].extent(p.dim);
            if (extent != extents[k].value)
                throw with_sizes(
                    Error(ErrorKind::Shape, "extent-mismatch",
                          fmt::format("{} is {}, wanted is {} = {}", b.describe(p), extent,
                                      to_string(b.program_.roots()[k]), extents[k].value)),
                    b.program_.roots()[k]);
        }
    }

    // With a note of the values of what e is made of.
    Error with_sizes(Error error, const Expr& e) const {
        std::vector<std::string> values;
        for (size_t n = 0; n < b.numbers_.size(); ++n)
            if (uses(e, b.numbers_[n].as<Var>()->name))
                values.push_back(fmt::format(
                    "{} = {}", to_string(b.numbers_[n]),
                    to_string(of_bits(b.numbers_[n].type(), uint64_t(out.numbers[n])))));
        return values.empty() ? error : error.note(fmt::format("{}", fmt::join(values, ", ")));
    }

    void outputs() {
        for (size_t o = 0; o < b.outputs_.size(); ++o) {
            const Output& decl = b.outputs_[o];
            auto& shape = a.outputs[size_t(decl.decl)].shape;
            std::vector<int64_t> wanted(shape.size());
            for (size_t d = 0; d < shape.size(); ++d) {
                wanted[d] = extents[decl.extents + d].value;
                if (wanted[d] < 0)
                    throw with_sizes(Error(ErrorKind::Bounds, "negative-extent",
                                           fmt::format("{} has the extent {} = {}",
                                                       b.describe({true, int(o), int(d)}),
                                                       to_string(shape[d]), wanted[d])),
                                     shape[d]);
            }
            if (!outputs_given()) {
                out.outputs.emplace_back(decl.type, wanted);
                continue;
            }
            const AnyBuffer& given = args[inputs() + o].buffer();
            for (size_t d = 0; d < shape.size(); ++d) {
                const Dim& dim = given.dims()[d];
                if (dim.extent > 0 && (dim.min < 0 || dim.min + dim.extent > wanted[d]))
                    throw with_sizes(
                        Error(ErrorKind::Shape, "output-outside-shape",
                              fmt::format("{} is {} .. {}, outside 0 .. {} = {}",
                                          b.describe({true, int(o), int(d)}), dim.min,
                                          dim.min + dim.extent, to_string(shape[d]), wanted[d])),
                        shape[d]);
            }
            out.outputs.push_back(given);
        }
    }

    void aliases() const {
        if (!outputs_given()) return;
        auto clash = [&](size_t o, const std::string& other) {
            return Error(
                ErrorKind::Alias, "overlapping-arguments",
                fmt::format("the output {} shares memory with {}", b.output_names_[o], other));
        };
        for (size_t o = 0; o < out.outputs.size(); ++o) {
            if (overlaps_itself(out.outputs[o])) throw clash(o, "itself");
            for (size_t i = 0; i < inputs(); ++i)
                if (out.inputs[i].defined() && overlaps(out.outputs[o], out.inputs[i]))
                    throw clash(o, "the input " + a.params[i].name.hint()).help("copy one of them");
            for (size_t p = 0; p < o; ++p)
                if (overlaps(out.outputs[o], out.outputs[p]))
                    throw clash(o, "the output " + b.output_names_[p]);
        }
    }
};

Binder::Leaf Binder::find(const Expr& leaf) const {
    if (int n = number_of(leaf); n >= 0) return {Leaf::Number, {}, n, 0};
    if (auto* meta = leaf.as<Meta>()) {
        if (const Parameter* p = algorithm_->param(meta->buffer))
            return {Leaf::Input, meta->what, int(p - algorithm_->params.data()), meta->dim};
        for (size_t o = 0; o < output_names_.size(); ++o)
            if (output_names_[o] == meta->buffer.hint())
                return {Leaf::Output, meta->what, int(o), meta->dim};
    }
    throw Error(ErrorKind::Internal, "unknown-name",
                fmt::format("{} is neither a size nor a parameter", to_string(leaf)));
}

Binding Binder::operator()(std::span<const Arg> args) const {
    Call call{*this, *algorithm_, args, {}, {}};
    call.count();
    for (size_t o = 0; call.outputs_given() && o < outputs_.size(); ++o) {
        auto& shape = algorithm_->outputs[size_t(outputs_[o].decl)].shape;
        check_buffer(output_names_[o], args[call.inputs() + o], outputs_[o].type, int(shape.size()),
                     shape);
    }
    call.parameters();
    call.sizes();
    call.shapes();
    call.outputs();
    call.aliases();
    return std::move(call.out);
}

}  // namespace burin
