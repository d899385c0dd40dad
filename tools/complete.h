// complete.h - what may come next on a command line, and the scripts by which shells ask for it.
#pragma once
#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace burin {

// Words typed so far after the command's name, the last one unfinished or empty.
using Suggest = std::function<std::vector<std::string>(const std::vector<std::string>& words)>;
using Suggestions = std::map<const CLI::Option*, Suggest>;  // for the values of options

// Commands, options, and values where an option has some: those that begin with the last word.
std::vector<std::string> completions(const CLI::App& app, const Suggestions& suggestions,
                                     std::vector<std::string> words);

// Files with that ending, and folders (with a slash), in the folder that the word begins with.
std::vector<std::string> files_ending(const std::string& word, const std::string& ending);

// For bash, zsh or fish: asks `program --complete WORDS...`.
std::string completion_script(const std::string& shell, const std::string& program);

}  // namespace burin
