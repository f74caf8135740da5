#include "cli/commands/collected_flags.h"

#include <algorithm>
#include <iterator>

#include "cli/commands/feature_spec.h"
#include "cli/commands/flags.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/inputs/feature_flags.h"
#include "cli/pages/page_assets.h"
#include "cli/pictures/picture_tap.h"
#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/text.h"
#include "feature/feature.h"

namespace vq::cli {
namespace {

constexpr size_t kMostSceneBytes = size_t{64} << 20;  // some hundred hours of scenes of a second

void collect_inputs(CollectedFlags& flags, Videos videos) {
  RunOptions& a = flags.arguments;
  const std::vector<std::string>& typed = flags.positionals;
  if (typed.size() > 1 && videos != Videos::kSeveral) {
    throw Error(
        ErrorKind::kUsage,
        words(
            "two videos, but not which is the reference. Use -r {} -d {}, or the other way round; to rank "
            "both: cambi compare {} {}{}",
            shell_word(typed[0]), shell_word(typed[1]), shell_word(typed[0]), shell_word(typed[1]),
            typed.size() > 2 ? ". A sequence of pictures is one word in quotes, such as 'shots/*.png'" : ""));
  }
  if (!typed.empty() && !a.distorted.empty() && flags.format && named_format(typed[0]) == flags.format) {
    throw Error(
        ErrorKind::kUsage,
        words("a format takes no file. Use -o {}, whose extension says the format.", shell_word(typed[0])));
  }
  if (!typed.empty() && !a.distorted.empty()) {
    throw Error(ErrorKind::kUsage, words("\"{}\" and -d \"{}\" both name the video to score.",
                                         printable(typed[0]), printable(a.distorted)));
  }
  if (!typed.empty()) a.distorted = typed[0];
  if (a.distorted.empty() && videos == Videos::kOneOrNone && a.reference) {
    throw Error(ErrorKind::kUsage,
                "--reference was given without a distorted video. Use -r REFERENCE -d DISTORTED");
  }
  if (a.distorted.empty() && videos != Videos::kOneOrNone) {
    throw Error(ErrorKind::kUsage, "no video to score. Try: cambi VIDEO, or cambi -r REFERENCE -d DISTORTED");
  }
  if (a.reference && a.reference->empty()) throw Error(ErrorKind::kUsage, "--reference: the path is empty.");
  a.raw = raw_format(flags);
}

Error no_heatmaps(const RunOptions& arguments) {
  std::vector<std::string> asked, others;
  for (const ModelOfRun& model : arguments.models) asked.push_back(model::source_of(model.model.spec));
  for (const FeatureRequest& request : arguments.asked_features) asked.emplace_back(request.info->name);
  for (const FeatureInfo* info : features()) {
    if (info->heatmaps != nullptr) others.emplace_back(info->name);
  }
  return Error(ErrorKind::kUsage, words("{} {} no heat map. Try: --feature {}", join(asked, " and "),
                                        asked.size() > 1 ? "have" : "has", join(others, ", ")));
}

// Takes them from the first feature that has them; one that was requested comes before those of models.
void collect_heatmaps(CollectedFlags& flags) {
  RunOptions& a = flags.arguments;
  const auto has_heatmaps = [](const FeatureRequest& request) { return request.info->heatmaps != nullptr; };
  const auto is_asked = [&](const FeatureRequest& request) {
    return has_heatmaps(request) && !request.is_inner;
  };
  if (flags.heatmaps) {
    auto first = std::find_if(a.features.begin(), a.features.end(), is_asked);
    if (first == a.features.end()) first = std::find_if(a.features.begin(), a.features.end(), has_heatmaps);
    if (first == a.features.end()) throw no_heatmaps(a);
    first->options.set(first->info->heatmap_option, *flags.heatmaps, OptionForm::kOwn);
  }
  const auto is_placed = [](const FeatureRequest& request) { return !heatmap_folder(request).empty(); };
  if (!flags.heatmap_flags.empty() && std::none_of(a.features.begin(), a.features.end(), is_placed)) {
    throw Error(ErrorKind::kUsage,
                words("{} needs a folder. Add --heatmaps DIR", flags.heatmap_flags.front()));
  }
  const bool says_format = std::find(flags.heatmap_flags.begin(), flags.heatmap_flags.end(),
                                     "--heatmap-format") != flags.heatmap_flags.end();
  // Pictures to look at are the default, as raw maps fill a disk.
  if (flags.heatmaps && !says_format) {
    a.heatmaps.raw = false;
    a.heatmaps.png = true;
  }
  check_heatmap_requests(a.heatmaps);
}

// The part of the run that needs a reference; empty if none does.
std::string needs_reference(const RunOptions& a) {
  for (const model::ModelSpec& spec : a.model_specs) {
    if (spec.is_automatic) return "--model auto";
  }
  for (size_t i = 0; i < a.features.size(); ++i) {
    const FeatureRequest& request = a.features[i];
    if (!request.info->needs_reference(request.options)) continue;
    const std::string model = model_that_asks(a.models, i);
    return model.empty() ? std::string(request.info->name) : model;
  }
  return {};
}

// A pair is scored by VMAF as well, unless a flag of a feature asks for that one.
void ask_for_defaults(CollectedFlags& flags) {
  RunOptions& a = flags.arguments;
  a.asked_features.push_back({&default_feature(), OptionSet(default_feature().options)});
  a.asked_features.front().options.set_own_defaults();
  if (a.reference && flags.of_features.empty() && !a.no_prediction)
    a.model_specs.push_back(model::parse_model_spec("auto"));
}

void collect_features(CollectedFlags& flags, Videos videos) {
  RunOptions& a = flags.arguments;
  for (const std::string& text : flags.features) {
    for (FeatureRequest& request : parse_features(text)) a.asked_features.push_back(std::move(request));
  }
  if (a.asked_features.empty() && a.model_specs.empty()) ask_for_defaults(flags);
  a.settings = settings_of(flags.of_features);
  static_cast<Selection&>(a) = select(a);
  refuse_flags(flags.of_features, a.features);
  collect_heatmaps(flags);
  for (const FeatureRequest& request : a.features) {
    const std::string path = histogram_path(request);
    if (!path.empty()) check_histogram_path(path);
  }
  check_metric_names(a.features);
  if (a.reference || a.distorted.empty()) return;
  const std::string lacking = needs_reference(a);
  if (lacking.empty()) return;
  throw Error(ErrorKind::kUsage,
              words("{} needs a reference here. {}", lacking,
                    videos == Videos::kSeveral ? "Add -r REFERENCE." : "Use -r REFERENCE -d DISTORTED."));
}

void collect_scaling(const CollectedFlags& flags, RunOptions& a) {
  const auto is_scaled = [](const model::ModelSpec& spec) { return spec.is_scaled; };
  if (flags.scale_kernel && !a.scale && std::none_of(a.model_specs.begin(), a.model_specs.end(), is_scaled)) {
    throw Error(ErrorKind::kUsage,
                "--scale-with has no effect without --scale-to or a model that is scaled.");
  }
  if (flags.scale_kernel) a.scale_kernel = *flags.scale_kernel;
  if (a.scale && !a.scale->size && !a.reference && !a.distorted.empty()) {
    throw Error(ErrorKind::kUsage,
                "--scale-to reference has no effect without a reference. Use -r REFERENCE -d DISTORTED.");
  }
  if (a.scale && a.crop && !a.reference_crop) {
    throw Error(
        ErrorKind::kUsage,
        "--crop and --scale-to cannot be combined: it is ambiguous which size the rectangle refers to. Add "
        "--crop-ref for the reference: each rectangle then refers to its own video as decoded.");
  }
}

void prepare_pages(RunOptions& arguments) {
  if (!writes_page(arguments)) return;
  page_assets();  // before any work: not every build has them
  arguments.heatmaps.page = true;
}

// A file that is named as one format and asked for in another; vmaf heeds the flag.
void refuse_two_formats(const CollectedFlags& flags, const std::string& path) {
  constexpr std::pair<ReportFormat, const char*> kFlags[] = {{ReportFormat::kJson, "--json"},
                                                             {ReportFormat::kXml, "--xml"},
                                                             {ReportFormat::kCsv, "--csv"},
                                                             {ReportFormat::kPlainCsv, "--csv-plain"},
                                                             {ReportFormat::kSub, "--sub"}};
  const std::optional<ReportFormat> named = named_format(path);
  if (flags.is_vmaf || !flags.format || !named || named == flags.format) return;
  if (named == ReportFormat::kCsv && flags.format == ReportFormat::kPlainCsv) return;
  const auto flag = std::find_if(std::begin(kFlags), std::end(kFlags),
                                 [&](const auto& known) { return known.first == flags.format; });
  throw Error(ErrorKind::kUsage,
              words("{} is named as another format than {} writes. Drop the flag, or give another name.",
                    shown_path(path), flag->second));
}

void collect_outputs(CollectedFlags& flags) {
  RunOptions& a = flags.arguments;
  // A format without a file means standard output.
  const bool implied = flags.format && flags.outputs.empty();
  if (implied) flags.outputs.emplace_back("-");
  for (const std::string& path : flags.outputs) {
    if (path.empty()) throw Error(ErrorKind::kUsage, "--output: the path is empty.");
    refuse_two_formats(flags, path);
    a.outputs.push_back({path, flags.format ? flags.format : named_format(path)});
    if (a.stream_scores && is_standard_output(path)) {
      throw Error(ErrorKind::kUsage,
                  words("--stream-scores writes to standard output, and so does {}. Give a file.",
                        implied ? "a report without --output" : "--output " + shown_path(path)));
    }
  }
  if (a.junit && a.junit->empty()) throw Error(ErrorKind::kUsage, "--junit: the path is empty.");
  if (a.junit && is_standard_output(*a.junit))
    throw Error(ErrorKind::kUsage, "--junit needs a file; standard output is for results.");
  if (!flags.html) return prepare_pages(a);
  if (flags.html->empty()) throw Error(ErrorKind::kUsage, "--html: the path is empty.");
  a.outputs.push_back({*flags.html, ReportFormat::kHtml});
  prepare_pages(a);
}

// A flag that would change nothing was meant to.
void check_reference_flags(const RunOptions& arguments) {
  if (arguments.reference) return;
  const bool skips = arguments.skip_reference > 0 || arguments.skip_reference_seconds;
  const char* const flag = skips                            ? "--frame_skip_ref"
                           : arguments.pairs_by_time        ? "--pair"
                           : arguments.reference_frame_rate ? "--fps-ref"
                           : arguments.reference_stream     ? "--stream-ref"
                           : arguments.reference_crop       ? "--crop-ref"
                           : arguments.align                ? "--align"
                           : arguments.strict               ? "--strict"
                           : arguments.compare_anyway       ? "--compare-anyway"
                                                            : nullptr;
  if (flag == nullptr) return;
  throw Error(ErrorKind::kUsage,
              words("{} has no effect without a reference. Use -r REFERENCE -d DISTORTED.", flag));
}

void check_device(const RunOptions& arguments) {
  const bool on_cpu = arguments.backend == Backend::kCpu || arguments.backend == Backend::kScalar;
  if (arguments.device.empty() || !on_cpu) return;
  throw Error(ErrorKind::kUsage, words("--device names a GPU, but --backend {} uses none. Drop one of them.",
                                       to_string(*arguments.backend)));
}

// A kind of hardware that is named is meant to be used.
void collect_decoder(CollectedFlags& flags) {
  HardwareRequest& request = flags.arguments.hardware;
  if (!request.hwaccel.empty()) request.decoder = DecoderRequest::kHardware;
  if (flags.decoder) request.decoder = *flags.decoder;
  if (request.hwaccel.empty() || request.decoder != DecoderRequest::kSoftware) return;
  throw Error(ErrorKind::kUsage,
              "--hwaccel names hardware, but --decoder software uses none. Drop one of them.");
}

// Throws if the encoder would not take what is to be in a zone.
ZoneStyle zone_style(const CollectedFlags& flags, ReportFormat format) {
  const ZoneForm form = *zone_form(format);
  ZoneStyle style{.options = flags.zone_options.value_or(default_zone_options(form))};
  if (flags.zone_snap) style.snap = *flags.zone_snap;
  const std::string fault = zone_options_fault(form, style.options);
  if (fault.empty()) return style;
  throw Error(ErrorKind::kUsage, flags.zone_options
                                     ? words("--zone-options \"{}\": {}.", printable(style.options), fault)
                                     : words("zones need --zone-options: {}.", fault));
}

}  // namespace

std::optional<RawFormat> raw_format(const CollectedFlags& flags) {
  const std::pair<const char*, bool> given[] = {{"-w", flags.width.has_value()},
                                                {"-h", flags.height.has_value()},
                                                {"-p", flags.chroma.has_value()},
                                                {"-b", flags.bit_depth.has_value()}};
  std::vector<std::string_view> missing;
  for (const auto& [name, is_given] : given) {
    if (!is_given) missing.push_back(name);
  }
  if (missing.size() == std::size(given)) return std::nullopt;
  if (!missing.empty())
    throw Error(ErrorKind::kUsage,
                words("raw video needs -w, -h, -p and -b; missing: {}.", join(missing, ", ")));
  return RawFormat{
      .width = *flags.width, .height = *flags.height, .bit_depth = *flags.bit_depth, .chroma = *flags.chroma};
}

void collect_segments(CollectedFlags& flags) {
  RunOptions& a = flags.arguments;
  const char* const rule = flags.segments_until      ? "--segments-until"
                           : flags.segments_shortest ? "--segments-shortest"
                                                     : nullptr;
  if (rule != nullptr && a.segments.empty()) {
    throw Error(ErrorKind::kUsage, words("{} needs a threshold. Add --segments [METRIC:]VALUE", rule));
  }
  if (flags.segments_until && a.segments.size() > 1) {
    throw Error(ErrorKind::kUsage,
                words("--segments-until works with a single --segments, and there are {}. Request each "
                      "separately: cambi report RUN.json --segments METRIC:VALUE --segments-until VALUE",
                      a.segments.size()));
  }
  for (SegmentRequest& segments : a.segments) {
    segments.until = flags.segments_until;
    if (flags.segments_shortest) segments.shortest = *flags.segments_shortest;
  }
  const bool is_by_scene = std::any_of(a.segments.begin(), a.segments.end(),
                                       [](const SegmentRequest& segments) { return segments.by_scene; });
  if (flags.segments_until && is_by_scene) {
    throw Error(ErrorKind::kUsage,
                "--segments-until has no effect on --segments scenes: a scene is judged as a whole.");
  }
  bool has_zones = false;
  flags.segment_outputs.insert(flags.segment_outputs.end(), flags.scene_outputs.begin(),
                               flags.scene_outputs.end());
  for (OutputRequest& output : flags.segment_outputs) {
    if (a.stream_scores && is_standard_output(output.path)) {
      throw Error(ErrorKind::kUsage,
                  words("--stream-scores writes to standard output, and so does {}. Give a file.",
                        output.format == ReportFormat::kSceneTable ? "--scenes" : "--segments-output"));
    }
    if (zone_form(*output.format)) output.zones = zone_style(flags, *output.format);
    has_zones = has_zones || zone_form(*output.format);
    a.outputs.push_back(output);
  }
  const char* const idle = flags.zone_options ? "--zone-options" : flags.zone_snap ? "--zone-snap" : nullptr;
  if (idle != nullptr && !has_zones) {
    throw Error(ErrorKind::kUsage,
                words("{} has no effect without zones. Add --segments-output x264:FILE", idle));
  }
}

void collect_scenes(CollectedFlags& flags) {
  if (!flags.scene_list) return;
  const std::string& path = *flags.scene_list;
  if (is_standard_input(path))
    throw Error(ErrorKind::kUsage, "--scenes-from: standard input is for a video. Give a file.");
  flags.arguments.scenes = GivenScenes{
      .path = path, .list = parse_scene_list(read_file(path, kMostSceneBytes, interrupt_token()), path)};
}

RunOptions complete(CollectedFlags flags, Videos videos) {
  collect_inputs(flags, videos);
  collect_features(flags, videos);
  collect_scaling(flags, flags.arguments);
  collect_outputs(flags);
  collect_segments(flags);
  collect_scenes(flags);
  check_baseline_use(flags.arguments.thresholds, flags.arguments.baseline.has_value());
  check_reference_flags(flags.arguments);
  check_device(flags.arguments);
  collect_decoder(flags);
  flags.arguments.stop = interrupt_token();
  return std::move(flags.arguments);
}

}  // namespace vq::cli
