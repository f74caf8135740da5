#include "feature/extractor.h"

#include "core/elementary.h"
#include "feature/device_feature.h"
#include "feature/fitting/fitting.h"

namespace vq {
namespace {

// Whether it runs by the execution's backend, and not on the host beside it.
bool is_own(const FeatureInfo& info, const Execution& execution) {
  const std::vector<const FeatureInfo*>& lacking = execution.devices.lacking;
  return contains(info.backends, execution.backend) &&
         (!is_on_device(execution.backend) || !contains(lacking, &info));
}

int64_t luma_bytes(const VideoFormat& format) {
  return stored_stride(int64_t{format.width} * (format.bit_depth > 8 ? 2 : 1)) * format.height;
}

// Why a device cannot hold what the feature needs for each frame; empty if it can.
std::string too_large_reason(const FeatureRequest& request, const VideoFormats& formats,
                             const Execution& execution, const vulkan::DeviceInfo& device) {
  const FrameNeeds needs = frame_needs({&request, 1});
  const FeatureMemory memory =
      device_support(*request.info)->memory(request.options, formats, execution_of(request, execution));
  int64_t largest = std::max(memory.largest_buffer, luma_bytes(formats.distorted));
  if (needs.reference && formats.reference) largest = std::max(largest, luma_bytes(*formats.reference));
  const std::string reason = vulkan::unsupported_buffer_reason(device, largest);
  if (!reason.empty()) return reason;
  return vulkan::unsupported_memory_reason(device, memory.each_slot + upload_bytes(needs, formats));
}

// With devices that are open, and the features that they cannot run.
Execution with_devices(std::span<const FeatureRequest> features, const VideoFormats& formats,
                       Execution execution) {
  const auto has_support = [](const FeatureRequest& request) {
    return device_support(*request.info) != nullptr;
  };
  const bool any = std::ranges::any_of(features, has_support);
  if (!is_on_device(execution.backend) || !any) return execution;
  DeviceSelection& devices = execution.devices;
  if (!devices.opened.valid()) {
    std::promise<std::vector<std::shared_ptr<vulkan::Device>>> opened;
    opened.set_value(
        vulkan::open_devices({.selector = devices.selector,
                              .requirement = device_requirement(infos_of(features), execution.backend),
                              .cache_folder = devices.cache_folder}));
    devices.opened = opened.get_future().share();
  }
  std::vector<vulkan::DeviceInfo> opened;
  for (const auto& device : devices.opened.get()) opened.push_back(device->info());
  devices.lacking = features_lacking(features, formats, execution, opened);
  return execution;
}

Error lacks(const FeatureInfo& info, Backend backend) {
  return Error(ErrorKind::kBackend, "the feature {} has no {} backend", info.name, to_string(backend));
}

// Features that run by the backend that was asked for, and those that a device leaves to the host.
struct Sides {
  std::vector<FeatureRequest> own, on_host;
  std::vector<size_t> own_places, host_places;  // among all features
};

// Throws Error{kBackend} if none has the backend, or one has none at all.
Sides split(std::span<const FeatureRequest> features, const Execution& execution) {
  const Backend backend = execution.backend;
  Sides sides;
  for (size_t i = 0; i < features.size(); ++i) {
    const FeatureInfo& info = *features[i].info;
    const bool own = is_own(info, execution);
    if (!own && !(is_on_device(backend) && contains(info.backends, Backend::kCpu)))
      throw lacks(info, backend);
    (own ? sides.own : sides.on_host).push_back(features[i]);
    (own ? sides.own_places : sides.host_places).push_back(i);
  }
  if (!sides.own.empty()) return sides;
  if (features.size() == 1) throw lacks(*features.front().info, backend);
  const std::string names =
      join(features, ", ", [](const FeatureRequest& request) { return request.info->name; });
  throw Error(ErrorKind::kBackend, "no feature of this run has a {} backend: {}", to_string(backend), names);
}

std::vector<std::string> first_metrics(std::span<const FeatureRequest> features) {
  std::vector<std::string> names;
  for (const FeatureRequest& request : features)
    names.push_back(request.info->metric_names(request.options).front());
  return names;
}

Execution on_host(const Execution& execution) {
  Execution host = execution;
  host.backend = Backend::kCpu;
  host.devices = {};
  host.group = nullptr;
  return host;
}

std::unique_ptr<FeatureExtractor> make_on_host(std::span<const FeatureRequest> features,
                                               const VideoFormats& formats, const Execution& execution) {
  std::vector<HostPart> parts;
  for (const FeatureRequest& request : features) {
    const FeatureInfo& info = *request.info;
    std::shared_ptr<HostFeature> feature =
        info.make(request.options, formats, execution_of(request, execution));
    const bool is_shared = execution.group != nullptr && info.shares_reference;
    if (is_shared) feature = execution.group->shared(sharing_key(request, formats), std::move(feature));
    parts.push_back({.feature = std::move(feature),
                     .every_frame = needs_every_frame(request),
                     .name = info.metric_names(request.options).front(),
                     .bounded_luma = info.bounded_luma != nullptr ? info.bounded_luma(request.options)
                                                                  : BoundedLuma::kNone,
                     .is_shared = is_shared});
  }
  return make_host_extractor(std::move(parts), frame_needs(features), formats, execution);
}

// Bytes of the heatmaps that come with a frame's values.
int64_t heatmap_bytes(const FeatureRequest& request, const VideoFormats& formats) {
  if (!request.heatmaps || request.info->heatmaps == nullptr) return 0;
  return counted_bytes([&] {
    auto planes = std::make_unique<std::vector<Plane<uint16_t>>>();
    for (const HeatmapInfo& map : request.info->heatmaps(request.options, formats))
      planes->emplace_back(map.width, map.height);
    return planes;
  });
}

// Memory of features with one fitting that all run by the execution's backend.
int64_t bytes_of(std::span<const FeatureRequest> features, const VideoFormats& videos,
                 const Execution& execution) {
  const bool on_device = is_on_device(execution.backend);
  const auto slots = static_cast<int64_t>(on_device ? device_slots(execution) : 0);
  const auto results = static_cast<int64_t>(on_device ? device_results(execution) : host_results(execution));
  const std::optional<Fitting>& fitting = features.front().fitting;
  const FrameNeeds needs = frame_needs(features);
  const VideoFormats formats = formats_of(features.front(), videos);
  const bool fits_there = on_device && fitting && fits_on_devices(execution, videos, *fitting);
  int64_t bytes = on_device ? slots * upload_bytes(needs, fits_there ? videos : formats) : 0;
  if (fits_there) {
    bytes += slots * fitted_bytes(needs, videos, *fitting);
  } else if (fitting) {
    bytes += fitting_bytes(needs, videos, *fitting, execution);
  }
  int64_t most_compared = 0;  // see FirstFrames
  for (const FeatureRequest& request : features) {
    if (on_device && request.info->memory != nullptr) {
      const FeatureMemory memory = request.info->memory(request.options, formats, {Backend::kCpu});
      most_compared = std::max(most_compared, memory.fixed + memory.each_result);
    }
    const DeviceSupport* const device = on_device ? device_support(*request.info) : nullptr;
    const auto memory_of = device != nullptr ? device->memory : request.info->memory;
    bytes += results * heatmap_bytes(request, formats);
    if (memory_of == nullptr) continue;
    const FeatureMemory memory = memory_of(request.options, formats, execution_of(request, execution));
    bytes += memory.fixed * (on_device ? execution.devices.count : 1) + slots * memory.each_slot +
             results * memory.each_result;
  }
  return bytes + most_compared;
}

// Features that look at the same frames.
struct Fitted {
  std::optional<Fitting> fitting;
  std::vector<FeatureRequest> features;
  std::vector<size_t> places;  // among all features
};

// Features that look at frames as they are pushed come first: decoders write to their memory.
std::vector<Fitted> by_fitting(std::span<const FeatureRequest> features) {
  std::vector<Fitted> groups;
  for (size_t i = 0; i < features.size(); ++i) {
    auto group = std::ranges::find(groups, features[i].fitting, &Fitted::fitting);
    if (group == groups.end()) {
      group = groups.insert(features[i].fitting ? groups.end() : groups.begin(),
                            Fitted{features[i].fitting, {}, {}});
    }
    group->features.push_back(features[i]);
    group->places.push_back(i);
  }
  return groups;
}

// The extractor of one group on the host, where its frames are fitted.
std::unique_ptr<FeatureExtractor> make_host_side(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution) {
  const std::optional<Fitting>& fitting = features.front().fitting;
  std::unique_ptr<FeatureExtractor> extractor =
      make_on_host(features, formats_of(features.front(), formats), execution);
  return fitting ? with_fitting(std::move(extractor), frame_needs(features), formats, *fitting, execution)
                 : std::move(extractor);
}

std::unique_ptr<FeatureExtractor> make_group(std::span<const FeatureRequest> features,
                                             const VideoFormats& formats, const Execution& execution) {
  if (!is_on_device(execution.backend)) return make_host_side(features, formats, execution);
  Sides sides = split(features, execution);
  std::unique_ptr<FeatureExtractor> device = make_device_extractor(sides.own, formats, execution);
  if (sides.on_host.empty()) return device;
  return make_mixed_extractor({std::move(device), std::move(sides.own_places), first_metrics(sides.own)},
                              {make_host_side(sides.on_host, formats, on_host(execution)),
                               std::move(sides.host_places), first_metrics(sides.on_host)});
}

MixedSide make_side(const Fitted& group, const VideoFormats& formats, const Execution& execution) {
  // A group that a device has nothing for stays on the host, as features of one run do.
  const auto is_one = [&](const FeatureRequest& request) { return is_own(*request.info, execution); };
  const bool any_own = std::ranges::any_of(group.features, is_one) || !is_on_device(execution.backend);
  Execution own = any_own ? execution : on_host(execution);
  // Fitted frames are made for each run, so that no two have the same, and come later.
  if (group.fitting) own.group = nullptr;
  const bool fits_before =
      group.fitting && is_on_device(own.backend) && !fits_on_devices(own, formats, *group.fitting);
  std::unique_ptr<FeatureExtractor> extractor;
  if (fits_before) {
    std::vector<FeatureRequest> features = group.features;
    for (FeatureRequest& request : features) request.fitting.reset();
    extractor = with_fitting(make_group(features, fitted_formats(formats, *group.fitting), own),
                             frame_needs(features), formats, *group.fitting, own);
  } else {
    extractor = make_group(group.features, formats, own);
  }
  return {std::move(extractor), group.places, first_metrics(group.features)};
}

MixedSide mixed(MixedSide a, MixedSide b) {
  // Places of a part count among both parts alone.
  MixedSide all{nullptr, a.places, a.names};
  all.places.insert(all.places.end(), b.places.begin(), b.places.end());
  all.names.insert(all.names.end(), b.names.begin(), b.names.end());
  std::vector<size_t> sorted = all.places;
  std::ranges::sort(sorted);
  const auto rank = [&](std::vector<size_t>& places) {
    for (size_t& place : places)
      place = static_cast<size_t>(std::ranges::lower_bound(sorted, place) - sorted.begin());
  };
  rank(a.places);
  rank(b.places);
  all.extractor = make_mixed_extractor(std::move(a), std::move(b));
  all.places = std::move(sorted);
  return all;
}

}  // namespace

std::vector<const FeatureInfo*> features_lacking(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution,
                                                 std::span<const vulkan::DeviceInfo> devices) {
  std::vector<const FeatureInfo*> lacking = features_lacking(infos_of(features), execution.backend, devices);
  const auto is_lacking = [&](const FeatureRequest& request) {
    return device_support(*request.info) == nullptr || std::ranges::count(lacking, request.info) > 0;
  };
  std::string first;
  for (const FeatureRequest& request : features) {
    const VideoFormats seen = formats_of(request, formats);
    for (size_t i = 0; i < devices.size() && !is_lacking(request); ++i) {
      const std::string reason = too_large_reason(request, seen, execution, devices[i]);
      if (reason.empty()) continue;
      lacking.push_back(request.info);
      if (first.empty()) {
        first = words("{} cannot be used for {} of {}: {}", devices[i].name, request.info->name,
                      size_text(seen.distorted.size()), reason);
      }
    }
  }
  if (!first.empty() && std::ranges::all_of(features, is_lacking)) throw Error(ErrorKind::kBackend, first);
  return lacking;
}

// Faults of the inputs are found before faults of the machine.
std::unique_ptr<FeatureExtractor> make_extractor(std::span<const FeatureRequest> features,
                                                 const VideoFormats& formats, const Execution& execution) {
  const ExactFloats exact;  // plans have constants in them
  for (const FeatureRequest& request : features) check_request(request, formats);
  split(features, execution);
  const Execution on_opened = with_devices(features, formats, execution);
  const std::vector<Fitted> groups = by_fitting(features);
  MixedSide all = make_side(groups.front(), formats, on_opened);
  for (size_t i = 1; i < groups.size(); ++i)
    all = mixed(std::move(all), make_side(groups[i], formats, on_opened));
  return std::move(all.extractor);
}

std::vector<std::string> left_to_host(std::span<const FeatureRequest> features, const Execution& execution) {
  std::vector<std::string> names;
  if (!is_on_device(execution.backend)) return names;
  for (const FeatureRequest& request : features) {
    if (!is_own(*request.info, execution)) names.emplace_back(request.info->name);
  }
  return names;
}

size_t frames_in_flight(std::span<const FeatureRequest> features, const Execution& execution) {
  if (!is_on_device(execution.backend)) return host_results(execution);
  const size_t on_device = device_results(execution);
  return left_to_host(features, execution).empty() ? on_device : std::max(on_device, host_results(execution));
}

int64_t extractor_bytes(std::span<const FeatureRequest> features, const VideoFormats& formats,
                        const Execution& execution) {
  const Sides all = split(features, execution);
  int64_t bytes = 0;
  for (const auto& [side, own] : {std::pair(&all.own, execution), {&all.on_host, on_host(execution)}}) {
    for (const Fitted& group : by_fitting(*side)) bytes += bytes_of(group.features, formats, own);
  }
  return bytes;
}

namespace {

// A frame that is fitted, or will be.
struct FittedFrame {
  int64_t index = 0;
  std::shared_future<void> done = {};  // invalid if there is nothing to do
  std::shared_ptr<Frame> frame = {};

