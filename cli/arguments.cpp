#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "cli/argument_values.h"
#include "cli/flag_parser.h"
#include "cli/help_text.h"
#include "cli/output_path.h"
#include "cli/page_assets.h"
#include "core/error.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

// Numbers of frames on the command line; sums of a few of them still fit into 64 bits.
constexpr int64_t kMaxFrameNumber = int64_t{1} << 40;
constexpr int kMaxThreads = 1024;
constexpr int64_t kMaxWorst = 1000;

// Flags for the options of a feature that is not spelled out with --feature.
struct OwnFlag {
  const char* flag;
  const char* option;
  const char* type;
  const char* help;
};
constexpr OwnFlag kOwnFlags[] = {
    {"--topk", "topk", "0.0001..1", "share of the samples that is pooled"},
    {"--window-size", "window_size", "15..127", "side of the window at 4K, in samples"},
    {"--tvi-threshold", "tvi_threshold", "0.0001..1", "smallest visible share of the luminance"},
    {"--max-log-contrast", "max_log_contrast", "0..5", "contrasts up to 2 to this power are looked at"},
    {"--vis-lum", "cambi_vis_lum_threshold", "0..300",
     "luminance in cd/m2 below which banding is not visible"},
    {"--max-val", "cambi_max_val", "0..1000", "every reported score is clipped to it"},
    {"--high-res-speedup", "cambi_high_res_speedup", "0|1080|1440|2160",
     "halve pictures of at least as many 16:9 lines once; 0: never"},
};

// What CLI11 collects before it is checked as a whole.
struct Collected {
  Arguments arguments;
  std::vector<std::string> positionals, features, outputs, fail_above;
  std::string width, height, pixel_format, bit_depth;
  std::map<std::string, std::string> own;  // option of the feature -> text
  std::vector<std::string> own_flags;      // as written, for messages
  std::string profile, encode, source;
  std::optional<std::string> html;
  ColourWishes colour;
  int64_t worst = -1;  // not given
  bool full_ref = false, version = false;
};

using Setter = std::function<void(const std::string&)>;

class Parser {
 public:
  Parser() : app_("Measures banding in video: CAMBI on the CPU and on the GPU.", "cambi") {
    app_.set_help_flag("--help", "print this and end");
    app_.get_formatter()->column_width(36);
    app_.footer(kHelpFooter);
    add_inputs();
    add_outputs();
    add_run();
    add_feature_flags();
  }

  std::variant<Arguments, TextRequest> parse(std::vector<std::string> words) {
    c_.arguments.original = words;
    if (const auto help = parse_flags(app_, std::move(words))) return TextRequest{*help, true};
    if (c_.version) return TextRequest{"cambi " CAMBI_VERSION "\n", false};
    collect_inputs();
    collect_features();
    collect_outputs();
    return std::move(c_.arguments);
  }

  std::variant<SeveralArguments, TextRequest> parse_several(std::vector<std::string> words) {
    several_ = true;
    std::variant<Arguments, TextRequest> parsed = parse(std::move(words));
    if (TextRequest* request = std::get_if<TextRequest>(&parsed)) return std::move(*request);
    return SeveralArguments{std::move(std::get<Arguments>(parsed)), std::move(c_.positionals)};
  }

 private:
  // vmaf takes the last of a flag given twice; so does this.
  CLI::Option* value(const std::string& names, Setter set, const std::string& type, const std::string& help) {
    return app_.add_option_function<std::string>(names, std::move(set), help)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name(type)
        ->group(group_);
  }
  void flag(const std::string& names, bool& target, const std::string& help) {
    app_.add_flag(names, target, help)->group(group_);
  }
  void list(const std::string& names, std::vector<std::string>& target, const std::string& help,
            const std::string& type) {
    app_.add_option(names, target, help)->allow_extra_args(false)->type_name(type)->group(group_);
  }
  void integer(const std::string& names, int64_t& target, IntRange range, const std::string& help) {
    const std::string name = names.substr(0, names.find(','));
    value(
        names, [&target, range, name](const std::string& text) { target = int_value(name, text, range); },
        "N", help);
  }

