#include "tools/job.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "base/nearest.h"
#include "func/bind.h"
#include "ir/print.h"
#include "legal/replay.h"
#include "tools/data.h"

namespace burin {
namespace {

constexpr int64_t usual_size = 256;

bool looks_like_path(const std::string& s) {
    std::filesystem::path p(s);
    std::error_code none;
    return s.find('/') != std::string::npos || p.has_extension() ||
           std::filesystem::exists(p, none);
}

template <class T>
T number_of(const std::string& option, const std::string& name, const std::string& text) {
    T v{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error != std::errc() || end != text.data() + text.size())
        throw Error(ErrorKind::Value, "bad-number",
                    fmt::format("{} {}={}: {} is not a {}number that fits", option, name, text,
                                text, std::is_integral_v<T> ? "whole " : ""));
    return v;
}

Arg parameter_of(const std::string& name, Type type, const std::string& text) {
    if (type.is_float()) return Arg(number_of<double>("--set", name, text));
    if (type == u64) return Arg(number_of<uint64_t>("--set", name, text));
    if (!type.is_bool()) return Arg(number_of<int64_t>("--set", name, text));
    if (text != "true" && text != "false")
        throw Error(ErrorKind::Value, "bad-bool",
                    fmt::format("--set {}={}: {} is neither true nor false", name, text, text));
    return Arg(text == "true");
}

class CallMaker {
public:
    CallMaker(const ToolProgram& program, const Request& request)
        : program_(program), algorithm_(program.pipeline.algorithm()) {
        std::vector<std::string> sizes, inputs, params, outputs;
        for (Symbol s : algorithm_.sizes) sizes.push_back(s.hint());
        for (auto& p : algorithm_.params)
            if (p.kind != Parameter::Size)
                (p.kind == Parameter::Input ? inputs : params).push_back(p.name.hint());
        Binder binder(program.pipeline.shared());
        files_ = assignments("--in", request.inputs, inputs, false);
        params_ = assignments("--set", request.params, params, true);
        call_.output_names = binder.output_names();
        call_.to_write = assignments("--out", request.outputs, call_.output_names, false);
        for (auto& [name, text] : assignments("--size", request.sizes, sizes, true)) {
            int64_t n = number_of<int64_t>("--size", name, text);
            if (n < 0)
                throw Error(ErrorKind::Value, "negative-size",
                            fmt::format("--size {}={}: a size is at least 0", name, n));
            bind(name, n, "--size");
        }
        read_files();
        for (auto& name : sizes) settle_size(name);
        for (size_t i = 0; i < algorithm_.params.size(); ++i) call_.inputs.push_back(argument(i));
        Binding bound = binder(call_.inputs);
        for (auto& b : bound.outputs) call_.outputs.push_back(b);
        std::map<std::filesystem::path, std::string> written;
        for (auto& [name, path] : call_.to_write) {
            check_can_save(path, output(name));
            auto [other, is_new] = written.emplace(
                std::filesystem::weakly_canonical(std::filesystem::absolute(path)), name);
            if (!is_new)
                throw Error(
                    ErrorKind::Value, "output-over-output",
                    fmt::format("--out {}={}: {} is written there too", name, path, other->second));
        }
    }

    CallData take() { return std::move(call_); }

private:
    void bind(const std::string& size, int64_t n, const std::string& from) {
        auto [at, is_new] = call_.sizes.emplace(size, n);
        if (is_new) from_[size] = from;
        else if (at->second != n)
            throw Error(ErrorKind::Shape, "sizes-disagree",
                        fmt::format("{} is {} by {}, but {} by {}", size, at->second, from_[size],
                                    n, from));
    }

