// What a run shows of its frames: heatmaps, histograms and pictures.
#include <algorithm>
#include <functional>
#include <utility>

#include "cli/pictures/shown_metrics.h"
#include "cli/run/scoring_run.h"
#include "core/text/message_text.h"
#include "engine/known_metrics.h"

namespace vq::cli {

// The one whose heatmaps pictures and pages show; null where they show frames by the score of a model.
FeatureRequest* ScoringRun::shown_feature() {
  const size_t place = shown_metric(arguments_.features, arguments_.models).feature;
  return place < arguments_.features.size() ? &arguments_.features[place] : nullptr;
}

const FeatureRequest* ScoringRun::shown_feature() const {
  const size_t place = shown_metric(arguments_.features, arguments_.models).feature;
  return place < arguments_.features.size() ? &arguments_.features[place] : nullptr;
}

// Heatmaps and histograms, where somebody takes them: files, or those who look at the frames of one feature.
void ScoringRun::ask_for_maps() {
  const HeatmapRequests& requests = arguments_.heatmaps;
  for (FeatureRequest& request : arguments_.features)
    request.heatmaps = requests.raw && !heatmap_folder(request).empty();
  if (FeatureRequest* const shown = shown_feature(); shown != nullptr) {
    if (requests.shows_frames() && shown->info->heatmaps != nullptr) shown->heatmaps = true;
  }
  for (FeatureRequest& request : arguments_.features) {
    request.histograms =
        request.info->histograms != nullptr && (requests.page || !histogram_path(request).empty());
  }
}

ObservedVideo ScoringRun::observed() const {
  const std::optional<size_t> with_histograms = histogram_feature(arguments_.features);
  const FeatureRequest* const shown = shown_feature();
  const OtherMetrics others = other_metrics(arguments_.features, arguments_.models);
  std::vector<MetricInfo> infos;
  for (const MetricPlace& place : others.places) infos.push_back(metric_info(place.metric));
  std::function<bool(int64_t, int64_t)> may_begin_scene;
  if (record_.scene_cuts)
    may_begin_scene = [this](int64_t after, int64_t frame) { return may_begin_scene_in(after, frame); };
  return {.format = formats_.distorted,
          .reference = formats_.reference,
          .metric = metric_info(shown_metric(arguments_.features, arguments_.models).metric),
          .heatmaps = shown != nullptr ? heatmaps_of(*shown, formats_) : std::vector<HeatmapInfo>(),
          .others = infos,
          .judged_others = others.judged,
          .may_begin_scene = may_begin_scene,
          .histograms = with_histograms ? histograms_of(arguments_.features[*with_histograms], formats_)
                                        : std::vector<HistogramInfo>(),
          .frame_rate = reader_->distorted().info().frame_rate(),
          .frames = reader_->expected_frames()};
}

PagePictures ScoringRun::page_pictures() const {
  PagePictures pictures{heatmaps_->page_pictures(), map_files_->levels()};
  const ObservedVideo video = observed();
  if (!video.heatmaps.empty()) pictures.coloured_by = video.metric;
  return pictures;
}

HeatmapPlace ScoringRun::heatmap_place() const {
  const FeatureRequest* const shown = shown_feature();
  HeatmapPlace place;
  if (shown != nullptr) place.folder = heatmap_folder(*shown);
  place.origin =
      picture_origin(arguments_.distorted, shown_metric(arguments_.features, arguments_.models).metric.name);
  place.threads = arguments_.threads;
  place.tell = [this](const std::string& text) {
    if (watcher_ != nullptr && watcher_->note) watcher_->note(text);
  };
  for (const OutputRequest& output : arguments_.outputs) {
    place.other_outputs.insert(place.other_outputs.end(), {output.path, partial_output(output)});
  }
  return place;
}

// They can be larger than any other output, so their size is told before it is met.
void ScoringRun::check_raw_heatmaps() const {
  if (!arguments_.heatmaps.raw) return;
  for (const FeatureRequest& request : arguments_.features) {
    const std::string folder = heatmap_folder(request);
    if (folder.empty()) continue;
    const int64_t frame_bytes = raw_frame_bytes(heatmaps_of(request, formats_));
    const std::optional<int64_t> frames = raw_heatmap_frames();
    if (!frames) {
      note("writing raw heatmaps to " + shown_path(folder) + ": " + bytes_text(frame_bytes) + " a frame");
      continue;
    }
    const std::string what = "raw heatmaps of " + counted(*frames, "frame") + " to " + shown_path(folder);
    const std::string size = "about " + bytes_text(*frames * frame_bytes);
    check_free_space(folder, *frames * frame_bytes, what + " take " + size);
    note("writing " + what + ": " + size);
  }
}

// At most so many, as far as that is known.
std::optional<int64_t> ScoringRun::raw_heatmap_frames() const {
  const std::optional<int64_t> scored = reader_->expected_frames();
  const HeatmapRequests& requests = arguments_.heatmaps;
  if (requests.frames != HeatmapRequests::Frames::kRange) return scored;
  const Sampling& sampling = arguments_.sampling;
  const int64_t in_range =
      (requests.range.last - requests.range.first) / sampling.every + (sampling.is_spread ? 2 : 1);
  return std::min(in_range, scored.value_or(in_range));
}

}  // namespace vq::cli