  void add_inputs() {
    group_ = "Inputs";
    Arguments& a = c_.arguments;
    app_.add_option("VIDEO", c_.positionals, "the video to score, without a reference")
        ->type_name("")
        ->group(group_);
    value(
        "--distorted,-d", [&](const std::string& text) { a.distorted = text; }, "FILE",
        "the video to score; - is standard input");
    value(
        "--reference,-r", [&](const std::string& text) { a.reference = text; }, "FILE",
        "the video it was made from");
    value(
        "--width,-w", [&](const std::string& text) { c_.width = text; }, "N", "width of raw video");
    value(
        "--height,-h", [&](const std::string& text) { c_.height = text; }, "N", "height of raw video");
    value(
        "--pixel_format,-p", [&](const std::string& text) { c_.pixel_format = text; }, "400|420|422|444",
        "chroma of raw video");
    value(
        "--bitdepth,-b", [&](const std::string& text) { c_.bit_depth = text; }, "8..16",
        "bit depth of raw video, little endian");
    integer("--frame_cnt", a.frame_count, {0, kMaxFrameNumber}, "read at most N frames; 0: all");
    integer("--frame_skip_ref", a.skip_reference, {0, kMaxFrameNumber},
            "skip the first N frames of the reference");
    integer("--frame_skip_dist", a.skip_distorted, {0, kMaxFrameNumber}, "skip the first N frames of the video");
    integer("--subsample", a.subsample, {0, kMaxFrameNumber}, "score frames 0, N, 2N, ... only");
    value(
        "--start", [&](const std::string& text) { a.start = position_value("--start", text); }, "POSITION",
        "first frame to score: a number, HH:MM:SS.mmm or 12.5s");
    value(
        "--end", [&](const std::string& text) { a.end = position_value("--end", text); }, "POSITION",
        "first frame not to score");
    value(
        "--crop", [&](const std::string& text) { a.crop = parse_crop(text); }, "W:H:X:Y|auto",
        "score this part of the picture; auto: without black bars");
    value(
        "--stream",
        [&](const std::string& text) {
          a.stream = static_cast<int>(int_value("--stream", text, {0, 999}));
        },
        "N", "index of the stream in the container");
  }

  void add_outputs() {
    group_ = "Outputs";
    Arguments& a = c_.arguments;
    list("--output,-o", c_.outputs, "write the report there; - is standard output; may repeat", "FILE");
    for (const auto& [name, form] : {std::pair{"--json", "as JSON; without such a flag the file's extension decides"},
                                     {"--xml", "as XML, also where the extension says nothing"},
                                     {"--csv", "as a table of values between commas"},
                                     {"--sub", "as subtitles (MicroDVD)"}}) {
      app_.add_flag(name)->description(std::string("write every report ") + form)->group(group_);
    }
    value(
        "--precision", [&](const std::string& text) { a.numbers = parse_precision(text); }, "1..17|max",
        "significant digits; max reads back to the same double");
    value(
        "--html", [&](const std::string& text) { c_.html = text; }, "FILE",
        "write a page with curves, statistics and the worst frames there");
    integer("--worst", c_.worst, {0, kMaxWorst}, "how many worst frames to list and to show");
    list("--fail-above", c_.fail_above,
         "end with code 7 where mean>5, p95>=8, METRIC:max>12, ... holds; may repeat", "EXPR");
    flag("--stream-scores", a.stream_scores, "write scores as they come, one JSON object a line");
    flag("--extended", a.extended, "add run facts, timestamps, percentiles and worst frames to JSON");
    flag("--quiet,-q", a.quiet, "no progress and no summary");
    value(
        "--progress", [&](const std::string& text) { set_progress(text); }, "auto|bar|plain|json|none",
        "how progress is shown");
  }

