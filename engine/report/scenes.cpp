#include "engine/report/scenes.h"

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "engine/known_metrics.h"
#include "engine/report/json_values.h"

namespace vq {
namespace {

constexpr const char* kInScenes[] = {"mean", "harmonic_mean", "min", "p5", "p95", "max"};
constexpr int kFileDecimals = 6;
constexpr size_t kMostRows = 20;
constexpr size_t kMostMetrics = 6;  // columns of means for people

std::optional<double> start_of(const Report& report, const Scene& scene) {
  const bool has_first = scene.begin < scene.end && report.frames[scene.begin] == scene.first;
  if (has_first) return time_of_scored(report, scene.begin);
  const std::optional<double> by_rate = time_by_rate(report, scene.first);
  return by_rate || scene.begin == scene.end ? by_rate : time_of_scored(report, scene.begin);
}

// End of the last scene: the scored frame before it is as long as any.
std::optional<double> end_of_all(const Report& report) {
  std::optional<double> end = time_of_scored(report, report.frames.size() - 1);
  if (end) *end += frame_seconds(report) * static_cast<double>(last_frame(report) - report.frames.back() + 1);
  return end;
}

Metric part_of(const Metric& metric, const Scene& scene) {
  const auto at = [&](size_t position) {
    return metric.values.begin() + static_cast<std::ptrdiff_t>(position);
  };
  return {.name = metric.name,
          .values = {at(scene.begin), at(scene.end)},
          .info = metric.info,
          .is_inner = metric.is_inner};
}

// The statistics at the worse end of a metric, for people.
std::vector<Statistic> worse_end(const MetricInfo& metric) {
  constexpr const char *kHighest[] = {"p95", "max"}, *kLowest[] = {"p5", "min"};
  return statistics_called(metric.better == Better::kLower ? kHighest : kLowest);
}

struct ScenesTable {
  std::vector<const Metric*> metrics;
  std::vector<std::string> percentiles;  // aggregates of scenes that frames have as well
  std::vector<Statistic> worse;          // of the first metric
  TextTable table;
};

// For each feature, with the options that it has in the report, the first that judges, and every score of a
// model.
std::vector<const Metric*> leading_metrics(const Report& report) {
  std::vector<const Metric*> leads;
  const auto feature_and_options = [](const Metric& metric) {
    const std::string base = base_name(metric);
    const size_t options = metric.name.starts_with(base) ? base.size() : 0;
    return std::pair(feature_of_metric(metric), metric.name.substr(options));
  };
  const auto judges = [](const Metric& metric) { return judges_video(metric_info(metric)); };
  for (const Metric* const metric : scene_metrics(report)) {
    if (feature_of_metric(*metric) == nullptr) {
      if (!metric_info(*metric).is_detail) leads.push_back(metric);
      continue;
    }
    const auto same = std::ranges::find_if(leads, [&](const Metric* other) {
      return feature_of_metric(*other) != nullptr &&
             feature_and_options(*other) == feature_and_options(*metric);
    });
    if (same == leads.end()) {
      leads.push_back(metric);
    } else if (judges(*metric) && !judges(**same)) {
      *same = metric;
    }
  }
  return leads;
}

ScenesTable empty_table(const Report& report) {
  std::vector<TextColumn> columns = {{"scene"}, {"from"}, {"to"}, {"duration", kFlushRight, 4}};
  std::vector<const Metric*> metrics = leading_metrics(report);
  if (metrics.size() > kMostMetrics) metrics.resize(kMostMetrics);
  const std::vector<Statistic> worse = worse_end(metric_info(*metrics.front()));
  const std::vector<std::string> labels = metric_labels(report.metrics);
  for (const Metric* const metric : metrics) {
    const bool leads = metric == metrics.front();
    columns.push_back(
        {labels[static_cast<size_t>(metric - report.metrics.data())], kFlushRight, leads ? 0 : 3});
    if (!leads) continue;
    for (const Statistic& statistic : worse)
      columns.push_back({heading_of(statistic, metric_info(*metric)), kFlushRight, 2});
  }
  std::vector<std::string> percentiles;
  for (const auto& [name, value] : report.aggregates) {
    if (report.scene_aggregates.empty() || find_metric(report, name) == nullptr) continue;
    percentiles.push_back(name);
    columns.push_back({name, kFlushRight, 4});
  }
  columns.push_back({"frames", kFlushRight, 1});
  return {metrics, percentiles, worse, TextTable(std::move(columns))};
}

std::vector<std::string> row_of(const Report& report, const Scene& scene, size_t number,
                                const ScenesTable& table) {
  const bool timed = scene.start && scene.stop;
  std::vector<std::string> row = {
      std::to_string(number), timed ? timecode(*scene.start) : "-", timed ? timecode(*scene.stop) : "-",
      timed ? fixed_text(*scene.stop - *scene.start, 2) + " s" : counted(scene.frames(), "frame")};
  for (const Metric* const metric : table.metrics) {
    const MetricStatistics statistics(part_of(*metric, scene));
    row.push_back(statistics.cell(parse_statistic("mean", "mean")));
    if (metric != table.metrics.front()) continue;
    for (const Statistic& statistic : table.worse) row.push_back(statistics.cell(statistic));
  }
  const auto figures = aggregates_in(report, scene);
  for (const std::string& name : table.percentiles) {
    const auto found = std::ranges::find(figures, name, &std::pair<std::string, double>::first);
    row.push_back(found == figures.end() ? "-"
                                         : fixed_text(found->second, metric_info(report, name).decimals));
  }
  row.push_back(words("#{} to #{}", scene.first, scene.last));
  return row;
}

}  // namespace

bool has_scenes(const Report& report) { return report.run.scene_cuts && !report.frames.empty(); }

std::vector<Scene> scenes_of(const Report& report) {
  std::vector<Scene> scenes;
  if (!has_scenes(report)) return scenes;
  const int64_t end = last_frame(report) + 1;
  scenes.push_back({.first = report.frames.front(), .start = {}, .stop = {}});
  for (const int64_t cut : *report.run.scene_cuts) {
    if (cut <= scenes.back().first || cut >= end) continue;
    scenes.back().last = cut - 1;
    scenes.push_back({.first = cut, .start = {}, .stop = {}});
  }
  scenes.back().last = end - 1;
  const auto position_of = [&](int64_t frame) {
    const auto found = std::ranges::lower_bound(report.frames, frame);
    return static_cast<size_t>(found - report.frames.begin());
  };
  for (Scene& scene : scenes) {
    scene.begin = position_of(scene.first);
    scene.end = position_of(scene.last + 1);
    scene.start = start_of(report, scene);
  }
  for (size_t i = 0; i + 1 < scenes.size(); ++i) scenes[i].stop = scenes[i + 1].start;
  scenes.back().stop = end_of_all(report);
  return scenes;
}

std::vector<std::pair<std::string, double>> aggregates_in(const Report& report, const Scene& scene) {
  for (const SceneAggregates& each : report.scene_aggregates) {
    if (scene.first <= each.first && each.first <= scene.last) return each.figures;
  }
  return {};
}

const std::vector<Statistic>& scene_statistics() {
  static const std::vector<Statistic> all = statistics_called(kInScenes);
  return all;
}

std::vector<const Metric*> scene_metrics(const Report& report) {
  std::vector<const Metric*> requested;
  for (const size_t place : reading_order(report.metrics)) {
    if (!report.metrics[place].is_inner) requested.push_back(&report.metrics[place]);
  }
  if (!requested.empty()) return requested;
  for (const Metric& metric : report.metrics) requested.push_back(&metric);
  return requested;
}

std::vector<double> statistics_in(const Metric& metric, const Scene& scene) {
  const MetricStatistics statistics(part_of(metric, scene));
  return mapped(scene_statistics(), [&](const Statistic& statistic) { return statistics.of(statistic); });
}

// Times as they are written, so that the columns agree and a report that was read back gives the same.
std::string csv_times(std::optional<double> start, std::optional<double> stop) {
  const auto rounded = [](double seconds) { return std::round(seconds * 1e6) / 1e6; };
  const auto text = [](std::optional<double> seconds) {
    return seconds ? fixed_text(*seconds, kFileDecimals) : "";
  };
  const std::string duration = start && stop ? text(rounded(*stop) - rounded(*start)) : "";
  return words("{},{},{}", text(start), text(stop), duration);
}

std::vector<size_t> shown_places(std::span<const double> scores, const MetricInfo& metric) {
  std::vector<size_t> places(scores.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (places.size() <= kMostRows) return places;
  std::ranges::stable_sort(places,
                           [&](size_t a, size_t b) { return is_worse(metric, scores[a], scores[b]); });
  places.resize(kMostRows);
  return places;
}

std::string scenes_csv(const Report& report) {
  std::string text = "scene,first_frame,last_frame,scored_frames,start,end,duration,metric";
  for (const Statistic& statistic : scene_statistics()) text += "," + statistic.name;
  text += "\n";
  const std::vector<Scene> scenes = scenes_of(report);
  const std::vector<const Metric*> metrics = scene_metrics(report);
  for (size_t i = 0; i < scenes.size(); ++i) {
    const Scene& scene = scenes[i];
    for (const Metric* const metric : metrics) {
      text += words("{},{},{},{},{},{}", i + 1, scene.first, scene.last, scene.end - scene.begin,
                    csv_times(scene.start, scene.stop), csv_field(metric->name));
      for (const double value : statistics_in(*metric, scene))
        text += "," + (scene.begin == scene.end ? "" : fixed_text(value, kFileDecimals));
      text += "\n";
    }
  }
  return text;
}

std::string scenes_text(const Report& report, size_t width) {
  const std::vector<Scene> scenes = scenes_of(report);
  ScenesTable table = empty_table(report);
  const Metric& lead = *table.metrics.front();
  const std::vector<double> means =
      mapped(scenes, [&](const Scene& scene) { return statistics_in(lead, scene).front(); });
  const std::vector<size_t> shown = shown_places(means, metric_info(lead));
  for (const size_t i : shown) table.table.add(row_of(report, scenes[i], i + 1, table));
  std::string text = counted(static_cast<int64_t>(scenes.size()), "scene") + "\n" + table.table.text(width);
  if (shown.size() < scenes.size())
    text += words("These have the worst means; the scenes' CSV file lists all {}.\n", scenes.size());
  return text;
}

std::string scenes_for_av1an(const Report& report) {
  using nlohmann::ordered_json;
  const InputFacts* const input = distorted_input(report);
  const int64_t skipped = input != nullptr ? input->skipped : 0;
  const ordered_json list = json_list(scenes_of(report), [&](const Scene& scene) {
    return ordered_json{{"start_frame", scene.first + skipped},
                        {"end_frame", scene.last + 1 + skipped},
                        {"zone_overrides", nullptr}};
  });
  const ordered_json document = {
      {"frames", last_frame(report) + 1 + skipped}, {"scenes", list}, {"split_scenes", list}};
  return json_file_text(document);
}

using json = nlohmann::ordered_json;

constexpr std::string_view kTimecodes = "Timecode List:";  // first line of PySceneDetect's file
constexpr std::string_view kOfPySceneDetect = "Start Frame", kOwn = "first_frame";  // columns

[[noreturn]] static void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kInput,
              "{} {}. A list of scenes is a scenes.json of Av1an, a CSV file of PySceneDetect, or a table of "
              "scenes from here",
              shown_path(path), why);
}

