#include "engine/report/segments.h"

#include <cmath>

#include "core/error.h"
#include "core/frame.h"
#include "core/text.h"
#include "core/text_table.h"
#include "engine/known_metrics.h"
#include "engine/models/model_spec.h"
#include "engine/report/scenes.h"
#include "engine/report/statistic.h"

namespace vq {

// Whether a score is as bad as the level; never for what is not a number.
static bool is_as_bad(const MetricInfo& metric, double score, double level) {
  return metric.better == Better::kHigher ? score <= level : score >= level;
}

// For each frame the mean of the scores around it. Scores that are not a number stay so, and count for no
// other frame.
static std::vector<double> smoothed(const Report& report, std::span<const double> values, double seconds) {
  // Means that differ only by how they were added up are all as bad as a level, or none is.
  constexpr double kSteps = 1e6;
  constexpr double kLongestReach = 1e6;  // whatever the container says of the frame rate
  const auto reach =
      static_cast<int64_t>(std::clamp(std::round(seconds / 2 / frame_seconds(report)), 0.0, kLongestReach));
  std::vector<double> means;
  means.reserve(values.size());
  double sum = 0;  // of the finite scores from `begin` up to `end`
  int64_t finite = 0, infinite = 0;
  const auto count = [&](double value, int sign) {
    if (std::isnan(value)) return;
    if (std::isinf(value)) {
      infinite += sign;
    } else {
      finite += sign;
      sum += sign * value;
    }
  };
  size_t begin = 0, end = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    while (end < values.size() && report.frames[end] - report.frames[i] <= reach) count(values[end++], 1);
    while (report.frames[i] - report.frames[begin] > reach) count(values[begin++], -1);
    const double mean =
        infinite > 0 ? HUGE_VAL : std::round(sum / static_cast<double>(finite) * kSteps) / kSteps;
    means.push_back(std::isnan(values[i]) ? values[i] : mean);
  }
  return means;
}

// The segment of the scored frames from `begin` up to `end`.
static Segment segment_of(const Report& report, const MetricInfo& metric, std::span<const double> values,
                          size_t begin, size_t end) {
  Segment segment;
  size_t worst = begin;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    sum += values[i];
    if (is_worse(metric, values[i], values[worst])) worst = i;
  }
  const bool has_next = end < report.frames.size();
  segment.first = report.frames[begin];
  segment.last = has_next ? report.frames[end] - 1 : report.frames[end - 1];
  segment.start = time_of_scored(report, begin);
  segment.end = has_next ? time_of_scored(report, end) : time_of_scored(report, end - 1);
  if (!has_next && segment.end) *segment.end += frame_seconds(report);
  segment.mean = sum / static_cast<double>(end - begin);
  segment.worst = values[worst];
  segment.worst_frame = report.frames[worst];
  return segment;
}

static bool is_long_enough(const Segment& segment, const SegmentRule& rule, double seconds_of_frame) {
  const auto frames = segment.last - segment.first + 1;
  if (frames < rule.shortest_frames) return false;
  const bool timed = segment.start && segment.end;
  const double seconds =
      timed ? *segment.end - *segment.start : static_cast<double>(frames) * seconds_of_frame;
  // Times are sums of durations that are rounded in the container.
  constexpr double kSlack = 0.0005;
  return seconds + kSlack >= rule.shortest_seconds;
}

// The scenes whose mean is as bad as the level, one segment each.
static std::vector<Segment> bad_scenes(const Report& report, const MetricInfo& metric,
                                       std::span<const double> values, const SegmentRule& rule) {
  std::vector<Segment> segments;
  for (const Scene& scene : scenes_of(report)) {
    if (scene.begin == scene.end) continue;
    Segment segment = segment_of(report, metric, values, scene.begin, scene.end);
    segment.first = scene.first;
    segment.last = scene.last;
    segment.start = scene.start;
    segment.end = scene.stop;
    if (is_as_bad(metric, segment.mean, rule.from) && is_long_enough(segment, rule, frame_seconds(report)))
      segments.push_back(segment);
  }
  return segments;
}