  void add_run() {
    group_ = "Running";
    Arguments& a = c_.arguments;
    value(
        "--threads",
        [&](const std::string& text) {
          a.threads = static_cast<int>(int_value("--threads", text, {0, kMaxThreads}));
        },
        "N", "threads; 0: all cores");
    value(
        "--backend", [&](const std::string& text) { set_backend(text); }, "auto|cpu|scalar|hybrid|vulkan",
        "how stages are computed, never what");
    value(
        "--device", [&](const std::string& text) { a.device = text; }, "N|NAME",
        "GPU to use, as cambi devices lists it");
    value(
        "--cpumask", [&](const std::string& text) { a.cpumask = mask_value("--cpumask", text); }, "BITS",
        "instruction sets not to use, as vmaf numbers them");
    value(
        "--gpumask", [&](const std::string& text) { a.gpumask = mask_value("--gpumask", text); }, "BITS",
        "not 0: use no GPU unless a backend asks for it");
    flag("--no_prediction,-n", no_prediction_, "for compatibility with vmaf; there is nothing to predict");
    value(
        "--max-memory", [&](const std::string& text) { a.max_memory = bytes_value("--max-memory", text); },
        "BYTES", "refuse runs that may need more, such as 4G; default: 75% of what the process may have");
    flag("--strict", a.strict, "unequal frame counts are an error");
    flag("--allow-damage", a.allow_damage, "leave damaged frames out instead of ending there");
    flag("--version,-v", c_.version, "print the version and end");
    for (const char* names : {"--model,-m", "--aom_ctc", "--nflx_ctc"}) {
      value(
          names,
          [names](const std::string&) {
            throw Error(ErrorKind::kUsage,
                        std::string(names).substr(0, std::string(names).find(',')) +
                            ": there is no VMAF model here, only features. Use -n and --feature cambi.");
          },
          "MODEL", "refused: there is no VMAF model here");
    }
  }

  void add_feature_flags() {
    group_ = "Features";
    list("--feature", c_.features, "NAME[=key=value[:key=value]...], exactly as vmaf takes it; may repeat",
         "SPEC");
    flag("--full-ref", c_.full_ref, "also score the reference, and the difference");
    value(
        "--profile", [&](const std::string& text) { c_.profile = text; }, "vmaf-v1",
        "the options CAMBI has within VMAF v1");
    value(
        "--enc", [&](const std::string& text) { c_.encode = text; }, "WxH[@BITS]",
        "size and depth at which the video was encoded");
    value(
        "--src", [&](const std::string& text) { c_.source = text; }, "WxH",
        "size at which the reference is scored");
    own_choice("--eotf", c_.colour.eotf, {"auto", "bt1886", "pq", "hlg"},
               "transfer function of the display; auto: PQ and HLG where the video says so");
    own_choice("--range", c_.colour.range, {"auto", "limited", "full"},
               "luma levels of black and white; auto: as the video says");
    for (const OwnFlag& own : kOwnFlags) {
      own_value(
          own.flag, [this, own](const std::string& text) { c_.own[own.option] = text; }, own.type, own.help);
    }
    group_ = "Heatmaps";
    own_value(
        "--heatmaps", [&](const std::string& text) { c_.own["heatmaps_path"] = text; }, "DIR",
        "write heatmaps there: where the banding is");
    own_value(
        "--heatmap-format",
        [&](const std::string& text) { parse_heatmap_formats(text, c_.arguments.heatmaps); },
        "gray,png,video", "what --heatmaps writes: raw samples, coloured pictures, a coloured video");
    own_value(
        "--heatmap-frames",
        [&](const std::string& text) { parse_heatmap_frames(text, c_.arguments.heatmaps); }, "worst|all|A-B",
        "of which frames; default: the worst for png, all for the others");
  }

  // A flag that cannot go with --feature.
  void own_value(const char* name, Setter set, const std::string& type, const std::string& help) {
    value(
        name,
        [this, name, set = std::move(set)](const std::string& text) {
          set(text);
          c_.own_flags.emplace_back(name);
        },
        type, help);
  }

  void own_choice(const char* name, std::string& target, std::vector<std::string> words,
                  const std::string& help) {
    std::string type;
    for (const std::string& word : words) type += (type.empty() ? "" : "|") + word;
    own_value(
        name,
        [name, words = std::move(words), &target](const std::string& text) {
          target = words[choice_value(name, text, words)];
        },
        type, help);
  }