  bool is_ready() const {
    return !done.valid() || done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  const Frame& get() const {
    if (done.valid()) done.get();
    return *frame;
  }
};

// The frames of one video.
class FittedVideo {
 public:
  FittedVideo(const VideoFormat& from, const Fitting& fitting, const Execution& execution,
              const FrameNeeds& use, int before)
      : pool_(*execution.pool), before_(static_cast<size_t>(before)) {
    if (changes(fitting, from)) fitter_ = make_frame_fitter(from, fitting, use.planes, execution);
  }

  // A previous frame was fitted when it was the current one.
  FittedFrame fit(const Frame& frame) {
    if (!fitter_) return {.index = frame.index, .done = {}, .frame = std::make_shared<Frame>(frame)};
    for (const FittedFrame& known : recent_) {
      if (known.index == frame.index) return known;
    }
    FittedFrame fitted{.index = frame.index, .done = {}, .frame = std::make_shared<Frame>(frame)};
    const auto work = [fitter = fitter_, frame = fitted.frame] {
      const ExactFloats exact;
      *frame = fitter->fit(*frame);
    };
    fitted.done = pool_.submit(std::packaged_task<void()>(work)).share();
    recent_.push_back(fitted);
    if (recent_.size() > before_ + 1) recent_.pop_front();
    return fitted;
  }

