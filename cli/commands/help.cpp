#include "cli/commands/help.h"

#include "cli/inputs/feature_flags.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/version.h"
#include "engine/models/catalogue.h"
#include "engine/report/json_values.h"

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
    "7 a threshold was crossed, 8 memory or another limit, 70 internal error, 130 interrupted, "
    "141 broken pipe.\n"
    "See also: man cambi\n";

struct Entry {
  std::string name, meaning;
};

// Breaks lines between words. The first line begins at `column`; the others are indented.
std::string wrapped(const std::string& text, size_t column, size_t indent, size_t width) {
  std::string lines;
  for (const std::string_view word : split(text, ' ')) {
    const bool is_first = word.data() == text.data();
    if (!is_first && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
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
    const Flag flag = whole(own);
    if (!flag.short_name.empty()) entry.name = words("{}, ", flag.short_name);
    entry.name += flag.name;
    if (!flag.type.empty()) entry.name += words(" {}", flag.type);
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

// Under a heading; empty if there are none.
std::string listed(const char* heading, const std::vector<Entry>& entries, const Measure& measure) {
  return entries.empty() ? "" : heading + list_of(entries, indent_of(entries, measure), measure.width);
}

std::string call_of(const Subcommand& subcommand) {
  return std::string(subcommand.name) + (subcommand.arguments.empty() ? "" : " ") +
         std::string(subcommand.arguments);
}

std::string backend_names(std::span<const Backend> backends) {
  return join(backends, ", ", [](Backend backend) { return to_string(backend); });
}

// Topics with flags of a run that it takes by their roles, and which flags of these it does not take.
std::string topics_of(const Subcommand& subcommand) {
  std::vector<std::string_view> names, others;
  for (const Topic& topic : topics()) {
    if (topic.name.empty() || topic.flags.empty()) continue;
    if (!subcommand.roles.empty() && !contains(subcommand.roles, topic.role)) continue;
    const auto is_taken = [&](const Flag& flag) { return takes(subcommand, flag); };
    if (std::ranges::none_of(topic.flags, is_taken)) continue;
    names.push_back(topic.name);
    for (const Flag& flag : topic.flags) {
      if (!is_taken(flag)) others.push_back(flag.name);
    }
  }
  return join(names, ", ") + (others.empty() ? "" : "; but not " + join(others, ", "));
}

std::string sentence(std::string_view text) { return capitalized(std::string(text)) + "."; }

}  // namespace

std::string full_help(std::span<const Subcommand> subcommands, size_t columns) {
  const Measure measure(columns);
  std::vector<Entry> everyday, others, subjects;
  for (const Subcommand& subcommand : subcommands)
    (subcommand.is_everyday ? everyday : others)
        .push_back({call_of(subcommand), std::string(subcommand.help)});
  for (const Topic& topic : topics()) {
    if (!topic.name.empty()) subjects.push_back({std::string(topic.name), std::string(topic.help)});
  }
  const size_t indent = std::max(indent_of(everyday, measure), indent_of(others, measure));
  const std::string text = words(
      "{}\nSubcommands (cambi help SUBCOMMAND says more):\n{}\nSubcommands for machines and "
      "upkeep:\n{}\nTopics, which have all other flags (cambi help TOPIC):\n{}",
      kShortHelp, list_of(everyday, indent, measure.width), list_of(others, indent, measure.width),
      list_of(subjects, indent, measure.width));
  return fit_text(text + kFooter, columns);
}

std::string help_of(const Topic& topic, std::span<const Subcommand> subcommands, size_t columns) {
  const Measure measure(columns);
  std::vector<Entry> commands;
  for (const Subcommand& subcommand : subcommands) {
    if (subcommand.topic == topic.name)
      commands.push_back({call_of(subcommand), std::string(subcommand.help)});
  }
  return fit_text(words("{}\n{}{}{}", sentence(topic.help), topic.text,
                        listed("\nFlags:\n", entries_of(topic.flags), measure),
                        listed("\nSubcommands:\n", commands, measure)),
                  columns);
}

std::string help_of(const Subcommand& subcommand, size_t columns) {
  const Measure measure(columns);
  std::string call = call_of(subcommand);
  if (!subcommand.flags.empty())
    call.insert(std::min({call.find(" -- "), call.find(" [-- "), call.size()}), " [flags]");
  std::string text = words("{}\n\nUsage: cambi {}\n", sentence(subcommand.help), call);
  if (!subcommand.details.empty())
    text += "\n" + wrapped(std::string(subcommand.details), 0, 0, measure.width);
  text += listed("\nFlags:\n", entries_of(subcommand.flags), measure);
  if (subcommand.takes_run_flags) {
    text += "\n" + wrapped(words("It also takes flags of a scoring run, "
                                 "which are in these topics (cambi help TOPIC): {}.",
                                 topics_of(subcommand)),
                           0, 0, measure.width);
  }
  return fit_text(text, columns);
}

using Json = nlohmann::ordered_json;

static Json flag_json(const Flag& own) {
  const Flag flag = whole(own);
  return {{"name", flag.name},
          {"short_name", flag.short_name},
          {"type", flag.type},
          {"help", flag.help},
          {"manual", flag.manual},
          {"words", flag.words},
          {"may_repeat", flag.may_repeat}};
}

static Json topic_json(const Topic& topic) {
  return {{"name", topic.name}, {"help", topic.help}, {"flags", json_list(topic.flags, flag_json)}};
}

static Json subcommand_json(const Subcommand& subcommand) {
  return {{"name", subcommand.name},
          {"alias", subcommand.alias},
          {"arguments", subcommand.arguments},
          {"help", subcommand.help},
          {"details", subcommand.details},
          {"completes", subcommand.completes},
          {"takes_run_flags", subcommand.takes_run_flags},
          {"flags", json_list(subcommand.flags, flag_json)}};
}

std::string help_json(std::span<const Subcommand> subcommands) {
  return json_file_text(Json{{"version", version()},
                             {"topics", json_list(topics(), topic_json)},
                             {"subcommands", json_list(subcommands, subcommand_json)},
                             {"features", json_list(features(), &FeatureInfo::name)},
                             {"models", json_list(model::catalogue(), &model::CatalogueEntry::model)}});
}

std::string feature_list(size_t columns) {
  constexpr std::string_view kOfModels[] = {"motion", "vif", "adm", "speed_chroma", "speed_temporal"};
  const Measure measure(columns);
  std::vector<Entry> pairs, single, parts, all;
  const std::span<const Backend> usual = features().front()->backends;
  std::string others;
  for (const FeatureInfo* info : features()) {
    const Entry entry = {std::string(info->name), std::string(info->summary)};
    const bool is_part = contains(kOfModels, info->name);
    const bool is_pair = info->needs_reference(OptionSet(info->options));
    (is_part ? parts : is_pair ? pairs : single).push_back(entry);
    all.push_back(entry);
    if (!std::equal(usual.begin(), usual.end(), info->backends.begin(), info->backends.end()))
      others += words("; {} on {}", entry.name, backend_names(info->backends));
  }
  const size_t indent = indent_of(all, measure);
  const auto list = [&](const std::vector<Entry>& entries) {
    return list_of(entries, indent, measure.width);
  };
  return words(
      "Compare a video with its reference:\n{}\nMeasure a video alone:\n{}\nParts of VMAF, which a model "
      "(--model) computes by itself:\n{}\nThey run on the backends {}{}.\n",
      list(pairs), list(single), list(parts), backend_names(usual), others);
}

std::string flags_of_feature(const FeatureInfo& info, size_t columns) {
  std::vector<Entry> entries;
  for (const FeatureFlag& flag : own_flags(info)) {
    const std::string type = flag.type.empty() ? "" : words(" {}", flag.type);
    entries.push_back({std::string(flag.name) + type, std::string(flag.help)});
  }
  return listed("\nFlags:\n", entries, Measure(columns));
}

}  // namespace vq::cli