  void set_progress(const std::string& text) {
    static const std::vector<std::string> kWords = {"auto", "bar", "plain", "json", "none"};
    c_.arguments.progress = *parse_progress_form(kWords[choice_value("--progress", text, kWords)]);
  }

  void set_backend(const std::string& text) {
    static const std::vector<std::string> kWords = {"auto", "cpu", "scalar", "hybrid", "vulkan"};
    constexpr Backend kBackends[] = {Backend::kCpu, Backend::kScalar, Backend::kHybrid, Backend::kVulkan};
    const size_t i = choice_value("--backend", text, kWords);
    c_.arguments.backend = i == 0 ? std::nullopt : std::optional(kBackends[i - 1]);
  }

  void collect_inputs() {
    Arguments& a = c_.arguments;
    if (c_.positionals.size() > 1 && !several_) {
      throw Error(ErrorKind::kUsage, "two videos without roles: \"" + printable(c_.positionals[0]) +
                                         "\" and \"" + printable(c_.positionals[1]) +
                                         "\". Use -r REFERENCE -d DISTORTED.");
    }
    if (!c_.positionals.empty() && !a.distorted.empty()) {
      throw Error(ErrorKind::kUsage, "\"" + printable(c_.positionals[0]) + "\" and -d \"" +
                                         printable(a.distorted) + "\" both name the video to score.");
    }
    if (!c_.positionals.empty()) a.distorted = c_.positionals[0];
    if (a.distorted.empty()) {
      throw Error(ErrorKind::kUsage,
                  "no video to score. Try: cambi VIDEO, or cambi -r REFERENCE -d DISTORTED");
    }
    if (a.reference && a.reference->empty())
      throw Error(ErrorKind::kUsage, "--reference: the path is empty.");
    a.subsample = std::max<int64_t>(a.subsample, 1);
    collect_raw();
  }

  void collect_raw() {
    const std::pair<const char*, const std::string&> given[] = {
        {"-w", c_.width}, {"-h", c_.height}, {"-p", c_.pixel_format}, {"-b", c_.bit_depth}};
    std::string missing;
    for (const auto& [name, text] : given) {
      if (text.empty()) missing += std::string(missing.empty() ? "" : ", ") + name;
    }
    if (missing.size() == std::strlen("-w, -h, -p, -b")) return;
    RawFormat raw;
    if (!c_.width.empty()) raw.width = side_value("--width", c_.width);
    if (!c_.height.empty()) raw.height = side_value("--height", c_.height);
    if (!missing.empty())
      throw Error(ErrorKind::kUsage, "raw video needs -w, -h, -p and -b; missing: " + missing + ".");
    constexpr Chroma kChromas[] = {Chroma::k400, Chroma::k420, Chroma::k422, Chroma::k444};
    raw.chroma = kChromas[choice_value("--pixel_format", c_.pixel_format, {"400", "420", "422", "444"})];
    const std::vector<std::string> depths = {"8", "9", "10", "12", "14", "16"};
    raw.bit_depth = std::stoi(depths[choice_value("--bitdepth", c_.bit_depth, depths)]);
    c_.arguments.raw = raw;
  }

  void collect_features() {
    Arguments& a = c_.arguments;
    for (const std::string& text : c_.features) a.features.push_back(parse_feature(text));
    if (a.features.empty()) {
      a.features.push_back(own_feature());
      a.colour = c_.colour;
    } else if (const std::string own = own_flags_given(); !own.empty()) {
      throw Error(ErrorKind::kUsage, own +
                                         " cannot go with --feature, which is exact. Write it as an option: "
                                         "--feature cambi=key=value (see: cambi features cambi)");
    }
    check_heatmaps();
    check_metric_names(a.features);
    for (const FeatureRequest& request : a.features) {
      if (request.info->needs_reference(request.options) && !a.reference) {
        throw Error(ErrorKind::kUsage, "full reference needs a reference. Use -r REFERENCE -d DISTORTED.");
      }
    }
  }

