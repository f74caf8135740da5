#include "cli/reports/rate_tables.h"

#include <algorithm>

#include "cli/reports/ci_formats.h"
#include "cli/reports/rate_report.h"
#include "core/text.h"
#include "core/text_table.h"
#include "engine/known_metrics.h"

namespace vq::cli {
namespace {

using Align = TextColumn::Align;

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

std::string size_words(const PlaneSize& size) {
  return words("{}x{}", size.width, size.height);
}

// The figures of a difference; nothing where there are none.
const BjontegaardFigures* figures_of(const CurveDifference& difference) {
  return difference.result ? std::get_if<BjontegaardFigures>(&*difference.result) : nullptr;
}

RatePart differences_part(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                          const std::vector<MetricRates>& metrics) {
  TextTable table({{"curve", Align::kLeft, 0, kLeastCurveName},
                   {"against", Align::kLeft, 0, kLeastCurveName},
                   {"metric", Align::kLeft},
                   {"BD-rate"},
                   {"BD-score"},
                   {"over", Align::kLeft, 0, 0, true}});
  for (const auto& [of_curves, rates, difference] : differences_by_metric(metrics)) {
    const RateReport& report = rates.report;
    const std::string& metric = rates.basis.metric;
    const int decimals = metric_info(runs.front().report, metric).decimals;
    std::vector<std::string> row = {
        printable(report.curves[difference.curve].name),
        difference.anchor ? printable(report.curves[*difference.anchor].name) : "-",
        printable(metric),
        "-",
        "-",
        why_not(runs, report, difference)};
    if (const BjontegaardFigures* const figures = figures_of(difference)) {
      const auto& [low, high] = figures->qualities;
      row[3] = signed_text(figures->rate_percent, 2) + " %";
      row[4] = signed_text(report.sign * figures->quality, decimals);
      row[5] = words("{}, {} to {}{}", range_text(report.sign * low, report.sign * high, decimals),
                     rate_figure(report, figures->rates[0]), rate_figure(report, figures->rates[1]),
                     report.is_of_pictures ? "" : " " + rate_heading(report));
    }
    table.add(std::move(row));
  }
  const MetricInfo& info = metric_info(runs.front().report, basis.metric);
  return {words("Bjontegaard differences from {}{}", printable(metrics.front().report.anchor),
                basis.statistic.name == "mean" ? "" : ", by the " + words_of(basis.statistic, info)),
          std::move(table)};
}

RatePart target_part(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const RateReport& report) {
  std::vector<TextColumn> columns = {{"curve", Align::kLeft, 0, kLeastCurveName}, {rate_heading(report)}};
  if (!report.is_of_pictures) columns.push_back({"size"});
  columns.push_back({"of source"});
  columns.push_back({"between", Align::kLeft, 0, 0, true});
  TextTable table(std::move(columns));
  for (size_t i = 0; i < report.targets.size(); ++i) {
    const std::optional<double>& rate = report.targets[i].rate;
    const std::optional<double> share = rate ? share_of_source(runs, report, *rate) : std::nullopt;
    std::vector<std::string> row = {printable(report.curves[i].name),
                                    rate ? rate_figure(report, *rate) : "-"};
    if (!report.is_of_pictures) row.push_back(size_cell(rate ? bytes_at(runs, report, *rate) : std::nullopt));
    row.push_back(share ? fixed_text(100 * *share, 1) + " %" : "-");
    row.push_back(around_target(runs, basis, report, i));
    table.add(std::move(row));
  }
  return {words("{}{} {}, interpolated", report.is_of_pictures ? "Sizes at " : "Bit rates at ",
                printable(basis.metric), number_text(*basis.rates.target, {NumberStyle::Kind::kShortest, 0})),
          std::move(table)};
}

RatePart ladder_part(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const RateReport& report) {
  TextTable table({{"encoder", Align::kLeft, 0, kLeastCurveName},
                   {report.is_of_pictures ? "picture" : "size"},
                   {rate_heading(report)},
                   {printable(basis.metric)},
                   {"run", Align::kLeft, 0, 0, true}});
  const MetricInfo& info = metric_info(runs.front().report, basis.metric);
  for (const Rung& rung : report.ladder) {
    std::vector<std::string> row = {printable(rung.encoder), size_words(rung.size), "-", "-", why_not(rung)};
    if (rung.encode) {
      const RatePoint& point = *report.encodes[*rung.encode].point;
      row[2] = rate_figure(report, point.rate);
      row[3] = fixed_text(report.sign * point.quality, info.decimals);
      row[4] = shown_path(runs[report.runs[*rung.encode]].name);
    }
    table.add(std::move(row));
  }
  return {"Ladder", std::move(table)};
}

std::vector<RatePart> parts_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                               const std::vector<MetricRates>& metrics) {
  std::vector<RatePart> parts;
  const RateReport& report = metrics.front().report;
  if (!report.is_known()) return parts;
  if (shows_differences(basis, report)) parts.push_back(differences_part(runs, basis, metrics));
  if (!report.targets.empty()) parts.push_back(target_part(runs, basis, report));
  if (!report.ladder.empty()) parts.push_back(ladder_part(runs, basis, report));
  return parts;
}

bool contains(const std::vector<size_t>& places, size_t place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

std::string truth(bool value) {
  return value ? "true" : "false";
}

// The curve of the encode and of its size; nothing where it has none.
std::optional<size_t> curve_of(const RateReport& report, size_t encode) {
  for (size_t i = 0; i < report.curves.size(); ++i) {
    if (report.curves[i].size && contains(report.curves[i].encodes, encode)) return i;
  }
  return std::nullopt;
}

// ",bd_rate,bd_score" of its curve.
std::string difference_fields(const RateReport& report, size_t encode, const NumberStyle& numbers) {
  const std::optional<size_t> curve = curve_of(report, encode);
  for (const CurveDifference& difference : report.differences) {
    const BjontegaardFigures* const figures = figures_of(difference);
    if (difference.curve == curve && figures != nullptr)
      return words(",{},{}", number_text(figures->rate_percent, numbers),
                   number_text(report.sign * figures->quality, numbers));
  }
  return ",,";
}

// Of the encode at this position.
std::string csv_fields(const std::vector<NamedReport>& runs, const std::vector<MetricRates>& metrics,
                       size_t encode, const NumberStyle& numbers) {
  const RateReport& report = metrics.front().report;
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
    if (const auto bytes = bytes_at(runs, report, rate)) target_bytes = std::to_string(*bytes);
  }
  if (!report.ladder.empty() && !curve_name.empty()) {
    rung = truth(std::any_of(report.ladder.begin(), report.ladder.end(),
                             [&](const Rung& one) { return one.encode == encode; }));
  }
  const PlaneSize& size = report.encodes[encode].size;
  const auto side = [](int length) { return length > 0 ? std::to_string(length) : ""; };
  std::string text =
      words(",{},{},{},{},{}{},{},{}", csv_field(curve_name), side(size.width), side(size.height), hull, rung,
            difference_fields(report, encode, numbers), target, target_bytes);
  for (size_t i = 1; i < metrics.size(); ++i) text += difference_fields(metrics[i].report, encode, numbers);
  return text;
}

}  // namespace

