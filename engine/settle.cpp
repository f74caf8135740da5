#include "engine/settle.h"

#include <set>

#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/models/catalogue.h"

namespace vq {
namespace {

constexpr size_t kMostModels = 32;

bool has_same_options(const FeatureRequest& a, const FeatureRequest& b) {
  return std::ranges::all_of(a.info->options, [&](const OptionSpec& spec) {
    return a.options.text(spec.name) == b.options.text(spec.name);
  });
}

// The display that a scaled model assumes and others do not.
std::string display_of(const model::ModelSpec& spec) {
  const model::CatalogueEntry* const entry = spec.is_scaled ? model::find_entry(spec.version) : nullptr;
  return entry == nullptr ? "" : words(";scaled to {}", entry->lines);
}

// Collects the features of a run, each instance once.
class Merger {
 public:
  explicit Merger(Selection& selection) : selection_(selection) {}

  void add(model::RequestedModel requested) {
    ModelOfRun added{.model = std::move(requested)};
    for (size_t i = 0; i < added.model.features.size(); ++i) {
      std::string open = display_of(added.model.spec);
      for (const model::OpenOption& option : added.model.open_options) {
        if (option.feature == i) open += ";" + option.option;
      }
      added.places.push_back(place_of(added.model.features[i], open));
    }
    selection_.models.push_back(std::move(added));
  }

  void add(const FeatureRequest& request) { place_of(request, ""); }

 private:
  size_t place_of(const FeatureRequest& request, const std::string& open) {
    const std::string key = model::instance_of(request) + open;
    const auto known = std::ranges::find(keys_, key);
    if (known == keys_.end()) {
      keys_.push_back(key);
      selection_.features.push_back(request);
      return keys_.size() - 1;
    }
    const auto place = static_cast<size_t>(known - keys_.begin());
    if (!request.is_inner) selection_.features[place].is_inner = false;
    if (!has_same_options(selection_.features[place], request)) {
      selection_.remarks.push_back(
          {words("{} is asked for twice under the same names ({}); the options of the first are taken.",
                 request.info->name, key)});
    }
    return place;
  }