  void check_heatmaps() const {
    for (const std::string& flag : c_.own_flags) {
      if (!flag.starts_with("--heatmap-") || c_.own.contains("heatmaps_path")) continue;
      throw Error(ErrorKind::kUsage, flag + " needs a folder. Add --heatmaps DIR");
    }
    check_heatmap_wishes(c_.arguments.heatmaps);
  }

  std::string own_flags_given() const {
    if (c_.full_ref) return "--full-ref";
    if (!c_.profile.empty()) return "--profile";
    if (!c_.encode.empty()) return "--enc";
    if (!c_.source.empty()) return "--src";
    return c_.own_flags.empty() ? "" : c_.own_flags.front();
  }

  // The feature that flags describe: the profile first, then what is said one by one.
  FeatureRequest own_feature() {
    if (!c_.profile.empty()) {
      choice_value("--profile", c_.profile, {"vmaf-v1"});
      c_.own.try_emplace("cambi_high_res_speedup", "1080");
      c_.own.try_emplace("cambi_vis_lum_threshold", "0.06");
      c_.own.try_emplace("cambi_max_val", "17");
    }
    if (!c_.encode.empty()) {
      const SizeText size = size_value("--enc", c_.encode);
      c_.own["enc_width"] = size.width;
      c_.own["enc_height"] = size.height;
      if (!size.bits.empty()) c_.own["enc_bitdepth"] = size.bits;
    }
    if (!c_.source.empty()) {
      const SizeText size = size_value("--src", c_.source);
      if (!size.bits.empty()) throw Error(ErrorKind::kUsage, "--src takes a size without a bit depth.");
      c_.own["src_width"] = size.width;
      c_.own["src_height"] = size.height;
    }
    FeatureRequest request{&find_feature("cambi"), OptionSet(find_feature("cambi").options)};
    for (const auto& [option, text] : c_.own) request.options.set(option, text);
    if (c_.full_ref) request.options.set("full_ref", "true");
    return request;
  }

  void collect_outputs() {
    const std::map<std::string, ReportFormat> formats = {{"json", ReportFormat::kJson},
                                                         {"xml", ReportFormat::kXml},
                                                         {"csv", ReportFormat::kCsv},
                                                         {"sub", ReportFormat::kSub}};
    std::optional<ReportFormat> forced;  // by the last format flag
    for (const CLI::Option* option : app_.parse_order()) {
      const auto found = formats.find(option->get_lnames().empty() ? "" : option->get_lnames()[0]);
      if (found != formats.end()) forced = found->second;
    }
    for (const std::string& path : c_.outputs) {
      if (path.empty()) throw Error(ErrorKind::kUsage, "--output: the path is empty.");
      c_.arguments.outputs.push_back({path, forced.value_or(format_of_path(path))});
      if (c_.arguments.stream_scores && is_standard_output(path)) {
        throw Error(ErrorKind::kUsage, "--stream-scores writes to standard output, and so does --output " +
                                           path + ". Give a file.");
      }
    }
    for (const std::string& text : c_.fail_above) c_.arguments.fail_above.push_back(parse_threshold(text));
    if (c_.worst >= 0) {
      c_.arguments.worst = static_cast<size_t>(c_.worst);
      c_.arguments.heatmaps.worst = static_cast<size_t>(c_.worst);
    }
    if (!c_.html) return;
    if (c_.html->empty()) throw Error(ErrorKind::kUsage, "--html: the path is empty.");
    page_assets();  // before any work: not every build has them
    c_.arguments.outputs.push_back({*c_.html, ReportFormat::kHtml});
    c_.arguments.heatmaps.page = true;
  }

  CLI::App app_;
  std::string group_;
  Collected c_;
  bool no_prediction_ = false, several_ = false;
};

}  // namespace

std::variant<Arguments, TextRequest> parse_arguments(const std::vector<std::string>& words) {
  return Parser().parse(words);
}

std::variant<SeveralArguments, TextRequest> parse_several(const std::vector<std::string>& words) {
  return Parser().parse_several(words);
}

}  // namespace vq::cli
