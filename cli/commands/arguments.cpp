#include "cli/commands/arguments.h"

#include <algorithm>
#include <utility>

#include "cli/commands/collected_flags.h"
#include "cli/commands/foreign_flags.h"
#include "cli/commands/run_flags.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

bool scores(const Flag& flag) {
  return std::any_of(topics().begin(), topics().end(), [&](const Topic& topic) {
    const auto is_it = [&](const Flag& other) { return &other == &flag; };
    return topic.role == FlagRole::kScoring && std::any_of(topic.flags.begin(), topic.flags.end(), is_it);
  });
}

RunOptions options_of(const ParsedArguments& words, Videos videos, std::string_view feature = {},
                      bool is_vmaf = false) {
  CollectedFlags collected;
  collected.is_vmaf = is_vmaf;
  if (!feature.empty()) collected.features.emplace_back(feature);
  collected.arguments.original = words.original;
  collected.positionals = words.arguments;
  for (const auto& [flag, text] : words.flags) {
    if (flag->set == nullptr) continue;
    flag->set(collected, *flag, text);
    if (scores(*flag)) collected.arguments.scoring_flags.emplace_back(flag->name);
  }
  RunOptions& arguments = collected.arguments;
  if (is_vmaf) {
    if (arguments.model_specs.empty() && !arguments.no_prediction) {
      arguments.model_specs.push_back(model::parse_model_spec("version=vmaf_v0.6.1"));
    }
    arguments.as_stored = arguments.compare_anyway = arguments.reference.has_value();
    arguments.is_vmaf = true;
  }
  return complete(std::move(collected), videos);
}

}  // namespace

ParsedArguments parse_run_words(const std::vector<std::string>& words, std::span<const Flag> own,
                                const std::string& command) {
  std::vector<const Flag*> flags;
  for (const Topic& topic : topics()) {
    for (const Flag& flag : topic.flags) flags.push_back(&flag);
  }
  for (const Flag& flag : own) {
    if (find_run_flag(flag.name) == nullptr) flags.push_back(&flag);
  }
  refuse_foreign_flags(flags, words, command);
  return parse_words(flags, words);
}

RunOptions run_options(const ParsedArguments& words, bool is_vmaf) {
  return options_of(words, Videos::kOne, {}, is_vmaf);
}

RunOptions run_options_of_any(const ParsedArguments& words) {
  return options_of(words, Videos::kOneOrNone);
}

SeveralArguments several_options(const ParsedArguments& words, std::string_view feature) {
  return {options_of(words, Videos::kSeveral, feature), words.arguments};
}

std::string path_of(const ParsedArguments& words, std::string_view flag) {
  const std::string* const text = words.find(flag);
  if (text == nullptr) return {};
  if (text->empty()) throw Error(ErrorKind::kUsage, std::string(flag) + ": the path is empty.");
  return *text;
}

VideoListRequest list_request(const ParsedArguments& words, const std::string& command) {
  const std::string name = command.substr(0, command.find(' '));
  if (const std::string* const video = words.find("--distorted")) {
    throw Error(ErrorKind::kUsage, name + " takes videos and folders without a flag: cambi " + name + " " +
                                       printable(*video) + " ...");
  }
  VideoListRequest request;
  request.paths = words.arguments;
  for (const GivenFlag& given : words.flags) {
    if (given.flag->name == "--list") request.lists.push_back(given.text);
  }
  if (request.paths.empty() && request.lists.empty()) {
    throw Error(ErrorKind::kUsage, name + " needs a video or a folder. Try: cambi " + command);
  }
  request.reference_folder = path_of(words, "--reference-dir");
  request.root = path_of(words, "--root");
  request.may_be_raw = words.find("--width") != nullptr;
  return request;
}

std::vector<ReportFormat> formats_of(const ParsedArguments& words) {
  constexpr std::pair<const char*, ReportFormat> kFormats[] = {{"html", ReportFormat::kHtml},
                                                               {"csv", ReportFormat::kCsv},
                                                               {"xml", ReportFormat::kXml},
                                                               {"sub", ReportFormat::kSub},
                                                               {"segments", ReportFormat::kSegmentTable},
                                                               {"chapters", ReportFormat::kChapters},
                                                               {"scenes", ReportFormat::kSceneTable}};
  std::vector<std::string> known;
  for (const auto& [word, format] : kFormats) known.emplace_back(word);
  std::vector<ReportFormat> formats;
  const std::string* const text = words.find("--formats");
  if (text == nullptr) return formats;
  for (size_t start = 0; start <= text->size();) {
    const size_t end = std::min(text->find(',', start), text->size());
    const ReportFormat format =
        kFormats[choice_value("--formats", text->substr(start, end - start), known)].second;
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
    start = end + 1;
  }
  return formats;
}

ParsedArguments words_for(ParsedArguments words, const VideoList& list) {
  words.arguments.clear();
  for (const ListedVideo& video : list.videos) words.arguments.push_back(video.path);
  if (list.videos.empty()) words.arguments.push_back(list.faults.front().path);
  const bool has_own = !list.videos.empty() && list.videos.front().reference;
  if (has_own && words.find("--reference") != nullptr) {
    throw Error(ErrorKind::kUsage, shown_path(list.videos.front().path) +
                                       " has a reference of its own, and --reference names another.");
  }
  if (has_own) words.flags.push_back({find_run_flag("--reference"), *list.videos.front().reference});
  return words;
}

namespace {

template <typename T>
bool has(std::span<const T> values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Null for a flag that only the subcommand has.
const Topic* topic_of(const Flag& flag) {
  for (const Topic& topic : topics()) {
    const auto is_it = [&](const Flag& other) { return other.name == flag.name; };
    if (std::any_of(topic.flags.begin(), topic.flags.end(), is_it)) return &topic;
  }
  return nullptr;
}

bool is_taken(const Flag& flag, const TakenFlags& taken) {
  const Topic* const topic = topic_of(flag);
  if (topic == nullptr || has(taken.but, flag.name)) return false;
  return has(taken.roles, topic->role) || has(taken.names, flag.name);
}

}  // namespace

std::vector<std::string> run_words(const ParsedArguments& words, const TakenFlags& taken) {
  std::vector<std::string> found;
  for (const auto& [flag, text] : words.flags) {
    if (!is_taken(*flag, taken)) continue;
    found.push_back(flag->type.empty() ? std::string(flag->name) : std::string(flag->name) + "=" + text);
  }
  return found;
}

void refuse_others(const ParsedArguments& words, const TakenFlags& taken, const std::string& advice) {
  for (const GivenFlag& given : words.flags) {
    if (topic_of(*given.flag) == nullptr || is_taken(*given.flag, taken)) continue;
    throw Error(ErrorKind::kUsage, std::string(given.flag->name) + " " + advice);
  }
}

RunOptions title_options(const PlanHead& head, const PlannedTitle& title,
                         const std::vector<std::string>& more) {
  std::vector<std::string> words = head.arguments;
  words.insert(words.end(), more.begin(), more.end());
  if (title.reference) words.push_back("--reference=" + title.reference->file.path);
  words.push_back(title.distorted.file.path);
  return run_options(parse_run_words(words));
}

}  // namespace vq::cli
