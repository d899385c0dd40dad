#include <burin/arg.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace burin {

static Error no_output(std::string seen, const std::vector<std::string>& names) {
    return Error(ErrorKind::Value, "no-such-output", std::move(seen))
        .help(fmt::format("the outputs are {}", fmt::join(names, ", ")));
}

const AnyBuffer& Results::operator[](int i) const {
    if (i < 0 || i >= size())
        throw no_output(fmt::format("there is no output {} of {}", i, size()), names_);
    return outputs_[size_t(i)];
}

const AnyBuffer& Results::operator[](std::string_view name) const {
    for (int i = 0; i < size(); ++i)
        if (names_[size_t(i)] == name) return outputs_[size_t(i)];
    throw no_output(fmt::format("there is no output named {}", name), names_);
}

const AnyBuffer& Results::only() const {
    if (size() == 1) return outputs_[0];
    throw Error(ErrorKind::Value, "several-outputs",
                fmt::format("one Buffer is wanted of {} outputs", size()))
        .help(fmt::format("keep the Results r and take r[0], r[\"{}\"] or r.get<T>(0)",
                          names_.empty() ? "" : names_[0]));
}

}  // namespace burin
