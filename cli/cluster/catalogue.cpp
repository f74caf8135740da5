#include "cli/cluster/merged_title.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "cli/pages/page_assets.h"
#include "cli/pages/page_facts.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/json_values.h"
#include "engine/report/scenes.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

using State = VideoOutcome::State;

// So that larger is worse.
double badness(const MetricInfo& metric, double value) {
  if (std::isnan(value)) return -std::numeric_limits<double>::infinity();
  return metric.better == Better::kHigher ? -value : value;
}

const MetricOutcome& leading_of(const VideoOutcome& outcome) {
  return outcome.scores->metrics[outcome.scores->leading];
}

BatchSummary of_one(const VideoOutcome* outcome) {
  BatchSummary summary;
  if (outcome != nullptr) summary.videos.push_back(*outcome);
  return summary;
}

// Without the line of headings.
std::string lines_of(const VideoOutcome& outcome, const NumberStyle& numbers) {
  const std::string text = batch_csv(of_one(&outcome), numbers);
  return text.substr(text.find('\n') + 1);
}

struct MissingShard {
  int64_t number = 0;
  std::string result;  // path
  double work = 0;     // in any unit; 0: nobody knows
};

}  // namespace

Catalogue::Catalogue(CatalogueRequest request)
    : request_(std::move(request)), table_(request_.folder + "/summary.csv") {
  table_.write(batch_csv(of_one(nullptr), request_.numbers));
}

void Catalogue::add(VideoOutcome outcome, const Report* report) {
  table_.write(lines_of(outcome, request_.numbers));
  ++titles_;
  scored_ += outcome.state == State::kScored;
  failures_ += outcome.state == State::kFailed;
  refused_ += outcome.state == State::kRefused;
  crossing_ += outcome.scores && outcome.scores->crosses();
  const bool is_apart = outcome.scores && !outcome.scores->is_comparable();
  not_comparable_ += is_apart;
  if (report != nullptr && outcome.scores && !is_apart) add_moments(outcome, *report);
  if (outcome.scores && !is_apart) return rank(std::move(outcome));
  std::vector<VideoOutcome>& others = is_apart ? apart_ : failed_;
  if (others.size() < kMostTitles) others.push_back(std::move(outcome));
}

// The least bad of those that are kept goes first.
void Catalogue::rank(VideoOutcome outcome) {
  const MetricOutcome& metric = leading_of(outcome);
  const double value = badness(metric_info(metric.metric), statistic_in(metric, request_.by.name));
  worst_.push_back({value, titles_, std::move(outcome)});
  std::push_heap(worst_.begin(), worst_.end());
  if (worst_.size() <= kMostTitles) return;
  std::pop_heap(worst_.begin(), worst_.end());
  worst_.pop_back();
}

void Catalogue::add_moments(const VideoOutcome& outcome, const Report& report) {
  const Metric& metric = report.metrics[leading_metric(report.metrics)];
  const MetricInfo& info = metric_info(metric);
  for (const size_t position : worst_moments(report, info, metric.values, request_.moments)) {
    const std::optional<double> time = timestamp_at(report, position);
    const std::string at = time ? " at " + timecode(*time) : "";
    moments_.push_back({badness(info, metric.values[position]),
                        words("{}{}, frame {}: {} {}", shown_path(outcome.name), at, report.frames[position],
                              base_name(metric), fixed_text(metric.values[position], info.decimals))});
  }
  std::stable_sort(moments_.begin(), moments_.end(),
                   [](const Moment& a, const Moment& b) { return a.value > b.value; });
  if (moments_.size() > request_.moments) moments_.resize(request_.moments);
}

BatchSummary Catalogue::summary() const {
  BatchSummary summary;
  summary.arguments = request_.arguments;
  summary.videos = failed_;
  std::vector<const Ranked*> ranked;
  for (const Ranked& one : worst_) ranked.push_back(&one);
  std::sort(ranked.begin(), ranked.end(), [](const Ranked* a, const Ranked* b) { return *a < *b; });
  for (const Ranked* one : ranked) {
    summary.videos.push_back(one->outcome);
    summary.wall_seconds += one->outcome.scores->wall_seconds;
  }
  for (const VideoOutcome& outcome : apart_) {
    summary.videos.push_back(outcome);
    summary.wall_seconds += outcome.scores->wall_seconds;
  }
  if (static_cast<int64_t>(summary.videos.size()) < titles_) {
    summary.remarks.push_back(words("of {} these are the {} worst; summary.csv has all",
                                    counted(titles_, "title"), summary.videos.size()));
  }
  for (const Moment& moment : moments_) summary.moments.push_back(moment.text);
  return summary;
}

std::string Catalogue::totals() const {
  std::string text = words("{}: {} scored", counted(titles_, "video"), scored_);
  if (failures_ > 0) text += words(", {} failed", failures_);
  if (refused_ > 0) text += words(", {} refused", refused_);
  if (not_comparable_ > 0) text += words("; {} not comparable", not_comparable_);
  if (crossing_ > 0)
    text += words("; {} {}", crossing_, crossing_ == 1 ? "crosses a threshold" : "cross a threshold");
  return text;
}

std::vector<OutputFile> Catalogue::files() {
  const BatchSummary all = summary();
  std::vector<OutputText> texts = {{request_.folder + "/summary.json", batch_json(all, request_.numbers)}};
  if (has_pages()) texts.push_back({request_.folder + "/index.html", write_batch_page(all)});
  std::vector<OutputFile> files = finish_outputs(texts);
  table_.finish();
  files.push_back(std::move(table_));
  commit_outputs(pointers_to(files));
  return files;
}

std::string missing_shards_json(const PlanFile& plan) {
  const PlanHead& head = plan.head();
  std::vector<MissingShard> missing;
  int threads = 1;
  int64_t memory_bytes = 0, known = 0;
  double work = 0;
  plan.each_title([&](const PlannedTitle& title) {
    threads = std::max(threads, title.threads);
    memory_bytes = std::max(memory_bytes, title.memory_bytes);
    for (size_t i = 0; i < title.shards.size(); ++i) {
      const auto place = static_cast<int64_t>(i), number = title.first_shard + place;
      const double own = needs_of(title, i).work;
      work += own;
      known += own > 0;
      std::string result = shard_path(head, title, place);
      if (is_whole_result(result, {.plan = head.id, .shard = number})) continue;
      missing.push_back({number, std::move(result), own});
    }
    return true;
  });
  // A shard of which nobody knows how long it is counts as much as the mean of the others.
  const double mean = known > 0 ? work / static_cast<double>(known) : 1;
  const double all = work + mean * static_cast<double>(head.shards - known);
  ordered_json json = {
      {"version", head.version},         {"results", head.results}, {"arguments", head.arguments},
      {"shards", head.shards},           {"threads", threads},      {"memory_bytes", memory_bytes},
      {"missing", ordered_json::array()}};
  for (const MissingShard& shard : missing) {
    const double share = (shard.work > 0 ? shard.work : mean) / all;
    json["missing"].push_back({{"shard", shard.number}, {"result", shard.result}, {"share", share}});
  }
  return json_file_text(json);
}

}  // namespace vq::cli
