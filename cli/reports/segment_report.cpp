#include "cli/reports/segment_report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/reports/csv_field.h"
#include "cli/text/message_text.h"
#include "cli/text/number_text.h"
#include "cli/text/text_table.h"
#include "cli/text/timecode.h"
#include "core/error.h"
#include "core/text.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

constexpr double kShortestNoteworthy = 0.5;  // seconds; shorter ones are hardly seen
constexpr size_t kMostShown = 20;
constexpr int kScoreDecimals = 3;
constexpr int kTimeDecimals = 6;

Error fault(const SegmentRequest& request, const std::string& what) {
  return Error(ErrorKind::kUsage, "--segments \"" + printable(request.text) + "\": " + what);
}

bool has_worse_side(const std::string& metric) {
  return metric_info(metric).better != Better::kNeither;
}

// Position of the metric that is meant; the number of metrics where there is none.
size_t position_of(const SegmentRequest& request, std::span<const std::string> metrics) {
  const std::string& name = request.metric;
  const auto fits = [&](const std::string& metric) {
    return name.empty() ? has_worse_side(metric) : metric.starts_with(name + "_");
  };
  auto found = std::find(metrics.begin(), metrics.end(), name);
  if (found == metrics.end()) found = std::find_if(metrics.begin(), metrics.end(), fits);
  return static_cast<size_t>(found - metrics.begin());
}

SegmentFacts facts_of(const Report& report, const Metric& metric, const SegmentRule& rule) {
  return {.metric = metric.name,
          .rule = rule,
          .list = find_segments(report, metric_info(metric.name), metric.values, rule)};
}

// Without times, as if every frame took as long as frames are assumed to.
double seconds_of(std::optional<double> time, int64_t frame) {
  return time.value_or(static_cast<double>(frame) / kAssumedFrameRate);
}
double start_of(const Segment& segment) { return seconds_of(segment.start, segment.first); }
double end_of(const Segment& segment) { return seconds_of(segment.end, segment.last + 1); }

std::string score_text(double score) { return fixed_text(score, kScoreDecimals); }

// Where one begins and ends, in words.
std::string rule_text(const SegmentFacts& facts) {
  const bool higher = metric_info(facts.metric).better == Better::kHigher;
  const NumberStyle style{NumberStyle::Kind::kSignificant, 6};
  return "from " + number_text(facts.rule.from, style) + (higher ? " down" : " on");
}

// Characters that mean something in FFmpeg's metadata have a backslash before them.
std::string metadata_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("=;#\\\n").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

const SegmentFacts& facts_in(const Report& report) {
  if (!report.run.segments) throw Error(ErrorKind::kInternal, "a report without segments");
  return *report.run.segments;
}

}  // namespace

SegmentRequest parse_segments(const std::string& text) {
  SegmentRequest request;
  request.text = text;
  const size_t colon = text.rfind(':');
  if (colon != std::string::npos) request.metric = text.substr(0, colon);
  const std::string value = colon == std::string::npos ? text : text.substr(colon + 1);
  if (!parse_real(value, request.from) || !std::isfinite(request.from)) {
    throw fault(request, "\"" + printable(value) + "\" is not a number. It takes [METRIC:]VALUE, such as 5.");
  }
  return request;
}

void check_segments(const SegmentRequest& request, std::span<const std::string> metrics) {
  const size_t position = position_of(request, metrics);
  if (position == metrics.size() && request.metric.empty()) {
    throw fault(request, "no metric of this run has a worse side, so there are no segments.");
  }
  if (position == metrics.size()) {
    std::string near = nearest(request.metric, metrics);
    if (near.empty()) near = metrics.front();
    throw fault(request, "no metric \"" + printable(request.metric) + "\" here. Did you mean \"" + near + "\"?");
  }
  const std::string& metric = metrics[position];
  if (!has_worse_side(metric)) throw fault(request, "neither side of " + metric + " is worse, so it has no segments.");
  if (request.until && is_worse(metric_info(metric), *request.until, request.from)) {
    throw fault(request, "--segments-until must be as good as where segments begin, or better.");
  }
}

