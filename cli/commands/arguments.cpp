#include "cli/commands/arguments.h"

#include <algorithm>
#include <utility>

#include "cli/commands/collected_flags.h"
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

RunOptions options_of(const ParsedArguments& typed, Videos videos, std::string_view feature = {},
                      bool is_vmaf = false) {
  CollectedFlags collected;
  collected.is_vmaf = is_vmaf;
  if (!feature.empty()) collected.features.emplace_back(feature);
  collected.arguments.original = typed.original;
  collected.positionals = typed.arguments;
  for (const auto& [flag, text] : typed.flags) {
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

ParsedArguments parse_run_words(const std::vector<std::string>& typed, std::span<const Flag> own) {
  std::vector<const Flag*> flags;
  for (const Topic& topic : topics()) {
    for (const Flag& flag : topic.flags) flags.push_back(&flag);
  }
  for (const Flag& flag : own) {
    if (find_run_flag(flag.name) == nullptr) flags.push_back(&flag);
  }
  return parse_words(flags, typed);
}

RunOptions run_options(const ParsedArguments& typed, bool is_vmaf) {
  return options_of(typed, Videos::kOne, {}, is_vmaf);
}

RunOptions run_options_of_any(const ParsedArguments& typed) {
  return options_of(typed, Videos::kOneOrNone);
}

SeveralArguments several_options(const ParsedArguments& typed, std::string_view feature) {
  return {options_of(typed, Videos::kSeveral, feature), typed.arguments};
}

std::string path_of(const ParsedArguments& typed, std::string_view flag) {
  const std::string* const text = typed.find(flag);
  if (text == nullptr) return {};
  if (text->empty()) throw Error(ErrorKind::kUsage, words("{}: the path is empty.", flag));
  return *text;
}

VideoListRequest list_request(const ParsedArguments& typed, const std::string& command) {
  const std::string name = command.substr(0, command.find(' '));
  if (const std::string* const video = typed.find("--distorted")) {
    throw Error(ErrorKind::kUsage, words("{} takes videos and folders without a flag: cambi {} {} ...", name,
                                         name, printable(*video)));
  }
  VideoListRequest request;
  request.paths = typed.arguments;
  for (const GivenFlag& given : typed.flags) {
    if (given.flag->name == "--list") request.lists.push_back(given.text);
  }
  if (request.paths.empty() && request.lists.empty()) {
    throw Error(ErrorKind::kUsage, words("{} needs a video or a folder. Try: cambi {}", name, command));
  }
  request.reference_folder = path_of(typed, "--reference-dir");
  request.root = path_of(typed, "--root");
  request.may_be_raw = typed.find("--width") != nullptr;
  return request;
}

std::vector<ReportFormat> formats_of(const ParsedArguments& typed) {
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
  const std::string* const text = typed.find("--formats");
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

ParsedArguments words_for(ParsedArguments typed, const VideoList& list) {
  typed.arguments.clear();
  for (const ListedVideo& video : list.videos) typed.arguments.push_back(video.path);
  if (list.videos.empty()) typed.arguments.push_back(list.faults.front().path);
  const bool has_own = !list.videos.empty() && list.videos.front().reference;
  if (has_own && typed.find("--reference") != nullptr) {
    throw Error(ErrorKind::kUsage, shown_path(list.videos.front().path) +
                                       " has a reference of its own, and --reference names another.");
  }
  if (has_own) typed.flags.push_back({find_run_flag("--reference"), *list.videos.front().reference});
  return typed;
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

std::vector<std::string> run_words(const ParsedArguments& typed, const TakenFlags& taken) {
  std::vector<std::string> found;
  for (const auto& [flag, text] : typed.flags) {
    if (!is_taken(*flag, taken)) continue;
    found.push_back(flag->type.empty() ? std::string(flag->name) : words("{}={}", flag->name, text));
  }
  return found;
}

void refuse_others(const ParsedArguments& typed, const TakenFlags& taken, const std::string& advice) {
  for (const GivenFlag& given : typed.flags) {
    if (topic_of(*given.flag) == nullptr || is_taken(*given.flag, taken)) continue;
    throw Error(ErrorKind::kUsage, words("{} {}", given.flag->name, advice));
  }
}

RunOptions title_options(const PlanHead& head, const PlannedTitle& title,
                         const std::vector<std::string>& more) {
  std::vector<std::string> typed = head.arguments;
  typed.insert(typed.end(), more.begin(), more.end());
  if (title.reference) typed.push_back("--reference=" + title.reference->file.path);
  typed.push_back(title.distorted.file.path);
  return run_options(parse_run_words(typed));
}

}  // namespace vq::cli