std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, size_t width) {
  const std::vector<MetricRates> metrics = rates_by_metric(runs, basis);
  const RateReport& report = metrics.front().report;
  std::string text;
  if (const auto choice = rate_choice(runs, basis, report)) text += choice->text + ".\n";
  if (const std::string beaten = beaten_text(runs, basis, report); !beaten.empty()) text += beaten + "\n";
  for (const RatePart& part : parts_of(runs, basis, metrics))
    text += words("\n{}\n{}", part.heading, part.table.text(width));
  return text;
}

std::string rates_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const std::vector<MetricRates> metrics = rates_by_metric(runs, basis);
  const RateReport& report = metrics.front().report;
  std::string text;
  if (const auto choice = rate_choice(runs, basis, report)) text += markdown_paragraph(choice->text + ".");
  if (const std::string beaten = beaten_text(runs, basis, report); !beaten.empty())
    text += markdown_paragraph(beaten);
  for (const RatePart& part : parts_of(runs, basis, metrics))
    text += markdown_paragraph(part.heading + ":") + markdown_table(part.table) + "\n";
  return text;
}

CsvColumns rates_csv(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const NumberStyle& numbers) {
  const std::vector<MetricRates> metrics = rates_by_metric(runs, basis);
  const RateReport& report = metrics.front().report;
  CsvColumns columns{",curve,width,height,on_hull,is_rung,bd_rate,bd_score,target_bit_rate,target_file_bytes",
                     {}};
  for (size_t i = 1; i < metrics.size(); ++i) {
    for (const char* const figure : {"bd_rate of ", "bd_score of "})
      columns.heading += "," + csv_field(figure + metrics[i].basis.metric);
  }
  const auto commas = std::count(columns.heading.begin(), columns.heading.end(), ',');
  columns.fields.assign(runs.size(), std::string(static_cast<size_t>(commas), ','));
  for (size_t i = 0; i < report.runs.size(); ++i)
    columns.fields[report.runs[i]] = csv_fields(runs, metrics, i, numbers);
  return columns;
}

}  // namespace vq::cli