static int64_t frame_number(std::string_view text, const std::string& path, const std::string& where) {
  long long number = 0;
  if (!parse_int(text, number) || number < 0 || number > kMaxFrameNumber)
    refuse(path, words("has \"{}\" for the first frame of {}", printable(text), where));
  return number;
}

static std::vector<int64_t> starts_in_json(const std::string& text, const std::string& path) {
  const json document = json::parse(text, nullptr, false);
  const json* const scenes = member(document, "scenes");
  if (document.is_discarded()) refuse(path, "is not JSON");
  if (scenes == nullptr || !scenes->is_array()) refuse(path, "has no list \"scenes\"");
  std::vector<int64_t> starts;
  for (const json& scene : *scenes) {
    const json* const start = member(scene, "start_frame");
    if (start == nullptr || !start->is_number_unsigned() ||
        start->get<uint64_t>() > uint64_t{kMaxFrameNumber})
      refuse(path, words("has no number \"start_frame\" for scene {}", starts.size() + 1));
    starts.push_back(start->get<int64_t>());
  }
  return starts;
}

// A field may be in quotes, which are doubled within it.
static std::vector<std::string> fields_of(std::string_view line) {
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

static SceneList starts_in_table(const std::string& text, const std::string& path) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines[0].starts_with(kTimecodes) || lines[0].starts_with("\"" + std::string(kTimecodes)))
    lines.erase(lines.begin());
  const std::vector<std::string> heading = lines.empty() ? std::vector<std::string>() : fields_of(lines[0]);
  const auto place_of = [&](std::string_view name) {
    return static_cast<size_t>(std::ranges::find(heading, name) - heading.begin());
  };
  SceneList list{.starts = {}, .is_own = place_of(kOwn) < heading.size()};
  const size_t place = place_of(list.is_own ? kOwn : kOfPySceneDetect);
  if (place == heading.size()) refuse(path, "has neither scenes of Av1an nor a column \"Start Frame\"");
  for (size_t number = 1; number < lines.size(); ++number) {
    const std::vector<std::string> fields = fields_of(lines[number]);
    if (fields.empty()) continue;
    const std::string where = words("scene {}", number);
    if (fields.size() <= place) refuse(path, "has too few columns for " + where);
    list.starts.push_back(frame_number(fields[place], path, where));
  }
  return list;
}

