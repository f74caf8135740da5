#include "cli/run/fitting.h"

#include <algorithm>
#include <utility>

#include "cli/run/pair_remarks.h"
#include "cli/run/scoring_remarks.h"
#include "core/text/message_text.h"
#include "engine/models/catalogue.h"

namespace vq::cli {
namespace {

std::vector<std::string> notes_on(const VideoFormat& format, const Fitting& fitting) {
  std::vector<std::string> notes;
  const VideoFormat fitted = fitted_format(format, fitting);
  if (fitted.width != format.width || fitted.height != format.height) {
    notes.push_back(shown_path(format.name) + " scaled to " + size_text(fitted) + " (" +
                    std::string(to_string(fitting.kernel)) + ")");
  }
  if (fitted.bit_depth != format.bit_depth) {
    notes.push_back(shown_path(format.name) + " scored at " + std::to_string(fitted.bit_depth) + " bits");
  }
  return notes;
}

bool is_full(const VideoFormat& format) {
  return format.range == Range::kFull;
}

// Features that compare the videos, and those of models, see both in limited range, for which the models were
// made.
std::vector<std::string> even_out_range(const InputFormats& formats, std::vector<FeatureRequest>& features) {
  if (!formats.reference || is_full(formats.distorted) == is_full(*formats.reference) ||
      !any_compares(features))
    return {};
  for (FeatureRequest& request : features) {
    if (!compares_videos(*request.info, request.options) && request.asked_by != AskedBy::kModel) continue;
    if (!request.fitting) request.fitting.emplace();
    request.fitting->limits_range = true;
  }
  const VideoFormat& full = is_full(formats.distorted) ? formats.distorted : *formats.reference;
  return {shown_path(full.name) + " converted from full to limited range"};
}

std::vector<std::string> scale_for(const ModelOfRun& model, const InputFormats& formats,
                                   const VideoFormat& encoded, ScaleKernel kernel,
                                   std::vector<FeatureRequest>& features) {
  const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
  if (!model.model.spec.is_scaled || entry == nullptr) return {};
  const VideoFormat& distorted = formats.distorted;
  std::optional<Fitting> fitting =
      model::fitting_for(*entry, formats.reference.value_or(distorted), distorted);
  if (!fitting) return {};
  fitting->kernel = kernel;
  for (const size_t place : model.places) {
    features[place].fitting = fitting;
    model::fill_encoding(features[place], encoded);
  }
  const VideoFormat fitted = fitted_format(distorted, *fitting);
  return {model.model.spec.name + " scored at " + size_text(fitted) + ", " +
          std::to_string(fitted.bit_depth) + " bits (" + std::string(to_string(fitting->kernel)) + ")"};
}

}  // namespace

std::optional<Fitting> fitting_of(const RunOptions& arguments, const VideoFormat& video,
                                  const std::optional<VideoFormat>& reference) {
  Fitting fitting{.least_bits = arguments.score_bits, .kernel = arguments.scale_kernel};
  if (arguments.scale && arguments.scale->size) {
    fitting.size = *arguments.scale->size;
  } else if (arguments.scale && reference) {
    fitting.size = {reference->width, reference->height};
  }
  return changes(fitting, video) ? std::optional(fitting) : std::nullopt;
}

std::vector<std::string> settle_fittings(const RunOptions& arguments, const InputFormats& formats,
                                         const VideoFormat& encoded, std::vector<FeatureRequest>& features) {
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<std::string>& lines) {
    notes.insert(notes.end(), lines.begin(), lines.end());
  };
  for (const ModelOfRun& model : arguments.models)
    add(scale_for(model, formats, encoded, arguments.scale_kernel, features));
  if (!arguments.as_stored) add(even_out_range(formats, features));
  return notes;
}

std::vector<std::string> fit_videos(const RunOptions& arguments, InputFormats& formats, int planes, OpenVideos& videos) {
  std::vector<std::string> notes;
  const std::optional<VideoFormat> reference = formats.reference;
  const auto fit = [&](std::unique_ptr<FrameReader>& video, VideoFormat& format) {
    const std::optional<Fitting> fitting = fitting_of(arguments, format, reference);
    if (!fitting) return;
    for (std::string& note : notes_on(format, *fitting)) notes.push_back(std::move(note));
    video = fitted(std::move(video), *fitting, planes);
    format = fitted_format(std::move(format), *fitting);
  };
  fit(videos.distorted, formats.distorted);
  if (videos.reference) fit(videos.reference, *formats.reference);
  return notes;
}

}  // namespace vq::cli
