#include "engine/report/scene_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "core/text/argument_values.h"
#include "engine/report/frame_times.h"
#include "engine/report/json_values.h"

namespace vq {
namespace {

using nlohmann::json;

constexpr std::string_view kTimecodes = "Timecode List:";  // first line of PySceneDetect's file
constexpr std::string_view kOfPySceneDetect = "Start Frame", kOwn = "first_frame";  // columns

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kInput, shown_path(path) + " " + why +
                                     ". A list of scenes is a scenes.json of Av1an, a CSV file of "
                                     "PySceneDetect, or a table of scenes from here");
}

int64_t frame_number(std::string_view text, const std::string& path, const std::string& where) {
  long long number = 0;
  if (!parse_int(text, number) || number < 0 || number > kMaxFrameNumber)
    refuse(path, "has \"" + printable(text) + "\" for the first frame of " + where);
  return number;
}

std::vector<int64_t> starts_in_json(const std::string& text, const std::string& path) {
  const json document = json::parse(text, nullptr, false);
  const json* const scenes = member(document, "scenes");
  if (document.is_discarded()) refuse(path, "is not JSON");
  if (scenes == nullptr || !scenes->is_array()) refuse(path, "has no list \"scenes\"");
  std::vector<int64_t> starts;
  for (const json& scene : *scenes) {
    const json* const start = member(scene, "start_frame");
    if (start == nullptr || !start->is_number_unsigned() ||
        start->get<uint64_t>() > uint64_t{kMaxFrameNumber})
      refuse(path, "has no number \"start_frame\" for scene " + std::to_string(starts.size() + 1));
    starts.push_back(start->get<int64_t>());
  }
  return starts;
}

// A field may be in quotes, which are doubled within it.
std::vector<std::string> fields_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> fields;
  bool is_quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (fields.empty()) fields.emplace_back();
    if (line[i] == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      is_quoted = !is_quoted;
    } else if (line[i] == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

SceneList starts_in_table(const std::string& text, const std::string& path) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines[0].starts_with(kTimecodes) || lines[0].starts_with("\"" + std::string(kTimecodes)))
    lines.erase(lines.begin());
  const std::vector<std::string> heading = lines.empty() ? std::vector<std::string>() : fields_of(lines[0]);
  const auto place_of = [&](std::string_view name) {
    return static_cast<size_t>(std::find(heading.begin(), heading.end(), name) - heading.begin());
  };
  SceneList list{.starts = {}, .is_own = place_of(kOwn) < heading.size()};
  const size_t place = place_of(list.is_own ? kOwn : kOfPySceneDetect);
  if (place == heading.size()) refuse(path, "has neither scenes of Av1an nor a column \"Start Frame\"");
  for (size_t number = 1; number < lines.size(); ++number) {
    const std::vector<std::string> fields = fields_of(lines[number]);
    if (fields.empty()) continue;
    const std::string where = "scene " + std::to_string(number);
    if (fields.size() <= place) refuse(path, "has too few columns for " + where);
    list.starts.push_back(frame_number(fields[place], path, where));
  }
  return list;
}

}  // namespace

SceneList parse_scene_list(const std::string& file, const std::string& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // which spreadsheets write
  const std::string text = file.starts_with(kByteOrderMark) ? file.substr(kByteOrderMark.size()) : file;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) refuse(path, "is empty");
  const bool is_table = text[first] != '{';
  SceneList list = is_table ? starts_in_table(text, path) : SceneList{starts_in_json(text, path)};
  if (list.starts.empty()) refuse(path, "has no scene");
  // A table of --scenes has a line for each metric of a scene.
  std::sort(list.starts.begin(), list.starts.end());
  list.starts.erase(std::unique(list.starts.begin(), list.starts.end()), list.starts.end());
  // PySceneDetect counts frames from 1; up to version 0.5 it did from 0.
  if (is_table && !list.is_own && list.starts.front() != 0) {
    for (int64_t& start : list.starts) --start;
  }
  return list;
}

std::vector<int64_t> cuts_in(const Report& report, const SceneList& list) {
  std::vector<int64_t> cuts;
  if (report.frames.empty()) return cuts;
  const InputFacts* const input = distorted_input(report);
  const int64_t skipped = input != nullptr && !list.is_own ? input->skipped : 0;
  for (const int64_t start : list.starts) {
    const int64_t frame = start - skipped;
    if (frame > report.frames.front() && frame <= last_frame(report)) cuts.push_back(frame);
  }
  return cuts;
}

}  // namespace vq