 private:
  WorkerPool& pool_;
  const size_t before_;
  std::shared_ptr<const FrameFitter> fitter_;  // null if there is nothing to do
  std::deque<FittedFrame> recent_;
};

// A frame with those before it, of one video.
struct FittedFrames {
  FittedFrame frame;
  std::vector<FittedFrame> before;

  FittedFrames(FittedVideo& video, const Frame& own, const std::vector<Frame>& own_before) {
    // The latest is first; those before it were fitted for other frames, but at the start.
    for (auto it = own_before.rbegin(); it != own_before.rend(); ++it)
      before.insert(before.begin(), video.fit(*it));
    frame = video.fit(own);
  }
  void put(Frame& own, std::vector<Frame>& own_before) const {
    own = frame.get();
    for (size_t i = 0; i < before.size(); ++i) own_before[i] = before[i].get();
  }
};

struct FittedPair {
  FramePair pair;
  FittedFrames distorted;
  std::optional<FittedFrames> reference;

  bool is_ready() const { return distorted.frame.is_ready() && (!reference || reference->frame.is_ready()); }
  void fill() {
    distorted.put(pair.distorted, pair.distorted_before);
    if (reference) reference->put(*pair.reference, pair.references_before);
  }
};

class FittingExtractor final : public FeatureExtractor {
 public:
  FittingExtractor(std::unique_ptr<FeatureExtractor> extractor, const FrameNeeds& use,
                   const VideoFormats& formats, const Fitting& fitting, const Execution& execution)
      : extractor_(std::move(extractor)),
        most_(static_cast<size_t>(thread_count(execution))),
        distorted_(formats.distorted, fitting, execution, use, use.before.distorted) {
    if (use.reference && formats.reference)
      reference_.emplace(*formats.reference, fitting, execution, use, use.before.references);
  }

