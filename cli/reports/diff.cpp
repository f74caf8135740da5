#include "cli/reports/diff.h"

#include <cstdlib>
#include <map>
#include <unordered_map>

#include "core/number_text.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/report/json_values.h"

namespace vq::cli {
namespace {

constexpr int kDifferenceDigits = 3;

// One metric or text of either report; a side that lacks it has no column.
template <class Column>
struct ColumnPair {
  std::string name;
  const Column* a = nullptr;
  const Column* b = nullptr;
};

template <class Column>
std::vector<ColumnPair<Column>> pair_columns(const std::vector<Column>& a, const std::vector<Column>& b) {
  std::vector<ColumnPair<Column>> pairs;
  std::unordered_map<std::string, size_t> places;
  for (const Column& column : a) {
    places.emplace(column.name, pairs.size());
    pairs.push_back({column.name, &column, nullptr});
  }
  for (const Column& column : b) {
    const auto found = places.find(column.name);
    if (found != places.end()) {
      pairs[found->second].b = &column;
    } else {
      pairs.push_back({column.name, nullptr, &column});
    }
  }
  return pairs;
}

// Calls `visit(i, j)` for each frame that either list has, in order. i is its position in `a`, and j in `b`,
// whose numbers are larger by `offset`; each is nothing if its list lacks the frame. Needs: numbers ascend.
template <class Visit>
void for_each_frame(std::span<const int64_t> a, std::span<const int64_t> b, int64_t offset,
                    const Visit& visit) {
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool more_of_a = i < a.size(), more_of_b = j < b.size();
    const bool in_a = more_of_a && (!more_of_b || a[i] <= b[j] - offset);
    const bool in_b = more_of_b && (!more_of_a || b[j] - offset <= a[i]);
    visit(in_a ? std::optional(i) : std::nullopt, in_b ? std::optional(j) : std::nullopt);
    i += in_a;
    j += in_b;
  }
}

// How far apart two scores are; infinitely if one of them alone is not a number.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::fabs(a - b);
}

class Comparison {
 public:
  Comparison(const DiffSide& a, const DiffSide& b, int places)
      : a_(a.report),
        b_(b.report),
        pairs_(pair_columns(a_.metrics, b_.metrics)),
        text_pairs_(pair_columns(a_.texts, b_.texts)),
        limit_(places < kAllPlaces ? 0.5 * std::pow(10.0, -places)
                                   : std::numeric_limits<double>::denorm_min()) {
    result_.name_a = a.name;
    result_.name_b = b.name;
    result_.places = places;
    find_lone_columns(pairs_);
    find_lone_columns(text_pairs_);
  }

  DiffResult run() {
    for_each_frame(a_.frames, b_.frames, 0, [&](std::optional<size_t> i, std::optional<size_t> j) {
      result_.frames += 1;
      result_.frames_only_in_a += !j;
      result_.frames_only_in_b += !i;
      const int64_t frame = i ? a_.frames[*i] : b_.frames[*j];
      for (const auto& pair : pairs_) {
        compare({frame, pair.name, score_in(a_, pair.a, i), score_in(b_, pair.b, j)});
      }
      for (const auto& pair : text_pairs_) {
        compare(
            {frame, pair.name, i && pair.a ? pair.a->values[*i] : "", j && pair.b ? pair.b->values[*j] : ""});
      }
    });
    compare_aggregates();
    return std::move(result_);
  }

 private:
  static std::optional<double> score_in(const Report& report, const Metric* metric,
                                        std::optional<size_t> position) {
    if (metric == nullptr || !position) return std::nullopt;
    const auto place = static_cast<size_t>(metric - report.metrics.data());
    if (!report.missing.empty() && report.missing[place][*position]) return std::nullopt;
    return metric->values[*position];
  }

  template <class Pairs>
  void find_lone_columns(const Pairs& pairs) {
    for (const auto& pair : pairs) {
      if (!pair.b) result_.metrics_only_in_a.push_back(pair.name);
      if (!pair.a) result_.metrics_only_in_b.push_back(pair.name);
    }
  }

  void compare_aggregates() {
    const auto value_in = [](const Report& report, const std::string& name) -> std::optional<double> {
      for (const auto& [own, value] : report.aggregates) {
        if (own == name) return value;
      }
      return std::nullopt;
    };
    for (const auto& [name, value] : a_.aggregates) compare({std::nullopt, name, value, value_in(b_, name)});
    for (const auto& [name, value] : b_.aggregates) {
      if (!value_in(a_, name)) compare({std::nullopt, name, std::nullopt, value});
    }
  }

