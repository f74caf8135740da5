#include "cli/reports/compare_files.h"

#include <fstream>

#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/compare.h"
#include "cli/reports/rate_report.h"
#include "cli/reports/summary.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/models/model_spec.h"
#include "engine/report/described.h"
#include "engine/report/json_values.h"
#include "engine/report/sampled.h"
#include "engine/report/statistic.h"

namespace vq::cli {

using nlohmann::ordered_json;

static std::vector<Statistic> statistics(const ComparisonBasis& basis) {
  std::vector<Statistic> all = file_statistics();
  if (!contains(all, basis.statistic)) all.push_back(basis.statistic);
  return all;
}

static std::string truth(bool value) { return value ? "true" : "false"; }

static ordered_json statistics_json(const NamedReport& run, const std::string& metric,
                                    const ComparisonBasis& basis, const NumberStyle& numbers) {
  const MetricStatistics values = statistics_in(run, metric);
  ordered_json figures = ordered_json::object();
  for (const Statistic& statistic : statistics(basis))
    figures[statistic.name] = as_printed(values.of(statistic), numbers);
  return figures;
}

// Among runs that may be ranked.
static std::optional<int64_t> rank_of(const std::vector<NamedReport>& runs, size_t place,
                                      const ComparisonBasis& basis) {
  const NamedReport& run = runs[place];
  if (run.standing) return run.standing->rank;
  return is_comparable(run, basis.metric) ? std::optional<int64_t>(place + 1) : std::nullopt;
}

// Where the run's difference from the first lies, or its own value; nothing if neither is asked for.
static std::optional<Interval> interval_of(const NamedReport& run) {
  if (!run.standing) return std::nullopt;
  const std::vector<IntervalFacts>& own = run.report.run.certainty->intervals;
  if (own.empty()) return run.standing->difference;
  return Interval{own.front().low, own.front().high};
}

static std::vector<std::string> standing_fields(const NamedReport& run) {
  if (!run.standing) return {"", "", "", ""};
  const std::optional<Interval> interval = interval_of(run);
  return {run.standing->worse_than, number_or_empty(std::optional(run.standing->decided_after)),
          interval ? number_or_empty(interval->low, kShortestNumbers) : "",
          interval ? number_or_empty(interval->high, kShortestNumbers) : ""};
}

// "surely worse than a after 3.1 % of the frames"; empty if it is not.
static std::string standing_words(const NamedReport& run) {
  if (!run.standing || run.standing->worse_than.empty()) return {};
  const auto frames = static_cast<double>(run.report.run.certainty->frames);
  return words("surely worse than {} after {} % of the frames", shown_path(run.standing->worse_than),
               fixed_text(100 * static_cast<double>(run.standing->decided_after) / frames, 1));
}

static ordered_json run_json(const NamedReport& run, const ComparisonBasis& basis,
                             const NumberStyle& numbers) {
  const InputFacts& video = video_facts(run);
  const Metric& metric = *find_metric(run.report, basis.metric);
  ordered_json json = {{"rank", 0},
                       {"name", run.name},
                       {"path", run.path},
                       {"report", nullable(run.saved)},
                       {"frames", metric.values.size()},
                       {"file_bytes", nullable(video.file_bytes)},
                       {"duration", nullable(video.duration)},
                       {"bit_rate", nullable(video.bit_rate)},
                       {"bit_rate_of", video.bit_rate_of},
                       {"bits_per_pixel", nullable(video.bits_per_pixel)},
                       {"worth_its_bits", nullptr},
                       {"comparable", is_comparable(run, basis.metric)},
                       {"encoder", video.encoder},
                       {"encoder_settings", video.encoder_settings},
                       {"statistics", statistics_json(run, basis.metric, basis, numbers)},
                       {"others", ordered_json::object()},
                       {"thresholds", described_json(run.thresholds)}};
  for (const std::string& other : basis.others) {
    json["others"][other] = statistics_json(run, other, basis, numbers);
  }
  if (run.report.run.certainty) json["certainty"] = described_json(*run.report.run.certainty);
  if (const std::optional<Standing>& standing = run.standing) {
    json["standing"] = {{"worse_than", nullable(standing->worse_than)},
                        {"decided_after", standing->decided_after},
                        {"difference", nullptr},
                        {"tolerance", standing->tolerance}};
    if (standing->difference)
      json["standing"]["difference"] = {{"low", standing->difference->low},
                                        {"high", standing->difference->high}};
  }
  return json;
}

static ordered_json moments_json(const std::vector<SharedMoment>& moments, const NumberStyle& numbers) {
  const auto printed = [&](std::optional<double> score) { return as_printed(score, numbers); };
  return json_list(moments, [&](const SharedMoment& moment) {
    return ordered_json{{"frameNum", moment.frame},
                        {"timestamp", nullable(moment.timestamp)},
                        {"spread", printed(moment.spread)},
                        {"scores", json_list(moment.scores, printed)}};
  });
}

std::string comparison_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                            const ComparisonFileStyle& style) {
  const auto moments = [&](const std::vector<SharedMoment>& list) {
    return moments_json(list, style.numbers);
  };
  ordered_json json = {
      {"version", version()},
      {"metric", basis.metric},
      {"by", ranked_by_word(basis)},
      {"better", word_of(metric_info(runs.front().report, basis.metric).better)},
      {"remarks", remarks_on(runs, basis)},
      {"runs", ordered_json::array()},
      {"rates", rates_json(runs, basis, style.numbers)},
      {"moments",
       {{"differing", moments(differing_moments(runs, basis.metric, style.moments))},
        {"worst_of_first", moments(worst_moments_of_first(runs, basis.metric, style.moments))}}}};
  const std::vector<std::optional<bool>> worth = worth_their_bits(runs, basis);
  for (size_t i = 0; i < runs.size(); ++i) {
    json["runs"].push_back(run_json(runs[i], basis, style.numbers));
    ordered_json& run = json["runs"].back();
    run["rank"] = nullable(rank_of(runs, i, basis));
    run["worth_its_bits"] = nullable(worth[i]);
  }
  return json_file_text(json);
}

