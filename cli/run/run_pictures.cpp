#include "cli/run/run_pictures.h"

#include <algorithm>
#include <utility>

#include "cli/inputs/run_inputs.h"
#include "cli/pictures/picture_tap.h"
#include "core/text.h"
#include "engine/known_metrics.h"

namespace vq::cli {
namespace {

// Place of the feature whose heatmaps pictures and pages show; none if they show frames by the score of a
// model.
std::optional<size_t> shown_feature(const RunOptions& options) {
  const size_t place = shown_metric(options.features, options.models).feature;
  return place < options.features.size() ? std::optional(place) : std::nullopt;
}

HeatmapPlace heatmap_place(const SettledRun& run, std::function<void(const std::string&)> tell) {
  const RunOptions& options = run.options;
  HeatmapPlace place;
  if (const auto shown = shown_feature(options)) place.folder = heatmap_folder(options.features[*shown]);
  place.origin =
      picture_origin(options.distorted, shown_metric(options.features, options.models).metric.name);
  place.threads = options.threads;
  place.tell = std::move(tell);
  for (const OutputRequest& output : options.outputs) {
    place.other_outputs.insert(place.other_outputs.end(), {output.path, partial_output(output)});
  }
  return place;
}

// At most this number, if it is known.
std::optional<int64_t> raw_heatmap_frames(const SettledRun& run) {
  const std::optional<int64_t> scored = run.reader->expected_frames();
  const HeatmapRequests& requests = run.options.heatmaps;
  if (requests.frames != HeatmapRequests::Frames::kRange) return scored;
  const Sampling& sampling = run.options.sampling;
  const int64_t in_range =
      (requests.range.last - requests.range.first) / sampling.every + (sampling.is_spread ? 2 : 1);
  return std::min(in_range, scored.value_or(in_range));
}

// They can be larger than any other output, so their size is announced first.
HeatmapTaps checked_taps(const SettledRun& run, const HeatmapOutputs& heatmaps, Messages& messages) {
  const auto note = [&](const std::string& text) {
    if (!run.options.quiet) messages.note(text);
  };
  for (const FeatureRequest& request : run.options.features) {
    const std::string folder = heatmap_folder(request);
    if (!run.options.heatmaps.raw || folder.empty()) continue;
    const int64_t frame_bytes = raw_frame_bytes(heatmaps_of(request, run.formats));
    const std::optional<int64_t> frames = raw_heatmap_frames(run);
    if (!frames) {
      note(words("writing raw heatmaps to {}: {} a frame", shown_path(folder), bytes_text(frame_bytes)));
      continue;
    }
    const std::string what = words("raw heatmaps of {} to {}", counted(*frames, "frame"), shown_path(folder));
    const std::string size = "about " + bytes_text(*frames * frame_bytes);
    check_free_space(folder, *frames * frame_bytes, what + " take " + size);
    note("writing " + what + ": " + size);
  }
  return heatmaps.taps();
}

}  // namespace

void ask_for_maps(RunOptions& options) {
  const HeatmapRequests& requests = options.heatmaps;
  for (FeatureRequest& request : options.features) {
    request.heatmaps = requests.raw && !heatmap_folder(request).empty();
    request.histograms =
        request.info->histograms != nullptr && (requests.page || !histogram_path(request).empty());
  }
  if (const auto shown = shown_feature(options)) {
    FeatureRequest& request = options.features[*shown];
    if (requests.shows_frames() && request.info->heatmaps != nullptr) request.heatmaps = true;
  }
}

ObservedVideo observed_video(const SettledRun& run, std::function<bool(int64_t, int64_t)> may_begin_scene) {
  const std::vector<FeatureRequest>& features = run.options.features;
  const std::optional<size_t> with_histograms = histogram_feature(features),
                              shown = shown_feature(run.options);
  const OtherMetrics others = other_metrics(features, run.options.models);
  std::vector<MetricInfo> infos;
  for (const MetricPlace& place : others.places) infos.push_back(metric_info(place.metric));
  return {.format = run.formats.distorted,
          .reference = run.formats.reference,
          .metric = metric_info(shown_metric(features, run.options.models).metric),
          .heatmaps = shown ? heatmaps_of(features[*shown], run.formats) : std::vector<HeatmapInfo>(),
          .others = infos,
          .judged_others = others.judged,
          .may_begin_scene = std::move(may_begin_scene),
          .histograms = with_histograms ? histograms_of(features[*with_histograms], run.formats)
                                        : std::vector<HistogramInfo>(),
          .frame_rate = run.reader->distorted().info().frame_rate(),
          .frames = run.reader->expected_frames()};
}

RunPictures::RunPictures(const SettledRun& run, PictureTellers tellers, Messages& messages)
    : threads_(thread_count(run.options)),
      video_(observed_video(run, std::move(tellers.may_begin_scene))),
      heatmaps_(run.options.heatmaps, heatmap_place(run, std::move(tellers.tell)), video_),
      taps_(checked_taps(run, heatmaps_, messages)),
      map_files_(run.options.features, run.formats, taps_),
      tap_(run.options.features, run.options.models, taps_.observers) {}

PagePictures RunPictures::page_pictures(const PicturesMade& tell) const {
  PagePictures pictures{heatmaps_.page_pictures(threads_, tell), map_files_.levels()};
  if (!video_.heatmaps.empty()) pictures.coloured_by = video_.metric;
  return pictures;
}

}  // namespace vq::cli