  void compare(const Difference& scores) {
    if (!scores.a && !scores.b) return;
    result_.compared += 1;
    if (!scores.a || !scores.b) {
      result_.different += 1;
      result_.missing += 1;
      if (!result_.first_missing) result_.first_missing = scores;
      return;
    }
    const double apart = distance(*scores.a, *scores.b);
    if (apart < limit_) return;
    result_.different += 1;
    if (apart > worst_) {
      worst_ = apart;
      result_.worst = scores;
    }
  }

  void compare(const TextDifference& texts) {
    if (texts.a.empty() && texts.b.empty()) return;
    result_.texts += 1;
    if (texts.a == texts.b) return;
    result_.different_texts += 1;
    if (!result_.first_text) result_.first_text = texts;
  }

  const Report& a_;
  const Report& b_;
  const std::vector<ColumnPair<Metric>> pairs_;
  const std::vector<ColumnPair<TextSeries>> text_pairs_;
  const double limit_;
  double worst_ = 0;
  DiffResult result_;
};

std::string only_in(const std::string& path, const std::vector<std::string>& metrics, int64_t frames) {
  if (metrics.empty() && frames == 0) return {};
  std::string text = words("only in {}:", shown_path(path));
  for (const std::string& metric : metrics) text.append(" ").append(printable(metric));
  if (frames > 0) text.append(metrics.empty() ? " " : ", ").append(counted(frames, "frame"));
  return text + "\n";
}

std::string text_line(const DiffResult& result, const TextDifference& first) {
  const std::string start = words("first text: frame {}, {}", first.frame, printable(first.name));
  if (!first.a.empty() && !first.b.empty())
    return words("{}: {} and {}\n", start, printable(first.a), printable(first.b));
  return words("{}, not in {}\n", start, shown_path(first.a.empty() ? result.name_a : result.name_b));
}

}  // namespace

DiffResult diff_reports(const DiffSide& a, const DiffSide& b, int places) {
  return Comparison(a, b, places).run();
}

std::string place_of(const Difference& difference) {
  return difference.frame ? words("frame {}", *difference.frame) : "the whole run";
}

std::string diff_text(const DiffResult& result) {
  std::string text = words("{} and {}", shown_path(result.name_a), shown_path(result.name_b));
  text += result.same() ? " agree in all " : words(" differ in {} of ", result.different);
  text += counted(result.compared, "score");
  if (result.texts > 0) {
    text += words(" and {}{}", result.same() ? "" : words("{} of ", result.different_texts),
                  counted(result.texts, "text"));
  }
  text += words(" of {} ({})\n", counted(result.frames, "frame"), counted(result.places, "decimal"));
  if (const auto& worst = result.worst) {
    text += words("worst: {}, {}: {} and {}", place_of(*worst), printable(worst->metric),
                  shortest_text(*worst->a), shortest_text(*worst->b));
    const double apart = distance(*worst->a, *worst->b);
    if (std::isfinite(apart)) text += words(", {} apart", significant_text(apart, kDifferenceDigits));
    text += "\n";
  }
  if (const auto& first = result.first_missing) {
    text += words("missing: {}, the first is {}, {}, not in {}\n", counted(result.missing, "score"),
                  place_of(*first), printable(first->metric),
                  shown_path(first->a ? result.name_b : result.name_a));
  }
  if (const auto& first = result.first_text) text += text_line(result, *first);
  text += only_in(result.name_a, result.metrics_only_in_a, result.frames_only_in_a);
  text += only_in(result.name_b, result.metrics_only_in_b, result.frames_only_in_b);
  return text;
}

JunitCase diff_case(const std::string& name, const DiffResult& result) {
  if (result.same()) return {.name = name};
  const std::string text = diff_text(result);
  return {.name = name, .outcome = JunitCase::Outcome::kFailed, .message = text.substr(0, text.find('\n'))};
}

static double worst_difference(const DiffResult& diff) {
  return diff.worst ? std::abs(*diff.worst->a - *diff.worst->b) : 0.0;
}

static std::string where(const DiffResult& diff) {
  if (diff.worst && worst_difference(diff) != 0) return place_of(*diff.worst) + " " + diff.worst->metric;
  if (diff.first_text) return words("frame {} {}", diff.first_text->frame, diff.first_text->name);
  return "-";
}

// Words are as far apart as they can be.
static std::string worst_text(const DiffResult& diff) {
  if (worst_difference(diff) == 0 && diff.first_text) return "other text";
  return significant_text(worst_difference(diff), 3);
}

// One for each input; empty if nothing is decoded.
static std::vector<std::string> decoders_of(const GateEntry& entry) {
  return mapped(entry.run.inputs, &InputFacts::decoder);
}

static std::string decoders_text(const GateEntry& entry) {
  std::string text;
  for (const std::string& decoder : decoders_of(entry)) {
    if (decoder != text) text += (text.empty() ? "" : ", ") + decoder;
  }
  return text.empty() ? "-" : printable(text);
}

