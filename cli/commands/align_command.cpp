#include <cstdlib>

#include "cli/commands/arguments.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/ending.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/version.h"
#include "engine/report/json_values.h"

namespace vq::cli {
namespace {

// The findings of `cambi align` about a pair.

using nlohmann::ordered_json;

std::optional<double> seconds_of(int64_t frames, const PairFindings& findings) {
  const std::optional<double> rate = findings.distorted.info.frame_rate();
  return rate ? std::optional(static_cast<double>(frames) / *rate) : std::nullopt;
}

std::string video_text(const SearchedVideo& video) {
  const VideoInfo& info = video.info;
  std::string text = words("{}  {} {} {}-bit", shown_path(info.path), info.codec,
                           size_text(info.format.size()), info.format.bit_depth);
  if (info.frame_rate()) text += words(" {} fps", significant_text(*info.frame_rate(), 6));
  return words("{}  {} {}", text, video.ended ? "all" : "first", counted(video.frames, "frame"));
}

std::string shift_line(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  const int shift = alignment.first_shift();
  if (!alignment.is_certain()) {
    if (alignment.is_foreign()) return "the pictures are not alike";
    if (alignment.frames < kLeastAlignedFrames) return "too few frames that show anything";
    return words("undecidable; shifts from {} to {} agree about equally well", shift_text(alignment.least),
                 shift_text(alignment.most));
  }
  std::string text = shift == 0 ? std::string("0") : shift_text(shift);
  if (const auto seconds = seconds_of(shift, findings); shift != 0 && seconds)
    text += words(" ({} s)", significant_text(*seconds, 3));
  if (shift != 0) text += words(": the distorted video is {}", lateness(shift));
  if (alignment.is_uneven()) text += ", at the beginning";
  return words("{}; confidence {}", text, significant_text(alignment.confidence, 3));
}

PairHeaders pair_of(const PairFindings& findings) {
  return headers_of(findings.distorted.info, findings.reference.info);
}

// Empty if the rates are one.
std::string rates_line(const PairFindings& findings) {
  const auto a = findings.reference.info.frame_rate(), b = findings.distorted.info.frame_rate();
  if (!a || !b || std::abs(*a - *b) <= 1e-3 * *a) return {};
  return has_other_moments(pair_of(findings))
             ? "frame rates differ: frames with the same number are not of the same time"
             : "frame rates differ; frames pair by number all the same";
}

std::string crop_flag(const PairFindings& findings) {
  return findings.within_bars ? "--crop " + crop_text(*findings.within_bars) : "";
}

std::string advice(const PairFindings& findings) {
  const PairHeaders pair = pair_of(findings);
  if (has_other_moments(pair)) return "one frame rate first, such as " + rate_remedy(pair.reference);
  if (!findings.alignment.is_certain()) return "";
  const int shift = findings.alignment.first_shift();
  const std::string crop = crop_flag(findings);
  if (shift == 0) return crop;
  return words("--align {}, or {}{}", shift, skip_flags(skips_for(shift, {})),
               crop.empty() ? "" : "; and " + crop);
}

// Flags to add to a run; may be empty.
std::string flags_of(const PairFindings& findings) {
  if (!findings.alignment.is_certain() || has_other_moments(pair_of(findings))) return "";
  const std::string skips = skip_flags(skips_for(findings.alignment.first_shift(), {})),
                    crop = crop_flag(findings);
  return skips + (skips.empty() || crop.empty() ? "" : " ") + crop;
}

ordered_json json_of(const SearchedVideo& video) {
  return {{"path", video.info.path},
          {"width", video.info.format.width},
          {"height", video.info.format.height},
          {"frame_rate", nullable(video.info.frame_rate())},
          {"frames_read", video.frames},
          {"whole", video.ended}};
}

struct Verdict {
  std::string word;
  bool is_fault = true;  // frames are compared with others than their own, or with less of them
};

Verdict verdict_of(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  if (alignment.is_uneven()) return {"uneven"};
  if (alignment.is_shifted()) return {"shifted"};
  if (alignment.is_foreign()) return {"different"};
  if (findings.bars) return {"bars differ"};
  return {alignment.is_certain() ? "aligned" : "cannot tell", false};
}

// A few lines for people, the first with the verdict.
std::string pair_text(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  std::string text;
  const auto line = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) text += pad_right(key, 11) + value + "\n";
  };
  const SearchedVideo &reference = findings.reference, &distorted = findings.distorted;
  line("verdict", verdict_of(findings).word);
  line("reference", video_text(reference));
  line("distorted", video_text(distorted));
  line("shift", shift_line(findings));
  if (alignment.is_uneven()) line("frames", changes_text(alignment));
  if (findings.bars) line("bars", *findings.bars);
  line("rates", rates_line(findings));
  if (reference.ended && distorted.ended && reference.frames != distorted.frames) {
    line("lengths",
         words("the {} is {} longer", reference.frames > distorted.frames ? "reference" : "distorted video",
               counted(std::abs(reference.frames - distorted.frames), "frame")));
  }
  line("try", advice(findings));
  return text;
}