std::optional<std::vector<RecordedRun>> recorded_runs(const std::string& path) {
  constexpr size_t kBeginning = 1000;  // bytes; a report's first members are others
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::ifstream file(path_of(path), std::ios::binary);
  if (!fs::is_regular_file(path_of(path), ignored) || !file) return std::nullopt;
  std::string text(kBeginning, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.find("\"by\"") == text.npos || text.find("\"better\"") == text.npos) return std::nullopt;
  file.clear();
  file.seekg(0);
  std::vector<RecordedRun> runs;
  try {
    const auto comparison = nlohmann::json::parse(file);
    for (const auto& run : comparison.at("runs")) {
      if (run.at("frames") == 0) continue;  // it did not fit its reference
      RecordedRun found{.name = run.at("name"), .path = run.at("path"), .saved = {}};
      const auto report = run.find("report");
      if (report != run.end() && report->is_string()) found.saved = *report;
      runs.push_back(std::move(found));
    }
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, shown_path(path) + " is a comparison, but it is damaged or incomplete.");
  }
  for (RecordedRun& run : runs) {
    if (run.saved.empty()) {
      throw Error(ErrorKind::kInput,
                  "{} has no scores of the frames of {}, nor the path of a report that has them. Compare the "
                  "videos once more, with --reports DIR; what is written then can be compared again.",
                  shown_path(path), shown_path(run.name));
    }
    const fs::path saved = path_of(run.saved);
    const fs::path beside = path_of(path).parent_path() / saved;
    if (!fs::exists(saved, ignored) && fs::exists(beside, ignored)) run.saved = text_of(beside);
  }
  return runs;
}