std::vector<Segment> find_segments(const Report& report, const MetricInfo& metric,
                                   std::span<const double> values, const SegmentRule& rule) {
  if (rule.by_scene) return bad_scenes(report, metric, values, rule);
  std::vector<Segment> segments;
  const double seconds_of_frame = frame_seconds(report);
  std::vector<double> means;
  if (rule.smoothed_seconds > 0) means = smoothed(report, values, rule.smoothed_seconds);
  const std::span<const double> judged = means.empty() ? values : means;
  for (size_t i = 0; i < values.size();) {
    const size_t begin = i;
    if (is_as_bad(metric, judged[begin], rule.from)) {
      const auto goes_on = [&] {
        return is_as_bad(metric, judged[i], rule.until) &&
               !(metric.counts_frames && i > begin && values[i] <= values[i - 1]);
      };
      while (i < values.size() && goes_on()) ++i;
    }
    if (i == begin) {
      ++i;
      continue;
    }
    const Segment segment = segment_of(report, metric, values, begin, i);
    if (is_long_enough(segment, rule, seconds_of_frame)) segments.push_back(segment);
  }
  return segments;
}

// Encoders that Av1an knows by these names.
constexpr std::array<std::string_view, 6> kAv1anEncoders = {"aom", "rav1e", "svt-av1", "vpx", "x264", "x265"};

static int64_t frames_of(const VideoPosition& length, const InputFacts* input) {
  if (const int64_t* const frames = std::get_if<int64_t>(&length)) return *frames;
  const double rate = input != nullptr ? input->frame_rate.value_or(kAssumedFrameRate) : kAssumedFrameRate;
  return std::llround(std::get<double>(length) * rate);
}

// Segments of all metrics, in order.
static std::vector<Zone> all_segments(const Report& report) {
  std::vector<Zone> all;
  for (const SegmentFacts& facts : report.run.segments) {
    for (const Segment& segment : facts.list) all.push_back({segment.first, segment.last});
  }
  std::ranges::sort(all, {}, &Zone::first);
  return all;
}

// First frames of scenes, and the frame behind the last scene; none if nobody looked for them. `last`: of all
// segments.
static std::vector<int64_t> scene_edges(const Report& report, int64_t last) {
  std::vector<int64_t> edges;
  if (!report.run.scene_cuts || report.frames.empty()) return edges;
  edges.push_back(report.frames.front());
  for (const int64_t cut : *report.run.scene_cuts) {
    if (cut > edges.back()) edges.push_back(cut);
  }
  const int64_t end = std::max(report.frames.back(), last) + 1;
  if (end > edges.back()) edges.push_back(end);
  return edges;
}

static Zone grown(Zone zone, const std::vector<int64_t>& edges, int64_t reach) {
  const auto next = std::ranges::upper_bound(edges, zone.first);
  if (next != edges.begin() && zone.first - *std::prev(next) <= reach) zone.first = *std::prev(next);
  const auto end = std::ranges::upper_bound(edges, zone.last);
  if (end != edges.end() && *end - 1 - zone.last <= reach) zone.last = *end - 1;
  return zone;
}

std::string default_zone_options(ZoneForm form) {
  return form == ZoneForm::kX264 || form == ZoneForm::kX265 ? "b=1.5" : "";
}

std::string zone_options_fault(ZoneForm form, const std::string& options) {
  const auto has_any = [&](const char* characters) {
    return options.find_first_of(characters) != options.npos;
  };
  if (form == ZoneForm::kX264) {
    const bool fits = options.find('=') != options.npos && !has_any(" \t\n/:");
    return fits ? "" : "x264 takes options such as b=1.5 (bits), q=18 (a quantizer) or crf=18";
  }
  if (form == ZoneForm::kX265) {  // which passes over others in silence
    double value = 0;
    const bool is_known = options.starts_with("b=") || options.starts_with("q=");
    return is_known && parse_real(options.substr(2), value)
               ? ""
               : "x265 takes b=1.5 (bits) or q=18 (a quantizer), and nothing else";
  }
  if (form == ZoneForm::kSvtEssential) {
    const bool fits = !options.empty() && options.find_first_not_of("0123456789.") == options.npos;
    return fits ? "" : "SVT-AV1-Essential takes a CRF, such as 20";
  }
  const std::string encoder = options.substr(0, options.find(' '));
  const bool known = contains(kAv1anEncoders, encoder);
  return known && !has_any("\n") ? "" : "Av1an takes an encoder and its options, such as 'svt-av1 --crf 20'";
}

