#include "cli/commands/arguments.h"

#include "cli/commands/flag_setters.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/inputs/feature_flags.h"
#include "cli/pages/page_assets.h"
#include "cli/pictures/picture_tap.h"
#include "cli/run/run.h"
#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "feature/feature.h"

namespace vq::cli {

void check_path(std::string_view flag, const std::string& path) {
  if (path.empty()) throw usage_error("{}: the path is empty.", flag);
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  const bool is_text = printable(word, word.npos) == word;
  std::string quoted;
  for (const char c : word) {
    if (c == '\'')
      quoted += is_text ? "'\\''" : "\\'";
    else if (c == '\\' && !is_text)
      quoted += "\\\\";
    else
      quoted += c;
  }
  return is_text ? "'" + quoted + "'" : "$'" + printable(quoted, quoted.npos) + "'";
}

namespace {

constexpr size_t kMostSceneBytes = size_t{64} << 20;  // some hundred hours of scenes of a second

// How many videos the arguments may name: exactly one, any number, or one or none (synthetic pictures).
enum class Videos { kOne, kSeveral, kOneOrNone };

void finish_inputs(RunOptions& a, const std::vector<std::string>& typed, Videos videos) {
  if (typed.size() > 1 && videos != Videos::kSeveral) {
    throw usage_error(
        "two videos, but not which is the reference. Use -r {} -d {}, or the other way round; to rank both: "
        "cambi compare {} {}{}",
        shell_word(typed[0]), shell_word(typed[1]), shell_word(typed[0]), shell_word(typed[1]),
        typed.size() > 2 ? ". A sequence of pictures is one word in quotes, such as 'shots/*.png'" : "");
  }
  if (!typed.empty() && !a.distorted.empty() && a.format && named_format(typed[0]) == a.format) {
    throw usage_error("a format takes no file. Use -o {}, whose extension says the format.",
                      shell_word(typed[0]));
  }
  if (!typed.empty() && !a.distorted.empty()) {
    throw usage_error("\"{}\" and -d \"{}\" both name the video to score.", printable(typed[0]),
                      printable(a.distorted));
  }
  if (!typed.empty()) a.distorted = typed[0];
  if (a.distorted.empty() && (!typed.empty() || a.find("--distorted") != nullptr))
    throw usage_error("the path of the video to score is empty.");
  if (a.distorted.empty() && videos == Videos::kOneOrNone && a.reference)
    throw usage_error("--reference was given without a distorted video. Use -r REFERENCE -d DISTORTED");
  if (a.distorted.empty() && videos != Videos::kOneOrNone)
    throw usage_error("no video to score. Try: cambi VIDEO, or cambi -r REFERENCE -d DISTORTED");
  if (a.reference) check_path("--reference", *a.reference);
  finish_raw(a);
}

Error no_heatmaps(const RunOptions& arguments) {
  std::vector<std::string> asked, others;
  for (const ModelOfRun& model : arguments.models) asked.push_back(model::source_of(model.model.spec));
  for (const FeatureRequest& request : arguments.asked_features) asked.emplace_back(request.info->name);
  for (const FeatureInfo* info : features()) {
    if (info->heatmaps != nullptr) others.emplace_back(info->name);
  }
  return usage_error("{} {} no heat map. Try: --feature {}", join(asked, " and "),
                     asked.size() > 1 ? "have" : "has", join(others, ", "));
}

// Takes them from the first feature that has them; one that was requested comes before those of models.
void finish_heatmaps(RunOptions& a) {
  const auto has_heatmaps = [](const FeatureRequest& request) { return request.info->heatmaps != nullptr; };
  const auto is_asked = [&](const FeatureRequest& request) {
    return has_heatmaps(request) && !request.is_inner;
  };
  if (a.heatmaps_folder) {
    check_path("--heatmaps", *a.heatmaps_folder);
    auto first = std::ranges::find_if(a.features, is_asked);
    if (first == a.features.end()) first = std::ranges::find_if(a.features, has_heatmaps);
    if (first == a.features.end()) throw no_heatmaps(a);
    first->options.set(first->info->heatmap_option, *a.heatmaps_folder, OptionForm::kOwn);
  }
  // Pictures to look at are the default, as raw maps fill a disk.
  if (a.heatmaps_folder && a.find("--heatmap-format") == nullptr) {
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
void ask_for_defaults(RunOptions& a) {
  a.asked_features.push_back({&default_feature(), OptionSet(default_feature().options)});
  a.asked_features.front().options.set_own_defaults();
  if (a.reference && a.settings.empty() && !a.no_prediction)
    a.model_specs.push_back(model::parse_model_spec("auto"));
}

void finish_features(RunOptions& a, Videos videos) {
  if (a.asked_features.empty() && a.model_specs.empty()) ask_for_defaults(a);
  static_cast<Selection&>(a) = select(a);
  refuse_flags(a.given, a.features);
  finish_heatmaps(a);
  for (const FeatureRequest& request : a.features) {
    const std::string path = histogram_path(request);
    if (!path.empty()) check_histogram_path(path);
  }
  check_metric_names(a.features);
  if (a.reference || a.distorted.empty()) return;
  const std::string lacking = needs_reference(a);
  if (lacking.empty()) return;
  throw usage_error("{} needs a reference here. {}", lacking,
                    videos == Videos::kSeveral ? "Add -r REFERENCE." : "Use -r REFERENCE -d DISTORTED.");
}

void check_scaling(const RunOptions& a) {
  if (a.scale && !a.scale->size && !a.reference && !a.distorted.empty()) {
    throw usage_error(
        "--scale-to reference has no effect without a reference. Use -r REFERENCE -d DISTORTED.");
  }
  if (a.scale && a.crop && !a.reference_crop) {
    throw usage_error(
        "--crop and --scale-to cannot be combined: it is ambiguous which size the rectangle refers to. Add "
        "--crop-ref for the reference: each rectangle then refers to its own video as decoded.");
  }
}

// A file that is named as one format and asked for in another; vmaf heeds the flag.
void refuse_two_formats(const RunOptions& a, const std::string& path) {
  const std::optional<ReportFormat> named = named_format(path);
  if (a.is_vmaf || !a.format || !named || named == a.format) return;
  if (named == ReportFormat::kCsv && a.format == ReportFormat::kPlainCsv) return;
  throw usage_error("{} is named as another format than --{} writes. Drop the flag, or give another name.",
                    shown_path(path), info_of(*a.format).word);
}

// Reports before the page, and both before segments and scenes.
int rank_of(const OutputRequest& output) {
  if (!output.format) return 0;
  return *output.format == ReportFormat::kHtml ? 1 : *output.format == ReportFormat::kSceneTable ? 3 : 2;
}

void finish_outputs(RunOptions& a) {
  std::ranges::stable_sort(a.outputs, [](const OutputRequest& one, const OutputRequest& other) {
    return rank_of(one) < rank_of(other);
  });
  // A format without a file means standard output.
  const bool implied = a.format && (a.outputs.empty() || a.outputs.front().format);
  if (implied) a.outputs.insert(a.outputs.begin(), {.path = "-", .format = {}});
  for (OutputRequest& output : a.outputs) {
    if (output.format == ReportFormat::kHtml) check_path("--html", output.path);
    if (output.format) continue;
    check_path("--output", output.path);
    refuse_two_formats(a, output.path);
    output.format = a.format ? a.format : named_format(output.path);
    if (a.stream_scores && is_standard_output(output.path)) {
      throw usage_error("--stream-scores writes to standard output, and so does {}. Give a file.",
                        implied ? "a report without --output" : "--output " + shown_path(output.path));
    }
  }
  if (a.junit) check_path("--junit", *a.junit);
  if (a.junit && is_standard_output(*a.junit))
    throw usage_error("--junit needs a file; standard output is for results.");
  if (!writes_page(a)) return;
  page_assets();  // before any work: not every build has them
  a.heatmaps.page = true;
}

void check_device(const RunOptions& arguments) {
  const bool on_cpu = arguments.backend == Backend::kCpu || arguments.backend == Backend::kScalar;
  if (arguments.device.empty() || !on_cpu) return;
  throw usage_error("--device names a GPU, but --backend {} uses none. Drop one of them.",
                    to_string(*arguments.backend));
}

// A kind of hardware that is named is meant to be used.
void finish_decoder(RunOptions& a) {
  if (a.hardware.hwaccel.empty()) return;
  if (a.find("--decoder") == nullptr) a.hardware.decoder = DecoderRequest::kHardware;
  if (a.hardware.decoder != DecoderRequest::kSoftware) return;
  throw usage_error("--hwaccel names hardware, but --decoder software uses none. Drop one of them.");
}

// Throws if the encoder would not take what is to be in a zone.
ZoneStyle zone_style(const RunOptions& a, ReportFormat format) {
  const ZoneForm form = *info_of(format).zones;
  ZoneStyle style{.options = a.zone_options.value_or(default_zone_options(form))};
  if (a.zone_snap) style.snap = *a.zone_snap;
  const std::string fault = zone_options_fault(form, style.options);
  if (fault.empty()) return style;
  throw usage_error(a.zone_options ? words("--zone-options \"{}\": {}.", printable(style.options), fault)
                                   : words("zones need --zone-options: {}.", fault));
}

void check_segment_rule(const RunOptions& a) {
  if (!a.segments_until) return;
  if (a.segments.size() > 1) {
    throw usage_error(
        "--segments-until works with a single --segments, and there are {}. Request each separately: cambi "
        "report RUN.json --segments METRIC:VALUE --segments-until VALUE",
        a.segments.size());
  }
  if (std::ranges::any_of(a.segments, &SegmentRequest::by_scene))
    throw usage_error("--segments-until has no effect on --segments scenes: a scene is judged as a whole.");
}

// What a sample of frames has no use for, or no place in.
void finish_confidence(RunOptions& a) {
  if (!a.confidence) {
    if (a.tolerance || a.seed)
      throw usage_error("{} has no effect without --confidence.", a.seed ? "--seed" : "--tolerance");
    return;
  }
  for (const char* const flag : {"--subsample", "--baseline", "--stream-scores", "--segments", "--scenes",
                                 "--scenes-from", "--heatmaps", "--histograms", "--page-pictures"}) {
    if (a.find(flag) != nullptr)
      throw usage_error("{} takes all frames, which --confidence does not score.", flag);
  }
  for (const OutputRequest& output : a.outputs) {
    if (output.format && !may_be_of_sample(*output.format))
      throw usage_error("{} takes all frames, which --confidence does not score.", shown_path(output.path));
  }
  for (const FeatureRequest& request : a.features) {
    if (!heatmap_folder(request).empty() || !histogram_path(request).empty())
      throw usage_error("heatmaps and histograms take all frames, which --confidence does not score.");
  }
  a.extended = true;        // which says that there are intervals only
  a.heatmaps.page = false;  // pages have no pictures of frames that follow none
}

// Checks all flags together, and sets what follows from several of them.
void finish(RunOptions& options, const std::vector<std::string>& typed, Videos videos) {
  finish_inputs(options, typed, videos);
  finish_features(options, videos);
  check_scaling(options);
  finish_outputs(options);
  finish_segments(options);
  check_baseline_use(options.thresholds, options.baseline.has_value());
  refuse_idle_flags(options, false);
  finish_confidence(options);
  check_device(options);
  finish_decoder(options);
  options.stop = interrupt_token();
}

RunOptions options_of(const ParsedArguments& typed, Videos videos, std::string_view feature = {},
                      bool is_vmaf = false) {
  RunOptions options = given_options(typed);
  options.is_vmaf = is_vmaf;
  if (!feature.empty()) options.asked_features.insert(options.asked_features.begin(), parse_feature(feature));
  if (is_vmaf) {
    if (options.model_specs.empty() && !options.no_prediction)
      options.model_specs.push_back(model::parse_model_spec("version=vmaf_v0.6.1"));
    options.as_stored = options.compare_anyway = options.reference.has_value();
  }
  finish(options, typed.arguments, videos);
  return options;
}

}  // namespace

RunOptions given_options(const ParsedArguments& typed) {
  RunOptions options;
  options.original = typed.original;
  for (const auto& [flag, text] : typed.flags) {
    if (flag->set != nullptr) flag->set(options, *flag, text);
  }
  for (const Topic& topic : topics()) {
    for (const Flag& flag : topic.flags) {
      for (const GivenFlag& given : typed.flags) {
        if (given.flag != &flag || (!flag.neutral.empty() && given.text == flag.neutral)) continue;
        options.given.push_back({.name = flag.name,
                                 .text = flag.type.empty() ? "" : given.text,
                                 .role = role_of(flag),
                                 .needs = flag.needs,
                                 .names_path = flag.names_path()});
      }
    }
  }
  return options;
}

void finish_raw(RunOptions& options) {
  const std::pair<const char*, bool> given[] = {{"-w", options.width.has_value()},
                                                {"-h", options.height.has_value()},
                                                {"-p", options.chroma.has_value()},
                                                {"-b", options.bit_depth.has_value()}};
  std::vector<std::string_view> missing;
  for (const auto& [name, is_given] : given) {
    if (!is_given) missing.push_back(name);
  }
  if (missing.size() == std::size(given)) return;
  if (!missing.empty())
    throw usage_error("raw video needs -w, -h, -p and -b; missing: {}.", join(missing, ", "));
  options.raw = PlanarLayout{.width = *options.width,
                             .height = *options.height,
                             .bit_depth = *options.bit_depth,
                             .chroma = *options.chroma};
}

void finish_segments(RunOptions& options) {
  check_segment_rule(options);
  for (SegmentRequest& segments : options.segments) {
    segments.until = options.segments_until;
    if (options.segments_shortest) segments.shortest = *options.segments_shortest;
  }
  for (OutputRequest& output : options.outputs) {
    if (!output.format || !(is_of_segments(*output.format) || is_of_scenes(*output.format))) continue;
    if (options.stream_scores && is_standard_output(output.path)) {
      throw usage_error("--stream-scores writes to standard output, and so does {}. Give a file.",
                        output.format == ReportFormat::kSceneTable ? "--scenes" : "--segments-output");
    }
    if (info_of(*output.format).zones) output.zones = zone_style(options, *output.format);
  }
  if (!options.scenes) return;
  const std::string& path = options.scenes->path;
  if (is_standard_input(path))
    throw usage_error("--scenes-from: standard input is for a video. Give a file.");
  options.scenes->list = parse_scene_list(read_file(path, kMostSceneBytes, interrupt_token()), path);
}

ParsedArguments parse_run_words(const std::vector<std::string>& typed, std::span<const Flag> own) {
  std::vector<const Flag*> flags;
  for (const Topic& topic : topics()) {
    for (const Flag& flag : topic.flags) flags.push_back(&flag);
  }
  for (const Flag& flag : own) {
    if (find_run_flag(flag.name) == nullptr) flags.push_back(&flag);
  }
  return parse_words(flags, typed);
}

RunOptions run_options(const ParsedArguments& typed, bool is_vmaf) {
  return options_of(typed, Videos::kOne, {}, is_vmaf);
}

RunOptions run_options_of_any(const ParsedArguments& typed) { return options_of(typed, Videos::kOneOrNone); }

RunOptions several_options(const ParsedArguments& typed, std::string_view feature) {
  return options_of(typed, Videos::kSeveral, feature);
}

std::string typed_path(const ParsedArguments& typed, std::string_view flag) {
  const std::string* const text = typed.find(flag);
  if (text == nullptr) return {};
  check_path(flag, *text);
  return *text;
}

std::string typed_folder(const ParsedArguments& typed, std::string_view flag) {
  std::string folder = typed_path(typed, flag);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

void confine(const ParsedArguments& typed, const std::vector<std::string>& outputs, Messages& messages) {
  RunOptions options;
  options.sandbox = typed.has("--sandbox");
  options.quiet = typed.has("--quiet");
  options.backend = Backend::kCpu;
  enter_sandbox_of(options, {.read = typed.arguments, .written = outputs}, messages);
}

VideoListRequest list_request(const ParsedArguments& typed, const std::string& command) {
  const std::string name = command.substr(0, command.find(' '));
  if (const std::string* const video = typed.find("--distorted")) {
    throw usage_error("{} takes videos and folders without a flag: cambi {} {} ...", name, name,
                      printable(*video));
  }
  VideoListRequest request;
  request.paths = typed.arguments;
  for (const GivenFlag& given : typed.flags) {
    if (given.flag->name == "--list") request.lists.push_back(given.text);
  }
  if (request.paths.empty() && request.lists.empty())
    throw usage_error("{} needs a video or a folder. Try: cambi {}", name, command);
  request.reference_folder = typed_path(typed, "--reference-dir");
  request.root = typed_path(typed, "--root");
  request.may_be_raw = typed.has("--width");
  return request;
}

std::vector<ReportFormat> formats_of(const ParsedArguments& typed) {
  using enum ReportFormat;
  constexpr ReportFormat kFormats[] = {kHtml, kCsv, kXml, kSub, kSegmentTable, kChapters, kSceneTable};
  const auto known = mapped(kFormats, [](ReportFormat format) { return std::string(info_of(format).word); });
  std::vector<ReportFormat> formats;
  const std::string* const text = typed.find("--formats");
  if (text == nullptr) return formats;
  for (const std::string_view word : fields(*text, ',')) {
    const ReportFormat format = kFormats[choice_value("--formats", std::string(word), known)];
    if (!contains(formats, format)) formats.push_back(format);
  }
  return formats;
}

ParsedArguments words_for(ParsedArguments typed, const VideoList& list) {
  typed.arguments.clear();
  for (const ListedVideo& video : list.videos) typed.arguments.push_back(video.path);
  if (list.videos.empty()) typed.arguments.push_back(list.faults.front().path);
  const bool has_own = !list.videos.empty() && list.videos.front().reference;
  if (has_own && typed.has("--reference")) {
    throw usage_error(shown_path(list.videos.front().path) +
                      " has a reference of its own, and --reference names another.");
  }
  if (has_own) typed.flags.push_back({find_run_flag("--reference"), *list.videos.front().reference});
  return typed;
}

std::vector<std::string> run_words(const ParsedArguments& typed, const char* subcommand,
                                   std::span<const std::string_view> but) {
  const Subcommand& taking = *find_subcommand(subcommand);
  std::vector<std::string> found;
  for (const auto& [flag, text] : typed.flags) {
    const bool is_left_out = contains(but, flag->name);
    if (is_left_out || find_run_flag(flag->name) == nullptr || !takes(taking, *flag)) continue;
    found.push_back(flag->type.empty() ? std::string(flag->name) : words("{}={}", flag->name, text));
  }
  return found;
}

RunOptions title_options(const PlanHead& head, const PlannedTitle& title,
                         const std::vector<std::string>& more) {
  std::vector<std::string> typed = head.arguments;
  typed.insert(typed.end(), more.begin(), more.end());
  if (title.reference) typed.push_back("--reference=" + title.reference->file.path);
  typed.push_back(title.distorted.file.path);
  return run_options(parse_run_words(typed));
}

}  // namespace vq::cli
