#include "feature/feature.h"

#include "core/error.h"
#include "core/worker_pool.h"

namespace vq {

std::string_view to_string(Backend backend) {
  constexpr std::string_view kWords[] = {"scalar", "cpu", "hybrid", "vulkan"};
  return kWords[static_cast<size_t>(backend)];
}

bool is_on_device(Backend backend) { return backend == Backend::kHybrid || backend == Backend::kVulkan; }

void add_stage_time(std::vector<StageTotal>& totals, std::string_view stage, double ms) {
  const auto same = std::ranges::find(totals, stage, &StageTotal::stage);
  if (same == totals.end()) {
    totals.push_back({std::string(stage), ms});
  } else {
    same->ms += ms;
  }
}

std::string prefixed_stage(std::string_view metric, std::string_view stage) {
  return words("{}: {}", metric, stage);
}

std::string_view bare_stage(std::string_view stage) {
  const size_t colon = stage.rfind(": ");
  return colon == std::string_view::npos ? stage : stage.substr(colon + 2);
}

bool needs_every_frame(const FeatureRequest& request) {
  return request.info->needs_every_frame != nullptr && request.info->needs_every_frame(request.options);
}

FrameNeeds frame_needs(std::span<const FeatureRequest> features) {
  FrameNeeds use;
  for (const FeatureRequest& request : features) {
    const FeatureInfo& info = *request.info;
    if (info.planes != nullptr) use.planes = std::max(use.planes, info.planes(request.options));
    if (info.needs_reference(request.options)) use.reference = true;
    if (info.neighbours == nullptr) continue;
    const NeighbourCount before = info.neighbours(request.options);
    use.before.distorted = std::max(use.before.distorted, before.distorted);
    use.before.references = std::max(use.before.references, before.references);
    use.before.all_planes = use.before.all_planes || before.all_planes;
    for (const double noise : before.noises) {
      if (std::ranges::count(use.before.noises, noise) == 0) use.before.noises.push_back(noise);
    }
  }
  return use;
}

std::optional<SequenceReach> sequence_reach(std::span<const FeatureRequest> features) {
  SequenceReach most;
  for (const FeatureRequest& request : features) {
    const FeatureInfo& info = *request.info;
    if (info.make_sequence == nullptr || info.make_sequence(request.options) == nullptr) continue;
    if (info.reach == nullptr) return std::nullopt;
    const SequenceReach reach = info.reach(request.options);
    most.before = std::max(most.before, reach.before);
    most.behind = std::max(most.behind, reach.behind);
  }
  return most;
}

std::vector<const FeatureInfo*> infos_of(std::span<const FeatureRequest> features) {
  return mapped(features, &FeatureRequest::info);
}

std::vector<FrameResult> HostFeature::score_together(std::span<const FramePair* const> pairs) {
  return mapped(pairs, [this](const FramePair* frames) { return score(*frames); });
}

int thread_count(const Execution& execution) {
  return execution.pool == nullptr ? execution.threads : execution.pool->size();
}

VideoFormats fitted_formats(VideoFormats formats, const Fitting& fitting) {
  formats.distorted = fitted_format(std::move(formats.distorted), fitting);
  if (formats.reference) formats.reference = fitted_format(std::move(*formats.reference), fitting);
  return formats;
}

VideoFormats formats_of(const FeatureRequest& request, const VideoFormats& formats) {
  return request.fitting ? fitted_formats(formats, *request.fitting) : formats;
}

bool compares_videos(const FeatureInfo& info, const OptionSet& options) {
  return info.needs_reference != nullptr && info.needs_reference(options) &&
         find_role(info.options, OptionRole::kReference) == nullptr;
}

bool knows_rgb(const FeatureInfo& info) { return info.reading != nullptr && !info.reads_luma; }

static void check_has_luma(const FeatureInfo& info, const VideoFormat& video) {
  if (video.matrix != Matrix::kRgb || knows_rgb(info)) return;
  throw Error(
      ErrorKind::kMismatch,
      "{} is RGB and has no luma plane, which {} needs. Try: convert it first, for example with ffmpeg "
      "-i IN -pix_fmt yuv420p -c:v ffv1 OUT.mkv",
      video.name, info.name);
}

void check_request(const FeatureRequest& request, const VideoFormats& formats) {
  const VideoFormats seen = formats_of(request, formats);
  check_has_luma(*request.info, seen.distorted);
  if (seen.reference) check_has_luma(*request.info, *seen.reference);
  if (request.info->check != nullptr) request.info->check(request.options, seen);
}

int64_t frame_bytes(const VideoFormat& format, int planes) {
  const int count = std::min(planes, plane_count(format.chroma));
  return sample_count(format.size(), format.chroma, count) * (format.bit_depth > 8 ? 2 : 1);
}

Execution execution_of(const FeatureRequest& request, const Execution& run) {
  Execution own = run;
  own.heatmaps = request.heatmaps;
  own.histograms = request.histograms;
  return own;
}

std::vector<Metric> metrics_of(const FeatureRequest& request) {
  return mapped(request.info->metric_names(request.options), [&](const std::string& name) {
    return Metric{name, {}, find_metric_info(request.info->metrics, name), request.is_inner};
  });
}

std::vector<MetricPlace> metric_places(std::span<const FeatureRequest> features) {
  std::vector<MetricPlace> places, late;
  for (size_t i = 0; i < features.size(); ++i) {
    const std::vector<Metric> metrics = metrics_of(features[i]);
    for (size_t k = 0; k < metrics.size(); ++k) {
      const bool is_late = metrics[k].info != nullptr && metrics[k].info->is_late;
      (is_late ? late : places).push_back({.metric = metrics[k], .feature = i, .value = k});
    }
  }
  places.insert(places.end(), late.begin(), late.end());
  return places;
}

std::vector<std::string> metric_names(std::span<const FeatureRequest> features) {
  return mapped(metric_places(features), [](const MetricPlace& place) { return place.metric.name; });
}

Resolution resolve(FeatureRequest& request, const VideoFormats& formats) {
  return request.info->resolve == nullptr
             ? Resolution()
             : request.info->resolve(request.options, formats_of(request, formats), request.asked_by);
}

std::vector<HeatmapInfo> heatmaps_of(const FeatureRequest& request, const VideoFormats& formats) {
  return request.info->heatmaps == nullptr
             ? std::vector<HeatmapInfo>()
             : request.info->heatmaps(request.options, formats_of(request, formats));
}

std::vector<HistogramInfo> histograms_of(const FeatureRequest& request, const VideoFormats& formats) {
  return request.info->histograms == nullptr
             ? std::vector<HistogramInfo>()
             : request.info->histograms(request.options, formats_of(request, formats));
}

}  // namespace vq