SceneList parse_scene_list(const std::string& file, const std::string& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // which spreadsheets write
  const std::string text = file.starts_with(kByteOrderMark) ? file.substr(kByteOrderMark.size()) : file;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) refuse(path, "is empty");
  const bool is_table = text[first] != '{';
  SceneList list = is_table ? starts_in_table(text, path) : SceneList{starts_in_json(text, path)};
  if (list.starts.empty()) refuse(path, "has no scene");
  // A table of --scenes has a line for each metric of a scene.
  std::ranges::sort(list.starts);
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

constexpr double kSecond = 1e6;           // in microseconds
constexpr int64_t kFramesOfASecond = 25;  // if times are unknown

static bool has_time(const TimedScore& frame) { return frame.timestamp && std::isfinite(*frame.timestamp); }

// Reports have times in microseconds. Counted in these, frames a second apart are so in every report.
static double microseconds(const TimedScore& frame) { return std::round(*frame.timestamp * 1e6); }

static bool less_than_a_second_apart(const TimedScore& a, const TimedScore& b) {
  if (has_time(a) && has_time(b)) return std::fabs(microseconds(a) - microseconds(b)) < kSecond;
  return std::abs(a.frame - b.frame) < kFramesOfASecond;
}

bool MomentFinder::add(const TimedScore& frame, bool begins_scene) {
  if (begins_scene) end_scene();
  if (candidate_ && !less_than_a_second_apart(*candidate_, frame)) end_second();
  if (!is_flawed(frame.score)) return false;
  while (!second_.empty() && !less_than_a_second_apart(second_.front(), frame)) second_.pop_front();
  const bool is_worst = second_.empty() || worse(frame.score, second_.front().score);
  while (!second_.empty() && !worse(second_.back().score, frame.score)) second_.pop_back();
  second_.push_back(frame);
  if (!is_worst) return false;
  const bool was_of_scene = candidate_ && leads(*candidate_);
  candidate_.reset();
  const bool is_worst_of_scene = !scene_worst_ || worse(frame.score, scene_worst_->score);
  if (!(is_worst_of_scene ? ranks(scenes_, count_, frame.score)
                          : ranks(others_, room_for_others(), frame.score)))
    return false;
  candidate_ = frame;
  if (!is_worst_of_scene) return true;
  if (scene_worst_ && !was_of_scene) insert(others_, *scene_worst_);
  scene_worst_ = frame;
  trim();
  return true;
}

