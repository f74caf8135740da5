#include "cli/reports/rate_report.h"

#include "cli/reports/compare.h"
#include "cli/system/files.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/json_values.h"

namespace vq::cli {

using nlohmann::ordered_json;
using Reason = BjontegaardRefusal::Reason;

static bool is_of(const NamedReport& run, const NamedGroup& group) {
  return matches_pattern(run.name, group.pattern) || matches_pattern(run.path, group.pattern);
}

static std::string group_of(const NamedReport& run, const std::vector<NamedGroup>& groups) {
  for (const NamedGroup& group : groups) {
    if (is_of(run, group)) return group.name;
  }
  return encoder_word(video_facts(run).encoder, video_facts(run).codec);
}

// Bits per second, or the bytes of a picture.
static std::optional<int64_t> rate_of(const InputFacts& video, bool is_picture) {
  return is_picture ? video.file_bytes : video.bit_rate;
}

static Encode encode_of(const NamedReport& run, const RateReport& report) {
  const InputFacts& video = video_facts(run);
  const ComparisonBasis& basis = report.basis;
  Encode encode{
      .encoder = group_of(run, basis.rates.groups), .size = {video.width, video.height}, .point = {}};
  const double score = statistic_of(*find_metric(run.report, basis.metric), basis.statistic);
  const std::optional<int64_t> rate = rate_of(video, report.is_of_pictures);
  if (rate && *rate > 0 && std::isfinite(score) && is_comparable(run, basis.metric))
    encode.point = RatePoint{static_cast<double>(*rate), report.sign * score};
  return encode;
}

static const Metric& metric_of(const RateReport& report) {
  return *find_metric(report.of->front().report, report.basis.metric);
}

// The statistic is named if it is not the usual one.
static std::string subject_words(const RateReport& report) {
  const std::string title = printable(title_of(metric_of(report)));
  const Statistic& statistic = report.basis.statistic;
  return statistic.name == "mean" ? title : words("{} of {}", words_of(statistic, report.info()), title);
}

static int decimals_of(const RateReport& report) {
  return coarse_decimals(report.info()).value_or(mean_decimals(report.info()));
}

static std::string score_words(const RateReport& report, double score) {
  return fixed_text(score, decimals_of(report));
}

static std::string rate_words(const RateReport& report, double rate) {
  if (report.is_of_pictures) return rate_figure(report, rate);
  return fixed_text(rate / 1000, rate < 99'950 ? 1 : 0) + " kbit/s";
}

static std::string shown_name(const RateReport& report, size_t encode) {
  return shown_path((*report.of)[report.runs[encode]].name);
}

static double score_at(const RateReport& report, size_t encode) {
  return report.sign * report.encodes[encode].point->quality;
}

static std::string disorder_words(const RateReport& report, size_t cheaper, size_t costlier) {
  return words("{} takes no fewer bits than {} and scores no better", shown_name(report, costlier),
               shown_name(report, cheaper));
}

// A bound that holds: rounded up to three digits, or fewer if scores have no more decimals.
static std::string bound_words(const RateReport& report, double difference) {
  constexpr int kDigits = 3;
  const int first = static_cast<int>(std::floor(std::log10(difference)));
  const double unit = std::pow(10, std::max(first + 1 - kDigits, -decimals_of(report)));
  const std::string_view of = report.info().unit;
  return significant_text(std::ceil(difference / unit - 1e-6) * unit, kDigits + 1) +
         (of.empty() ? "" : " " + std::string(of));
}

static std::string share_words(double share) { return share < 0.01 ? "under 1 %" : percent_text(share); }

static std::string target_words(const RateReport& report) {
  const bool is_higher = report.info().better == Better::kHigher;
  return words("{} of {}{}", subject_words(report), shortest_text(*report.basis.rates.target),
               is_higher ? " or more" : " or less");
}

// The encodes of the front that are good enough not to be remarked on, or all if none is.
static std::vector<size_t> without_noteworthy(const RateReport& report) {
  std::vector<size_t> candidates = report.front;
  std::erase_if(candidates,
                [&](size_t encode) { return is_noteworthy(report.info(), score_at(report, encode)); });
  return candidates.empty() ? report.front : candidates;
}

// Whether an encoder has enough encodes of several sizes for a ladder that nobody asked for.
static bool has_ladder(const RateReport& report) {
  return std::ranges::any_of(report.curves, [&](const EncodeCurve& curve) {
    if (curve.size) return false;
    return std::ranges::count_if(report.encodes, [&](const Encode& encode) {
             return encode.point && encode.encoder == curve.encoder;
           }) >= static_cast<ptrdiff_t>(kLeastBjontegaardPoints);
  });
}

static RateChoice target_choice(const RateReport& report) {
  const size_t best = report.front.back(), named = report.reaches.value_or(best);
  const std::string figures = words("{} at {}", score_words(report, score_at(report, named)),
                                    rate_words(report, report.encodes[named].point->rate));
  if (!report.reaches)
    return {
        words("No run has {}: the best, {}, has {}", target_words(report), shown_name(report, best), figures),
        {}};
  return {words("{} is the {} with {}: {}", shown_name(report, named),
                report.is_of_pictures ? "smallest" : "cheapest", target_words(report), figures),
          report.runs[named]};
}

// No encode is better than the chosen one.
static std::string best_words(const RateReport& report, size_t chosen) {
  const std::string best = shown_name(report, chosen) + " has the best " + subject_words(report);
  const MetricInfo& info = report.info();
  if (report.front.front() == chosen)
    return best + (report.is_of_pictures ? " and the smallest file" : " at the lowest bit rate");
  return words("{}; all {} ones are at {}{}", best, report.is_of_pictures ? "smaller" : "cheaper",
               shortest_text(info.noteworthy.value_or(0)),
               info.better == Better::kHigher ? " or below" : " or above");
}

static ordered_json places_json(const RateReport& report, const std::vector<size_t>& encodes) {
  return json_list(encodes, [&](size_t encode) { return report.runs[encode]; });
}

static ordered_json place_json(const RateReport& report, const std::optional<size_t>& encode) {
  return encode ? ordered_json(report.runs[*encode]) : ordered_json(nullptr);
}

// Figures are null if there are none.
static ordered_json difference_json(const MetricDifference& one, const NumberStyle& numbers) {
  const auto& [of_curves, report, difference] = one;
  ordered_json json = {{"curve", of_curves.curve},
                       {"anchor", nullable(of_curves.anchor)},
                       {"metric", report.basis.metric},
                       {"bd_rate", nullptr},
                       {"bd_score", nullptr},
                       {"scores", nullptr},
                       {"rates", nullptr},
                       {"why_not", why_not(report, difference)}};
  const BjontegaardFigures* const figures = difference.figures();
  if (figures == nullptr) return json;
  std::array<double, 2> scores = {report.sign * figures->qualities[0], report.sign * figures->qualities[1]};
  std::ranges::sort(scores);
  const auto printed = [&](double value) { return as_printed(value, numbers); };
  json["bd_rate"] = printed(figures->rate_percent);
  json["bd_score"] = printed(report.sign * figures->quality);
  json["scores"] = {printed(scores[0]), printed(scores[1])};
  json["rates"] = {printed(figures->rates[0]), printed(figures->rates[1])};
  return json;
}

static ordered_json target_json(const RateReport& report, const NumberStyle& numbers) {
  if (!report.basis.rates.target) return nullptr;
  ordered_json curves = ordered_json::array();
  for (size_t i = 0; i < report.targets.size(); ++i) {
    const TargetOnCurve& found = report.targets[i];
    std::optional<int64_t> bytes;
    std::optional<double> bit_rate, share;
    if (found.rate) {
      if (!report.is_of_pictures) bit_rate = found.rate;
      bytes = bytes_at(report, *found.rate);
      share = share_of_source(report, *found.rate);
    }
    curves.push_back({{"curve", i},
                      {"below", place_json(report, found.below)},
                      {"above", place_json(report, found.above)},
                      {"bit_rate", as_printed(bit_rate, numbers)},
                      {"file_bytes", nullable(bytes)},
                      {"share_of_source", as_printed(share, numbers)},
                      {"around", around_target(report, i)}});
  }
  return {{"value", *report.basis.rates.target},
          {"cheapest", place_json(report, report.reaches)},
          {"curves", std::move(curves)}};
}

static ordered_json ladder_json(const RateReport& report) {
  return json_list(report.ladder, [&](const Rung& rung) {
    return ordered_json{{"encoder", rung.encoder},
                        {"width", rung.size.width},
                        {"height", rung.size.height},
                        {"run", place_json(report, rung.encode)},
                        {"why_not", why_not(rung)}};
  });
}

static ordered_json curves_json(const RateReport& report) {
  return json_list(report.curves, [&](const EncodeCurve& curve) {
    return ordered_json{{"name", curve.name},
                        {"encoder", curve.encoder},
                        {"width", curve.size ? ordered_json(curve.size->width) : ordered_json(nullptr)},
                        {"height", curve.size ? ordered_json(curve.size->height) : ordered_json(nullptr)},
                        {"is_hull", !curve.size.has_value()},
                        {"runs", places_json(report, curve.encodes)}};
  });
}

bool RateReport::is_known() const {
  return std::ranges::count_if(encodes, [](const Encode& one) { return one.point.has_value(); }) > 1;
}

const MetricInfo& RateReport::info() const { return metric_info(of->front().report, basis.metric); }

RateReport rate_report(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  RateReport report{.of = &runs, .basis = basis};
  if (runs.empty() || has_samples(runs) || report.info().better == Better::kNeither) return report;
  report.sign = ranks_highest_first(runs, {basis.metric, basis.statistic}) ? 1 : -1;
  report.is_of_pictures = are_pictures(runs);
  for (size_t i = 0; i < runs.size(); ++i) report.runs.push_back(i);
  std::ranges::stable_sort(report.runs,
                           [&](size_t a, size_t b) { return runs[a].position < runs[b].position; });
  for (const size_t run : report.runs) report.encodes.push_back(encode_of(runs[run], report));
  report.curves = encode_curves(report.encodes);
  report.front = pareto_front(report.encodes);
  report.beaten = beaten_encodes(report.encodes);
  report.anchor = basis.rates.anchor;
  if (report.anchor.empty() && !report.curves.empty()) report.anchor = report.curves.front().encoder;
  report.knows_anchor = names_curve(report.curves, report.anchor);
  report.differences = differences(report.encodes, report.curves, report.anchor);
  std::optional<double> quality;
  if (basis.rates.target) {
    quality = report.sign * *basis.rates.target;
    for (const EncodeCurve& curve : report.curves)
      report.targets.push_back(target_on(report.encodes, curve, *quality));
    report.reaches = cheapest_reaching(report.encodes, *quality);
  }
  if (has_ladder(report) || !basis.rates.ladder.empty())
    report.ladder = ladder(report.encodes, basis.rates.ladder, quality);
  return report;
}

std::optional<RateChoice> rate_choice(const RateReport& report) {
  if (!report.is_known()) return std::nullopt;
  if (report.basis.rates.target) return target_choice(report);
  const size_t best = report.front.back();
  if (is_of_one_video(metric_of(report)))
    return RateChoice{words("{} has the {}{}", shown_name(report, best),
                            report.sign > 0 ? "highest " : "lowest ", subject_words(report)),
                      {}};
  const RatePoint& most = *report.encodes[best].point;
  const std::vector<size_t> candidates = without_noteworthy(report);
  const size_t chosen = knee(report.encodes, candidates).value_or(candidates.front());
  const RatePoint& point = *report.encodes[chosen].point;
  if (point == most) return RateChoice{best_words(report, chosen), report.runs[chosen]};
  return RateChoice{words("{} is {}{} the best {}, for {} of its {}", shown_name(report, chosen),
                          bound_words(report, most.quality - point.quality),
                          report.sign > 0 ? " below" : " above", subject_words(report),
                          share_words(point.rate / most.rate), report.is_of_pictures ? "size" : "bits"),
                    report.runs[chosen]};
}

std::string anchor_remark(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const RateReport report = rate_report(runs, basis);
  if (basis.rates.anchor.empty() || report.knows_anchor) return {};
  const std::string names =
      join(report.curves, ", ", [](const EncodeCurve& curve) { return printable(curve.name); });
  return words("No encoder or curve is called {}, so no differences from it are known. {}",
               printable(report.anchor),
               names.empty() ? "No bit rate is known." : words("Curves are: {}.", names));
}

std::string groups_remark(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  std::vector<std::string> unused;
  for (const NamedGroup& group : basis.rates.groups) {
    if (std::ranges::none_of(runs, [&](const NamedReport& run) { return is_of(run, group); }))
      unused.push_back(printable(group.pattern));
  }
  return unused.empty() ? ""
                        : words("No run has a name or path like {}, so --group names none of them.",
                                join(unused, " or "));
}

std::vector<RateReport> rates_by_metric(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  std::vector<RateReport> all = {rate_report(runs, basis)};
  for (const std::string& other : basis.others) {
    ComparisonBasis by_other = basis;
    by_other.metric = other;
    by_other.rates.target.reset();  // it is of the metric that ranks
    RateReport report = rate_report(runs, by_other);
    if (!report.differences.empty()) all.push_back(std::move(report));
  }
  return all;
}

std::vector<MetricDifference> differences_by_metric(const std::vector<RateReport>& metrics) {
  std::vector<MetricDifference> all;
  const RateReport& first = metrics.front();
  for (const CurveDifference& of_curves : first.differences) {
    for (const RateReport& report : metrics) {
      for (const CurveDifference& difference : report.differences) {
        if (report.curves[difference.curve].name == first.curves[of_curves.curve].name)
          all.push_back({of_curves, report, difference});
      }
    }
  }
  return all;
}

std::vector<std::optional<bool>> worth_their_bits(const std::vector<NamedReport>& runs,
                                                  const ComparisonBasis& basis) {
  std::vector<std::optional<bool>> worth(runs.size());
  const RateReport report = rate_report(runs, basis);
  if (!report.is_known()) return worth;
  for (const size_t encode : report.front) worth[report.runs[encode]] = true;
  for (const BeatenEncode& one : report.beaten) worth[report.runs[one.encode]] = false;
  return worth;
}

std::string beaten_text(const RateReport& report) {
  if (!report.is_known() || is_of_one_video(metric_of(report))) return {};
  const auto beaten = [&](const BeatenEncode& one) {
    return words("{} (by {})", shown_name(report, one.encode), shown_name(report, one.by));
  };
  return report.beaten.empty() ? "None is beaten by another."
                               : words("Beaten: {}.", join(report.beaten, ", ", beaten));
}

std::string rate_cell(const InputFacts& video) {
  if (!video.bit_rate) return "-";
  return fixed_text(static_cast<double>(*video.bit_rate) / 1000, 0) +
         (video.bit_rate_of == "file" ? "*" : "");
}

// With more digits than sizes have elsewhere: files that are compared are often nearly as large.
std::string size_cell(std::optional<int64_t> bytes) {
  if (!bytes) return "-";
  double size = static_cast<double>(std::max<int64_t>(0, *bytes)) / 1000;
  for (const char* const unit : {" kB", " MB", " GB"}) {
    if (size < 999.5) return fixed_text(size, size < 9.995 ? 2 : size < 99.95 ? 1 : 0) + unit;
    size /= 1000;
  }
  return fixed_text(size, 2) + " TB";
}

std::string bits_cell(const InputFacts& video) {
  return video.bits_per_pixel ? fixed_text(*video.bits_per_pixel, 3) : "-";
}

std::string rate_figure(const RateReport& report, double rate) {
  return report.is_of_pictures ? size_cell(std::llround(rate)) : fixed_text(rate / 1000, 0);
}

std::string rate_heading(const RateReport& report) { return report.is_of_pictures ? "size" : "kbit/s"; }

bool shows_differences(const RateReport& report) {
  if (report.differences.empty()) return false;
  return !report.basis.rates.anchor.empty() ||
         std::ranges::any_of(report.curves, [](const EncodeCurve& curve) {
           return curve.encodes.size() >= kLeastBjontegaardPoints;
         });
}

std::string why_not(const RateReport& report, const CurveDifference& difference) {
  const EncodeCurve& curve = report.curves[difference.curve];
  if (!report.knows_anchor) return "nothing is called " + printable(report.anchor);
  if (!difference.anchor) {
    return report.anchor +
           (curve.size ? " has no encodes of this size" : " has one size, so no hull over sizes");
  }
  const auto* const refusal = std::get_if<BjontegaardRefusal>(&*difference.result);
  if (refusal == nullptr) return {};
  const EncodeCurve& whose = refusal->is_of_anchor ? report.curves[*difference.anchor] : curve;
  switch (refusal->reason) {
    case Reason::kDisorder:
      return disorder_words(report, whose.encodes[refusal->points[0]], whose.encodes[refusal->points[1]]);
    case Reason::kFewPoints: {
      return words("{} has fewer than {} different points", whose.name, kLeastBjontegaardPoints);
    }
    case Reason::kNoOverlap:
      break;
  }
  return "no scores or no rates in common";
}

std::string around_target(const RateReport& report, size_t curve) {
  const TargetOnCurve& found = report.targets[curve];
  const auto neighbour = [&](size_t encode) {
    const std::string setting =
        quality_setting(video_facts((*report.of)[report.runs[encode]]).encoder_settings);
    return words("{} ({}{})", shown_name(report, encode), setting.empty() ? "" : setting + ", ",
                 score_words(report, score_at(report, encode)));
  };
  if (!found.above) return "not reached; the best is " + neighbour(*found.below);
  if (!found.below) return "all reach it; the lowest is " + neighbour(*found.above);
  const std::string both = words("{} and {}", neighbour(*found.below), neighbour(*found.above));
  if (!found.disorder) return both;
  return words("{}, not interpolated: {}", both,
               disorder_words(report, (*found.disorder)[0], (*found.disorder)[1]));
}

std::string why_not(const Rung& rung) {
  switch (rung.gap) {
    case Rung::Gap::kNoEncodes:
      return "no encodes of this size";
    case Rung::Gap::kBeaten:
      return "other sizes are better at all its rates";
    case Rung::Gap::kNotNeeded:
      return "the target is reached below";
    case Rung::Gap::kNone:
      break;
  }
  return {};
}

std::string quality_setting(std::string_view settings) {
  while (!settings.empty()) {
    const std::string_view word = settings.substr(0, settings.find(' '));
    settings.remove_prefix(std::min(settings.size(), word.size() + 1));
    for (const std::string_view name : {"crf", "qp"}) {
      double value = 0;
      if (!word.starts_with(name) || !word.substr(name.size()).starts_with('=')) continue;
      if (parse_real(word.substr(name.size() + 1), value))
        return words("{} {}", name, significant_text(value, 4));
    }
  }
  return {};
}

std::optional<double> share_of_source(const RateReport& report, double rate) {
  for (const NamedReport& run : *report.of) {
    const InputFacts* const input = reference_input(run.report);
    const auto whole = input == nullptr ? std::nullopt : rate_of(*input, report.is_of_pictures);
    if (whole && *whole > 0) return rate / static_cast<double>(*whole);
  }
  return std::nullopt;
}

std::optional<int64_t> bytes_at(const RateReport& report, double rate) {
  if (report.is_of_pictures) return std::llround(rate);
  for (const NamedReport& run : *report.of) {
    if (const std::optional<double>& duration = video_facts(run).duration)
      return std::llround(rate * *duration / 8);
  }
  return std::nullopt;
}

ordered_json rates_json(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                        const NumberStyle& numbers) {
  const std::vector<RateReport> metrics = rates_by_metric(runs, basis);
  const RateReport& report = metrics.front();
  const std::optional<RateChoice> choice = rate_choice(report);
  if (!choice) return nullptr;
  const auto beaten_json = [&](const BeatenEncode& one) {
    return ordered_json{{"run", report.runs[one.encode]}, {"by", report.runs[one.by]}};
  };
  const auto of_metric = [&](const MetricDifference& one) { return difference_json(one, numbers); };
  return {{"headline", choice->text},
          {"cost", report.is_of_pictures ? "file_bytes" : "bit_rate"},
          {"choice", nullable(choice->run)},
          {"curves", curves_json(report)},
          {"front", places_json(report, report.front)},
          {"beaten", json_list(report.beaten, beaten_json)},
          {"anchor", report.anchor},
          {"shows_differences", shows_differences(report)},
          {"differences", json_list(differences_by_metric(metrics), of_metric)},
          {"target", target_json(report, numbers)},
          {"ladder", ladder_json(report)}};
}

}  // namespace vq::cli