    // Files bind sizes too.
    void read_files() {
        for (auto& p : algorithm_.params) {
            auto file = files_.find(p.name.hint());
            if (file == files_.end()) continue;
            AnyBuffer b = load_data(file->second, p.type, p.rank(), call_.notes);
            if (b.rank() == p.rank())
                for (int d = 0; d < b.rank(); ++d)
                    if (auto* v = p.shape[size_t(d)].as<Var>(); v && is_size(v->name))
                        bind(v->name.hint(), b.extent(d), file->second);
            read_.emplace(p.name, std::move(b));
        }
    }

    bool is_size(Symbol s) const {
        return std::find(algorithm_.sizes.begin(), algorithm_.sizes.end(), s) !=
               algorithm_.sizes.end();
    }

    void settle_size(const std::string& name) {
        if (call_.sizes.contains(name)) return;
        int64_t n = usual_size;
        bool known = false;
        if (program_.entry)
            for (auto& [size, value] : program_.entry->sizes)
                if (size == name) known = true, n = value;
        if (!known)
            call_.notes.push_back(fmt::format("{} = {}, as nothing else was said", name, n));
        call_.sizes[name] = n;
    }

    Arg argument(size_t i) {
        auto& p = algorithm_.params[i];
        const std::string& name = p.name.hint();
        if (p.kind == Parameter::Size) return Arg(call_.sizes.at(name));
        if (p.kind == Parameter::Scalar) {
            auto given = params_.find(name);
            if (given != params_.end()) return parameter_of(name, p.type, given->second);
            std::string text = p.type.is_bool() ? "true" : "1";
            call_.notes.push_back(fmt::format("{} = {}, as nothing else was said", name, text));
            return parameter_of(name, p.type, text);
        }
        if (auto read = read_.find(p.name); read != read_.end()) return Arg(read->second);
        std::vector<int64_t> extents;
        for (auto& dim : p.shape)
            extents.push_back(dim.defined()
                                  ? eval_index(dim, [&](const Expr& leaf) { return size_of(leaf); })
                                  : usual_size);
        AnyBuffer b(p.type, extents);
        Bounds64 range = usual_range(p.type);
        if (program_.entry)
            for (auto& d : program_.entry->data)
                if (d.input == name) range = {d.lo, d.hi};
        fill_random(b, i + 1, range.lo, range.hi);
        return Arg(b);
    }

    int64_t size_of(const Expr& leaf) const {
        auto* v = leaf.as<Var>();
        const std::string& name = v->name.hint();
        if (auto size = call_.sizes.find(name); size != call_.sizes.end()) return size->second;
        auto given = params_.find(name);
        return given == params_.end() ? 1 : number_of<int64_t>("--set", name, given->second);
    }

    const AnyBuffer& output(const std::string& name) const {
        auto at = std::find(call_.output_names.begin(), call_.output_names.end(), name);
        return call_.outputs[size_t(at - call_.output_names.begin())].buffer();
    }

