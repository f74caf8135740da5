#include "cli/commands/flags.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/text.h"

namespace vq::cli {

std::vector<std::string> choices_of(const Flag& flag) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  std::vector<std::string> typed;
  for (size_t start = 0; start <= flag.type.size();) {
    const size_t end = std::min(flag.type.find('|', start), flag.type.size());
    const std::string_view word = flag.type.substr(start, end - start);
    if (word.empty() || !std::all_of(word.begin(), word.end(), is_plain)) return {};
    typed.emplace_back(word);
    start = end + 1;
  }
  return typed;
}

namespace {

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// By its long name; never null.
const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    if (underscored(option->get_name()) == underscored(name)) return option;
    names.push_back(option->get_name());
  }
  const std::string near = nearest(name, names);
  throw Error(ErrorKind::kUsage,
              words("unknown flag \"{}\".{}", printable(name),
                    near.empty() ? " See: cambi --help" : words(" Did you mean \"{}\"?", near)));
}

// Spells every long flag as it was declared, with what follows "=" as a word of its own.
std::vector<std::string> canonical(const CLI::App& app, const std::vector<std::string>& typed) {
  std::vector<std::string> canonical;
  bool has_flags = true;
  for (const std::string& word : typed) {
    has_flags = has_flags && word != "--";
    if (!has_flags || !word.starts_with("--")) {
      canonical.push_back(word);
      continue;
    }
    const size_t equals = std::min(word.find('='), word.size());
    const CLI::Option* const option = find_option(app, word.substr(0, equals));
    canonical.push_back(option->get_name());
    if (equals == word.size()) continue;
    if (option->get_expected_max() == 0)
      throw Error(ErrorKind::kUsage, words("{} takes no value.", option->get_name()));
    canonical.push_back(word.substr(equals + 1));
  }
  return canonical;
}

// The parser's words for a fault, in those of this program.
Error usage_error(const CLI::ParseError& error) {
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  const size_t colon = message.find(": 1 required ");  // "--threads: 1 required N missing"
  if (colon != std::string::npos) {
    const std::string flag = message.substr(0, colon);
    message = words("{} needs a value.", flag);
    if (flag == "--height") message += " (-h is the height of raw video, as in vmaf; for help: cambi --help)";
  }
  return Error(ErrorKind::kUsage, printable(message, 300));
}

// The error for words that no flag or argument took.
Error unexpected(const std::vector<std::string>& typed) {
  const auto is_flag = [](const std::string& word) { return word.starts_with('-') && word != "-"; };
  const auto found = std::find_if(typed.begin(), typed.end(), is_flag);
  if (found == typed.end())
    return Error(ErrorKind::kUsage, words("\"{}\" is a word too many.", printable(typed.front())));
  return Error(ErrorKind::kUsage, words("unknown flag \"{}\". See: cambi --help", printable(*found)));
}

// CLI11 takes an argument such as "[a,b]" for a list; this before it, which no command line can hold, hides
// that.
constexpr char kGuard = '\0';

void guard(std::vector<std::string>& typed) {
  for (std::string& word : typed) {
    if (word.starts_with('[')) word.insert(0, 1, kGuard);
  }
}

std::string unguarded(const std::string& word) {
  return word.starts_with(kGuard) ? word.substr(1) : word;
}

using Declared = std::map<const CLI::Option*, const Flag*>;

Declared declare(const std::vector<const Flag*>& flags, CLI::App& app) {
  Declared declared;
  for (const Flag* flag : flags) {
    if (flag->name == "--help") continue;
    std::string names(flag->name);
    if (!flag->short_name.empty()) names += words(",{}", flag->short_name);
    CLI::Option* const option =
        flag->type.empty()
            ? app.add_flag(names)
            : app.add_option(names)->type_name(std::string(flag->type))->allow_extra_args(false);
    declared[option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)] = flag;
  }
  return declared;
}

// A file that is named twice was meant twice. vmaf takes the last of its inputs.
void refuse_second_file(const Flag& flag, const std::vector<GivenFlag>& given) {
  if ((flag.type != "FILE" && flag.type != "DIR") || flag.name == "--reference" || flag.name == "--distorted")
    return;
  if (std::any_of(given.begin(), given.end(), [&](const GivenFlag& other) { return other.flag == &flag; }))
    throw Error(ErrorKind::kUsage, words("{} was given twice, and takes one {}", flag.name,
                                         flag.type == "DIR" ? "folder." : "file."));
}

// The flags that were given, in that order.
std::vector<GivenFlag> given_flags(const CLI::App& app, const Declared& declared) {
  std::vector<GivenFlag> given;
  std::map<const CLI::Option*, size_t> used;
  for (const CLI::Option* option : app.parse_order()) {
    const auto found = declared.find(option);
    if (found == declared.end()) continue;  // an argument
    const Flag* const flag = found->second;
    const std::string text = unguarded(option->results().at(used[option]++));
    if (!flag->may_repeat) refuse_second_file(*flag, given);
    if (!flag->may_repeat) std::erase_if(given, [&](const GivenFlag& other) { return other.flag == flag; });
    given.push_back({flag, text});
  }
  return given;
}

}  // namespace

const std::string* ParsedArguments::find(std::string_view name) const {
  const auto found = std::find_if(flags.rbegin(), flags.rend(),
                                  [&](const GivenFlag& given) { return given.flag->name == name; });
  return found == flags.rend() ? nullptr : &found->text;
}

ParsedArguments parse_words(const std::vector<const Flag*>& flags, const std::vector<std::string>& typed) {
  CLI::App app;
  app.set_help_flag("--help");
  ParsedArguments parsed;
  const Declared declared = declare(flags, app);
  app.add_option("arguments", parsed.arguments);
  std::vector<std::string> reversed = canonical(app, typed);
  guard(reversed);
  std::reverse(reversed.begin(), reversed.end());  // as CLI11 wants them
  try {
    app.parse(reversed);
    parsed.flags = given_flags(app, declared);
    std::transform(parsed.arguments.begin(), parsed.arguments.end(), parsed.arguments.begin(), unguarded);
  } catch (const CLI::CallForHelp&) {
    return {.asks_for_help = true};
  } catch (const CLI::ExtrasError&) {
    std::vector<std::string> left = app.remaining();
    std::transform(left.begin(), left.end(), left.begin(), unguarded);
    throw unexpected(left);
  } catch (const CLI::ParseError& error) {
    throw usage_error(error);
  }
  parsed.original = typed;
  return parsed;
}

}  // namespace vq::cli
