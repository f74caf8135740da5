#include "cli/commands/help.h"

#include <algorithm>

#include "cli/commands/run_flags.h"
#include "cli/inputs/feature_flags.h"
#include "core/text/fit_text.h"

namespace vq::cli {
namespace {

constexpr size_t kMostWidth = 120;  // of a line
constexpr size_t kLeastWidth = 30;

// Width of lines, and the largest indent of an entry's meaning, which starts on a new line if the name is
// longer.
struct Measure {
  size_t width, indent;

  // `columns`: width of the terminal; 0: none.
  explicit Measure(size_t columns)
      : width(columns == 0 ? kMostWidth : std::clamp(columns, kLeastWidth, kMostWidth)),
        indent(width < 80 ? width / 4 : 36) {}
};

constexpr const char* kFooter =
    "\n"
    "Exit codes: 0 done, 1 command line, 2 input, 3 inputs do not fit, 4 backend, 5 output, 6 input ended "
    "early,\n"
    "7 a threshold was crossed, 8 memory or another limit, 70 internal error, 130 interrupted,\n"
    "141 nobody read standard output, and there was no other result.\n"
    "See also: man cambi\n";

struct Entry {
  std::string name, meaning;
};

// Breaks lines between words. The first line begins at `column`; the others are indented.
std::string wrapped(const std::string& text, size_t column, size_t indent, size_t width) {
  std::string lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (start > 0 && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (start > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
    start = end + 1;
  }
  return lines + "\n";
}

std::string list_of(const std::vector<Entry>& entries, size_t indent, size_t width) {
  std::string lines;
  for (const auto& [name, meaning] : entries) {
    std::string line = "  " + name;
    const bool fits = line.size() + 1 <= indent;
    line += fits ? std::string(indent - line.size(), ' ') : "\n" + std::string(indent, ' ');
    lines += line + wrapped(meaning, indent, indent, width);
  }
  return lines;
}

std::vector<Entry> entries_of(std::span<const Flag> flags) {
  std::vector<Entry> entries;
  for (const Flag& own : flags) {
    Entry& entry = entries.emplace_back();
    Flag flag = own.of_run ? *find_run_flag(own.name) : own;
    if (!own.help.empty()) flag.help = own.help;
    if (!flag.short_name.empty()) entry.name = std::string(flag.short_name) + ", ";
    entry.name += flag.name;
    if (!flag.type.empty()) entry.name += " " + std::string(flag.type);
    entry.meaning = std::string(flag.help) + (flag.may_repeat ? "; may repeat" : "");
  }
  return entries;
}

// Length of the longest name, and the blanks around it.
size_t indent_of(const std::vector<Entry>& entries, const Measure& measure) {
  size_t longest = 0;
  for (const Entry& entry : entries) longest = std::max(longest, entry.name.size());
  return std::min(longest + 4, measure.indent);
}

std::string call_of(const Subcommand& subcommand) {
  return std::string(subcommand.name) + (subcommand.arguments.empty() ? "" : " ") +
         std::string(subcommand.arguments);
}

std::string sentence(std::string text) {
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

}  // namespace

std::string full_help(std::span<const Subcommand> subcommands, size_t columns) {
  const Measure measure(columns);
  std::vector<Entry> commands, subjects;
  for (const Subcommand& subcommand : subcommands)
    commands.push_back({call_of(subcommand), std::string(subcommand.help)});
  for (const Topic& topic : topics()) {
    if (!topic.name.empty()) subjects.push_back({std::string(topic.name), std::string(topic.help)});
  }
  const size_t indent = indent_of(commands, measure);
  const std::string text = kShortHelp + std::string("\nSubcommands (cambi help SUBCOMMAND says more):\n") +
                           list_of(commands, indent, measure.width) +
                           "\nTopics, which have all other flags (cambi help TOPIC):\n" +
                           list_of(subjects, indent, measure.width);
  return fit_text(text + kFooter, columns);
}

std::string help_of(const Topic& topic, std::span<const Subcommand> subcommands, size_t columns) {
  const Measure measure(columns);
  std::vector<Entry> commands;
  for (const Subcommand& subcommand : subcommands) {
    if (subcommand.topic == topic.name)
      commands.push_back({call_of(subcommand), std::string(subcommand.help)});
  }
  std::string text = sentence(std::string(topic.help)) + "\n" + std::string(topic.text);
  const auto add = [&](const char* heading, const std::vector<Entry>& entries) {
    if (!entries.empty()) text += heading + list_of(entries, indent_of(entries, measure), measure.width);
  };
  add("\nFlags:\n", entries_of(topic.flags));
  add("\nSubcommands:\n", commands);
  return fit_text(text, columns);
}

std::string help_of(const Subcommand& subcommand, size_t columns) {
  const Measure measure(columns);
  std::string text = sentence(std::string(subcommand.help)) + "\n\nUsage: cambi " + call_of(subcommand) +
                     (subcommand.flags.empty() ? "" : " [flags]") + "\n";
  if (!subcommand.details.empty())
    text += "\n" + wrapped(std::string(subcommand.details), 0, 0, measure.width);
  const std::vector<Entry> entries = entries_of(subcommand.flags);
  if (!entries.empty()) text += "\nFlags:\n" + list_of(entries, indent_of(entries, measure), measure.width);
  if (subcommand.takes_run_flags) {
    text +=
        "\nIt also takes the flags of a scoring run that choose what is scored and how: see cambi --help.\n";
  }
  return fit_text(text, columns);
}

std::string flags_of_feature(const FeatureInfo& info, size_t columns) {
  std::vector<Entry> entries;
  for (const FeatureFlag& flag : own_flags(info)) {
    const std::string type = flag.type.empty() ? "" : " " + std::string(flag.type);
    entries.push_back({std::string(flag.name) + type, std::string(flag.help)});
  }
  const Measure measure(columns);
  return entries.empty() ? "" : "\nFlags:\n" + list_of(entries, indent_of(entries, measure), measure.width);
}

}  // namespace vq::cli
