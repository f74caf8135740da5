#include "cli/run/run_devices.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/decoding/frame_fitter.h"
#include "cli/decoding/hardware/deferred_shared_pictures.h"
#include "cli/decoding/hardware/hardware_decoder.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/device_turns.h"
#include "cli/inputs/input_kind.h"
#include "cli/inputs/wording.h"
#include "cli/system/cache_folder.h"
#include "core/error.h"
#include "vulkan/device.h"

namespace vq::cli {
namespace {

std::vector<HardwareDevice> devices_of(const BackendChoice& backend) {
  std::vector<HardwareDevice> devices;
  for (const vulkan::DeviceInfo& device : backend.infos) {
    if (device.type == vulkan::DeviceType::kSoftware) continue;
    devices.push_back({.name = device.name,
                       .index = device.index,
                       .vendor = device.vendor,
                       .uuid = device.uuid,
                       .render_node = device.render_node,
                       .memory_bytes = device.memory_budget});
  }
  return devices;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

BackendChoice choose_backend(const RunOptions& arguments, Messages& messages) {
  const BackendRequest request{.backend = arguments.backend,
                               .device = arguments.device,
                               .without_gpu = arguments.gpumask != 0,
                               .features = infos_of(arguments.features)};
  BackendChoice choice = vq::choose_backend(
      request, arguments.devices ? arguments.devices->list(request) : devices_for(request));
  for (const Diagnostic& remark : choice.remarks) {
    if (!arguments.quiet) messages.note(in_words(remark));
  }
  return choice;
}

Execution execution_of(const RunOptions& arguments, const BackendChoice& backend, WorkerPool* pool) {
  return {.backend = backend.backend,
          .pool = pool,
          .heatmaps = false,
          .cpumask = arguments.cpumask,
          .devices = {.selector = backend.devices.selector,
                      .count = backend.devices.count,
                      .lacking = backend.devices.lacking},
          .time_stages = tells_stages(arguments),
          .make_fitter = make_frame_fitter};
}

void begin_to_open(const RunOptions& arguments, BackendChoice& backend) {
  if (arguments.devices) {
    arguments.devices->open(backend, cache_folder());
  } else {
    vq::begin_to_open(backend, cache_folder());
  }
}

void open_devices(RunOptions& arguments, BackendChoice& backend) {
  begin_to_open(arguments, backend);
  arguments.hardware = settle_decoder(arguments.hardware, backend);
  if (arguments.hardware.api) {
    arguments.hardware.pictures = std::make_shared<DeferredSharedPictures>(backend.devices.opened);
    const auto devices = static_cast<int>(arguments.hardware.devices.size());
    if (devices > 1) arguments.hardware.turns = std::make_shared<DeviceTurns>(devices);
  }
}

HardwareRequest settle_decoder(HardwareRequest request, const BackendChoice& backend) {
  if (request.decoder == DecoderRequest::kSoftware) return request;
  if (request.devices.empty()) request.devices = devices_of(backend);
  const bool may_be_used = request.decoder == DecoderRequest::kHardware || !request.devices.empty();
  if (may_be_used && !request.api) request.api = ffmpeg_hardware();
  return request;
}

RunOptions sharing_devices(RunOptions arguments) {
  HardwareRequest& hardware = arguments.hardware;
  if (hardware.decoder != DecoderRequest::kSoftware && !hardware.api) hardware.api = ffmpeg_hardware();
  arguments.devices = std::make_shared<SharedDevices>();
  return arguments;
}

DecodingPace measure_decoding(const SourceOptions& options) {
  constexpr double kBudget = 0.1;  // seconds
  if (is_read_once(options.path)) return {};
  const auto start = std::chrono::steady_clock::now();
  try {
    const std::unique_ptr<VideoSource> source = open_video(options);
    if (!source->read()) return {};
    const double first = seconds_since(start);
    int64_t frames = 0;
    while (seconds_since(start) - first < kBudget && source->read()) ++frames;
    const double each = frames > 0 ? (seconds_since(start) - first) / static_cast<double>(frames) : first;
    return {.start = std::max(0.0, first - each), .each = each};
  } catch (const Error&) {
    return {};  // the run says what is wrong
  }
}

}  // namespace vq::cli
