#include "engine/models/model_scores.h"

#include <algorithm>

#include "core/text.h"

namespace vq {
namespace {

constexpr std::string_view kLowEnd = "_ci_p95_lo", kHighEnd = "_ci_p95_hi";

// Grades end halfway between the scores that stand for them: see `explanation`.
constexpr Grade kGrades[] = {{100, "excellent"}, {90, "good"}, {70, "fair"}, {50, "poor"}, {30, "bad"}};

// Source: "a VMAF score of 70 can be interpreted as a vote between good and fair by an average viewer"
// (Netflix technology blog, VMAF: the journey continues, 2018).
constexpr MetricInfo kScore = {.title = "VMAF",
                               .subject = "quality",
                               .better = Better::kHigher,
                               .flawless = 100,
                               .noteworthy = 70,
                               .noteworthy_meaning = "between good and fair",
                               .grades = kGrades,
                               .usual_top = 100,
                               .explanation =
                                   "How good viewers would find the video beside its reference, as a model "
                                   "predicts it that was trained on their "
                                   "votes: 20 bad, 40 poor, 60 fair, 80 good, 100 excellent."};

constexpr MetricInfo of_collection(std::string_view title, Better better, std::string_view explanation) {
  return {.title = title,
          .subject = kScore.subject,
          .better = better,
          .usual_top = kScore.usual_top,
          .explanation = explanation};
}

constexpr MetricInfo info_of_member() {
  MetricInfo info = of_collection("VMAF of one bootstrap model", Better::kHigher,
                                  "The score of one of the models that were trained on parts of the votes.");
  info.is_detail = true;
  return info;
}
constexpr MetricInfo kMember = info_of_member();

// What comes behind the name of the score.
struct Ending {
  std::string_view text;
  MetricInfo info;
};
constexpr Ending kEndings[] = {
    {"_bagging", of_collection("VMAF, bagged", Better::kHigher,
                               "The mean of the models that were trained on parts of the votes.")},
    {"_stddev", of_collection("deviation of VMAF", Better::kNeither,
                              "By how much these models disagree: their standard deviation.")},
    {kLowEnd, of_collection("VMAF, lower end", Better::kHigher,
                            "95 % of these models lie between this score and the upper end.")},
    {kHighEnd, of_collection("VMAF, upper end", Better::kHigher,
                             "95 % of these models lie between the lower end and this score.")}};

const MetricInfo* find_in(std::string_view model, std::string_view metric) {
  if (!metric.starts_with(model)) return nullptr;
  constexpr size_t kDigits = 4;
  const std::string_view rest = metric.substr(model.size());
  if (rest.empty()) return &kScore;
  if (rest.size() == kDigits + 1 && rest.front() == '_' && all_digits(rest.substr(1))) return &kMember;
  const auto is_it = [&](const Ending& known) { return known.text == rest; };
  const auto ending = std::find_if(std::begin(kEndings), std::end(kEndings), is_it);
  return ending == std::end(kEndings) ? nullptr : &ending->info;
}

}  // namespace

const MetricInfo* find_model_score(std::string_view metric, std::span<const std::string> models) {
  const MetricInfo* found = nullptr;
  size_t longest = 0;
  for (const std::string& model : models) {
    const MetricInfo* const info = model.size() > longest ? find_in(model, metric) : nullptr;
    if (info == nullptr) continue;
    found = info;
    longest = model.size();
  }
  return found;
}

const MetricInfo* find_model_score(std::string_view metric) {
  static const std::string kUsual[] = {"vmaf", "vmaf_neg"};
  if (const MetricInfo* const info = find_model_score(metric, kUsual); info != nullptr) return info;
  return metric.starts_with("vmaf_") ? &kScore : nullptr;  // "vmaf_4k"
}

ModelPart model_part(const MetricInfo& metric) {
  if (&metric == &kScore) return ModelPart::kScore;
  const auto is_it = [&](const Ending& ending) { return &ending.info == &metric; };
  return &metric == &kMember || std::any_of(std::begin(kEndings), std::end(kEndings), is_it)
             ? ModelPart::kOfCollection
             : ModelPart::kNone;
}

ScoreInterval interval_names(std::string_view score) {
  return {.low = std::string(score) + std::string(kLowEnd),
          .high = std::string(score) + std::string(kHighEnd)};
}

}  // namespace vq
