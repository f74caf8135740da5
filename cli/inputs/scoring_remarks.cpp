#include "cli/inputs/scoring_remarks.h"

#include <algorithm>

#include "cli/inputs/feature_flags.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/catalogue.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

// What a feature does not know: what helps.
std::string advice_on(const Error& error, const VideoFormats& formats,
                      const std::optional<OpenedPair>& pair) {
  if (error.kind() != ErrorKind::kMismatch || !formats.reference || !pair) return ".";
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  const bool differ = video.width != reference.width || video.height != reference.height;
  if (differ) return ". Try: " + size_remedy(*pair) + ".";
  return "." + chroma_remedy(video, reference);
}

bool lacks_chroma(const VideoFormats& formats) {
  return plane_count(formats.distorted.chroma) == 1 ||
         (formats.reference && plane_count(formats.reference->chroma) == 1);
}

}  // namespace

void check_features(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                    const std::vector<ModelOfRun>& models, const std::optional<OpenedPair>& pair) {
  for (size_t i = 0; i < features.size(); ++i) {
    const FeatureInfo& info = *features[i].info;
    try {
      check_request(features[i], formats);
    } catch (const Error& error) {
      std::string text = refusal_text(models, i, info, error.what());
      if (text.ends_with('.')) text.pop_back();
      if (!model_that_asks(models, i).empty() && lacks_chroma(formats))
        throw Error(error.kind(), words("{}. Try: --model {}", text, model::kAnyPictures));
      throw Error(error.kind(), text + advice_on(error, formats, pair));
    }
  }
}

void tell_of_film_grain(const VideoInfo& info, const RunOptions& arguments, Messages& messages) {
  const bool chosen = arguments.film_grain != FilmGrainRequest::kDefault;
  if (info.film_grain == FilmGrain::kApplied && !chosen) {
    messages.warn(info.path +
                  " has film grain, which the decoder adds and which may hide flaws. --film-grain off scores "
                  "the video without grain, both compares, on disables this warning.");
  } else if (info.film_grain == FilmGrain::kNotApplied && arguments.film_grain != FilmGrainRequest::kOff) {
    messages.warn(words("{} has film grain that this libavcodec cannot add to {}; it is scored without.",
                        info.path, info.pixel_format));
  } else if (info.film_grain == FilmGrain::kNone && chosen && !arguments.quiet) {
    messages.note(info.path + " describes no film grain, so --film-grain changes nothing of it.");
  }
}

std::string reference_note(const std::vector<FeatureRequest>& features, const VideoFormats& formats) {
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  if (!frame_needs(features).reference) {
    const FeatureRequest& first = features.front();
    // Who writes features out has said everything already.
    const OptionSpec* const option = find_role(first.info->options, OptionRole::kReference);
    const FeatureFlag* const flag = option != nullptr ? flag_for(*first.info, option->name) : nullptr;
    if (first.asked_by != AskedBy::kProgram || flag == nullptr) return {};
    const std::vector<Metric> metrics = metrics_of(first);
    const MetricInfo& metric = metric_info(metrics.front());
    return words("Only the {} of {} is measured. For VMAF add --model auto; for {} as well, {}.",
                 metric.subject, video.name, reference.name, flag->name);
  }
  const bool differ = std::any_of(features.begin(), features.end(), [&](const FeatureRequest& request) {
    const VideoFormats seen = formats_of(request, formats);
    return request.info->needs_reference(request.options) &&
           (seen.distorted.width != seen.reference->width || seen.distorted.height != seen.reference->height);
  });
  if (!differ) return {};
  return words("{} is {} and {} is {}; each is scored at its own size.", reference.name, size_text(reference),
               video.name, size_text(video));
}

std::vector<std::string> expectation_notes(const std::vector<ModelOfRun>& models,
                                           const std::vector<FeatureRequest>& features,
                                           const VideoFormats& formats, std::optional<double> frame_rate) {
  std::vector<std::string> notes;
  for (const ModelOfRun& model : models) {
    const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
    if (entry == nullptr) continue;
    for (std::string& line :
         model::expectations(*entry, formats_of(model, features, formats).distorted, frame_rate)) {
      if (std::find(notes.begin(), notes.end(), line) == notes.end()) notes.push_back(std::move(line));
    }
  }
  return notes;
}

std::string left_to_host_note(const std::vector<FeatureRequest>& features, const Execution& execution) {
  const std::vector<std::string> names = left_to_host(features, execution);
  return names.empty() ? "" : "on the CPU: " + join(names, ", ");
}

Error nothing_to_score(const RunOptions& arguments) {
  const std::string& video = arguments.distorted;
  if (!arguments.start && !arguments.end) {
    const int64_t skipped =
        std::max(arguments.skip_distorted, arguments.reference ? arguments.skip_reference : 0);
    return Error(ErrorKind::kInput,
                 skipped > 0
                     ? words("{}: no frame is left behind those that are skipped ({}).", video, skipped)
                     : video + ": the video has no frames.");
  }
  std::string text = video + ": no frame lies between --start and --end";
  // Seconds that lack their "s" are taken for a frame.
  const bool mixed = arguments.start && arguments.end && arguments.start->index() != arguments.end->index();
  if (mixed) text += " (one is a time, the other a frame number; seconds end in s, such as 11s)";
  return Error(ErrorKind::kInput, text + ".");
}

}  // namespace vq::cli
