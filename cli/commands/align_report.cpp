#include "cli/commands/align_report.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/inputs/crop.h"
#include "cli/inputs/pair_remarks.h"
#include "cli/inputs/wording.h"
#include "core/text/message_text.h"
#include "core/text/number_text.h"
#include "core/text/text_table.h"
#include "core/version.h"
#include "engine/report/json_text.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;

constexpr NumberStyle kShort{NumberStyle::Kind::kSignificant, 3};
constexpr NumberStyle kRate{NumberStyle::Kind::kSignificant, 6};

std::optional<double> seconds_of(int64_t frames, const PairFindings& findings) {
  const std::optional<double> rate = findings.distorted.frame_rate();
  return rate ? std::optional(static_cast<double>(frames) / *rate) : std::nullopt;
}

bool rates_differ(const PairFindings& findings) {
  const auto a = findings.reference.frame_rate(), b = findings.distorted.frame_rate();
  return a && b && std::abs(*a - *b) > 1e-3 * *a;
}

std::string video_text(const VideoInfo& info, int64_t frames, bool ended) {
  std::string text = shown_path(info.path) + "  " + info.codec + " " + std::to_string(info.format.width) +
                     "x" + std::to_string(info.format.height) + " " + std::to_string(info.format.bit_depth) +
                     "-bit";
  if (info.frame_rate()) text += " " + number_text(*info.frame_rate(), kRate) + " fps";
  return text + "  " + (ended ? "all " : "first ") + counted(frames, "frame");
}

std::string shift_line(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  const int shift = alignment.first_shift();
  if (!alignment.is_certain()) {
    if (alignment.is_foreign()) return "the pictures are not alike";
    if (alignment.frames < kLeastAlignedFrames) return "too few frames that show anything";
    return "undecidable; shifts from " + shift_text(alignment.least) + " to " + shift_text(alignment.most) +
           " agree about equally well";
  }
  std::string text = shift == 0 ? std::string("0") : shift_text(shift);
  if (const auto seconds = seconds_of(shift, findings); shift != 0 && seconds)
    text += " (" + number_text(*seconds, kShort) + " s)";
  if (shift != 0) text += ": the distorted video is " + lateness(shift);
  if (alignment.is_uneven()) text += ", at the beginning";
  return text + "; confidence " + number_text(alignment.confidence, kShort);
}

bool have_other_moments(const PairFindings& findings) {
  return has_other_moments(headers_of({.distorted = findings.distorted, .reference = findings.reference}));
}

std::string crop_flag(const PairFindings& findings) {
  return findings.within_bars ? "--crop " + crop_text(*findings.within_bars) : "";
}

std::string advice(const PairFindings& findings) {
  if (have_other_moments(findings)) {
    return "one frame rate first, such as " +
           rate_remedy(
               headers_of({.distorted = findings.distorted, .reference = findings.reference}).reference);
  }
  if (!findings.alignment.is_certain()) return "";
  const int shift = findings.alignment.first_shift();
  const std::string crop = crop_flag(findings);
  if (shift == 0) return crop;
  return "--align " + std::to_string(shift) + ", or " + skip_flags(skips_for(shift, {})) +
         (crop.empty() ? "" : "; and " + crop);
}

// What to add to a run; empty for nothing.
std::string flags_of(const PairFindings& findings) {
  if (!findings.alignment.is_certain() || have_other_moments(findings)) return "";
  const std::string skips = skip_flags(skips_for(findings.alignment.first_shift(), {})),
                    crop = crop_flag(findings);
  return skips + (skips.empty() || crop.empty() ? "" : " ") + crop;
}

ordered_json json_of(const VideoInfo& info, int64_t frames, bool ended) {
  ordered_json video;
  video["path"] = info.path;
  video["width"] = info.format.width;
  video["height"] = info.format.height;
  video["frame_rate"] = info.frame_rate() ? ordered_json(*info.frame_rate()) : ordered_json();
  video["frames_read"] = frames;
  video["whole"] = ended;
  return video;
}

}  // namespace

PairVerdict verdict_of(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  if (alignment.is_uneven()) return PairVerdict::kUneven;
  if (alignment.is_shifted()) return PairVerdict::kShifted;
  if (alignment.is_foreign()) return PairVerdict::kDifferent;
  if (findings.bars) return PairVerdict::kBarsDiffer;
  return alignment.is_certain() ? PairVerdict::kAligned : PairVerdict::kUnknown;
}

std::string_view to_string(PairVerdict verdict) {
  constexpr std::string_view kNames[] = {"aligned",     "shifted",   "uneven",
                                         "bars differ", "different", "cannot tell"};
  return kNames[static_cast<size_t>(verdict)];
}

bool is_at_fault(PairVerdict verdict) {
  return verdict != PairVerdict::kAligned && verdict != PairVerdict::kUnknown;
}

std::string pair_text(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  std::string text;
  const auto line = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) text += pad_right(key, 11) + value + "\n";
  };
  line("verdict", std::string(to_string(verdict_of(findings))));
  line("reference", video_text(findings.reference, findings.reference_frames, findings.reference_ended));
  line("distorted", video_text(findings.distorted, findings.distorted_frames, findings.distorted_ended));
  line("shift", shift_line(findings));
  if (alignment.is_uneven()) line("frames", changes_text(alignment));
  if (findings.bars) line("bars", *findings.bars);
  if (rates_differ(findings))
    line("rates", "frame rates differ: frames with the same number are not of the same time");
  if (findings.reference_ended && findings.distorted_ended &&
      findings.reference_frames != findings.distorted_frames) {
    line("lengths",
         "the " +
             std::string(findings.reference_frames > findings.distorted_frames ? "reference"
                                                                               : "distorted video") +
             " is " + counted(std::abs(findings.reference_frames - findings.distorted_frames), "frame") +
             " longer");
  }
  line("try", advice(findings));
  return text;
}

std::string pair_json(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  ordered_json json;
  json["version"] = version();
  json["verdict"] = to_string(verdict_of(findings));
  json["shift"] = alignment.is_certain() ? ordered_json(alignment.first_shift()) : ordered_json();
  const auto seconds = seconds_of(alignment.first_shift(), findings);
  json["seconds"] = alignment.is_certain() && seconds ? ordered_json(*seconds) : ordered_json();
  json["confidence"] = alignment.confidence;
  json["least_shift"] = alignment.least;
  json["most_shift"] = alignment.most;
  json["likeness"] = alignment.likeness;
  json["frames_compared"] = alignment.frames;
  json["bars"] = findings.bars ? ordered_json(*findings.bars) : ordered_json();
  json["reference"] = json_of(findings.reference, findings.reference_frames, findings.reference_ended);
  json["distorted"] = json_of(findings.distorted, findings.distorted_frames, findings.distorted_ended);
  json["changes"] = ordered_json::array();
  if (alignment.is_uneven()) {
    for (const ShiftChange& change : changes_of(alignment)) {
      json["changes"].push_back(
          {{"frame", change.frame}, {"dropped", change.dropped}, {"repeated", change.repeated}});
    }
  }
  json["flags"] = flags_of(findings);
  return json_file_text(json);
}

}  // namespace vq::cli
