#include "cli/bench/bench.h"

#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/report/json_values.h"
#include "feature/feature.h"

namespace vq::cli {

// A part that takes so much of a frame's time is what limits; if none does, handing frames over is.
constexpr double kLimits = 0.6;
// A whole run that makes less than this share of what its slower half makes alone has halves that are in each
// other's way.
constexpr double kAlone = 0.75;

static double speed(const BenchBackend& backend) {
  return backend.whole_fps.value_or(backend.score_fps.value_or(0));
}

template <typename Counts>
static double sum_of(const BenchBackend& backend, Counts counts) {
  double sum = 0;
  for (const StageFacts& stage : backend.stages) sum += counts(stage) ? stage.milliseconds : 0;
  return sum;
}

static bool is_upload(const StageFacts& stage) { return stage.on_device && stage.name == kUploadStage; }

static std::string ms_text(double milliseconds) { return words("{} ms", significant_text(milliseconds, 3)); }

static std::string more_of(const BenchResult& result) {
  return result.threads < result.cores ? "more threads" : "more cores";
}

// The metric before a stage's name; empty if there is none.
static std::string_view metric_of(std::string_view stage) {
  const size_t length = stage.size() - bare_stage(stage).size();
  return length == 0 ? std::string_view() : stage.substr(0, length - 2);
}

// "c_values takes 62 % of the 0.43 ms that the device is at work on a frame"
static std::string longest_stage(const BenchBackend& backend, bool on_device, double together) {
  const StageFacts* longest = nullptr;
  for (const StageFacts& stage : backend.stages) {
    if (stage.on_device != on_device || is_upload(stage)) continue;
    if (longest == nullptr || stage.milliseconds > longest->milliseconds) longest = &stage;
  }
  if (longest == nullptr || together <= 0) return "";
  return words("{} takes {} of the {} a frame", backend.shown_name(*longest),
               percent_text(longest->milliseconds / together), ms_text(together));
}

// "71 %", of the thread that hands frames over.
static std::string share_text(const BenchBackend& backend, std::string_view part) {
  const auto at = std::find(pace::kParts.begin(), pace::kParts.end(), part) - pace::kParts.begin();
  return percent_text(backend.pace.seconds[static_cast<size_t>(at)] / total_seconds(backend.pace));
}

static std::string decoding_limits(const BenchResult& result, const BenchBackend& backend) {
  const std::string scorer = backend.uses_device() ? backend.device : "the CPU";
  const std::string figures = words(
      "Decoding limits: {} of a run is waiting for frames; decoding alone makes {} frames/s, and {} could "
      "score {}; ",
      share_text(backend, pace::kDecoding), rate_text(*backend.decode_fps), scorer,
      rate_text(*backend.score_fps));
  if (backend.decodes_in_hardware()) {
    return words("{}--decoder software may be faster than {}.", figures, backend.decoder);
  }
  return words("{}hardware decoding or {} would help.", figures, more_of(result));
}

// Decoding and scoring are at work on the same cores, and slow each other down.
static bool cores_limit(const BenchBackend& backend) {
  if (!backend.decode_fps || !backend.whole_fps || backend.host_milliseconds() <= 0) return false;
  if (backend.decodes_in_hardware()) return false;
  return *backend.whole_fps < kAlone * std::min(*backend.decode_fps, *backend.score_fps);
}

static std::string cores_limit_sentence(const BenchResult& result, const BenchBackend& backend) {
  return words(
      "The cores limit: decoding alone makes {} frames/s, scoring alone {}, both together {}; hardware "
      "decoding, {} or {} would help.",
      rate_text(*backend.decode_fps), rate_text(*backend.score_fps), rate_text(*backend.whole_fps),
      backend.uses_device() ? "--backend vulkan" : "a GPU", more_of(result));
}

// "; decoding alone makes 340 frames/s."
static std::string beside_decoding(const BenchBackend& backend) {
  return backend.decode_fps ? words("; decoding alone makes {} frames/s.", rate_text(*backend.decode_fps))
                            : ".";
}

static std::string upload_limits(const BenchBackend& backend, double frame) {
  const auto upload = std::ranges::find_if(backend.stages, is_upload);
  std::string text = words("Uploading limits: it takes {} of the {} a frame on {}",
                           ms_text(upload->milliseconds), ms_text(frame), backend.device);
  if (backend.upload_share)
    text += words(", at {} of what the link carries", percent_text(*backend.upload_share));
  return text + beside_decoding(backend);
}

static std::string host_limits(const BenchResult& result, const BenchBackend& backend) {
  const std::string what = longest_stage(backend, false, backend.host_milliseconds());
  const std::string on = result.threads == 1 ? " on one thread" : words(" on {} threads", result.threads);
  if (backend.uses_device()) {
    return words("The host's part of the hybrid limits: {}{}; {} or --backend vulkan would help.", what, on,
                 more_of(result));
  }
  return words("Scoring on the CPU limits: {}{}; {} or a GPU would help{}", what, on, more_of(result),
               beside_decoding(backend));
}

static std::string thread_limits(const BenchBackend& backend, std::string_view part) {
  return words("Handing frames over limits: {} takes {} of the time of the thread that does it{}", part,
               share_text(backend, part), beside_decoding(backend));
}

static std::string handing_over_limits(const BenchBackend& backend, double busiest, double frame) {
  return words(
      "Handing frames over limits: of the {} a frame no part is at work for more than {}, so copies on the "
      "host and waiting for {} take the rest{}",
      ms_text(frame), ms_text(busiest), backend.uses_device() ? backend.device : "threads",
      beside_decoding(backend));
}

double BenchBackend::device_milliseconds() const {
  return sum_of(*this, [](const StageFacts& stage) { return stage.on_device && !is_upload(stage); });
}

double BenchBackend::host_milliseconds() const {
  return sum_of(*this, [](const StageFacts& stage) { return !stage.on_device; });
}

double BenchBackend::upload_milliseconds() const { return sum_of(*this, is_upload); }

std::string BenchBackend::shown_name(const StageFacts& stage) const {
  const std::string_view metric = metric_of(stage.name);
  const auto feature_of = [](std::string_view name) {
    return name.empty() ? nullptr : feature_of_metric({std::string(name), {}});
  };
  const FeatureInfo* const feature = feature_of(metric);
  const auto is_rival = [&](const StageFacts& other) {
    const std::string_view its = metric_of(other.name);
    return its != metric && feature_of(its) == feature;
  };
  if (feature == nullptr || std::ranges::any_of(stages, is_rival)) return stage.name;
  return prefixed_stage(feature->name, bare_stage(stage.name));
}

const BenchBackend* fastest(const BenchVideo& video) {
  const BenchBackend* best = nullptr;
  for (const BenchBackend& backend : video.backends) {
    if (backend.error.empty() && speed(backend) > 0 && (best == nullptr || speed(backend) > speed(*best)))
      best = &backend;
  }
  return best;
}

std::string limit_sentence(const BenchResult& result, const BenchVideo& video) {
  const BenchBackend* const best = fastest(video);
  if (best == nullptr || !best->score_fps) return "";
  if (cores_limit(*best)) return cores_limit_sentence(result, *best);
  PaceFacts opened = best->pace;
  opened.seconds.front() = 0;  // opening
  const std::string_view waits = limit_of(opened).value_or(pace::kScoring);
  if (waits == pace::kDecoding && best->decode_fps) return decoding_limits(result, *best);
  if (waits != pace::kScoring) return thread_limits(*best, waits);
  const double frame = 1e3 / *best->score_fps;
  const double upload = best->upload_milliseconds(), device = best->device_milliseconds(),
               host = best->host_milliseconds();
  const double busiest = std::max({upload, device, host});
  // Where everything goes one after another, that is what the device is at work for.
  const bool is_device = upload + device >= kLimits * frame && upload + device >= host;
  if (!is_device && busiest < kLimits * frame) return handing_over_limits(*best, busiest, frame);
  if (host >= upload + device) return host_limits(result, *best);
  if (upload >= device) return upload_limits(*best, frame);
  return words("The device's stages limit: {} on {}{}", longest_stage(*best, true, device), best->device,
               beside_decoding(*best));
}

std::string rate_text(double rate) {
  if (rate < 99.95) return fixed_text(rate, 1);
  std::string digits = fixed_text(rate, 0);
  for (size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

static std::string or_dash(std::optional<double> value, std::string (*text)(double)) {
  return value ? text(*value) : "-";
}

static std::string milliseconds(double value) {
  return fixed_text(value, value < 10 ? 3 : value < 100 ? 2 : 1);
}

static std::string gigabytes(double bytes_a_second) {
  return words("{} GB/s", rate_text(bytes_a_second * 1e-9));
}

static std::string place_of(const BenchBackend& backend) {
  if (!backend.device.empty()) return printable(backend.device);
  return backend.simd.empty() ? "the CPU" : words("CPU ({})", backend.simd);
}

static TextTable stage_table(const BenchBackend& backend) {
  TextTable table({{"stage", kFlushLeft, 0, 12}, {"on", kFlushLeft, 1}, {"ms/frame"}});
  for (const StageFacts& stage : backend.stages)
    table.add(
        {backend.shown_name(stage), stage.on_device ? "device" : "host", milliseconds(stage.milliseconds)});
  return table;
}

// Made-up pictures are not decoded, so there is no row for the whole run.
static TextTable rate_table(const BenchVideo& video) {
  std::vector<TextColumn> columns = {
      {"frames/s", kFlushLeft}, {"on", kFlushLeft, 1, 12}, {"upload", kFlushRight, 2}, {"score"}};
  if (!video.synthetic) {
    columns.insert(columns.begin() + 2, {{"decoder", kFlushLeft, 3}, {"decode"}});
    columns.insert(columns.end(), {{"whole"}, {"start", kFlushRight, 4}});
  }
  columns.push_back({"", kFlushLeft, 0, 0, true});
  TextTable table(columns);
  for (const BenchBackend& backend : video.backends) {
    const double upload = backend.upload_milliseconds();
    const std::optional<double> upload_fps = upload > 0 ? std::optional(1e3 / upload) : std::nullopt;
    const auto seconds = [](double value) { return fixed_text(value, 2) + " s"; };
    std::vector<std::string> row = {backend.backend, place_of(backend), or_dash(upload_fps, rate_text),
                                    or_dash(backend.score_fps, rate_text)};
    if (!video.synthetic) {
      row.insert(row.begin() + 2, {backend.decoder.empty() ? "-" : printable(backend.decoder),
                                   or_dash(backend.decode_fps, rate_text)});
      row.push_back(or_dash(backend.whole_fps, rate_text));
      row.push_back(or_dash(backend.start_seconds, seconds));
    }
    row.push_back(backend.error.empty() ? "" : words("failed: {}", printable(backend.error)));
    table.add(std::move(row));
  }
  return table;
}

// Shares of the time of the thread that hands frames over; empty if nothing was measured.
static std::string pace_text(const BenchVideo& video, size_t width) {
  std::vector<TextColumn> columns = {{"time", kFlushLeft}};
  for (const std::string_view part : pace::kParts) columns.push_back({std::string(part)});
  TextTable table(columns);
  bool is_empty = true;
  for (const BenchBackend& backend : video.backends) {
    std::vector<std::string> row = {backend.backend};
    const double all = total_seconds(backend.pace);
    if (all <= 0) continue;
    is_empty = false;
    for (const double seconds : backend.pace.seconds) {
      row.push_back(seconds > 0 ? percent_text(seconds / all) : "-");
    }
    table.add(std::move(row));
  }
  return is_empty ? "" : "\n" + table.text(width);
}

static std::string heading(const BenchResult& result, const BenchVideo& video) {
  return words("{}  {}{}x{} {}-bit{}\n", printable(video.name), video.codec.empty() ? "" : video.codec + " ",
               video.width, video.height, video.bit_depth,
               video.synthetic ? "" : "  " + counted(result.threads, "thread"));
}

static std::string copies(const BenchResult& result) {
  std::string text =
      words("copies: host {} on {}", gigabytes(result.host_memory), counted(result.threads, "thread"));
  for (const BenchDevice& device : result.devices) {
    text += words("; {} {}, to it {}, back {}", printable(device.name), gigabytes(device.rates.memory),
                  gigabytes(device.rates.upload), gigabytes(device.rates.readback));
  }
  return text + "\n";
}

std::string bench_text(const BenchResult& result, size_t width) {
  std::string text = copies(result);
  for (const BenchVideo& video : result.videos) {
    text += "\n" + heading(result, video);
    for (const BenchBackend& backend : video.backends) {
      if (backend.stages.empty()) continue;
      text += words("\n{} on {}\n{}", backend.backend, place_of(backend), stage_table(backend).text(width));
    }
    text += "\n" + rate_table(video).text(width) + pace_text(video, width);
    const std::string sentence = limit_sentence(result, video);
    if (!sentence.empty()) text += sentence + "\n";
  }
  for (const std::string& note : result.notes) text += words("\n{}\n", note);
  return text;
}

using nlohmann::ordered_json;

// Nine digits after the point: more than clocks have.
static ordered_json number(std::optional<double> value) {
  return value ? ordered_json(std::round(*value * 1e9) / 1e9) : ordered_json(nullptr);
}

static ordered_json stage_json(const StageFacts& stage) {
  return {{"name", stage.name},
          {"on", stage.on_device ? "device" : "host"},
          {"milliseconds", number(stage.milliseconds)}};
}

static ordered_json backend_json(const BenchBackend& backend) {
  ordered_json json = {{"backend", backend.backend},
                       {"simd", backend.simd},
                       {"device", backend.device},
                       {"driver", backend.driver},
                       {"error", nullable(backend.error)},
                       {"decoder", nullable(backend.decoder)},
                       {"decoded_frames", backend.decoded_frames},
                       {"decode_fps", number(backend.decode_fps)},
                       {"upload_fps", nullptr},
                       {"score_fps", number(backend.score_fps)},
                       {"whole_fps", number(backend.whole_fps)},
                       {"start_seconds", number(backend.start_seconds)},
                       {"whole_frames", backend.whole_frames},
                       {"pace", pace_parts_json(backend.pace)},
                       {"stages", json_list(backend.stages, stage_json)}};
  if (backend.upload_milliseconds() > 0) json["upload_fps"] = number(1e3 / backend.upload_milliseconds());
  return json;
}

static ordered_json video_json(const BenchResult& result, const BenchVideo& video) {
  return {{"name", video.name},
          {"made_up", video.synthetic},
          {"codec", nullable(video.codec)},
          {"width", video.width},
          {"height", video.height},
          {"bit_depth", video.bit_depth},
          {"backends", json_list(video.backends, backend_json)},
          {"limit", nullable(limit_sentence(result, video))}};
}

static ordered_json device_json(const BenchDevice& device) {
  return {{"name", device.name},
          {"memory_bytes_per_second", number(device.rates.memory)},
          {"upload_bytes_per_second", number(device.rates.upload)},
          {"readback_bytes_per_second", number(device.rates.readback)}};
}

std::string bench_json(const BenchResult& result) {
  const auto json_of = [&](const BenchVideo& video) { return video_json(result, video); };
  return json_file_text(ordered_json{{"version", version()},
                                     {"threads", result.threads},
                                     {"cores", result.cores},
                                     {"host_bytes_per_second", number(result.host_memory)},
                                     {"devices", json_list(result.devices, device_json)},
                                     {"videos", json_list(result.videos, json_of)},
                                     {"notes", result.notes}});
}

}  // namespace vq::cli