bool MomentFinder::leads(const TimedScore& frame) const {
  return scene_worst_ && scene_worst_->frame == frame.frame;
}

void MomentFinder::end_second() {
  if (candidate_ && !leads(*candidate_)) insert(others_, *candidate_);
  candidate_.reset();
  trim();
}

void MomentFinder::end_scene() {
  end_second();
  second_.clear();
  if (scene_worst_) insert(scenes_, *scene_worst_);
  scene_worst_.reset();
}

size_t MomentFinder::room_for_others() const {
  return count_ - std::min(count_, scenes_.size() + (scene_worst_ ? 1 : 0));
}

void MomentFinder::trim() { others_.resize(std::min(others_.size(), room_for_others())); }

bool MomentFinder::holds(int64_t frame) const {
  const auto is_it = [&](const TimedScore& moment) { return moment.frame == frame; };
  if (candidate_ && is_it(*candidate_)) return true;
  if (scene_worst_ && is_it(*scene_worst_)) return true;
  return std::ranges::any_of(scenes_, is_it) || std::ranges::any_of(others_, is_it);
}

std::vector<TimedScore> MomentFinder::worst() const {
  MomentFinder ended = *this;
  ended.end_scene();
  ended.trim();
  Moments moments = std::move(ended.scenes_);
  for (const TimedScore& other : ended.others_) insert(moments, other);
  return moments;
}