  Selection& selection_;
  std::vector<std::string> keys_;  // of the features
};

model::ModelSpec provisional(model::ModelSpec spec) {
  if (spec.is_automatic && model::find_entry(spec.version) == nullptr)
    spec.version = model::suited_model({}, {}).model;
  return spec;
}

bool concerns(const FeatureSetting& setting, const FeatureRequest& request) {
  return setting.feature == request.info->name;
}

void set(const FeatureSetting& setting, OptionSet& options) {
  try {
    setting.is_preset ? options.put(setting.option, setting.value)
                      : options.set(setting.option, setting.value, OptionForm::kOwn);
  } catch (const Error& error) {
    throw Error(error.kind(), "{}: {}", setting.asked_by, error.what());
  }
}

// Presets first, so that what is said one by one wins.
void apply(const std::vector<FeatureSetting>& settings, std::vector<FeatureRequest>& requests) {
  for (const bool presets : {true, false}) {
    for (const FeatureSetting& setting : settings) {
      for (FeatureRequest& request : requests) {
        if (setting.is_preset == presets && concerns(setting, request)) set(setting, request.options);
      }
    }
  }
}

// Settings by text that concern none of the requests.
std::vector<FeatureSetting> without_those_for(const std::vector<FeatureRequest>& requests,
                                              std::vector<FeatureSetting> settings) {
  std::set<std::string> taken;
  for (const FeatureSetting& setting : settings) {
    const auto is_for = [&](const FeatureRequest& request) { return concerns(setting, request); };
    if (std::ranges::any_of(requests, is_for)) taken.insert(setting.asked_by);
  }
  std::erase_if(settings, [&](const FeatureSetting& setting) { return taken.count(setting.asked_by) > 0; });
  return settings;
}

// As far as is known before the videos are.
bool scores_alike(const FeatureRequest& a, const FeatureRequest& b) {
  const bool is_open = std::ranges::any_of(b.info->options, [&](const OptionSpec& spec) {
    return b.options.text(spec.name) == "auto" && a.options.text(spec.name) != "auto";
  });
  return !is_open && model::instance_of(a) == model::instance_of(b);
}

// Changes features of models, and warns if one is no longer as its model has it.
void change_models(const std::vector<FeatureSetting>& settings, Selection& selection) {
  const std::vector<FeatureRequest> before = selection.features;
  apply(settings, selection.features);
  for (size_t i = 0; i < before.size(); ++i) {
    if (scores_alike(before[i], selection.features[i])) continue;
    std::string scores, said;
    for (const ModelOfRun& model : selection.models) {
      if (!contains(model.places, i)) continue;
      scores += (scores.empty() ? "" : ", ") + printable(model.model.spec.name);
    }
    std::set<std::string> told;
    for (const FeatureSetting& setting : settings) {
      if (concerns(setting, before[i]) && told.insert(setting.asked_by).second)
        said += " " + setting.asked_by;
    }
    selection.remarks.push_back({words("{} is scored with{}, which its model does not have.", scores, said),
                                 Advice::kSeparateFeature,
                                 {std::string(before[i].info->name), said}});
  }
}

AdvisedError name_fault(const std::string& text) { return {ErrorKind::kUsage, {text, Advice::kNameModel}}; }

// As attributes of XML, if a frame has its number beside the scores.
void check_xml_names(const std::vector<Metric>& metrics) {
  std::set<std::string> seen = {"frameNum"};
  for (const Metric& metric : metrics) {
    const std::string name = attribute_name(metric.name);
    if (seen.insert(name).second) continue;
    throw name_fault(words("as an attribute of XML \"{}\" would be \"{}\", which there is already.",
                           printable(metric.name), name));
  }
}

void check_names(const Selection& selection) {
  std::set<std::string> seen;
  for (const ModelOfRun& model : selection.models) {
    if (seen.insert(model.model.spec.name).second) continue;
    throw name_fault(words("two models would both report \"{}\".", printable(model.model.spec.name)));
  }
  std::set<std::string> all;
  const std::vector<Metric> metrics = report_metrics(selection.features, selection.models);
  const auto scaled = std::ranges::count_if(
      selection.models, [](const ModelOfRun& model) { return model.model.spec.is_scaled; });
  for (const Metric& metric : metrics) {
    if (all.insert(metric.name).second) continue;
    if (scaled > 0 && scaled < std::ssize(selection.models)) {
      throw usage_error(
          "\"{}\" would be measured at two sizes, for a model that is scaled and for one that is not. Score "
          "these in two runs.",
          printable(metric.name));
    }
    throw name_fault(words("a model and a feature would both report \"{}\".", printable(metric.name)));
  }
  check_xml_names(metrics);
}

// The request with models that suit the reference in place of those that were left open; a line for each.
std::vector<std::string> choose_models(Request& request, const VideoFormat& display,
                                       std::optional<double> rate) {
  std::vector<std::string> lines;
  const model::CatalogueEntry& suited = model::suited_model(display, rate);
  for (model::ModelSpec& spec : request.model_specs) {
    if (!spec.is_automatic) continue;
    spec.version = suited.model;
    std::string rate_text = "an unknown frame rate";
    if (rate) rate_text = significant_text(*rate, 5) + " frames/s";
    lines.push_back(words("{}={} ({}, {})", spec.name, spec.version, size_text(display), rate_text));
  }
  return lines;
}

// Folders and files were given to the features that stood there.
void copy_paths(const std::vector<FeatureRequest>& from, std::vector<FeatureRequest>& to) {
  for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    if (from[i].info != to[i].info) continue;
    for (const OptionSpec& option : to[i].info->options) {
      const bool is_given =
          option.kind == OptionKind::kPath && !from[i].options.get_text(option.name).empty();
      if (is_given) to[i].options.resolve(option.name, from[i].options.get_text(option.name));
    }
  }
}

// The conversion of a video with this format before anything looks at it; nothing if it stays as it is.
std::optional<Fitting> fitting_of(const Request& request, const VideoFormat& video,
                                  const std::optional<VideoFormat>& reference) {
  Fitting fitting{.least_bits = request.score_bits, .kernel = request.scale_kernel};
  if (request.scale && request.scale->size) {
    fitting.size = *request.scale->size;
  } else if (request.scale && reference) {
    fitting.size = reference->size();
  }
  return changes(fitting, video) ? std::optional(fitting) : std::nullopt;
}

// Brings a video to the size and bits that were asked for all features.
void fit(const std::optional<Fitting>& fitting, VideoFormat& format, std::vector<std::string>& notes) {
  if (!fitting) return;
  const VideoFormat fitted = fitted_format(format, *fitting);
  if (fitted.size() != format.size()) {
    notes.push_back(words("{} scaled to {} ({})", shown_path(format.name), size_text(fitted),
                          to_string(fitting->kernel)));
  }
  if (fitted.bit_depth != format.bit_depth) {
    notes.push_back(words("{} scored at {} bits", shown_path(format.name), fitted.bit_depth));
  }
  format = fitted;
}

bool is_rgb(const VideoFormat& format) { return format.matrix == Matrix::kRgb; }

// Features that bring samples to light by their tags know either range.
bool reads_tags(const FeatureRequest& request) { return request.info->reading != nullptr; }

// Whether it compares the videos by their samples, without bringing each to light.
bool compares_samples(const FeatureRequest& request) {
  return compares_videos(*request.info, request.options) && !reads_tags(request);
}

bool reads_chroma(const FeatureRequest& request) {
  return request.info->planes != nullptr && request.info->planes(request.options) > 1;
}

Fitting& own_fitting(FeatureRequest& request) {
  return request.fitting ? *request.fitting : request.fitting.emplace();
}

ChromaLocation location_of(const VideoFormat& format) {
  return format.chroma_location == ChromaLocation::kUnspecified ? ChromaLocation::kLeft
                                                                : format.chroma_location;
}

bool is_srgb_without_tag(const VideoFormat& format) {
  return format.assumes_srgb || (is_rgb(format) && format.transfer == Transfer::kUnspecified);
}

// A picture of a video has that video's transfer and primaries, if no tag of its own says otherwise.
void take_transfer(VideoFormat& picture, const VideoFormat& video) {
  picture.transfer = video.transfer == Transfer::kUnspecified ? Transfer::kBt1886 : video.transfer;
  picture.assumes_srgb = false;
  const bool is_wide = video.primaries == Primaries::kBt2020 ||
                       (video.primaries == Primaries::kUnspecified && video.matrix == Matrix::kBt2020);
  if (is_wide && picture.primaries == Primaries::kUnspecified) picture.primaries = Primaries::kBt2020;
}

// Tags that one video of a pair lacks are taken from the other.
void share_tags(Settled& settled) {
  const bool is_told = std::ranges::any_of(settled.features, reads_tags);
  const auto share = [&](VideoFormat& own, const VideoFormat& other) {
    const auto text = [&](std::string_view what) {
      return words("{} is taken for {}, as {} is", shown_path(own.name), what, shown_path(other.name));
    };
    if (own.matrix == Matrix::kUnspecified && luma_shares(other.matrix)) {
      own.matrix = other.matrix;
      if (is_told) settled.resolved.push_back(text(to_string(own.matrix)));
    }
    if (is_srgb_without_tag(own) && !is_srgb_without_tag(other) && !other.is_picture) {
      take_transfer(own, other);
      if (is_told) settled.fitted_for.push_back(text(to_string(own.transfer)));
    }
  };
  if (VideoFormats& formats = settled.formats; formats.reference) {
    share(formats.distorted, *formats.reference);
    share(*formats.reference, formats.distorted);
  }
}

void tell_assumed_srgb(Settled& settled) {
  const VideoFormats& formats = settled.formats;
  for (const VideoFormat* format : {&formats.distorted, formats.reference ? &*formats.reference : nullptr}) {
    if (format == nullptr || !format->assumes_srgb) continue;
    settled.resolved.push_back(shown_path(format->name) +
                               " is taken for sRGB, as pictures without a tag are");
  }
}

// The Y'CbCr in which RGB is compared with another video, or has by itself.
YcbcrForm ycbcr_beside(const VideoFormat* other) {
  if (other == nullptr) return {};
  YcbcrForm form{.location = location_of(*other)};
  if (other->chroma == Chroma::k422 || other->chroma == Chroma::k420) form.chroma = other->chroma;
  if (const Matrix matrix = matrix_of(*other); luma_shares(matrix)) form.matrix = matrix;
  return form;
}

// Features that know Y'CbCr alone see RGB as that.
void convert_rgb(Settled& settled) {
  const VideoFormats& formats = settled.formats;
  std::vector<const VideoFormat*> rgb;
  const VideoFormat* other = nullptr;
  for (const VideoFormat* format : {&formats.distorted, formats.reference ? &*formats.reference : nullptr}) {
    if (format == nullptr) continue;
    is_rgb(*format) ? rgb.push_back(format) : void(other = format);
  }
  const auto takes_rgb = [](const FeatureRequest& request) { return knows_rgb(*request.info); };
  if (rgb.empty() || std::ranges::all_of(settled.features, takes_rgb)) return;
  const YcbcrForm form = ycbcr_beside(other);
  for (FeatureRequest& request : settled.features) {
    if (!takes_rgb(request)) own_fitting(request).ycbcr = form;
  }
  for (const VideoFormat* format : rgb) {
    settled.fitted_for.push_back(words("{} converted from RGB to Y'CbCr ({}, {}, limited range)",
                                       shown_path(format->name), to_string(form.matrix),
                                       to_string(form.chroma)));
  }
}

// As features see it that know Y'CbCr alone.
bool is_full(const VideoFormat& format) { return format.range == Range::kFull && !is_rgb(format); }

// Features that compare the videos, and those of models, see both in limited range, for which the models were
// made.
void even_out_range(Settled& settled) {
  const VideoFormats& formats = settled.formats;
  if (!formats.reference || is_full(formats.distorted) == is_full(*formats.reference)) return;
  if (std::ranges::none_of(settled.features, compares_samples)) return;
  for (FeatureRequest& request : settled.features) {
    if (!compares_samples(request) && (reads_tags(request) || request.asked_by != AskedBy::kModel)) continue;
    own_fitting(request).limits_range = true;
  }
  const VideoFormat& full = is_full(formats.distorted) ? formats.distorted : *formats.reference;
  settled.fitted_for.push_back(shown_path(full.name) + " converted from full to limited range");
}

// The video whose chroma has the sampling in which both are compared; null if both have it, or there is none.
const VideoFormat* video_of_coarser_chroma(const VideoFormats& formats) {
  const VideoFormat &distorted = formats.distorted, &reference = *formats.reference;
  if (has_finer_chroma(distorted.chroma, reference.chroma)) return &reference;
  return has_finer_chroma(reference.chroma, distorted.chroma) ? &distorted : nullptr;
}

// Features that compare chroma see that of the coarser sampling. Others that see fitted luma may see it of
// the same frames.
void even_out_chroma(Settled& settled) {
  const VideoFormats& formats = settled.formats;
  if (!formats.reference || is_rgb(formats.distorted) || is_rgb(*formats.reference)) return;
  const VideoFormat* const coarser = video_of_coarser_chroma(formats);
  const auto compares_chroma = [](const FeatureRequest& request) {
    return compares_samples(request) && reads_chroma(request) && !request.info->spreads_chroma;
  };
  if (coarser == nullptr || std::ranges::none_of(settled.features, compares_chroma)) return;
  for (FeatureRequest& request : settled.features) {
    if (compares_chroma(request) || (request.fitting && !reads_chroma(request)))
      own_fitting(request).chroma = ChromaForm{.chroma = coarser->chroma, .location = location_of(*coarser)};
  }
  const VideoFormat& finer = coarser == &formats.distorted ? *formats.reference : formats.distorted;
  settled.fitted_for.push_back(words("chroma of {} converted from {} to {}, as in {}", shown_path(finer.name),
                                     to_string(finer.chroma), to_string(coarser->chroma),
                                     shown_path(coarser->name)));
}

// Features that compare samples see the distorted video in the reference's matrix.
void even_out_matrix(Settled& settled) {
  const VideoFormats& formats = settled.formats;
  if (!differs_in_matrix(formats) || std::ranges::none_of(settled.features, compares_samples)) return;
  for (FeatureRequest& request : settled.features) {
    if (compares_samples(request)) own_fitting(request).matrix = formats.reference->matrix;
  }
  settled.fitted_for.push_back(words("{} converted from the matrix of {} to that of {}, as in {}",
                                     shown_path(formats.distorted.name), to_string(formats.distorted.matrix),
                                     to_string(formats.reference->matrix),
                                     shown_path(formats.reference->name)));
}

// Models that are scaled see their display.
void scale_for(const ModelOfRun& model, const VideoFormat& encoded, ScaleKernel kernel, Settled& settled) {
  const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
  if (!model.model.spec.is_scaled || entry == nullptr) return;
  const VideoFormat& distorted = settled.formats.distorted;
  std::optional<Fitting> fitting =
      model::fitting_for(*entry, settled.formats.reference.value_or(distorted), distorted);
  if (!fitting) return;
  fitting->kernel = kernel;
  for (const size_t place : model.places) {
    settled.features[place].fitting = fitting;
    model::fill_encoding(settled.features[place], encoded);
  }
  const VideoFormat fitted = fitted_format(distorted, *fitting);
  settled.fitted_for.push_back(words("{} scored at {}, {} bits ({})", model.model.spec.name,
                                     size_text(fitted), fitted.bit_depth, to_string(fitting->kernel)));
}

// Options that models leave open, from the video as it was encoded. What was set stays.
void fill_open_options(const VideoFormat& encoded, Settled& settled) {
  for (const ModelOfRun& model : settled.models) {
    for (const model::OpenOption& open : model.model.open_options) {
      FeatureRequest& request = settled.features[model.places[open.feature]];
      if (!request.options.is_set(open.option)) model::fill(request, open.option, encoded);
    }
  }
}

// Features that resolve alike, as one on its own and one within a model, say the same once.
void resolve_options(Settled& settled) {
  std::set<std::string> told;
  for (FeatureRequest& request : settled.features) {
    const Resolution resolution = resolve(request, settled.formats);
    for (const std::string& line : resolution.notes) {
      if (told.insert(line).second) settled.resolved.push_back(line);
    }
    for (const ResolutionWarning& warning : resolution.warnings)
      settled.contradictions.emplace_back(request.info, warning);
  }
  for (const FeatureRequest& request : settled.features) {
    if (request.info->advice == nullptr) continue;
    for (std::string& line : request.info->advice(request.options, formats_of(request, settled.formats)))
      settled.warnings.push_back(std::move(line));
  }
}

}  // namespace