  void push(const FramePair& frames, ScoreSink& sink) override {
    FittedPair& fitted = waiting_.emplace_back(FittedPair{
        frames, FittedFrames(distorted_, frames.distorted, frames.distorted_before), std::nullopt});
    if (reference_ && frames.reference)
      fitted.reference.emplace(*reference_, *frames.reference, frames.references_before);
    while (!waiting_.empty() && (waiting_.size() > most_ || waiting_.front().is_ready())) hand_on(sink);
  }

  void finish(ScoreSink& sink) override {
    while (!waiting_.empty()) hand_on(sink);
    extractor_->finish(sink);
  }

  BackendReport backend_report() const override { return extractor_->backend_report(); }

 private:
  void hand_on(ScoreSink& sink) {
    FittedPair next = std::move(waiting_.front());
    waiting_.pop_front();
    try {
      next.fill();
    } catch (...) {
      extractor_->finish(sink);
      throw;
    }
    extractor_->push(next.pair, sink);
  }

  const std::unique_ptr<FeatureExtractor> extractor_;
  const size_t most_;
  FittedVideo distorted_;
  std::optional<FittedVideo> reference_;
  std::deque<FittedPair> waiting_;  // in order
};

}  // namespace

std::unique_ptr<FeatureExtractor> with_fitting(std::unique_ptr<FeatureExtractor> extractor,
                                               const FrameNeeds& use, const VideoFormats& formats,
                                               const Fitting& fitting, const Execution& execution) {
  return std::make_unique<FittingExtractor>(std::move(extractor), use, formats, fitting, execution);
}

int64_t fitting_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting,
                      const Execution& execution) {
  const VideoFormats fitted = fitted_formats(formats, fitting);
  const int64_t frames = thread_count(execution) + 1;
  const auto bytes_of = [&](const VideoFormat& from, const VideoFormat& to, int before) {
    return changes(fitting, from) ? (frames + before) * frame_bytes(to, use.planes) : 0;
  };
  int64_t bytes = bytes_of(formats.distorted, fitted.distorted, use.before.distorted);
  if (use.reference && formats.reference)
    bytes += bytes_of(*formats.reference, *fitted.reference, use.before.references);
  return bytes;
}

}  // namespace vq
