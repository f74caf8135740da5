#include "cli/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/message_text.h"
#include "cli/number_text.h"
#include "core/frame.h"
#include "core/options.h"

namespace vq::cli {
namespace {

constexpr int kScoreDecimals = 3;
constexpr double kMomentSeconds = 1;
// The same where the frames have no times.
constexpr double kMomentFrames = kMomentSeconds * kAssumedFrameRate;
constexpr std::string_view kBold = "\x1b[1m", kYellow = "\x1b[33m", kPlainColour = "\x1b[0m";

// Columns a UTF-8 text takes, for texts of characters one column wide.
size_t columns_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad_left(const std::string& text, size_t width) {
  const size_t columns = columns_of(text);
  return columns < width ? std::string(width - columns, ' ') + text : text;
}

std::string pad_right(const std::string& text, size_t width) {
  const size_t columns = columns_of(text);
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

std::string painted(const std::string& text, std::string_view colour, bool wanted) {
  if (!wanted) return text;
  return std::string(colour) + text + std::string(kPlainColour);
}

// At most three decimals, without trailing zeros.
std::string rate_text(double rate) {
  std::string text = fixed_text(rate, 3);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

void add_word(std::string& line, const std::string& word, std::string_view gap = " ") {
  if (word.empty()) return;
  if (!line.empty()) line += gap;
  line += word;
}

std::string input_line(const InputFacts& input, const Report& report, size_t path_width) {
  std::string facts;
  add_word(facts, printable(input.codec));
  add_word(facts, std::to_string(input.width) + "x" + std::to_string(input.height));
  add_word(facts, std::to_string(input.bit_depth) + "-bit");
  if (input.range != "unspecified") add_word(facts, input.range);
  if (input.transfer != "unspecified") add_word(facts, input.transfer);
  if (input.frame_rate) add_word(facts, rate_text(*input.frame_rate) + " fps");
  std::string line = pad_right(shown_path(input.path), path_width) + "  " + facts + "  ";
  line += std::to_string(report.frames.size()) + " of " + std::to_string(input.frames);
  line += input.frames == 1 ? " frame" : " frames";
  // A single video has no role to tell.
  if (report.run.inputs.size() > 1) line += "  (" + input.role + ")";
  return line + "\n";
}

std::string run_line(const Report& report, const SummaryStyle& style) {
  const RunFacts& run = report.run;
  std::string how;
  add_word(how, printable(run.device), ", ");
  add_word(how, printable(run.driver), ", ");
  add_word(how, run.simd, ", ");
  add_word(how, std::to_string(run.threads) + (run.threads == 1 ? " thread" : " threads"), ", ");
  std::string line = "cambi " + report.version + "  " + run.backend + " (" + how + ")  ";
  line += fixed_text(report.fps, 1) + " fps";
  for (const std::string& note : style.notes) add_word(line, note, "  ");
  return line + "\n";
}

// A table whose columns but the first and the last are aligned to the right.
using Row = std::vector<std::string>;

std::string percent_text(int64_t count, size_t of) {
  return fixed_text(100.0 * static_cast<double>(count) / static_cast<double>(of), 1);
}

std::vector<Row> table_rows(const Report& report) {
  std::vector<Row> rows = {{"metric", "mean", "harmonic", "p50", "p95", "max"}};
  rows[0].push_back("frames >= " + rate_text(kAnnoyingBanding));
  std::vector<int64_t> counts;
  int64_t highest = 0;
  for (const Metric& metric : report.metrics) {
    counts.push_back(count_at_least(metric.values, kAnnoyingBanding));
    highest = std::max(highest, counts.back());
  }
  const size_t count_width = std::to_string(highest).size();
  for (size_t m = 0; m < report.metrics.size(); ++m) {
    const Metric& metric = report.metrics[m];
    const auto pooled = pool_scores(metric.values);
    if (!pooled) continue;
    Row row = {printable(metric.name)};
    for (const double value : {pooled->mean, pooled->harmonic_mean, pooled->p50, pooled->p95, pooled->max}) {
      row.push_back(fixed_text(value, kScoreDecimals));
    }
    row.push_back(pad_left(std::to_string(counts[m]), count_width) + " (" +
                  percent_text(counts[m], metric.values.size()) + " %)");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string table_text(const std::vector<Row>& rows, bool colour) {
  std::vector<size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line = pad_right(rows[r].front(), widths.front());
    for (size_t c = 1; c + 1 < widths.size(); ++c) line += "  " + pad_left(rows[r][c], widths[c]);
    line += "   " + rows[r].back();
    text += painted(line, kBold, colour && r == 0) + "\n";
  }
  return text;
}

std::optional<double> time_of(const Report& report, size_t position) {
  if (position >= report.timestamps.size()) return std::nullopt;
  const auto& time = report.timestamps[position];
  return time && std::isfinite(*time) ? time : std::nullopt;
}

bool is_same_moment(const Report& report, size_t a, size_t b) {
  const auto time_a = time_of(report, a), time_b = time_of(report, b);
  if (time_a && time_b) return std::fabs(*time_a - *time_b) < kMomentSeconds;
  return static_cast<double>(std::abs(report.frames[a] - report.frames[b])) < kMomentFrames;
}

std::vector<size_t> worst_moments(const Report& report, const std::vector<double>& values, size_t count) {
  std::vector<size_t> moments;
  for (const size_t position : worst_frames(values, values.size())) {
    if (moments.size() == count || !(values[position] > 0)) break;
    const auto is_near = [&](size_t other) { return is_same_moment(report, position, other); };
    if (std::none_of(moments.begin(), moments.end(), is_near)) moments.push_back(position);
  }
  return moments;
}

std::string worst_line(const Report& report, const Metric& metric, const SummaryStyle& style) {
  std::string list;
  for (const size_t position : worst_moments(report, metric.values, style.worst)) {
    const auto time = time_of(report, position);
    const double value = metric.values[position];
    std::string entry = time ? timecode(*time) + " (#" : "#";
    entry.append(std::to_string(report.frames[position])).append(time ? ") " : " ");
    entry += painted(fixed_text(value, kScoreDecimals), kYellow, style.colour && value >= kAnnoyingBanding);
    add_word(list, entry, " \u00b7 ");
  }
  if (list.empty()) return {};
  return (report.metrics.size() > 1 ? "worst " + printable(metric.name) : "worst") + ": " + list + "\n";
}

}  // namespace

std::string timecode(double seconds) {
  // A time such as 14.21 is a little less than that as a double; it still belongs to that hundredth.
  constexpr double kSlack = 1e-6;
  const auto hundredths = static_cast<int64_t>(std::floor(std::min(std::fabs(seconds), 1e12) * 100 + kSlack));
  std::string text = seconds < 0 && hundredths > 0 ? "-" : "";
  text.append(std::to_string(hundredths / 360000)).append(":").append(two_digits(hundredths / 6000 % 60));
  text.append(":").append(two_digits(hundredths / 100 % 60)).append(".").append(two_digits(hundredths % 100));
  return text;
}

std::string summary_text(const Report& report, const SummaryStyle& style) {
  size_t path_width = 0;
  for (const InputFacts& input : report.run.inputs) {
    path_width = std::max(path_width, columns_of(shown_path(input.path)));
  }
  std::string text;
  for (const InputFacts& input : report.run.inputs) text += input_line(input, report, path_width);
  text += run_line(report, style);
  const std::vector<Row> rows = table_rows(report);
  if (rows.size() > 1) text += table_text(rows, style.colour);
  for (const Metric& metric : report.metrics) text += worst_line(report, metric, style);
  return text;
}

}  // namespace vq::cli