bool MomentFinder::is_flawed(double score) const {
  if (std::isnan(score) || metric_.better == Better::kNeither || is_endless(metric_, score)) return false;
  return !metric_.flawless || worse(score, *metric_.flawless);
}

// An equal score does not: the earlier one stays.
bool MomentFinder::ranks(const Moments& moments, size_t room, double score) const {
  if (moments.size() < room) return true;
  return room > 0 && worse(score, moments.back().score);
}

void MomentFinder::insert(Moments& moments, const TimedScore& moment) const {
  const auto is_before = [&](const TimedScore& a, const TimedScore& b) {
    return worse(a.score, b.score) || (a.score == b.score && a.frame < b.frame);
  };
  moments.insert(std::ranges::upper_bound(moments, moment, is_before), moment);
  if (moments.size() > count_) moments.pop_back();
}

std::vector<size_t> worst_moments(const Report& report, const MetricInfo& metric,
                                  std::span<const double> values, size_t count) {
  MomentFinder finder(metric, count);
  const std::vector<int64_t> cuts = report.run.scene_cuts.value_or(std::vector<int64_t>());
  auto cut = cuts.begin();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto next = std::find_if(cut, cuts.end(), [&](int64_t begin) { return begin > report.frames[i]; });
    finder.add({report.frames[i], timestamp_at(report, i), values[i]}, next != cut);
    cut = next;
  }
  std::vector<size_t> positions;
  for (const TimedScore& moment : finder.worst()) {
    const auto place = std::ranges::lower_bound(report.frames, moment.frame);
    positions.push_back(static_cast<size_t>(place - report.frames.begin()));
  }
  return positions;
}

}  // namespace vq
