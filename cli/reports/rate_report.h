// Rate and quality of ranked runs, as data and as sentences.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reports/compare.h"
#include "engine/comparison/rate_quality.h"

namespace vq::cli {

// The runs as encodes, in the order given; positions in all other members are of `encodes`. Rates are bits
// per second; if all runs are single pictures they are the bytes of the files. Qualities are the statistic
// that ranks, or the mean of the metric if runs are ranked by what they cost; of metrics of which lower is
// better its negative.
struct RateReport {
  std::vector<Encode> encodes;
  std::vector<size_t> runs;  // the position of each encode among the runs
  double sign = 1;           // of scores as qualities
  bool is_of_pictures = false;
  std::string anchor;  // empty if there are no curves and none was asked for
  bool knows_anchor = true;
  std::vector<EncodeCurve> curves;
  std::vector<size_t> front;
  std::vector<BeatenEncode> beaten;
  std::vector<CurveDifference> differences;
  std::vector<TargetOnCurve> targets;  // of each curve, if there is a target
  std::optional<size_t> reaches;       // the cheapest encode that reaches it
  std::vector<Rung> ladder;  // empty if none was asked for and no encoder has enough encodes of several sizes

  // Whether at least two runs have a bit rate and a score.
  bool is_known() const;
};

// Nothing is known if neither side of the metric is better. Needs: ranked runs that all have the metric.
RateReport rate_report(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// The same by one metric.
struct MetricRates {
  ComparisonBasis basis;
  RateReport report;
};
// By the metric that ranks, then by each other one that has differences.
std::vector<MetricRates> rates_by_metric(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);
// A difference between curves of the first of these, and what it is by one of them.
struct MetricDifference {
  const CurveDifference& of_curves;
  const MetricRates& rates;
  const CurveDifference& difference;  // of the report of `rates`
};
// Each curve by each metric that has it. They refer to `metrics`.
std::vector<MetricDifference> differences_by_metric(const std::vector<MetricRates>& metrics);

// For each run, whether it is on the front, so that no other run is at least as good at no more bits, and in
// one of both better. Nothing where it has no point, and where fewer than two runs have one.
std::vector<std::optional<bool>> worth_their_bits(const std::vector<NamedReport>& runs,
                                                  const ComparisonBasis& basis);
// A sentence that names the runs which another beats; empty if rates are not known, and if the metric scores
// one video by itself.
std::string beaten_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                        const RateReport& report);

// "1157", in thousands of bits a second, with a star if it is that of the file; "-" if it is not known.
std::string rate_cell(const InputFacts* video);
// "3.34 MB", or "-".
std::string size_cell(std::optional<int64_t> bytes);
// "1.694", the bits of a pixel, or "-".
std::string bits_cell(const InputFacts* video);
// A rate of the report without its unit, and that unit: "kbit/s"; of pictures "3.34 MB" and "size".
std::string rate_figure(const RateReport& report, double rate);
std::string rate_heading(const RateReport& report);

// The run to choose, and a sentence that says why: the cheapest that reaches the target, or without one the
// knee of the front, of which runs with a noteworthy score are left out as long as others remain. Nothing if
// rates are not known.
struct RateChoice {
  std::string text;
  // Nothing if no run reaches the target, or the metric scores one video by itself, which recommends none.
  std::optional<size_t> run;
};
std::optional<RateChoice> rate_choice(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                      const RateReport& report);

// A sentence if the anchor that was asked for is not there.
std::string anchor_remark(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

// Whether people want to see the differences: the anchor was asked for, or some curve has enough points.
bool shows_differences(const ComparisonBasis& basis, const RateReport& report);

// Why there are no figures for a difference, in a sentence without a full stop; empty if there are.
std::string why_not(const std::vector<NamedReport>& runs, const RateReport& report,
                    const CurveDifference& difference);
// The surroundings of the target on a curve: neighbours, or why one is missing.
std::string around_target(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                          const RateReport& report, size_t curve);
// Why a rung has no encode; empty if it has one.
std::string why_not(const Rung& rung);

// The quality that an encoder was asked for, "crf 23" or "qp 30"; empty if its settings do not say.
std::string quality_setting(std::string_view settings);

// The share of the source's rate that a rate is; nothing if that is not known.
std::optional<double> share_of_source(const std::vector<NamedReport>& runs, const RateReport& report,
                                      double rate);
// The bytes that the video takes at a rate; nothing if its duration is not known.
std::optional<int64_t> bytes_at(const std::vector<NamedReport>& runs, const RateReport& report, double rate);

// All of it; null if rates are not known. Runs are named by their positions, from 0.
nlohmann::ordered_json rates_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                  const NumberStyle& numbers);

}  // namespace vq::cli