static bool tells_decoders(const GateResult& result) {
  return std::ranges::any_of(result.entries, [&](const GateEntry& entry) {
    return decoders_of(entry) != decoders_of(result.entries.front());
  });
}

static nlohmann::ordered_json entry_json(const GateEntry& entry) {
  nlohmann::ordered_json json = {{"backend", entry.run.backend},
                                 {"device", entry.run.device},
                                 {"driver", entry.run.driver},
                                 {"simd", entry.run.simd},
                                 {"decoders", decoders_of(entry)},
                                 {"frames", entry.frames},
                                 {"wall_seconds", entry.run.wall_seconds},
                                 {"compared", entry.diff.compared},
                                 {"different", entry.diff.different},
                                 {"worst_difference", worst_difference(entry.diff)}};
  if (entry.diff.worst) {
    json["worst"] = {{"frame", nullable(entry.diff.worst->frame)}, {"metric", entry.diff.worst->metric}};
  }
  if (entry.diff.texts > 0) {
    json["texts_compared"] = entry.diff.texts;
    json["texts_different"] = entry.diff.different_texts;
  }
  return json;
}

bool GateResult::passes() const {
  return std::ranges::all_of(entries, [](const GateEntry& entry) { return entry.diff.same(); });
}

TextTable gate_table(const GateResult& result) {
  std::vector<TextColumn> columns = {
      {"backend", kFlushLeft}, {"device", kFlushLeft, 2}, {"frames"},
      {"fps", kFlushRight, 1}, {"worst difference"},      {"where", kFlushLeft, 0, 12}};
  const bool with_decoders = tells_decoders(result);
  if (with_decoders) columns.insert(columns.begin() + 2, {"decoder", kFlushLeft});
  TextTable table(columns);
  for (const GateEntry& entry : result.entries) {
    const double fps = static_cast<double>(entry.frames) / std::max(entry.run.wall_seconds, 1e-6);
    std::vector<std::string> cells = {
        entry.run.backend,
        entry.run.device.empty() ? words("CPU ({})", entry.run.simd) : printable(entry.run.device),
        std::to_string(entry.frames),
        fixed_text(fps, 1),
        worst_text(entry.diff),
        where(entry.diff)};
    if (with_decoders) cells.insert(cells.begin() + 2, decoders_text(entry));
    table.add(cells);
  }
  return table;
}

std::string gate_text(const GateResult& result, size_t width) {
  const std::string extent =
      result.places < kAllPlaces ? counted(result.places, "decimal place") : "the last bit";
  return gate_table(result).text(width) +
         (result.passes()
              ? words("pass: scores are equal to {}\n", extent)
              : words("FAIL: scores are not equal to {}, see the worst difference above\n", extent));
}

JunitSuite gate_suite(const std::string& video, const GateResult& result) {
  JunitSuite suite{.name = video, .seconds = 0, .cases = {}};
  for (const GateEntry& entry : result.entries) {
    suite.seconds += entry.run.wall_seconds;
    suite.cases.push_back(diff_case(entry.run.backend, entry.diff));
  }
  return suite;
}

std::string gate_json(const GateResult& result) {
  nlohmann::ordered_json json = {
      {"version", version()}, {"places", result.places}, {"pass", result.passes()}};
  for (const GateEntry& entry : result.entries) json["backends"].push_back(entry_json(entry));
  return json_file_text(json);
}

using nlohmann::ordered_json;

static const TextSeries& word_series(const DiffSide& video) { return video.report.texts.at(0); }

// The frames at which a word that comes up no second time takes over.
static std::unordered_map<std::string, int64_t> landmarks(const DiffSide& video) {
  std::unordered_map<std::string, int64_t> found;
  std::unordered_map<std::string, int> times;
  for (size_t i = 0; i < video.report.frames.size(); ++i) {
    const std::string& word = word_series(video).values[i];
    if (i > 0 && word == word_series(video).values[i - 1]) continue;
    found.emplace(word, video.report.frames[i]);
    ++times[word];
  }
  std::erase_if(found, [&](const auto& landmark) { return times[landmark.first] > 1; });
  return found;
}

// The offset that most landmarks have; the smallest if several have as many.
static int64_t likeliest_offset(const DiffSide& a, const DiffSide& b) {
  const auto of_a = landmarks(a), of_b = landmarks(b);
  std::map<int64_t, int64_t> votes;
  for (const auto& [word, frame] : of_a) {
    const auto same = of_b.find(word);
    if (same != of_b.end()) ++votes[same->second - frame];
  }
  const auto best = std::ranges::max_element(
      votes, {}, [](const auto& vote) { return std::pair(vote.second, -std::abs(vote.first)); });
  return best == votes.end() ? 0 : best->first;
}