SegmentFacts segments_of(const Report& report, const SegmentRequest& request) {
  std::vector<std::string> names;
  for (const Metric& metric : report.metrics) names.push_back(metric.name);
  SegmentRule rule{.from = request.from, .until = request.until.value_or(request.from)};
  if (const int64_t* const frames = std::get_if<int64_t>(&request.shortest)) {
    rule.shortest_frames = *frames;
  } else {
    rule.shortest_seconds = std::get<double>(request.shortest);
  }
  return facts_of(report, report.metrics.at(position_of(request, names)), rule);
}

std::optional<SegmentFacts> noteworthy_segments(const Report& report) {
  for (const Metric& metric : report.metrics) {
    const MetricInfo& info = metric_info(metric.name);
    if (!info.noteworthy || info.better == Better::kNeither) continue;
    return facts_of(report, metric,
                    {.from = *info.noteworthy, .until = *info.noteworthy, .shortest_seconds = kShortestNoteworthy});
  }
  return std::nullopt;
}

std::string segments_text(const Report& report, size_t width) {
  const SegmentFacts& facts = facts_in(report);
  const std::string what = printable(facts.metric) + " " + rule_text(facts);
  if (facts.list.empty()) return "segments: none, " + what + "\n";
  TextTable table({{"segment"},
                   {"from"},
                   {"to"},
                   {"duration", TextColumn::Align::kRight, 3},
                   {"mean", TextColumn::Align::kRight, 2},
                   {"worst"},
                   {"frames", TextColumn::Align::kRight, 1}});
  double seconds = 0;
  for (size_t i = 0; i < facts.list.size(); ++i) {
    const Segment& segment = facts.list[i];
    seconds += end_of(segment) - start_of(segment);
    if (i >= kMostShown) continue;
    table.add({std::to_string(i + 1), timecode(start_of(segment)), timecode(end_of(segment)),
               fixed_text(end_of(segment) - start_of(segment), 2) + " s", score_text(segment.mean),
               score_text(segment.worst), "#" + std::to_string(segment.first) + " to #" + std::to_string(segment.last)});
  }
  std::string text = counted(static_cast<int64_t>(facts.list.size()), "segment") + " of " + what + ", " + timecode(seconds) + " together\n";
  text += table.text(width);
  if (facts.list.size() > kMostShown) text += "... and " + std::to_string(facts.list.size() - kMostShown) + " more\n";
  return text;
}

std::string segments_csv(const Report& report) {
  const SegmentFacts& facts = facts_in(report);
  std::string text = "segment,metric,first_frame,last_frame,start,end,duration,mean,worst,worst_frame\n";
  for (size_t i = 0; i < facts.list.size(); ++i) {
    const Segment& segment = facts.list[i];
    const auto time = [](double seconds) { return fixed_text(seconds, kTimeDecimals); };
    text += std::to_string(i + 1) + "," + csv_field(facts.metric) + "," + std::to_string(segment.first) + "," +
            std::to_string(segment.last) + "," + time(start_of(segment)) + "," + time(end_of(segment)) + "," +
            time(end_of(segment) - start_of(segment)) + "," + fixed_text(segment.mean, kTimeDecimals) + "," +
            fixed_text(segment.worst, kTimeDecimals) + "," + std::to_string(segment.worst_frame) + "\n";
  }
  return text;
}

std::string segment_chapters(const Report& report) {
  const SegmentFacts& facts = facts_in(report);
  const auto milliseconds = [](double seconds) { return std::to_string(std::llround(seconds * 1000)); };
  std::string text = ";FFMETADATA1\n";
  for (const Segment& segment : facts.list) {
    text += "[CHAPTER]\nTIMEBASE=1/1000\nSTART=" + milliseconds(start_of(segment)) + "\nEND=" +
            milliseconds(end_of(segment)) + "\ntitle=" +
            metadata_text(facts.metric + " " + score_text(segment.worst) + " at worst") + "\n";
  }
  return text;
}

std::string x264_zones(const Report& report, const std::string& options) {
  std::string text;
  for (const Segment& segment : facts_in(report).list) {
    text += (text.empty() ? "" : "/") + std::to_string(segment.first) + "," + std::to_string(segment.last) + "," + options;
  }
  return text.empty() ? text : text + "\n";
}

// There a zone's end is the frame behind it.
std::string av1an_zones(const Report& report, const std::string& options) {
  std::string text;
  for (const Segment& segment : facts_in(report).list) {
    text += std::to_string(segment.first) + " " + std::to_string(segment.last + 1) + " svt-av1 " + options + "\n";
  }
  return text;
}

}  // namespace vq::cli
