#include "cli/reports/frame_match.h"

#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "cli/reports/batch_summary.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/report/json_values.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

// The frames at which a word that comes up no second time takes over.
std::unordered_map<std::string, int64_t> landmarks(const FrameWords& video) {
  std::unordered_map<std::string, int64_t> found;
  std::unordered_map<std::string, int> times;
  for (size_t i = 0; i < video.frames.size(); ++i) {
    const std::string& word = video.words.values[i];
    if (i > 0 && word == video.words.values[i - 1]) continue;
    found.emplace(word, video.frames[i]);
    ++times[word];
  }
  std::erase_if(found, [&](const auto& landmark) { return times[landmark.first] > 1; });
  return found;
}

// That most landmarks have; of equals the smallest.
int64_t likeliest_offset(const FrameWords& a, const FrameWords& b) {
  const auto of_a = landmarks(a), of_b = landmarks(b);
  std::map<int64_t, int64_t> votes;
  for (const auto& [word, frame] : of_a) {
    const auto same = of_b.find(word);
    if (same != of_b.end()) ++votes[same->second - frame];
  }
  int64_t best = 0, most = 0;
  for (const auto& [offset, count] : votes) {
    const bool is_smaller = std::abs(offset) < std::abs(best);
    if (count < most || (count == most && !is_smaller)) continue;
    best = offset;
    most = count;
  }
  return best;
}

FrameMatch::Shift shift_by(const FrameWords& a, const FrameWords& b, int64_t offset) {
  FrameMatch::Shift shift{.offset = offset};
  int64_t start = 0, length = 0;
  for_each_frame(a.frames, b.frames, offset, [&](std::optional<size_t> i, std::optional<size_t> j) {
    const bool is_common = i && j, is_equal = is_common && a.words.values[*i] == b.words.values[*j];
    shift.common += is_common;
    shift.equal += is_equal;
    if (is_equal && length == 0) start = a.frames[*i];
    length = is_equal ? length + 1 : 0;
    if (length <= shift.run) return;
    shift.first = start;
    shift.run = length;
  });
  return shift;
}

ordered_json time_json(const std::optional<double>& seconds) {
  return seconds ? ordered_json(*seconds) : ordered_json();
}

ordered_json match_json(const FrameMatch& match) {
  ordered_json json = {{"same", match.same()},
                       {"frames", match.frames},
                       {"equal", match.equal},
                       {"only_in_first", match.only_in_a},
                       {"only_in_second", match.only_in_b},
                       {"first_difference", nullptr},
                       {"shift", nullptr}};
  if (match.first) {
    json["first_difference"] = {{"frameNum", match.first->frame},
                                {"timestamp", time_json(match.first->timestamp)}};
  }
  if (const auto& shift = match.shift) {
    json["shift"] = {{"offset", shift->offset},
                     {"common", shift->common},
                     {"equal", shift->equal},
                     {"longest_run", {{"frameNum", shift->first}, {"frames", shift->run}}}};
  }
  return json;
}

std::string only_in(int64_t frames, const std::string& path) {
  return frames == 0 ? "" : words(", {} only in {}", frames, shown_path(path));
}

}  // namespace

FrameMatch match_frames(const FrameWords& a, const FrameWords& b) {
  FrameMatch match{.path_a = a.path, .path_b = b.path, .first = {}, .shift = {}};
  for_each_frame(a.frames, b.frames, 0, [&](std::optional<size_t> i, std::optional<size_t> j) {
    const bool is_equal = i && j && a.words.values[*i] == b.words.values[*j];
    match.frames += 1;
    match.equal += is_equal;
    match.only_in_a += !j;
    match.only_in_b += !i;
    if (is_equal || match.first) return;
    match.first = i ? FrameMatch::Difference{a.frames[*i], a.timestamps[*i]}
                    : FrameMatch::Difference{b.frames[*j], b.timestamps[*j]};
  });
  const int64_t offset = match.same() ? 0 : likeliest_offset(a, b);
  if (offset == 0) return match;
  const FrameMatch::Shift shift = shift_by(a, b, offset);
  if (shift.equal > match.equal && 2 * shift.equal >= shift.common) match.shift = shift;
  return match;
}

std::string frame_lines(const std::vector<FrameWords>& videos) {
  std::string text;
  for (const FrameWords& video : videos) {
    const std::string path = printable(video.path, std::numeric_limits<size_t>::max());
    for (size_t i = 0; i < video.frames.size(); ++i) {
      const std::optional<double>& time = video.timestamps[i];
      text += words("{}  {}  {}  {}\n", video.words.values[i], video.frames[i],
                    time ? fixed_text(*time, kTimestampDecimals) : "-", path);
    }
  }
  return text;
}

std::string match_text(const FrameMatch& match) {
  const std::string a = shown_path(match.path_a), b = shown_path(match.path_b);
  if (match.same()) return words("{} and {} agree in all {}\n", a, b, counted(match.frames, "frame"));
  std::string text = words("{} and {} differ in {} of {}{}{}", a, b, match.frames - match.equal,
                           counted(match.frames, "frame"), only_in(match.only_in_a, match.path_a),
                           only_in(match.only_in_b, match.path_b));
  text += words("; the first is frame {}", match.first->frame);
  if (match.first->timestamp) text += words(" ({})", timecode(*match.first->timestamp));
  text += "\n";
  if (const auto& shift = match.shift) {
    text += words(
        "{} has the frames of {} {}{}{} of the {} in common are equal, the longest run frames {} to {} of "
        "{}\n",
        b, a, counted(std::abs(shift->offset), "frame"),
        shift->offset > 0 ? " later: " : " earlier: ", shift->equal, shift->common, shift->first,
        shift->first + shift->run - 1, a);
  }
  return text;
}

std::string frame_words_json(const std::vector<FrameWords>& videos, const std::optional<FrameMatch>& match) {
  ordered_json json = {{"version", version()}, {"videos", ordered_json::array()}};
  for (const FrameWords& video : videos) {
    ordered_json frames = ordered_json::array();
    for (size_t i = 0; i < video.frames.size(); ++i) {
      frames.push_back({{"frameNum", video.frames[i]},
                        {"timestamp", time_json(video.timestamps[i])},
                        {video.words.name, video.words.values[i]}});
    }
    json["videos"].push_back({{"path", video.path}, {"frames", std::move(frames)}});
  }
  if (match) json["comparison"] = match_json(*match);
  return json_file_text(json);
}

std::string frame_words_csv(const std::vector<FrameWords>& videos) {
  std::string text =
      words("path,frame,timestamp,{}\n", videos.empty() ? "" : csv_field(videos.front().words.name));
  for (const FrameWords& video : videos) {
    for (size_t i = 0; i < video.frames.size(); ++i) {
      const std::optional<double>& time = video.timestamps[i];
      text += words("{},{},{},{}\n", csv_field(video.path), video.frames[i],
                    time ? fixed_text(*time, kTimestampDecimals) : "", csv_field(video.words.values[i]));
    }
  }
  return text;
}

}  // namespace vq::cli