std::vector<Zone> zones_of(const Report& report, const VideoPosition& snap) {
  const InputFacts* const input = distorted_input(report);
  const int64_t skipped = input != nullptr ? input->skipped : 0, reach = frames_of(snap, input);
  const std::vector<Zone> segments = all_segments(report);
  int64_t last = 0;
  for (const Zone& segment : segments) last = std::max(last, segment.last);
  const std::vector<int64_t> edges = scene_edges(report, last);
  std::vector<Zone> zones;
  for (const Zone& segment : segments) {
    Zone zone = grown(segment, edges, reach);
    zone = {zone.first + skipped, zone.last + skipped};
    if (!zones.empty() && zone.first <= zones.back().last + 1) {
      zones.back().last = std::max(zones.back().last, zone.last);
    } else {
      zones.push_back(zone);
    }
  }
  return zones;
}

std::string zones_text(const Report& report, ZoneForm form, const ZoneStyle& style) {
  const std::vector<Zone> zones = zones_of(report, style.snap);
  if (zones.empty()) return {};
  if (form != ZoneForm::kAv1an)
    return join(zones, form == ZoneForm::kSvtEssential ? ";" : "/",
                [&](const Zone& zone) { return words("{},{},{}", zone.first, zone.last, style.options); }) +
           "\n";
  std::string text;
  for (const Zone& zone : zones) {
    text += words("{} {} {}\n", zone.first, zone.last + 1, style.options);
  }
  return text;
}

constexpr double kShortestNoteworthy = 0.5;  // seconds; shorter ones are hardly seen
constexpr double kSmoothedSeconds = 0.5;
constexpr int kScoreDecimals = 3;
constexpr int kTableDecimals = 6;

static Error fault(const SegmentRequest& request, const std::string& what) {
  return usage_error("segments \"{}\": {}", printable(request.text), what);
}

static bool has_worse_side(const Metric& metric) { return metric_info(metric).better != Better::kNeither; }

// Encoders give frames of different types different quality, so that what compares a frame with its reference
// alternates within a stretch that is bad as a whole.
static bool compares(const Metric& metric) {
  const FeatureInfo* const feature = feature_of_metric(metric);
  if (feature == nullptr) return model_part(metric_info(metric)) != ModelPart::kNone;
  return compares_videos(*feature, OptionSet(feature->options));
}

static SegmentFacts facts_of(const Report& report, const Metric& metric, SegmentRule rule) {
  if (compares(metric) && !rule.by_scene) rule.smoothed_seconds = kSmoothedSeconds;
  return {.metric = metric.name,
          .rule = rule,
          .list = find_segments(report, metric_info(metric), metric.values, rule)};
}

static bool has_times(const Segment& segment) { return segment.start && segment.end; }
// Needs: has_times().
static double duration_of(const Segment& segment) { return *segment.end - *segment.start; }
static int64_t frames_of(const Segment& segment) { return segment.last - segment.first + 1; }

static std::string score_text(double score) { return fixed_text(score, kScoreDecimals); }

// The mean that is compared with the level of a segment; empty if it is a score itself.
static std::string mean_words(const SegmentRule& rule) {
  if (rule.by_scene) return "scene mean";
  if (rule.smoothed_seconds == 0.5) return "half-second mean";
  return rule.smoothed_seconds > 0 ? words("mean over {} s", significant_text(rule.smoothed_seconds, 6))
                                   : std::string();
}

// The rule of a segment in words: "of cambi at 5 or more (until under 4), of 0.5 s or more", "whose
// half-second mean of vmaf is 70 or less".
static std::string rule_text(const SegmentFacts& facts, const MetricInfo& metric) {
  const bool higher = metric.better == Better::kHigher;
  const auto number = [](double value) { return significant_text(value, 6); };
  const SegmentRule& rule = facts.rule;
  const std::string mean = mean_words(rule);
  std::string text = mean.empty() ? words("of {} at ", printable(facts.metric))
                                  : words("whose {} of {} is ", mean, printable(facts.metric));
  text += number(rule.from) + (higher ? " or less" : " or more");
  if (rule.until != rule.from)
    text += words(" (until {}{})", higher ? "over " : "under ", number(rule.until));
  if (rule.shortest_frames > 1) text += words(", of {} frames or more", rule.shortest_frames);
  if (rule.shortest_seconds > 0) text += words(", of {} s or more", number(rule.shortest_seconds));
  return text;
}

