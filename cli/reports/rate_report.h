// Rate and quality of ranked runs, as data and as sentences.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/reports/compare.h"
#include "engine/comparison/rate_quality.h"

namespace vq::cli {

// The runs as encodes, in the order given. Positions in all other members are positions in `encodes`. Rates
// are bits per second, or bytes of the files if all runs are single pictures. The quality of a run is the
// statistic that ranks, or, if runs are ranked by what they cost, the mean of the metric; it is negated if
// lower scores are better.
struct RateReport {
  const std::vector<NamedReport>* of;  // the runs, which outlive this
  ComparisonBasis basis;
  std::vector<Encode> encodes = {};
  std::vector<size_t> runs = {};  // the position of each encode among the runs
  double sign = 1;                // the quality is the score times this
  bool is_of_pictures = false;
  std::string anchor = {};  // empty if there are no curves and none was asked for
  bool knows_anchor = true;
  std::vector<EncodeCurve> curves = {};
  std::vector<size_t> front = {};
  std::vector<BeatenEncode> beaten = {};
  std::vector<CurveDifference> differences = {};
  std::vector<TargetOnCurve> targets = {};  // of each curve, if there is a target
  std::optional<size_t> reaches = {};       // the cheapest encode that reaches it
  std::vector<Rung> ladder =
      {};  // empty if none was asked for and no encoder has enough encodes of several sizes

  // Whether at least two runs have a bit rate and a score.
  bool is_known() const;
  const MetricInfo& info() const;  // of the metric of the basis. Needs: a run
};

// The report on ranked runs. It is not is_known() if neither side of the metric is better. Needs: all runs
// have the metric.
RateReport rate_report(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// The report by the metric that ranks, then that by each other metric that has differences between curves.
std::vector<RateReport> rates_by_metric(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);
// A difference between curves by the metric that ranks, and the same difference by one of the metrics.
struct MetricDifference {
  const CurveDifference& of_curves;
  const RateReport& report;
  const CurveDifference& difference;  // of that report
};
// The differences of each curve by each metric that has them. They refer to `metrics`.
std::vector<MetricDifference> differences_by_metric(const std::vector<RateReport>& metrics);

// Whether each run is on the front: no other run is at least as good with at most as many bits, and better in
// one of the two. Nothing for a run without a rate or a score, and for all if fewer than two runs have both.
std::vector<std::optional<bool>> worth_their_bits(const std::vector<NamedReport>& runs,
                                                  const ComparisonBasis& basis);
// A sentence that names the runs that another one beats. Empty if rates are not known, or the metric scores
// one video by itself.
std::string beaten_text(const RateReport& report);

// "1157", the bit rate in thousands of bits a second, with a star if it is that of the whole file; "-" if it
// is not known.
std::string rate_cell(const InputFacts& video);
// "3.34 MB", or "-".
std::string size_cell(std::optional<int64_t> bytes);
// "1.694", the number of bits per pixel, or "-".
std::string bits_cell(const InputFacts& video);
// A rate of the report without its unit, and the unit as a heading: "kbit/s". For pictures "3.34 MB" and
// "size".
std::string rate_figure(const RateReport& report, double rate);
std::string rate_heading(const RateReport& report);

// The run to choose, and a sentence that says why. With a target it is the cheapest run that reaches it,
// otherwise the knee of the front; runs of the front with a noteworthy score are left out as long as others
// remain. Nothing if rates are not known.
struct RateChoice {
  std::string text;
  // Nothing if no run reaches the target, or the metric scores one video by itself, which cannot recommend
  // one.
  std::optional<size_t> run;
};
std::optional<RateChoice> rate_choice(const RateReport& report);

// A sentence that says so if there is no such anchor as was asked for; else empty.
std::string anchor_remark(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// The same for groups that no run is of.
std::string groups_remark(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Whether people want to see the differences: the anchor was asked for, or some curve has enough points.
bool shows_differences(const RateReport& report);

// Why a difference has no figures, in a sentence without a full stop; empty if it has figures.
std::string why_not(const RateReport& report, const CurveDifference& difference);
// What is around the target on a curve: the encodes on either side, or why one is missing.
std::string around_target(const RateReport& report, size_t curve);
// Why a rung has no encode; empty if it has one.
std::string why_not(const Rung& rung);

// The quality that an encoder was asked for, "crf 23" or "qp 30"; empty if its settings do not say.
std::string quality_setting(std::string_view settings);

// A rate as a share of the source's rate; nothing if the source's rate is not known.
std::optional<double> share_of_source(const RateReport& report, double rate);
// The size of the video in bytes at a rate; nothing if its duration is not known.
std::optional<int64_t> bytes_at(const RateReport& report, double rate);

// The whole report on rates as JSON; null if rates are not known. Runs are named by their positions, from 0.
nlohmann::ordered_json rates_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                  const NumberStyle& numbers);

}  // namespace vq::cli
