#include "cli/pictures/picture_tap.h"

#include "cli/system/messages.h"
#include "core/frame.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "engine/known_metrics.h"
#include "engine/report/statistic.h"
#include "feature/extractor.h"

namespace vq::cli {

PictureTap::PictureTap(const std::vector<FeatureRequest>& features, const std::vector<ModelOfRun>& models,
                       std::vector<FrameObserver*> observers)
    : observers_(std::move(observers)),
      shown_(shown_metric(features, models)),
      others_(other_metrics(features, models).places),
      histograms_of_(histogram_feature(features)) {}

void PictureTap::pushed(const FramePair& frames, int64_t row) {
  const auto wants = [&](const FrameObserver* observer) { return observer->wants(frames.distorted.index); };
  if (std::ranges::none_of(observers_, wants)) return;
  WantedPicture& wanted = pictures_.emplace_back();
  wanted.frame = frames.index;
  wanted.row = row;
  wanted.distorted = frames.distorted;
  wanted.reference = frames.reference;
}

void PictureTap::counted(const FrameScores* scores, int64_t rows) {
  while (!pictures_.empty() && pictures_.front().row < rows && pictures_.front().is_delivered) {
    show(pictures_.front(), pictures_.front().heatmaps, pictures_.front().histograms);
    pictures_.pop_front();
  }
  if (scores != nullptr) take(*scores, rows);
}

// The frame that has just been delivered; if its values come later, copies of what else observers want of it
// are kept.
void PictureTap::take(const FrameScores& scores, int64_t rows) {
  const auto wanted = std::ranges::find(pictures_, scores.frame, &WantedPicture::frame);
  if (wanted == pictures_.end()) return;
  std::span<const Plane<uint16_t>> heatmaps;
  if (shown_.feature < scores.results.size()) heatmaps = scores.results[shown_.feature].heatmaps;
  std::span<const std::vector<uint32_t>> histograms;
  if (histograms_of_) histograms = scores.results[*histograms_of_].histograms;
  if (wanted->row < rows) {
    show(*wanted, heatmaps, histograms);
    pictures_.erase(wanted);
    return;
  }
  for (const Plane<uint16_t>& map : heatmaps) wanted->heatmaps.push_back(copy_plane(map.view()));
  wanted->histograms.assign(histograms.begin(), histograms.end());
  wanted->is_delivered = true;
}

void PictureTap::show(const WantedPicture& wanted, std::span<const Plane<uint16_t>> heatmaps,
                      std::span<const std::vector<uint32_t>> histograms) {
  ScoredFrame frame = {wanted.distorted, evaluator_->value_at(shown_, wanted.row), heatmaps, histograms};
  if (wanted.reference) frame.reference = &*wanted.reference;
  std::vector<double> others;
  for (const MetricPlace& place : others_) others.push_back(evaluator_->value_at(place, wanted.row));
  frame.others = others;
  for (FrameObserver* observer : observers_) {
    if (observer->wants(wanted.frame)) observer->frame(frame);
  }
}

namespace {

class ResultList final : public ScoreSink {
 public:
  void scored(const FrameScores& scores) override {
    const FrameResult& from = scores.results.front();
    FrameResult& result = all.emplace_back();
    result.values = from.values;
    for (const Plane<uint16_t>& map : from.heatmaps) result.heatmaps.push_back(copy_plane(map.view()));
  }

  std::vector<FrameResult> all;
};

}  // namespace

std::vector<FrameResult> score_again(const FeatureRequest& request, const VideoFormats& formats,
                                     const std::vector<FramePair>& frames, Execution execution) {
  WorkerPool pool(execution.threads);
  execution.pool = &pool;
  const auto extractor = make_extractor(std::span(&request, 1), formats, execution);
  ResultList results;
  for (const FramePair& pair : frames) extractor->push(pair, results);
  extractor->finish(results);
  return std::move(results.all);
}

// Empty if the feature has no such option, or it was not given.
static std::string path_option(const FeatureRequest& request, std::string_view option) {
  const std::optional<OptionValue> path = request.options.find(option);
  return path ? std::get<std::string>(*path) : std::string();
}

std::string heatmap_folder(const FeatureRequest& request) {
  return path_option(request, request.info->heatmap_option);
}

std::string histogram_path(const FeatureRequest& request) {
  return path_option(request, request.info->histogram_option);
}

std::optional<size_t> histogram_feature(std::span<const FeatureRequest> requests) {
  const auto found = std::ranges::find_if(requests, &FeatureRequest::histograms);
  return found == requests.end() ? std::nullopt
                                 : std::optional(static_cast<size_t>(found - requests.begin()));
}

MetricPlace shown_metric(const std::vector<FeatureRequest>& requests, const std::vector<ModelOfRun>& models) {
  const auto leading_of = [](const FeatureRequest& request) {
    const std::vector<Metric> metrics = metrics_of(request);
    const size_t value = leading_metric(metrics);
    return MetricPlace{.metric = metrics[value], .value = value};
  };
  const auto has_folder = [](const FeatureRequest& request) { return !heatmap_folder(request).empty(); };
  // A metric without a worse side has no frames worth showing.
  const auto is_judged = [&](const FeatureRequest& request) {
    return !is_neutral(leading_of(request).metric);
  };
  auto found = std::ranges::find_if(requests, has_folder);
  const std::vector<Metric> scores = model_scores(models);
  if (found == requests.end() && !scores.empty())
    return {.metric = scores.front(), .feature = requests.size()};
  if (found == requests.end()) found = std::ranges::find_if(requests, is_judged);
  if (found == requests.end()) found = requests.begin();
  MetricPlace place = leading_of(*found);
  place.feature = static_cast<size_t>(found - requests.begin());
  return place;
}

OtherMetrics other_metrics(const std::vector<FeatureRequest>& requests,
                           const std::vector<ModelOfRun>& models) {
  const MetricPlace shown = shown_metric(requests, models);
  const auto is_same = [](const MetricPlace& a, const MetricPlace& b) {
    return a.feature == b.feature && a.value == b.value;
  };
  const std::vector<MetricPlace> all = report_places(requests, models);
  std::vector<MetricPlace> judged, rest;
  const std::vector<size_t> verdicts = verdict_metrics(report_metrics(requests, models));
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_same(all[i], shown) || is_neutral(all[i].metric)) continue;
    const bool is_judged = contains(verdicts, i);
    if (is_judged || !all[i].metric.is_inner) (is_judged ? judged : rest).push_back(all[i]);
  }
  OtherMetrics others{.places = judged, .judged = judged.size()};
  others.places.insert(others.places.end(), rest.begin(), rest.end());
  return others;
}

}  // namespace vq::cli