std::string comparison_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                           const NumberStyle& numbers) {
  const auto append = [](std::vector<std::string>& row, const std::vector<std::string>& fields) {
    row.insert(row.end(), fields.begin(), fields.end());
  };
  std::vector<std::string> heading = {"rank", "name", "path", "frames"};
  for (const Statistic& statistic : statistics(basis)) heading.push_back(statistic.name);
  append(heading, {"file_bytes", "duration", "bit_rate", "bit_rate_of", "bits_per_pixel", "worth_its_bits",
                   "comparable"});
  const bool samples = has_samples(runs);
  if (samples) append(heading, {"worse_than", "decided_after", "low", "high"});
  for (const std::string& other : basis.others) heading.push_back("mean of " + other);
  const CsvColumns rates = rates_csv(runs, basis, numbers);
  append(heading, rates.heading);
  std::string text = csv_line(heading);
  const std::vector<std::optional<bool>> worth = worth_their_bits(runs, basis);
  for (size_t i = 0; i < runs.size(); ++i) {
    const Metric& metric = *find_metric(runs[i].report, basis.metric);
    const MetricStatistics values = statistics_in(runs[i], basis.metric);
    const bool comparable = is_comparable(runs[i], basis.metric);
    std::vector<std::string> row = {number_or_empty(rank_of(runs, i, basis)), runs[i].name, runs[i].path,
                                    std::to_string(metric.values.size())};
    for (const Statistic& statistic : statistics(basis))
      row.push_back(number_or_empty(values.of(statistic), numbers));
    const InputFacts& video = video_facts(runs[i]);
    append(row, {number_or_empty(video.file_bytes), number_or_empty(video.duration, kShortestNumbers),
                 number_or_empty(video.bit_rate), video.bit_rate_of,
                 number_or_empty(video.bits_per_pixel, kShortestNumbers), worth[i] ? truth(*worth[i]) : "",
                 truth(comparable)});
    if (samples) append(row, standing_fields(runs[i]));
    for (const std::string& other : basis.others)
      row.push_back(
          number_or_empty(statistics_in(runs[i], other).of(parse_statistic("mean", "mean")), numbers));
    append(row, rates.fields[i]);
    text += csv_line(row);
  }
  return text;
}

std::string comparison_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const std::string rates = rates_markdown(runs, basis);
  const std::string purpose = purpose_of(*find_metric(runs.front().report, basis.metric));
  return markdown_table(comparison_table(runs, basis)) + (rates.empty() && purpose.empty() ? "" : "\n") +
         (purpose.empty() ? "" : markdown_paragraph(purpose + ".")) + rates;
}

constexpr size_t kLeastRunName = 16;  // columns of a run's name

template <typename Fact>
static bool is_known_of_any(const std::vector<NamedReport>& runs, Fact fact) {
  return std::ranges::any_of(runs,
                             [&](const NamedReport& run) { return (video_facts(run).*fact).has_value(); });
}

// If there are many, details are left out, as are metrics that only models requested; if a report does not
// say who requested them, metrics that only make up a score.
static std::vector<std::string> shown_others(const Report& first, const ComparisonBasis& basis) {
  constexpr size_t kMany = 6;
  std::vector<std::string> others = basis.others;
  if (others.size() <= kMany) return others;
  const bool says_so = std::ranges::any_of(first.metrics, &Metric::is_inner);
  const bool has_score = model_part(metric_info(first, basis.metric)) == ModelPart::kScore;
  std::erase_if(others, [&](const std::string& name) {
    const MetricInfo& info = metric_info(first, name);
    const Metric* const metric = find_metric(first, name);
    return info.is_detail ||
           (says_so ? metric != nullptr && metric->is_inner : has_score && !info.noteworthy);
  });
  return others;
}

static std::vector<std::string> labels_of(const Report& first, const std::vector<std::string>& names) {
  const std::vector<Metric>& metrics = first.metrics;
  const std::vector<std::string> labels = metric_labels(metrics);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(metrics, name, &Metric::name);
    found.push_back(at == metrics.end() ? printable(name)
                                        : labels[static_cast<size_t>(at - metrics.begin())]);
  }
  return found;
}

