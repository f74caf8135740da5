#include "cli/run/scoring_remarks.h"

#include <algorithm>

#include "cli/models/catalogue.h"
#include "cli/text/message_text.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

// What a feature does not know: who asked for it, and which flag helps.
std::string advice_on(const Error& error, const std::string& feature, const InputFormats& formats, const std::string& model) {
  std::string text;
  if (!model.empty()) text += " (" + model + " needs " + feature + ")";
  const bool differ = formats.reference && (formats.reference->width != formats.distorted.width ||
                                            formats.reference->height != formats.distorted.height);
  if (error.kind() == ErrorKind::kMismatch && differ) text += ". Try: --scale-to reference";
  return text;
}

bool compares(const FeatureRequest& request) {
  // Features with a flag for it score each video by itself, and warn of what that makes of two.
  return request.info->needs_reference(request.options) && request.info->reference_flag.empty();
}

std::string range_text(const VideoFormat& format) {
  const bool is_full = format.range == Range::kFull;
  return shown_path(format.name) + " is " + (is_full ? "full" : "limited") + " range" +
         (format.range == Range::kUnspecified ? " (assumed)" : "");
}

bool is_hdr(const VideoFormat& format) {
  return format.transfer == Transfer::kPq || format.transfer == Transfer::kHlg;
}

}  // namespace

std::string size_text(const VideoFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height);
}

void check_features(const std::vector<FeatureRequest>& features, const InputFormats& formats, const std::vector<ModelOfRun>& models) {
  for (size_t i = 0; i < features.size(); ++i) {
    const FeatureInfo& info = *features[i].info;
    try {
      info.check(features[i].options, formats);
    } catch (const Error& error) {
      std::string text = error.what();
      if (text.ends_with('.')) text.pop_back();
      throw Error(error.kind(), text + advice_on(error, std::string(info.name), formats, model_that_asks(models, i)) + ".");
    }
  }
}

void tell_of_film_grain(const VideoInfo& info, const RunOptions& arguments, Messages& messages) {
  const bool chosen = arguments.film_grain != FilmGrainWish::kDefault;
  if (info.film_grain == FilmGrain::kApplied && !chosen) {
    messages.warn(info.path + " has film grain that its decoder adds, and scores are of what it does not hide. "
                              "--film-grain off scores what is below it, both compares, on is this without the warning.");
  } else if (info.film_grain == FilmGrain::kNotApplied && arguments.film_grain != FilmGrainWish::kOff) {
    messages.warn(info.path + " has film grain that this libavcodec cannot add to " + info.pixel_format +
                  "; it is scored without.");
  } else if (info.film_grain == FilmGrain::kNone && chosen && !arguments.quiet) {
    messages.note(info.path + " describes no film grain, so --film-grain changes nothing of it.");
  }
}

std::string reference_note(const std::vector<FeatureRequest>& features, const InputFormats& formats) {
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  if (!frame_use(features).reference) {
    const FeatureRequest& first = features.front();
    // Who writes features out has said everything already.
    if (first.asked_by != AskedBy::kProgram || first.info->reference_flag.empty()) return {};
    return reference.name + " is not scored; add " + std::string(first.info->reference_flag) +
           " to score it as well, or --model auto for VMAF.";
  }
  if (video.width == reference.width && video.height == reference.height) return {};
  return reference.name + " is " + size_text(reference) + " and " + video.name + " is " + size_text(video) +
         "; each is scored at its own size.";
}

std::vector<std::string> pair_warnings(const std::vector<FeatureRequest>& features, const InputFormats& formats) {
  if (!formats.reference || std::none_of(features.begin(), features.end(), compares)) return {};
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  std::vector<std::string> warnings;
  if ((video.range == Range::kFull) != (reference.range == Range::kFull)) {
    warnings.push_back(range_text(video) + " and " + range_text(reference) +
                       ": equal pictures have different samples there, so scores that compare them are wrong. "
                       "Convert one first, for example with ffmpeg -i IN -vf scale=out_range=limited -c:v ffv1 OUT.mkv");
  }
  const bool is_known = video.transfer != Transfer::kUnspecified && reference.transfer != Transfer::kUnspecified;
  if (is_known && video.transfer != reference.transfer && (is_hdr(video) || is_hdr(reference))) {
    warnings.push_back(shown_path(video.name) + " is tagged " + std::string(to_string(video.transfer)) + " and " +
                       shown_path(reference.name) + " " + std::string(to_string(reference.transfer)) +
                       ": equal samples are different light there, so scores that compare them mean little.");
  }
  return warnings;
}

std::vector<std::string> expectation_notes(const std::vector<ModelOfRun>& models, const VideoFormat& distorted) {
  std::vector<std::string> notes;
  bool any_known = false;
  for (const ModelOfRun& model : models) {
    const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
    if (entry == nullptr) continue;
    any_known = true;
    if (std::string text = model::expectation(*entry, distorted); !text.empty()) notes.push_back(std::move(text));
  }
  if (std::string text = model::range_expectation(distorted); any_known && !text.empty()) notes.push_back(std::move(text));
  return notes;
}

std::string left_to_host_note(const std::vector<FeatureRequest>& features, Backend backend) {
  std::string names;
  for (const std::string& name : left_to_host(features, backend)) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "" : "on the CPU: " + names;
}

Error nothing_to_score(const RunOptions& arguments) {
  const std::string& video = arguments.distorted;
  if (!arguments.start && !arguments.end) {
    return Error(ErrorKind::kInput, video + ": the video has no frames.");
  }
  std::string text = video + ": no frame lies between --start and --end";
  // Seconds that lack their "s" are taken for a frame.
  const bool mixed = arguments.start && arguments.end && arguments.start->index() != arguments.end->index();
  if (mixed) text += " (one is a time, the other a frame number; seconds end in s, such as 11s)";
  return Error(ErrorKind::kInput, text + ".");
}

}  // namespace vq::cli
