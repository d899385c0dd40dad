#include "tools/complete.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace burin {
namespace {

const char* bash = R"(_PROGRAM_complete() {
    local line=${COMP_LINE:0:COMP_POINT} words cur
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    cur=${words[-1]}
    local IFS=$'\n'
    COMPREPLY=($("${words[0]/#\~/$HOME}" --complete "${words[@]:1}" 2>/dev/null))
    [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *[=/] ]] && compopt -o nospace
    # readline counts what stands before = and : as words of their own
    local before=${cur%"${cur##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o default -F _PROGRAM_complete PROGRAM
)";
const char* zsh = R"(#compdef PROGRAM
_PROGRAM() {
    local -a whole open
    local word
    for word in "${(@f)$(${(Q)words[1]} --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ $word == *[=/] ]] && open+=("$word") || whole+=("$word")
    done
    compadd -- $whole
    compadd -S '' -- $open
    (( $#whole + $#open ))
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _PROGRAM "$@"; else compdef _PROGRAM PROGRAM; fi
)";
const char* fish =
    "complete -c PROGRAM -f -a "
    "'(PROGRAM --complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'\n";

const CLI::App* command_of(const CLI::App& app, const std::string& name) {
    for (auto* c : app.get_subcommands([](auto*) { return true; }))
        if (c->get_name() == name) return c;
    return nullptr;
}

const CLI::Option* option_of(const CLI::App& command, const std::string& word) {
    for (auto* o : command.get_options())
        if (!o->get_positional() && o->get_name() == word) return o;
    return nullptr;
}

// The positional argument that comes after so many; the last one may be repeated.
const CLI::Option* positional_of(const CLI::App& command, size_t before) {
    const CLI::Option* last = nullptr;
    for (auto* o : command.get_options()) {
        if (!o->get_positional()) continue;
        last = o;
        if (before-- == 0) return o;
    }
    return last && last->get_expected_max() > 1 ? last : nullptr;
}

bool takes_value(const CLI::Option* o) { return o && o->get_type_size_max() > 0; }

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const Suggestions& suggestions,
                                     std::vector<std::string> words) {
    if (words.empty()) words.emplace_back();
    const std::string typed = words.back();
    std::vector<std::string> all;
    auto options = [&](const CLI::App& c) {
        for (auto* o : c.get_options())
            if (!o->get_positional()) all.push_back(o->get_name());
    };
    auto* command = words.size() > 1 ? command_of(app, words[0]) : nullptr;
    if (words.size() == 1) {
        for (auto* c : app.get_subcommands([](auto*) { return true; }))
            all.push_back(c->get_name());
        options(app);
    } else if (command) {
        const CLI::Option* open = nullptr;  // waits for its value
        size_t positionals = 0;
        for (size_t i = 1; i + 1 < words.size(); ++i) {
            const CLI::Option* o = open ? nullptr : option_of(*command, words[i]);
            positionals += !open && !o;
            open = takes_value(o) ? o : nullptr;
        }
        if (!open && typed.starts_with('-')) options(*command);
        if (!open) open = positional_of(*command, positionals);
        if (auto at = suggestions.find(open); at != suggestions.end() && !typed.starts_with('-'))
            all = at->second(words);
    }
    std::erase_if(all, [&](auto& name) { return !name.starts_with(typed); });
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::string> files_ending(const std::string& word, const std::string& ending) {
    size_t slash = word.rfind('/');
    std::string folder = slash == std::string::npos ? "" : word.substr(0, slash + 1);
    std::vector<std::string> found;
    std::error_code error;
    std::filesystem::directory_iterator at(folder.empty() ? "." : folder, error), end;
    for (; !error && at != end; at.increment(error)) {
        std::string name = at->path().filename();
        std::error_code none;
        bool is_folder = at->is_directory(none);
        if (is_folder ? name[0] != '.' : name.ends_with(ending))
            found.push_back(folder + name + (is_folder ? "/" : ""));
    }
    return found;
}

std::string completion_script(const std::string& shell, const std::string& program) {
    const std::string placeholder = "PROGRAM";
    std::string text = shell == "bash" ? bash : shell == "zsh" ? zsh : fish;
    for (size_t at = 0; (at = text.find(placeholder, at)) != text.npos; at += program.size())
        text.replace(at, placeholder.size(), program);
    return text;
}

}  // namespace burin