TextTable comparison_table(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  constexpr int kLeast = 9, kLess = 6;  // ranks of what goes first if a terminal is narrow
  const Report none, &first = runs.empty() ? none : runs.front().report;
  std::vector<Statistic> shown;
  const std::string label = labels_of(first, {basis.metric}).front();
  std::vector<TextColumn> columns = {{"#"}, {label + " of", kFlushLeft, 0, kLeastRunName}};
  const auto show = [&](const Statistic& statistic, int rank) {
    if (contains(shown, statistic)) return;
    shown.push_back(statistic);
    columns.push_back({heading_of(statistic, metric_info(first, basis.metric)), kFlushRight, rank});
  };
  show(basis.statistic, 0);
  const Metric* const ranked = find_metric(first, basis.metric);
  const bool samples = has_samples(runs),
             has_differences = std::ranges::any_of(
                 runs, [](const NamedReport&run) { return run.standing && run.standing->difference; });
  for (const auto& [statistic, rank] : table_statistics(std::span(ranked, ranked == nullptr ? 0 : 1))) {
    if (!samples) show(statistic, rank);
  }
  if (has_differences) columns.push_back({"from the first"});
  const std::vector<std::string> others = samples ? std::vector<std::string>() : shown_others(first, basis);
  for (const std::string& other : labels_of(first, others)) {
    columns.push_back({other + " mean", kFlushRight, kLeast});
  }
  const bool has_rates = is_known_of_any(runs, &InputFacts::bit_rate),
             has_sizes = is_known_of_any(runs, &InputFacts::file_bytes),
             has_bits = is_known_of_any(runs, &InputFacts::bits_per_pixel);
  if (has_rates) columns.push_back({"kbit/s", kFlushRight, 1});
  if (has_sizes) columns.push_back({"size", kFlushRight, has_bits ? 1 : kLess});
  if (has_bits) columns.push_back({"bits/px", kFlushRight, kLess});
  columns.push_back({"frames", kFlushRight, kLess - 1});
  const auto is_apart = [&](const NamedReport& run) { return !is_comparable(run, basis.metric); };
  const bool has_apart = std::ranges::any_of(runs, is_apart);
  if (has_apart || samples) columns.push_back({"", kFlushLeft});
  TextTable table(std::move(columns));
  const Statistic mean = parse_statistic("mean", "mean");
  for (size_t i = 0; i < runs.size(); ++i) {
    const Report& report = runs[i].report;
    const Metric& metric = *find_metric(report, basis.metric);
    const std::optional<int64_t> rank = rank_of(runs, i, basis);
    std::vector<std::string> row = {rank ? std::to_string(*rank) : "-", shown_path(runs[i].name)};
    const MetricStatistics statistics = statistics_in(runs[i], basis.metric);
    const auto interval = [&](const Interval& ends) {
      return interval_words({basis.metric, basis.statistic.name, ends.low, ends.high}, metric_info(metric));
    };
    const bool has_interval = is_sample(report) && !report.run.certainty->intervals.empty();
    for (const Statistic& statistic : shown)
      row.push_back(has_interval ? interval(*interval_of(runs[i])) : statistics.cell(statistic));
    if (has_differences) {
      const bool has_own = runs[i].standing && runs[i].standing->difference;
      row.push_back(has_own ? interval(*runs[i].standing->difference) : "");
    }
    for (const std::string& other : others)
      row.push_back(MetricStatistics(*find_metric(report, other)).cell(mean));
    const InputFacts& video = video_facts(runs[i]);
    if (has_rates) row.push_back(rate_cell(video));
    if (has_sizes) row.push_back(size_cell(video.file_bytes));
    if (has_bits) row.push_back(bits_cell(video));
    row.push_back(std::to_string(metric.values.size()));
    if (has_apart || samples) row.push_back(is_apart(runs[i]) ? "not comparable" : standing_words(runs[i]));
    table.add(std::move(row));
  }
  return table;
}

ParsedReport read_report(const std::string& path, StopToken stop, MissingScores missing, OfSample samples) {
  constexpr size_t kMaxReportBytes = size_t{512} << 20;
  return parse_report(read_file(path, kMaxReportBytes, std::move(stop)), path, missing, samples);
}

Baseline read_baseline(const std::string& path, StopToken stop) {
  return {path, read_report(path, std::move(stop)).report};
}