static FrameMatch::Shift shift_by(const DiffSide& a, const DiffSide& b, int64_t offset) {
  FrameMatch::Shift shift{.offset = offset};
  int64_t start = 0, length = 0;
  const auto visit = [&](std::optional<size_t> i, std::optional<size_t> j) {
    const bool is_common = i && j,
               is_equal = is_common && word_series(a).values[*i] == word_series(b).values[*j];
    shift.common += is_common;
    shift.equal += is_equal;
    if (is_equal && length == 0) start = a.report.frames[*i];
    length = is_equal ? length + 1 : 0;
    if (length <= shift.run) return;
    shift.first = start;
    shift.run = length;
  };
  for_each_frame(a.report.frames, b.report.frames, offset, visit);
  return shift;
}

static std::string time_text(const std::optional<double>& seconds, const char* none) {
  return seconds ? fixed_text(*seconds, kTimestampDecimals) : none;
}

static ordered_json match_json(const FrameMatch& match) {
  ordered_json json = {{"same", match.same()},
                       {"frames", match.frames},
                       {"equal", match.equal},
                       {"only_in_first", match.only_in_a},
                       {"only_in_second", match.only_in_b},
                       {"first_difference", nullptr},
                       {"shift", nullptr}};
  if (match.first) {
    json["first_difference"] = {{"frameNum", match.first->frame},
                                {"timestamp", nullable(match.first->timestamp)}};
  }
  if (const auto& shift = match.shift) {
    json["shift"] = {{"offset", shift->offset},
                     {"common", shift->common},
                     {"equal", shift->equal},
                     {"longest_run", {{"frameNum", shift->first}, {"frames", shift->run}}}};
  }
  return json;
}

static std::string only_in(int64_t frames, const std::string& path) {
  return frames == 0 ? "" : words(", {} only in {}", frames, shown_path(path));
}

FrameMatch match_frames(const DiffSide& a, const DiffSide& b) {
  FrameMatch match{.path_a = a.name, .path_b = b.name, .first = {}, .shift = {}};
  for_each_frame(a.report.frames, b.report.frames, 0, [&](std::optional<size_t> i, std::optional<size_t> j) {
    const bool is_equal = i && j && word_series(a).values[*i] == word_series(b).values[*j];
    match.frames += 1;
    match.equal += is_equal;
    match.only_in_a += !j;
    match.only_in_b += !i;
    if (is_equal || match.first) return;
    match.first = i ? FrameMatch::Difference{a.report.frames[*i], a.report.timestamps[*i]}
                    : FrameMatch::Difference{b.report.frames[*j], b.report.timestamps[*j]};
  });
  const int64_t offset = match.same() ? 0 : likeliest_offset(a, b);
  if (offset == 0) return match;
  const FrameMatch::Shift shift = shift_by(a, b, offset);
  if (shift.equal > match.equal && 2 * shift.equal >= shift.common) match.shift = shift;
  return match;
}

std::string frame_lines(std::span<const DiffSide> videos) {
  std::string text;
  for (const DiffSide& video : videos) {
    const std::string path = printable(video.name, std::numeric_limits<size_t>::max());
    for (size_t i = 0; i < video.report.frames.size(); ++i) {
      text += words("{}  {}  {}  {}\n", word_series(video).values[i], video.report.frames[i],
                    time_text(video.report.timestamps[i], "-"), path);
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

std::string frame_words_json(std::span<const DiffSide> videos, const std::optional<FrameMatch>& match) {
  ordered_json json = {{"version", version()}, {"videos", ordered_json::array()}};
  for (const DiffSide& video : videos) {
    ordered_json frames = ordered_json::array();
    for (size_t i = 0; i < video.report.frames.size(); ++i) {
      frames.push_back({{"frameNum", video.report.frames[i]},
                        {"timestamp", nullable(video.report.timestamps[i])},
                        {word_series(video).name, word_series(video).values[i]}});
    }
    json["videos"].push_back({{"path", video.name}, {"frames", std::move(frames)}});
  }
  if (match) json["comparison"] = match_json(*match);
  return json_file_text(json);
}

std::string frame_words_csv(std::span<const DiffSide> videos) {
  const std::string heading = videos.empty() ? "" : word_series(videos.front()).name;
  std::string text = csv_line(std::vector<std::string>{"path", "frame", "timestamp", heading});
  for (const DiffSide& video : videos) {
    for (size_t i = 0; i < video.report.frames.size(); ++i) {
      text += csv_line(std::vector<std::string>{video.name, std::to_string(video.report.frames[i]),
                                                time_text(video.report.timestamps[i], ""),
                                                word_series(video).values[i]});
    }
  }
  return text;
}

}  // namespace vq::cli
