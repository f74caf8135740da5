#include "cli/reports/rate_tables.h"

#include <algorithm>

#include "cli/reports/markdown.h"
#include "cli/reports/rate_report.h"
#include "cli/reports/run_moments.h"
#include "core/text.h"
#include "core/text/csv_field.h"
#include "core/text/text_table.h"
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

std::string kilobits_cell(double rate) {
  return fixed_text(rate / 1000, 0);
}

std::string range_text(double from, double to, int decimals) {
  return fixed_text(std::min(from, to), decimals) + " to " + fixed_text(std::max(from, to), decimals);
}

std::string size_words(const PlaneSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

RatePart differences_part(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                          const RateReport& report) {
  const MetricInfo& info = metric_info(runs.front().report, basis.metric);
  const std::string metric = printable(basis.metric);
  TextTable table({{"curve", Align::kLeft, 0, kLeastCurveName},
                   {"against", Align::kLeft, 0, kLeastCurveName},
                   {"BD-rate"},
                   {"BD-" + metric},
                   {"over", Align::kLeft, 0, 0, true}});
  for (const CurveDifference& difference : report.differences) {
    std::vector<std::string> row = {
        printable(report.curves[difference.curve].name),
        difference.anchor ? printable(report.curves[*difference.anchor].name) : "-", "-", "-",
        why_not(runs, report, difference)};
    const auto* const figures =
        difference.result ? std::get_if<BjontegaardFigures>(&*difference.result) : nullptr;
    if (figures != nullptr) {
      const auto& [low, high] = figures->qualities;
      row[2] = signed_text(figures->rate_percent, 2) + " %";
      row[3] = signed_text(report.sign * figures->quality, info.decimals);
      row[4] = metric + " " + range_text(report.sign * low, report.sign * high, info.decimals) + ", " +
               range_text(figures->rates[0] / 1000, figures->rates[1] / 1000, 0) + " kbit/s";
    }
    table.add(std::move(row));
  }
  return {"Bjontegaard differences from " + printable(report.anchor), std::move(table)};
}

RatePart target_part(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const RateReport& report) {
  TextTable table({{"curve", Align::kLeft, 0, kLeastCurveName},
                   {"kbit/s"},
                   {"size"},
                   {"of source"},
                   {"between", Align::kLeft, 0, 0, true}});
  for (size_t i = 0; i < report.targets.size(); ++i) {
    std::vector<std::string> row = {printable(report.curves[i].name), "-", "-", "-",
                                    around_target(runs, basis, report, i)};
    if (const std::optional<double> rate = report.targets[i].rate) {
      InputFacts video;
      video.file_bytes = bytes_at(runs, *rate);
      const std::optional<double> share = share_of_source(runs, *rate);
      row[1] = kilobits_cell(*rate);
      row[2] = size_cell(&video);
      if (share) row[3] = fixed_text(100 * *share, 1) + " %";
    }
    table.add(std::move(row));
  }
  return {"Bit rates at " + printable(basis.metric) + " " +
              number_text(*basis.rates.target, {NumberStyle::Kind::kShortest, 0}) + ", interpolated",
          std::move(table)};
}

RatePart ladder_part(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                     const RateReport& report) {
  TextTable table({{"encoder", Align::kLeft, 0, kLeastCurveName},
                   {"size"},
                   {"kbit/s"},
                   {printable(basis.metric)},
                   {"run", Align::kLeft, 0, 0, true}});
  const MetricInfo& info = metric_info(runs.front().report, basis.metric);
  for (const Rung& rung : report.ladder) {
    std::vector<std::string> row = {printable(rung.encoder), size_words(rung.size), "-", "-", why_not(rung)};
    if (rung.encode) {
      const RatePoint& point = *report.encodes[*rung.encode].point;
      row[2] = kilobits_cell(point.rate);
      row[3] = fixed_text(report.sign * point.quality, info.decimals);
      row[4] = shown_path(runs[report.runs[*rung.encode]].name);
    }
    table.add(std::move(row));
  }
  return {"Ladder", std::move(table)};
}

std::vector<RatePart> parts_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                               const RateReport& report) {
  std::vector<RatePart> parts;
  if (!report.is_known()) return parts;
  if (shows_differences(basis, report)) parts.push_back(differences_part(runs, basis, report));
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

// Of the encode at this position.
std::string csv_fields(const RateReport& report, size_t encode, const NumberStyle& numbers) {
  std::string curve_name, hull, rung, rate, score, target;
  for (size_t i = 0; i < report.curves.size(); ++i) {
    const EncodeCurve& curve = report.curves[i];
    if (!curve.size) {
      if (curve.encoder == report.encodes[encode].encoder) hull = truth(contains(curve.encodes, encode));
      continue;
    }
    if (!contains(curve.encodes, encode)) continue;
    curve_name = curve.name;
    if (i < report.targets.size() && report.targets[i].rate)
      target = number_text(*report.targets[i].rate, numbers);
    for (const CurveDifference& difference : report.differences) {
      if (difference.curve != i || !difference.result) continue;
      const auto* const figures = std::get_if<BjontegaardFigures>(&*difference.result);
      if (figures == nullptr) continue;
      rate = number_text(figures->rate_percent, numbers);
      score = number_text(report.sign * figures->quality, numbers);
    }
  }
  if (!report.ladder.empty() && !curve_name.empty()) {
    rung = truth(std::any_of(report.ladder.begin(), report.ladder.end(),
                             [&](const Rung& one) { return one.encode == encode; }));
  }
  const PlaneSize& size = report.encodes[encode].size;
  const auto side = [](int length) { return length > 0 ? std::to_string(length) : ""; };
  return "," + csv_field(curve_name) + "," + side(size.width) + "," + side(size.height) + "," + hull + "," +
         rung + "," + rate + "," + score + "," + target;
}

}  // namespace

std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis, size_t width) {
  const RateReport report = rate_report(runs, basis);
  std::string text;
  if (const auto choice = rate_choice(runs, basis, report)) text += choice->text + ".\n";
  if (const std::string best = worthy_text(runs, basis); !best.empty()) text += best + "\n";
  for (const RatePart& part : parts_of(runs, basis, report))
    text += "\n" + part.heading + "\n" + part.table.text(width);
  return text;
}

std::string rates_markdown(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const RateReport report = rate_report(runs, basis);
  std::string text;
  if (const auto choice = rate_choice(runs, basis, report)) text += markdown_paragraph(choice->text + ".");
  for (const RatePart& part : parts_of(runs, basis, report))
    text += markdown_paragraph(part.heading + ":") + markdown_table(part.table) + "\n";
  return text;
}

std::string rates_csv_heading() {
  return ",curve,width,height,on_hull,is_rung,bd_rate,bd_score,target_bit_rate";
}

std::vector<std::string> rates_csv_fields(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                          const NumberStyle& numbers) {
  const RateReport report = rate_report(runs, basis);
  std::vector<std::string> fields(runs.size(), ",,,,,,,,");
  for (size_t i = 0; i < report.runs.size(); ++i) fields[report.runs[i]] = csv_fields(report, i, numbers);
  return fields;
}

}  // namespace vq::cli