namespace {

constexpr size_t kLeastCurveName = 12;  // columns of a curve's name

struct RatePart {
  std::string heading;
  TextTable table;
};

std::string signed_text(double value, int decimals) {
  const std::string text = fixed_text(value, decimals);
  return (value > 0 ? "+" : "") + text;
}

std::string range_text(double from, double to, int decimals) {
  return fixed_text(std::min(from, to), decimals) + " to " + fixed_text(std::max(from, to), decimals);
}

RatePart differences_part(const std::vector<RateReport>& metrics) {
  TextTable table({{"curve", kFlushLeft, 0, kLeastCurveName},
                   {"against", kFlushLeft, 0, kLeastCurveName},
                   {"metric", kFlushLeft},
                   {"BD-rate"},
                   {"BD-score"},
                   {"over", kFlushLeft, 0, 0, true}});
  for (const auto& [of_curves, report, difference] : differences_by_metric(metrics)) {
    const int decimals = report.info().decimals;
    std::vector<std::string> row = {
        printable(report.curves[difference.curve].name),
        difference.anchor ? printable(report.curves[*difference.anchor].name) : "-",
        printable(report.basis.metric),
        "-",
        "-",
        why_not(report, difference)};
    if (const BjontegaardFigures* const figures = difference.figures()) {
      const auto& [low, high] = figures->qualities;
      row[3] = signed_text(figures->rate_percent, 2) + " %";
      row[4] = signed_text(report.sign * figures->quality, decimals);
      row[5] = words("{}, {} to {}{}", range_text(report.sign * low, report.sign * high, decimals),
                     rate_figure(report, figures->rates[0]), rate_figure(report, figures->rates[1]),
                     report.is_of_pictures ? "" : " " + rate_heading(report));
    }
    table.add(std::move(row));
  }
  const RateReport& first = metrics.front();
  const Statistic& statistic = first.basis.statistic;
  return {words("Bjontegaard differences from {}{}", printable(first.anchor),
                statistic.name == "mean" ? "" : ", by the " + words_of(statistic, first.info())),
          std::move(table)};
}

RatePart target_part(const RateReport& report) {
  std::vector<TextColumn> columns = {{"curve", kFlushLeft, 0, kLeastCurveName}, {rate_heading(report)}};
  if (!report.is_of_pictures) columns.push_back({"size"});
  columns.push_back({"of source"});
  columns.push_back({"between", kFlushLeft, 0, 0, true});
  TextTable table(std::move(columns));
  for (size_t i = 0; i < report.targets.size(); ++i) {
    const std::optional<double>& rate = report.targets[i].rate;
    const std::optional<double> share = rate ? share_of_source(report, *rate) : std::nullopt;
    std::vector<std::string> row = {printable(report.curves[i].name),
                                    rate ? rate_figure(report, *rate) : "-"};
    if (!report.is_of_pictures) row.push_back(size_cell(rate ? bytes_at(report, *rate) : std::nullopt));
    row.push_back(share ? fixed_text(100 * *share, 1) + " %" : "-");
    row.push_back(around_target(report, i));
    table.add(std::move(row));
  }
  return {words("{}{} {}, interpolated", report.is_of_pictures ? "Sizes at " : "Bit rates at ",
                printable(report.basis.metric), shortest_text(*report.basis.rates.target)),
          std::move(table)};
}

RatePart ladder_part(const RateReport& report) {
  TextTable table({{"encoder", kFlushLeft, 0, kLeastCurveName},
                   {report.is_of_pictures ? "picture" : "size"},
                   {rate_heading(report)},
                   {printable(report.basis.metric)},
                   {"run", kFlushLeft, 0, 0, true}});
  for (const Rung& rung : report.ladder) {
    std::vector<std::string> row = {printable(rung.encoder), size_text(rung.size), "-", "-", why_not(rung)};
    if (rung.encode) {
      const RatePoint& point = *report.encodes[*rung.encode].point;
      row[2] = rate_figure(report, point.rate);
      row[3] = fixed_text(report.sign * point.quality, report.info().decimals);
      row[4] = shown_path((*report.of)[report.runs[*rung.encode]].name);
    }
    table.add(std::move(row));
  }
  return {"Ladder", std::move(table)};
}

std::vector<RatePart> parts_of(const std::vector<RateReport>& metrics) {
  std::vector<RatePart> parts;
  const RateReport& report = metrics.front();
  if (!report.is_known()) return parts;
  if (shows_differences(report)) parts.push_back(differences_part(metrics));
  if (!report.targets.empty()) parts.push_back(target_part(report));
  if (!report.ladder.empty()) parts.push_back(ladder_part(report));
  return parts;
}

// The curve of the encode and of its size; nothing if it has none.
std::optional<size_t> curve_of(const RateReport& report, size_t encode) {
  for (size_t i = 0; i < report.curves.size(); ++i) {
    if (report.curves[i].size && contains(report.curves[i].encodes, encode)) return i;
  }
  return std::nullopt;
}

// "bd_rate" and "bd_score" of its curve.
void add_difference(const RateReport& report, size_t encode, const NumberStyle& numbers,
                    std::vector<std::string>& fields) {
  const std::optional<size_t> curve = curve_of(report, encode);
  for (const CurveDifference& difference : report.differences) {
    const BjontegaardFigures* const figures = difference.figures();
    if (difference.curve != curve || figures == nullptr) continue;
    fields.push_back(number_text(figures->rate_percent, numbers));
    fields.push_back(number_text(report.sign * figures->quality, numbers));
    return;
  }
  fields.resize(fields.size() + 2);
}

// The fields of the encode at this position.
std::vector<std::string> csv_fields(const std::vector<RateReport>& metrics, size_t encode,
                                    const NumberStyle& numbers) {
  const RateReport& report = metrics.front();
  std::string curve_name, hull, rung, target, target_bytes;
  for (size_t i = 0; i < report.curves.size(); ++i) {
    const EncodeCurve& curve = report.curves[i];
    if (!curve.size) {
      if (curve.encoder == report.encodes[encode].encoder) hull = truth(contains(curve.encodes, encode));
      continue;
    }
    if (!contains(curve.encodes, encode)) continue;
    curve_name = curve.name;
    if (i >= report.targets.size() || !report.targets[i].rate) continue;
    const double rate = *report.targets[i].rate;
    if (!report.is_of_pictures) target = number_text(rate, numbers);
    if (const auto bytes = bytes_at(report, rate)) target_bytes = std::to_string(*bytes);
  }
  if (!report.ladder.empty() && !curve_name.empty())
    rung = truth(contains(report.ladder, encode, &Rung::encode));
  const PlaneSize& size = report.encodes[encode].size;
  const auto side = [](int length) { return length > 0 ? std::to_string(length) : ""; };
  std::vector<std::string> fields = {curve_name, side(size.width), side(size.height), hull, rung};
  add_difference(report, encode, numbers, fields);
  fields.push_back(target);
  fields.push_back(target_bytes);
  for (size_t i = 1; i < metrics.size(); ++i) add_difference(metrics[i], encode, numbers, fields);
  return fields;
}

}  // namespace

