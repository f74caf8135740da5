#include "cli/bench/bench_figures.h"

#include <algorithm>
#include <cmath>

#include "core/text/number_text.h"
#include "engine/known_metrics.h"
#include "engine/report/run_pace.h"
#include "feature/feature.h"

namespace vq::cli {
namespace {

// A part that takes so much of a frame's time is what limits; where none does, handing frames over is.
constexpr double kLimits = 0.6;
// A whole run that makes less than this share of what its slower half makes alone has halves that are in each
// other's way.
constexpr double kAlone = 0.75;

double speed(const BenchBackend& backend) {
  return backend.whole_fps.value_or(backend.score_fps.value_or(0));
}

template <typename Counts>
double sum_of(const BenchBackend& backend, Counts counts) {
  double sum = 0;
  for (const BenchStage& stage : backend.stages) sum += counts(stage) ? stage.milliseconds : 0;
  return sum;
}

bool is_upload(const BenchStage& stage) {
  return stage.on_device && stage.name == kUploadStage;
}

std::string ms_text(double milliseconds) {
  return number_text(milliseconds, {NumberStyle::Kind::kSignificant, 3}) + " ms";
}

std::string more_of(const BenchResult& result) {
  return result.threads < result.cores ? "more threads" : "more cores";
}

std::string threads_text(int threads) {
  return threads == 1 ? "one thread" : std::to_string(threads) + " threads";
}

// The metric before a stage's name; empty where there is none.
std::string_view metric_of(std::string_view stage) {
  const size_t length = stage.size() - bare_stage(stage).size();
  return length == 0 ? std::string_view() : stage.substr(0, length - 2);
}

// "c_values takes 62 % of the 0.43 ms that the device is at work on a frame"
std::string longest_stage(const BenchBackend& backend, bool on_device, double together) {
  const BenchStage* longest = nullptr;
  for (const BenchStage& stage : backend.stages) {
    if (stage.on_device != on_device || is_upload(stage)) continue;
    if (longest == nullptr || stage.milliseconds > longest->milliseconds) longest = &stage;
  }
  if (longest == nullptr || together <= 0) return "";
  return backend.shown_name(*longest) + " takes " + percent_text(longest->milliseconds / together) +
         " of the " + ms_text(together) + " a frame";
}

// "71 %", of the thread that hands frames over.
std::string share_text(const BenchBackend& backend, std::string_view part) {
  const auto at = std::find(pace::kParts.begin(), pace::kParts.end(), part) - pace::kParts.begin();
  return percent_text(backend.pace.seconds[static_cast<size_t>(at)] / total_seconds(backend.pace));
}

std::string decoding_limits(const BenchResult& result, const BenchBackend& backend) {
  const std::string scorer = backend.uses_device() ? backend.device : "the CPU";
  const std::string figures = "Decoding limits: " + share_text(backend, pace::kDecoding) +
                              " of a run is waiting for frames; decoding alone makes " +
                              rate_text(*backend.decode_fps) + " frames/s, and " + scorer + " could score " +
                              rate_text(*backend.score_fps) + "; ";
  if (backend.decodes_in_hardware()) {
    return figures + "--decoder software may be faster than " + backend.decoder + ".";
  }
  return figures + "hardware decoding or " + more_of(result) + " would help.";
}

// Decoding and scoring are at work on the same cores, and slow each other down.
bool cores_limit(const BenchBackend& backend) {
  if (!backend.decode_fps || !backend.whole_fps || backend.host_milliseconds() <= 0) return false;
  if (backend.decodes_in_hardware()) return false;
  return *backend.whole_fps < kAlone * std::min(*backend.decode_fps, *backend.score_fps);
}

std::string cores_limit_sentence(const BenchResult& result, const BenchBackend& backend) {
  return "The cores limit: decoding alone makes " + rate_text(*backend.decode_fps) +
         " frames/s, scoring alone " + rate_text(*backend.score_fps) + ", both together " +
         rate_text(*backend.whole_fps) + "; hardware decoding, " +
         (backend.uses_device() ? "--backend vulkan" : "a GPU") + " or " + more_of(result) + " would help.";
}

// "; decoding alone makes 340 frames/s."
std::string beside_decoding(const BenchBackend& backend) {
  return backend.decode_fps ? "; decoding alone makes " + rate_text(*backend.decode_fps) + " frames/s." : ".";
}

std::string upload_limits(const BenchBackend& backend, double frame) {
  const auto upload = std::find_if(backend.stages.begin(), backend.stages.end(), is_upload);
  std::string text = "Uploading limits: it takes " + ms_text(upload->milliseconds) + " of the " +
                     ms_text(frame) + " a frame on " + backend.device;
  if (const auto share = upload->share_of_copy())
    text += ", at " + percent_text(*share) + " of what the link carries";
  return text + beside_decoding(backend);
}

std::string host_limits(const BenchResult& result, const BenchBackend& backend) {
  const std::string what = longest_stage(backend, false, backend.host_milliseconds());
  const std::string on = " on " + threads_text(result.threads);
  if (backend.uses_device()) {
    return "The host's part of the hybrid limits: " + what + on + "; " + more_of(result) +
           " or --backend vulkan would help.";
  }
  return "Scoring on the CPU limits: " + what + on + "; " + more_of(result) + " or a GPU would help" +
         beside_decoding(backend);
}

std::string thread_limits(const BenchBackend& backend, std::string_view part) {
  return "Handing frames over limits: " + std::string(part) + " takes " + share_text(backend, part) +
         " of the time of the thread that does it" + beside_decoding(backend);
}

std::string handing_over_limits(const BenchBackend& backend, double busiest, double frame) {
  return "Handing frames over limits: of the " + ms_text(frame) +
         " a frame no part is at work for more than " + ms_text(busiest) +
         ", so copies on the host and waiting for " + (backend.uses_device() ? backend.device : "threads") +
         " take the rest" + beside_decoding(backend);
}

}  // namespace

bool BenchStage::is_cached() const {
  return bytes && bandwidth && milliseconds > 0 &&
         static_cast<double>(*bytes) * 1e3 > *bandwidth * milliseconds;
}

std::optional<double> BenchStage::gigabytes_per_second() const {
  if (!bytes || milliseconds <= 0 || is_cached()) return std::nullopt;
  return static_cast<double>(*bytes) * 1e-6 / milliseconds;
}

std::optional<double> BenchStage::share_of_copy() const {
  const std::optional<double> rate = gigabytes_per_second();
  if (!rate || !bandwidth || *bandwidth <= 0) return std::nullopt;
  return *rate * 1e9 / *bandwidth;
}

std::optional<double> BenchStage::floor_milliseconds() const {
  if (!bytes || !bandwidth || *bandwidth <= 0 || is_cached()) return std::nullopt;
  return 1e3 * static_cast<double>(*bytes) / *bandwidth;
}

std::optional<double> BenchStage::times_floor() const {
  const std::optional<double> floor = floor_milliseconds();
  if (!floor || *floor <= 0 || milliseconds <= 0) return std::nullopt;
  return milliseconds / *floor;
}

double BenchBackend::device_milliseconds() const {
  return sum_of(*this, [](const BenchStage& stage) { return stage.on_device && !is_upload(stage); });
}

double BenchBackend::host_milliseconds() const {
  return sum_of(*this, [](const BenchStage& stage) { return !stage.on_device; });
}

double BenchBackend::upload_milliseconds() const {
  return sum_of(*this, is_upload);
}

std::string BenchBackend::shown_name(const BenchStage& stage) const {
  const std::string_view metric = metric_of(stage.name);
  const auto feature_of = [](std::string_view name) {
    return name.empty() ? nullptr : feature_of_metric({std::string(name), {}});
  };
  const FeatureInfo* const feature = feature_of(metric);
  const auto is_rival = [&](const BenchStage& other) {
    const std::string_view its = metric_of(other.name);
    return its != metric && feature_of(its) == feature;
  };
  if (feature == nullptr || std::any_of(stages.begin(), stages.end(), is_rival)) return stage.name;
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
  return "The device's stages limit: " + longest_stage(*best, true, device) + " on " + best->device +
         beside_decoding(*best);
}

std::string rate_text(double rate) {
  if (rate < 99.95) return fixed_text(rate, 1);
  std::string digits = fixed_text(rate, 0);
  for (size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

}  // namespace vq::cli