// The share of the frames from the first that was scored to the last.
static double share_of_video(const Report& report, const SegmentFacts& facts) {
  int64_t frames = 0, last = report.frames.back();
  for (const Segment& segment : facts.list) {
    frames += frames_of(segment);
    last = std::max(last, segment.last);
  }
  return static_cast<double>(frames) / static_cast<double>(last - report.frames.front() + 1);
}

// Characters that mean something in FFmpeg's metadata have a backslash before them.
static std::string metadata_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("=;#\\\n").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

static std::string csv_line(size_t number, const std::string& metric, const Segment& segment) {
  return words("{},{},{},{},{},{},{},{}\n", number, csv_field(metric), segment.first, segment.last,
               csv_times(segment.start, segment.end), fixed_text(segment.mean, kTableDecimals),
               fixed_text(segment.worst, kTableDecimals), segment.worst_frame);
}

static bool is_noteworthy_at_all(const Metric& metric) {
  return has_worse_side(metric) && metric_info(metric).noteworthy;
}

static std::string text_of(const Report& report, const SegmentFacts& facts, size_t width) {
  const MetricInfo& metric = metric_info(report, facts.metric);
  if (facts.list.empty()) return words("segments: none {}\n", rule_text(facts, metric));
  const bool timed = std::ranges::all_of(facts.list, has_times);
  double seconds = 0;
  for (const Segment& segment : facts.list) seconds += timed ? duration_of(segment) : 0;
  TextTable table({{"segment"},
                   {"from"},
                   {"to"},
                   {"duration", kFlushRight, 3},
                   {"mean", kFlushRight, 2},
                   {"worst"},
                   {"frames", kFlushRight, 1}});
  const std::vector<size_t> shown = shown_places(mapped(facts.list, &Segment::worst), metric);
  for (const size_t i : shown) {
    const Segment& segment = facts.list[i];
    table.add({std::to_string(i + 1), timed ? timecode(*segment.start) : "-",
               timed ? timecode(*segment.end) : "-",
               timed ? fixed_text(duration_of(segment), 2) + " s" : counted(frames_of(segment), "frame"),
               score_text(segment.mean), score_text(segment.worst),
               words("#{} to #{}", segment.first, segment.last)});
  }
  std::string text = words("{} {} {}: ", facts.list.size(), facts.list.size() == 1 ? "stretch" : "stretches",
                           rule_text(facts, metric));
  if (timed) text += timecode(seconds) + " together, ";
  text += words("{} %\n{}", fixed_text(100 * share_of_video(report, facts), 1), table.text(width));
  const size_t rest = facts.list.size() - shown.size();
  if (rest > 0)
    text += words("These are the worst; the segments' CSV file lists the other {} as well.\n", rest);
  return text;
}

static void check_one(const SegmentRequest& request, std::span<const Metric> metrics) {
  if (request.is_noteworthy) {
    if (may_have_segments(metrics)) return;
    throw fault(request, "no metric of this run has a noteworthy level. Add one, as in scenes:METRIC:VALUE.");
  }
  const std::vector<size_t> positions = meant_metrics(metrics, request.metric);
  const std::string rest = printable(request.text);
  if (positions.empty() && request.metric.empty() && !has_worse_side(metrics[leading_metric(metrics)]))
    throw fault(request, "no metric of this run has a better direction, so there are no segments.");
  if (positions.empty()) throw fault(request, meant_none(metrics, request.metric, rest));
  if (positions.size() > 1) throw fault(request, meant_several(metrics, positions, rest));
  const Metric& metric = metrics[positions.front()];
  if (!has_worse_side(metric))
    throw fault(request, words("neither side of {} is worse, so it has no segments.", metric.name));
  if (request.until && is_worse(metric_info(metric), *request.until, request.from)) {
    throw fault(request, "they cannot end at a worse score than they begin at.");
  }
}

static void add_shortest(const SegmentRequest& request, SegmentRule& rule) {
  if (const int64_t* const frames = std::get_if<int64_t>(&request.shortest)) {
    rule.shortest_frames = *frames;
  } else {
    rule.shortest_seconds = std::get<double>(request.shortest);
  }
}

