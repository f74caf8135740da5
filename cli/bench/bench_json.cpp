#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/bench/bench_text.h"
#include "core/version.h"
#include "engine/report/json_text.h"
#include "engine/report/run_pace_json.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

// Nine digits after the point: more than clocks have.
ordered_json number(std::optional<double> value) {
  return value ? ordered_json(std::round(*value * 1e9) / 1e9) : ordered_json(nullptr);
}

ordered_json text(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json stage_json(const BenchStage& stage) {
  return {{"name", stage.name},
          {"on", stage.on_device ? "device" : "host"},
          {"milliseconds", number(stage.milliseconds)},
          {"bytes", stage.bytes ? ordered_json(*stage.bytes) : ordered_json(nullptr)},
          {"gigabytes_per_second", number(stage.gigabytes_per_second())},
          {"share_of_copy", number(stage.share_of_copy())},
          {"floor_milliseconds", number(stage.floor_milliseconds())},
          {"times_floor", number(stage.times_floor())}};
}

ordered_json backend_json(const BenchBackend& backend) {
  ordered_json json = {{"backend", backend.backend},
                       {"simd", backend.simd},
                       {"device", backend.device},
                       {"driver", backend.driver},
                       {"error", text(backend.error)},
                       {"decoder", text(backend.decoder)},
                       {"decoded_frames", backend.decoded_frames},
                       {"decode_fps", number(backend.decode_fps)},
                       {"upload_fps", nullptr},
                       {"score_fps", number(backend.score_fps)},
                       {"whole_fps", number(backend.whole_fps)},
                       {"start_seconds", number(backend.start_seconds)},
                       {"whole_frames", backend.whole_frames},
                       {"pace", pace_parts_json(backend.pace)},
                       {"stages", ordered_json::array()}};
  if (backend.upload_milliseconds() > 0) json["upload_fps"] = number(1e3 / backend.upload_milliseconds());
  for (const BenchStage& stage : backend.stages) json["stages"].push_back(stage_json(stage));
  return json;
}

ordered_json video_json(const BenchResult& result, const BenchVideo& video) {
  ordered_json json = {{"name", video.name},
                       {"made_up", video.synthetic},
                       {"codec", text(video.codec)},
                       {"width", video.width},
                       {"height", video.height},
                       {"bit_depth", video.bit_depth},
                       {"backends", ordered_json::array()},
                       {"limit", text(limit_sentence(result, video))}};
  for (const BenchBackend& backend : video.backends) json["backends"].push_back(backend_json(backend));
  return json;
}

}  // namespace

std::string bench_json(const BenchResult& result) {
  ordered_json json = {{"version", version()},
                       {"threads", result.threads},
                       {"cores", result.cores},
                       {"host_bytes_per_second", number(result.host_memory)},
                       {"devices", ordered_json::array()},
                       {"videos", ordered_json::array()},
                       {"notes", result.notes}};
  for (const BenchDevice& device : result.devices) {
    json["devices"].push_back({{"name", device.name},
                               {"memory_bytes_per_second", number(device.memory)},
                               {"upload_bytes_per_second", number(device.upload)},
                               {"readback_bytes_per_second", number(device.readback)}});
  }
  for (const BenchVideo& video : result.videos) json["videos"].push_back(video_json(result, video));
  return json_file_text(json);
}

}  // namespace vq::cli