bool differs_in_matrix(const VideoFormats& formats) {
  if (!formats.reference) return false;
  const VideoFormat &distorted = formats.distorted, &reference = *formats.reference;
  return distorted.matrix != reference.matrix && luma_shares(distorted.matrix) &&
         luma_shares(reference.matrix) && plane_count(distorted.chroma) > 1;
}

Selection select(const Request& request) {
  if (request.model_specs.size() > kMostModels) throw usage_error("more than {} models.", kMostModels);
  Selection selection;
  std::vector<FeatureRequest> asked = request.asked_features;
  apply(request.settings, asked);
  Merger merger(selection);
  for (const model::ModelSpec& spec : request.model_specs)
    merger.add(model::request_model(provisional(spec)));
  change_models(without_those_for(asked, request.settings), selection);
  for (const FeatureRequest& one : asked) merger.add(one);
  if (selection.models.empty()) return selection;
  check_names(selection);
  if (!request.no_prediction) return selection;
  for (ModelOfRun& model : selection.models) model.has_scores = false;
  for (FeatureRequest& feature : selection.features)
    feature.is_inner = false;  // they are what is wanted of the models
  return selection;
}

Settled settle(const Request& request, const Selection& selection, const KnownVideos& videos) {
  Settled settled;
  static_cast<Selection&>(settled) = selection;
  settled.formats = videos.formats;
  const std::optional<VideoFormat>& reference = videos.formats.reference;
  const VideoFormat encoded = videos.encoded.value_or(videos.formats.distorted);
  if (reference) {
    Request chosen = request;
    VideoFormat display = videos.display.value_or(*reference);
    if (request.scale && request.scale->size) {
      display.width = request.scale->size->width;
      display.height = request.scale->size->height;
    }
    settled.chosen = choose_models(chosen, display, videos.reference_rate);
    if (!settled.chosen.empty()) {
      Selection again = select(chosen);
      copy_paths(selection.features, again.features);
      static_cast<Selection&>(settled) = std::move(again);
    }
    settled.reference_fitting = fitting_of(request, *reference, reference);
  }
  settled.distorted_fitting = fitting_of(request, videos.formats.distorted, reference);
  fit(settled.distorted_fitting, settled.formats.distorted, settled.fitted);
  if (reference) fit(settled.reference_fitting, *settled.formats.reference, settled.fitted);
  fill_open_options(encoded, settled);
  for (const ModelOfRun& model : settled.models) scale_for(model, encoded, request.scale_kernel, settled);
  if (!request.as_stored) share_tags(settled);
  tell_assumed_srgb(settled);
  convert_rgb(settled);
  if (!request.as_stored) {
    even_out_range(settled);
    even_out_matrix(settled);
    even_out_chroma(settled);
  }
  resolve_options(settled);
  return settled;
}

bool any_compares(const std::vector<FeatureRequest>& features) {
  return std::ranges::any_of(features, [](const FeatureRequest& request) {
    return compares_videos(*request.info, request.options);
  });
}

}  // namespace vq