// Segments of each metric with a verdict and a noteworthy level, by this rule at that level.
static std::vector<SegmentFacts> at_noteworthy_level(const Report& report, SegmentRule rule) {
  std::vector<SegmentFacts> all;
  for (const size_t i : verdict_metrics(report.metrics)) {
    const Metric& metric = report.metrics[i];
    if (!is_noteworthy_at_all(metric)) continue;
    rule.from = rule.until = *metric_info(metric).noteworthy;
    all.push_back(facts_of(report, metric, rule));
  }
  return all;
}

static std::vector<SegmentFacts> segments_by(const Report& report, const SegmentRequest& request) {
  SegmentRule rule{
      .from = request.from, .until = request.until.value_or(request.from), .by_scene = request.by_scene};
  add_shortest(request, rule);
  if (request.is_noteworthy) return at_noteworthy_level(report, rule);
  return {facts_of(report, report.metrics.at(meant_metrics(report.metrics, request.metric).at(0)), rule)};
}

SegmentRequest parse_segments(const std::string& text) {
  constexpr std::string_view kScenes = "scenes";
  SegmentRequest request;
  request.text = text;
  request.by_scene =
      text.starts_with(kScenes) && (text.size() == kScenes.size() || text[kScenes.size()] == ':');
  request.is_noteworthy = text == kScenes;
  if (request.is_noteworthy) return request;
  const std::string rest = request.by_scene ? text.substr(kScenes.size() + 1) : text;
  const size_t colon = rest.rfind(':');
  if (colon != std::string::npos) request.metric = rest.substr(0, colon);
  const std::string value = colon == std::string::npos ? rest : rest.substr(colon + 1);
  if (!parse_real(value, request.from) || !std::isfinite(request.from)) {
    throw fault(request, words("\"{}\" is not a number. It takes [METRIC:]VALUE, such as 5, or scenes.",
                               printable(value)));
  }
  return request;
}

void check_segments(std::span<const SegmentRequest> requests, std::span<const Metric> metrics) {
  for (const SegmentRequest& request : requests) check_one(request, metrics);
}

bool may_have_segments(std::span<const Metric> metrics) {
  const std::vector<size_t> verdicts = verdict_metrics(metrics);
  return std::ranges::any_of(verdicts, [&](size_t i) { return is_noteworthy_at_all(metrics[i]); });
}

std::vector<SegmentFacts> noteworthy_segments(const Report& report) {
  return at_noteworthy_level(report, {.shortest_seconds = kShortestNoteworthy});
}

std::vector<SegmentFacts> segments_of(const Report& report, std::span<const SegmentRequest> requests) {
  if (requests.empty()) return noteworthy_segments(report);
  std::vector<SegmentFacts> all;
  for (const SegmentRequest& request : requests) {
    for (SegmentFacts& facts : segments_by(report, request)) all.push_back(std::move(facts));
  }
  return all;
}

std::string segments_text(const Report& report, size_t width) {
  std::string text;
  for (const SegmentFacts& facts : report.run.segments) text += text_of(report, facts, width);
  return text;
}

std::string segments_csv(const Report& report) {
  std::string text = "segment,metric,first_frame,last_frame,start,end,duration,mean,worst,worst_frame\n";
  for (const SegmentFacts& facts : report.run.segments) {
    for (size_t i = 0; i < facts.list.size(); ++i) text += csv_line(i + 1, facts.metric, facts.list[i]);
  }
  return text;
}

// Players walk through chapters, and know of no two at a time: those of several metrics are in the order of
// their starts.
std::string segment_chapters(const Report& report) {
  const auto milliseconds = [](std::optional<double> time, int64_t frame) {
    return std::to_string(std::llround(1000 * time.value_or(static_cast<double>(frame) / kAssumedFrameRate)));
  };
  std::vector<std::pair<const Segment*, std::string>> chapters;
  for (const SegmentFacts& facts : report.run.segments) {
    for (const Segment& segment : facts.list)
      chapters.emplace_back(&segment, words("{} {} at worst", facts.metric, score_text(segment.worst)));
  }
  std::ranges::stable_sort(chapters,
                           [](const auto& a, const auto& b) { return a.first->first < b.first->first; });
  std::string text = ";FFMETADATA1\n";
  for (const auto& [segment, title] : chapters) {
    text += words("[CHAPTER]\nTIMEBASE=1/1000\nSTART={}\nEND={}\ntitle={}\n",
                  milliseconds(segment->start, segment->first), milliseconds(segment->end, segment->last + 1),
                  metadata_text(title));
  }
  return text;
}

}  // namespace vq