// One object; docs/alignment.md has its members.
std::string pair_json(const PairFindings& findings) {
  const Alignment& alignment = findings.alignment;
  ordered_json found;
  found["version"] = version();
  found["verdict"] = verdict_of(findings).word;
  found["shift"] = alignment.is_certain() ? ordered_json(alignment.first_shift()) : ordered_json();
  const auto seconds = seconds_of(alignment.first_shift(), findings);
  found["seconds"] = alignment.is_certain() && seconds ? ordered_json(*seconds) : ordered_json();
  found["confidence"] = alignment.confidence;
  found["least_shift"] = alignment.least;
  found["most_shift"] = alignment.most;
  found["likeness"] = alignment.likeness;
  found["frames_compared"] = alignment.frames;
  found["bars"] = nullable(findings.bars);
  found["reference"] = json_of(findings.reference);
  found["distorted"] = json_of(findings.distorted);
  found["changes"] = ordered_json::array();
  if (alignment.is_uneven()) {
    for (const ShiftChange& change : changes_of(alignment)) {
      found["changes"].push_back(
          {{"frame", change.frame}, {"dropped", change.dropped}, {"repeated", change.repeated}});
    }
  }
  found["flags"] = flags_of(findings);
  return json_file_text(found);
}

constexpr int64_t kDefaultFrames = 1500;

SourceOptions source_of(const std::string& path, const std::optional<PlanarLayout>& raw, int stream) {
  if (!raw) check_is_video(path);
  check_read_twice(path, "align reads videos");
  SourceOptions options;
  options.path = path;
  options.raw = raw;
  options.stream = stream;
  options.stop = interrupt_token();
  return options;
}

PairSearch search_of(const ParsedArguments& typed) {
  PairSearch search;
  search.window = static_cast<int>(typed.number("--window", {1, kMaxShiftWindow}, search.window));
  search.frames = typed.number("--frames", {0, kMaxFrameNumber}, kDefaultFrames);
  RunOptions options = given_options(typed);
  finish_raw(options);
  search.reference =
      source_of(typed.arguments[0], options.raw, options.reference_stream.value_or(options.stream));
  search.distorted = source_of(typed.arguments[1], options.raw, options.stream);
  return search;
}

std::vector<std::string> output_paths(const ParsedArguments& typed) {
  if (const std::string path = typed_path(typed, "--output"); !path.empty()) return {path};
  return typed.has("--json") ? std::vector<std::string>{"-"} : std::vector<std::string>();
}

}  // namespace

int run_align(const ParsedArguments& typed, Messages& messages) {
  const PairSearch search = search_of(typed);
  const std::vector<std::string> paths = output_paths(typed);
  check_outputs(paths, typed.arguments);
  confine(typed, paths, messages);
  const PairFindings findings = search_pair(search);
  std::vector<OutputText> outputs;
  for (const std::string& path : paths) outputs.push_back({path, pair_json(findings)});
  const bool is_quiet = typed.has("--quiet");
  Ending ending(messages, {.quiet = is_quiet, .outputs = paths});
  ending.write(std::move(outputs));
  // The result is printed even under --quiet if it is not written to a file.
  ending.show(is_quiet && !paths.empty() ? "" : pair_text(findings), Ending::Text::kResult);
  return verdict_of(findings).is_fault ? exit_code(ErrorKind::kThreshold) : 0;
}

}  // namespace vq::cli
