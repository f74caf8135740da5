#include "feature/model_scores.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>

#include "core/text.h"

namespace vq {
namespace {

constexpr std::string_view kVmaf = "vmaf";
constexpr std::string_view kLowEnd = "_ci_p95_lo", kHighEnd = "_ci_p95_hi";

// Source: "a VMAF score of 70 can be interpreted as a vote between good and fair by an average viewer" (Netflix technology
// blog, VMAF: the journey continues, 2018).
constexpr MetricInfo kScore = {
    .title = "VMAF",
    .subject = "quality",
    .better = Better::kHigher,
    .noteworthy = 70,
    .noteworthy_meaning = "between good and fair",
    .usual_top = 100,
    .explanation = "How good viewers would find the video beside its reference, as a model predicts it that was trained on their "
                   "votes: 20 bad, 40 poor, 60 fair, 80 good, 100 excellent."};

constexpr MetricInfo of_collection(std::string_view title, Better better, std::string_view explanation) {
  MetricInfo info = kScore;
  info.title = title;
  info.better = better;
  info.noteworthy.reset();
  info.noteworthy_meaning = {};
  info.explanation = explanation;
  return info;
}

// The names of one model's scores, with what they mean. Their strings are its own.
struct Known {
  explicit Known(std::string_view model) : name(model) {
    // Each a member of the whole, so that the names stay where they are.
    score = kScore;
    score.name = name;
    member = of_collection("VMAF of one bootstrap model", Better::kHigher,
                           "The score of one of the models that were trained on parts of the votes.");
    member.name = name;
    member.is_detail = true;
    set(bagging, bagging_name, "_bagging", of_collection("VMAF, bagged", Better::kHigher,
                                                         "The mean of the models that were trained on parts of the votes."));
    set(deviation, deviation_name, "_stddev",
        of_collection("deviation of VMAF", Better::kNeither, "By how much these models disagree: their standard deviation."));
    set(low, low_name, kLowEnd,
        of_collection("VMAF, lower end", Better::kHigher, "95 % of these models lie between this score and the upper end."));
    set(high, high_name, kHighEnd,
        of_collection("VMAF, upper end", Better::kHigher, "95 % of these models lie between the lower end and this score."));
  }
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;

  const std::string name;
  std::string bagging_name, deviation_name, low_name, high_name;
  MetricInfo score, member, bagging, deviation, low, high;

 private:
  void set(MetricInfo& info, std::string& text, std::string_view end, const MetricInfo& meaning) {
    text = name + std::string(end);
    info = meaning;
    info.name = text;
  }
};

// Every name so far. Entries stay where they are.
class KnownNames {
 public:
  KnownNames() {
    names_.emplace_back(kVmaf);
    names_.emplace_back("vmaf_neg");
  }

  void add(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto is_it = [&](const Known& known) { return known.name == name; };
    if (std::none_of(names_.begin(), names_.end(), is_it)) names_.emplace_back(name);
  }

  // The one with the longest name of which this is a metric.
  const MetricInfo* find(std::string_view metric) const {
    const std::lock_guard lock(mutex_);
    const MetricInfo* found = nullptr;
    for (const Known& known : names_) {
      const MetricInfo* const info = find_in(known, metric);
      if (info != nullptr && (found == nullptr || info->name.size() > found->name.size())) found = info;
    }
    return found;
  }

 private:
  static const MetricInfo* find_in(const Known& known, std::string_view metric) {
    if (metric == known.name) return &known.score;
    if (!metric.starts_with(known.name) || metric[known.name.size()] != '_') return nullptr;
    for (const MetricInfo* info : {&known.bagging, &known.deviation, &known.low, &known.high}) {
      if (metric == info->name) return info;
    }
    constexpr size_t kDigits = 4;
    const std::string_view rest = metric.substr(known.name.size() + 1);
    if (rest.size() == kDigits && all_digits(rest)) return &known.member;
    return known.name == kVmaf ? &known.score : nullptr;  // "vmaf_4k"
  }

  mutable std::mutex mutex_;
  std::deque<Known> names_;
};

KnownNames& known_names() {
  static KnownNames names;
  return names;
}

}  // namespace

void add_model_name(std::string_view name) {
  known_names().add(name);
}

const MetricInfo* find_model_score(std::string_view metric) {
  return known_names().find(metric);
}

ScoreInterval interval_names(std::string_view score) {
  return {.low = std::string(score) + std::string(kLowEnd), .high = std::string(score) + std::string(kHighEnd)};
}

bool is_model_score(std::string_view metric) {
  const MetricInfo* const info = find_model_score(metric);
  return info != nullptr && info->title == kScore.title;
}

}  // namespace vq
