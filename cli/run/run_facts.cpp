#include "cli/run/run_facts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>

#include "cli/inputs/feature_flags.h"
#include "core/error.h"
#include "core/text/message_text.h"
#include "engine/backend_choice.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

constexpr double kMostBits = 1e15;  // a second: more is a duration that cannot be right

std::optional<int64_t> bits_a_second(int64_t bytes, double seconds) {
  const double rate = 8 * static_cast<double>(bytes) / seconds;
  if (!(rate > 0) || rate > kMostBits) return std::nullopt;
  return std::llround(rate);
}

// The stream's own, as it declares it or as it was read; else that of the file, sound and all.
void add_bit_rate(InputFacts& input, const VideoInfo& info, const StreamLength* measured) {
  input.bit_rate = info.bit_rate;
  if (!input.bit_rate && measured != nullptr)
    input.bit_rate = bits_a_second(measured->bytes, measured->seconds);
  input.bit_rate_of = "stream";
  if (input.bit_rate) return;
  if (input.file_bytes && input.duration) input.bit_rate = bits_a_second(*input.file_bytes, *input.duration);
  input.bit_rate_of = input.bit_rate ? "file" : "";
}

// Whether there is no other picture: as declared, or where the end was reached.
bool is_single_picture(const VideoInfo& info, int64_t frames, const std::optional<StreamLength>& measured) {
  return info.frames ? *info.frames == 1 : info.takes_frame_rate && measured && frames == 1;
}

// A sound track that is longer makes it no whole number, as a rule.
std::optional<int64_t> frames_in_duration(const VideoInfo& info) {
  constexpr double kError = 0.05;
  if (!info.duration || !info.frame_rate()) return std::nullopt;
  const double frames = *info.duration * *info.frame_rate();
  if (std::abs(frames - std::round(frames)) > kError) return std::nullopt;
  return std::llround(frames);
}

using BytesByStage = std::map<std::string, int64_t, std::less<>>;

}  // namespace

InputFacts input_facts(const std::string& role, const VideoInfo& info, int64_t frames,
                       const std::optional<StreamLength>& measured) {
  InputFacts input;
  input.role = role;
  input.path = info.path;
  input.container = info.container;
  input.codec = info.codec;
  input.pixel_format = info.pixel_format;
  input.width = info.format.width;
  input.height = info.format.height;
  input.bit_depth = info.format.bit_depth;
  input.chroma = to_string(info.format.chroma);
  input.range = to_string(info.format.range);
  input.transfer = to_string(info.format.transfer);
  input.matrix = to_string(info.format.matrix);
  input.frame_rate = info.frame_rate();
  input.frames = frames;
  input.file_bytes = info.file_bytes;
  input.duration = info.duration;
  if (is_single_picture(info, frames, measured)) {
    input.duration.reset();
    const double pixels = static_cast<double>(input.width) * input.height;
    if (input.file_bytes && pixels > 0)
      input.bits_per_pixel = 8 * static_cast<double>(*input.file_bytes) / pixels;
  } else {
    // Demuxers of pictures make up how long each is shown.
    const StreamLength* const length = measured && !info.takes_frame_rate ? &*measured : nullptr;
    if (!input.duration && length != nullptr) input.duration = length->seconds;
    add_bit_rate(input, info, length);
  }
  input.all_frames = info.frames;
  // Of one that was read to its end, the frames that were read are all.
  if (!info.frames && !measured) input.all_frames = frames_in_duration(info);
  input.encoder = info.encoder;
  input.encoder_settings = info.encoder_settings;
  input.decoder = info.decoder;
  input.film_grain = to_string(info.film_grain);
  return input;
}

std::string padding_note(std::span<const FeatureRequest> features, const VideoFormats& formats,
                         std::optional<int> depth) {
  if (!depth) return {};
  const VideoFormat& video = formats.distorted;
  for (const FeatureRequest& request : features) {
    const std::string advice = depth_advice(request, video, *depth);
    if (advice.empty()) continue;
    return std::to_string(*depth) + "-bit material in " + std::to_string(video.bit_depth) + " bits (try " +
           advice + ")";
  }
  return {};
}

double microseconds(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

std::string shorter_text(const ShorterPair& pair) {
  const std::string text = pair.shorter + " ended after ";
  if (!pair.longer_frames) return text + counted(pair.pairs, "frame") + " of " + pair.longer;
  return text + std::to_string(pair.pairs) + " of " + counted(*pair.longer_frames - pair.skipped, "frame") +
         " of " + pair.longer;
}

std::string judge_lengths(const std::string& text, int64_t scored, bool strict) {
  if (strict) throw Error(ErrorKind::kIncomplete, text + ", and --strict is set.");
  return text + "; scored " + std::to_string(scored) + ". Use --strict to make this an error.";
}

std::vector<StageFacts> stage_facts(const BackendReport& report, std::span<const FeatureRequest> features,
                                    const VideoFormats& formats) {
  const Backend backend = backend_named(report.backend).value_or(Backend::kVulkan);
  BytesByStage bytes = {{std::string(kUploadStage), report.bytes_copied}};
  const auto add = [&](bool unreported, int64_t frames) {
    for (const StageBytes& stage : stage_bytes_of(features, formats, backend, unreported)) {
      bytes[stage.stage] += frames * stage.bytes;
    }
  };
  add(false, report.computed_frames);
  if (report.unreported_frames > 0) add(true, report.unreported_frames);
  std::vector<StageFacts> facts;
  const auto add_all = [&](const std::vector<StageTotal>& totals, bool on_device) {
    for (const StageTotal& total : totals) {
      const auto found = bytes.find(total.stage);
      facts.push_back({.name = total.stage,
                       .on_device = on_device,
                       .milliseconds = on_device ? total.ms : std::round(total.ms * 1e3) / 1e3,
                       .bytes = found == bytes.end() ? std::nullopt : std::optional(found->second)});
    }
  };
  add_all(report.stages, true);
  add_all(report.host_stages, false);
  return facts;
}

PaceFacts pace_of(const std::vector<StageTotal>& parts, double waited) {
  PaceFacts pace;
  const auto seconds = [&](std::string_view part) -> double& {
    return pace.seconds[static_cast<size_t>(std::find(pace::kParts.begin(), pace::kParts.end(), part) -
                                            pace::kParts.begin())];
  };
  for (const StageTotal& total : parts) seconds(total.stage) += 1e-3 * total.ms;
  const double decoding = std::min(waited, seconds(pace::kPreparing));
  seconds(pace::kDecoding) += decoding;
  seconds(pace::kPreparing) -= decoding;
  return pace;
}

}  // namespace vq::cli