    const ToolProgram& program_;
    const Algorithm& algorithm_;
    std::map<std::string, std::string> files_, params_, from_;  // from_: who bound a size
    std::map<Symbol, AnyBuffer> read_;
    CallData call_;
};

}  // namespace

const ToolPipeline* find_pipeline(const Catalogue& catalogue, const std::string& name) {
    for (auto& e : catalogue)
        if (e.name == name) return &e;
    return nullptr;
}

std::vector<std::string> pipeline_names(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (auto& e : catalogue) names.push_back(e.name);
    return names;
}

std::vector<std::string> schedule_names(const ToolPipeline& entry) {
    std::vector<std::string> names{"plain", "auto"};
    for (auto& s : entry.schedules) names.push_back(s.name);
    return names;
}

namespace {

std::string by_path(const std::string& name, const char* ending) {
    return fmt::format("a file is given by its path: ./{}.{}", name, ending);
}

Schedule schedule_of(const ToolPipeline* entry, const Pipeline& p, const std::string& name) {
    if (name == "plain") return Schedule(p);
    if (name == "auto") return auto_schedule(p);
    if (!entry)
        throw Error(ErrorKind::Value, "unknown-schedule",
                    fmt::format("there is no schedule {} for a pipeline from a file", name))
            .help("auto, plain, or the path of a .sched file");
    for (auto& s : entry->schedules)
        if (s.name == name) return s.make(p);
    auto known = schedule_names(*entry);
    throw Error(
        ErrorKind::Value, "unknown-schedule",
        fmt::format("{} has no schedule {}{}", entry->name, name, did_you_mean(name, known)))
        .help("it has " + listed(known))
        .help(by_path(name, "sched"));
}

}  // namespace

ToolProgram load_program(const Request& request) {
    const std::string& what = request.what;
    const ToolPipeline* entry = find_pipeline(*request.catalogue, what);
    if (auto known = pipeline_names(*request.catalogue); !entry && !looks_like_path(what))
        throw Error(ErrorKind::Value, "unknown-pipeline",
                    fmt::format("there is no pipeline {}{}", what, did_you_mean(what, known)))
            .help("there are " + listed(known))
            .help(by_path(what, "burin"));
    Pipeline p = entry ? entry->make() : load_pipeline(what);
    std::string name = request.schedule;
    if (name.empty()) name = entry ? entry->best : "auto";
    std::vector<std::string> known{"plain", "auto"};
    if (entry) known = schedule_names(*entry);
    if (std::find(known.begin(), known.end(), name) != known.end() || !looks_like_path(name))
        return {p, schedule_of(entry, p, name), name, entry};
    Schedule s = load_schedule(p, name);
    for (auto& w : replay(p, s.directives()).warnings)
        fmt::print(stderr, "note: {}: {}\n", name, w.message);
    return {p, s, name, entry};
}

std::vector<Arg> CallData::all() const {
    std::vector<Arg> args = inputs;
    args.insert(args.end(), outputs.begin(), outputs.end());
    return args;
}

CallData prepare_call(const ToolProgram& program, const Request& request) {
    return CallMaker(program, request).take();
}

void write_outputs(CallData& call) {
    for (size_t i = 0; i < call.outputs.size(); ++i)
        if (auto file = call.to_write.find(call.output_names[i]); file != call.to_write.end())
            save_data(file->second, call.outputs[i].buffer(), call.notes);
}

std::map<std::string, std::string> assignments(const std::string& option,
                                               const std::vector<std::string>& texts,
                                               const std::vector<std::string>& known,
                                               bool comma_separates) {
    std::map<std::string, std::string> found;
    for (auto& text : texts) {
        for (size_t at = 0; at <= text.size();) {
            size_t end = comma_separates ? std::min(text.find(',', at), text.size()) : text.size();
            std::string part = text.substr(at, end - at), name = part.substr(0, part.find('='));
            at = end + 1;
            for (auto& other : known)
                if (!comma_separates && part.find("," + other + "=") != std::string::npos)
                    throw Error(ErrorKind::Value, "bad-assignment",
                                fmt::format("{} {}: a file's name ends where the option does",
                                            option, text))
                        .help(fmt::format("{} for each: {} {}=...", option, option, other));
            if (name.empty() || name.size() + 1 >= part.size())
                throw Error(ErrorKind::Value, "bad-assignment",
                            fmt::format("{} {}: there is no {}", option, text,
                                        name.empty() ? "name" : "value for " + name))
                    .help(fmt::format("{} NAME=VALUE", option));
            if (std::find(known.begin(), known.end(), name) == known.end())
                throw Error(ErrorKind::Value, "unknown-name",
                            fmt::format("{} {}: the pipeline has no such name{}", option, part,
                                        did_you_mean(name, known)))
                    .help(known.empty() ? "it has none for " + option : "it has " + listed(known));
            if (!found.emplace(name, part.substr(name.size() + 1)).second)
                throw Error(ErrorKind::Value, "given-twice",
                            fmt::format("{} gives {} twice", option, name));
        }
    }
    return found;
}

}  // namespace burin
