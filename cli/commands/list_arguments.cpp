#include "cli/commands/list_arguments.h"

#include <algorithm>
#include <utility>

#include "cli/commands/run_flags.h"
#include "core/error.h"
#include "core/text/argument_values.h"
#include "core/text/message_text.h"

namespace vq::cli {
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

}  // namespace vq::cli