std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, size_t width) {
  const std::vector<RateReport> metrics = rates_by_metric(runs, basis);
  const RateReport& report = metrics.front();
  std::string text;
  if (const auto choice = rate_choice(report)) text += choice->text + ".\n";
  if (const std::string beaten = beaten_text(report); !beaten.empty()) text += beaten + "\n";
  for (const RatePart& part : parts_of(metrics))
    text += words("\n{}\n{}", part.heading, part.table.text(width));
  return text;
}

std::string rates_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const std::vector<RateReport> metrics = rates_by_metric(runs, basis);
  const RateReport& report = metrics.front();
  std::string text;
  if (const auto choice = rate_choice(report)) text += markdown_paragraph(choice->text + ".");
  if (const std::string beaten = beaten_text(report); !beaten.empty()) text += markdown_paragraph(beaten);
  for (const RatePart& part : parts_of(metrics))
    text += markdown_paragraph(part.heading + ":") + markdown_table(part.table) + "\n";
  return text;
}

CsvColumns rates_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const NumberStyle& numbers) {
  const std::vector<RateReport> metrics = rates_by_metric(runs, basis);
  const RateReport& report = metrics.front();
  CsvColumns columns{.heading = {"curve", "width", "height", "on_hull", "is_rung", "bd_rate", "bd_score",
                                 "target_bit_rate", "target_file_bytes"},
                     .fields = {}};
  for (size_t i = 1; i < metrics.size(); ++i) {
    for (const char* const figure : {"bd_rate of ", "bd_score of "})
      columns.heading.push_back(figure + metrics[i].basis.metric);
  }
  columns.fields.assign(runs.size(), std::vector<std::string>(columns.heading.size()));
  for (size_t i = 0; i < report.runs.size(); ++i)
    columns.fields[report.runs[i]] = csv_fields(metrics, i, numbers);
  return columns;
}

}  // namespace vq::cli
