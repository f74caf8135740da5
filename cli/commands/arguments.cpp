#include "cli/commands/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <set>

#include "cli/commands/collected_flags.h"
#include "cli/commands/flag_parser.h"
#include "cli/commands/help_text.h"
#include "cli/text/argument_values.h"
#include "core/error.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

// Numbers of frames on the command line; sums of a few of them still fit into 64 bits.
constexpr int64_t kMaxFrameNumber = int64_t{1} << 40;
constexpr int kMaxThreads = 1024;
constexpr int64_t kMaxWorst = 1000;
constexpr int64_t kMaxStream = 999;

struct FormatFlag {
  const char* name;
  ReportFormat format;
  const char* help;
};
constexpr FormatFlag kFormats[] = {
    {"json", ReportFormat::kJson, "JSON; without such a flag the file's extension decides"},
    {"xml", ReportFormat::kXml, "XML, the default where the extension says nothing"},
    {"csv", ReportFormat::kCsv, "comma-separated values"},
    {"sub", ReportFormat::kSub, "MicroDVD subtitles"},
};

using Setter = std::function<void(const std::string&)>;

class Parser {
 public:
  explicit Parser(const std::vector<ExtraFlag>& extra)
      : app_("Measures banding in video: CAMBI on the CPU and on the GPU.", "cambi") {
    app_.set_help_flag("--help", "print this help and exit");
    app_.get_formatter()->column_width(36);
    app_.footer(kHelpFooter);
    add_inputs();
    add_outputs();
    add_run();
    add_feature_flags();
    group_ = "";  // the subcommand has a help of its own
    for (const ExtraFlag& flag : extra) value(flag.name, flag.set, "", "");
  }

  std::variant<RunOptions, TextRequest> parse(std::vector<std::string> words) {
    c_.arguments.original = words;
    if (const auto help = parse_flags(app_, std::move(words))) return TextRequest{*help, true};
    if (c_.version) return TextRequest{version_text(), false};
    c_.format = format_flag();
    c_.arguments.scoring_flags = scoring_flags();
    return complete(c_, several_);
  }

  std::variant<SeveralArguments, TextRequest> parse_several(std::vector<std::string> words) {
    several_ = true;
    std::variant<RunOptions, TextRequest> parsed = parse(std::move(words));
    if (TextRequest* request = std::get_if<TextRequest>(&parsed)) return std::move(*request);
    return SeveralArguments{std::move(std::get<RunOptions>(parsed)), std::move(c_.positionals)};
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
    RunOptions& a = c_.arguments;
    app_.add_option("VIDEO", c_.positionals, "video to score, without a reference")
        ->type_name("")
        ->group(group_);
    value(
        "--distorted,-d", [&](const std::string& text) { a.distorted = text; }, "FILE",
        "video to score; - is standard input");
    value(
        "--reference,-r", [&](const std::string& text) { a.reference = text; }, "FILE",
        "reference (source) video");
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
        "score only this rectangle; auto: detect and exclude black bars");
    value(
        "--stream",
        [&](const std::string& text) {
          a.stream = static_cast<int>(int_value("--stream", text, {0, kMaxStream}));
        },
        "N", "index of the stream in the container, of both videos");
    value(
        "--stream-ref",
        [&](const std::string& text) {
          a.reference_stream = static_cast<int>(int_value("--stream-ref", text, {0, kMaxStream}));
        },
        "N", "index of the reference's stream, where it is another");
  }

  void add_outputs() {
    group_ = "Outputs";
    RunOptions& a = c_.arguments;
    list("--output,-o", c_.outputs, "write a report there, a page for FILE.html; - is standard output; may repeat", "FILE");
    for (const FormatFlag& format : kFormats) {
      app_.add_flag(std::string("--") + format.name)
          ->description(std::string("write every report as ") + format.help)
          ->group(group_);
    }
    value(
        "--precision", [&](const std::string& text) { a.precision = parse_precision(text); }, "1..17|max",
        "significant digits; max reads back to the same double");
    value(
        "--html", [&](const std::string& text) { c_.html = text; }, "FILE",
        "write a page with curves, statistics and the worst frames");
    integer("--worst", c_.worst, {0, kMaxWorst}, "number of worst moments to list and to picture");
    list("--fail-above", c_.fail_above,
         "exit with code 7 if, for example, 'mean>5', 'p95>=8' or 'share>10%'; may repeat", "EXPR");
    list("--fail-below", c_.fail_below,
         "the same for metrics of which higher is better: 'mean<30' or 'p5<=25'; may repeat", "EXPR");
    flag("--stream-scores", a.stream_scores, "write scores as they come, one JSON object a line");
    flag("--extended", a.extended, "add run metadata, timestamps, percentiles and worst moments to JSON");
    flag("--quiet,-q", a.quiet, "no progress and no summary");
    value(
        "--progress", [&](const std::string& text) { set_progress(text); }, "auto|bar|plain|json|none",
        "how progress is shown");
  }

  void add_run() {
    group_ = "Running";
    RunOptions& a = c_.arguments;
    value(
        "--threads",
        [&](const std::string& text) {
          a.threads = static_cast<int>(int_value("--threads", text, {0, kMaxThreads}));
        },
        "N", "threads; 0: all cores");
    value(
        "--backend", [&](const std::string& text) { set_backend(text); }, "auto|cpu|scalar|hybrid|vulkan",
        "what computes; all give identical scores");
    value(
        "--device", [&](const std::string& text) { a.device = text; }, "N|NAME",
        "GPU to use: index or name, see cambi devices");
    value(
        "--cpumask", [&](const std::string& text) { a.cpumask = mask_value("--cpumask", text); }, "BITS",
        "disable CPU instruction sets (bit mask as in vmaf)");
    value(
        "--gpumask", [&](const std::string& text) { a.gpumask = mask_value("--gpumask", text); }, "BITS",
        "non-zero: do not pick a GPU automatically");
    flag("--no_prediction,-n", no_prediction_, "accepted for compatibility with vmaf");
    value(
        "--max-memory", [&](const std::string& text) { a.max_memory = bytes_value("--max-memory", text); },
        "BYTES", "refuse a run that may need more memory, e.g. 4G; default: 75% of what is available");
    flag("--strict", a.strict, "fail if the videos differ in length");
    flag("--allow-damage", a.allow_damage, "skip corrupt frames instead of stopping");
    flag("--version,-v", c_.version, "print the version and exit");
    for (const char* names : {"--model,-m", "--aom_ctc", "--nflx_ctc"}) {
      value(
          names,
          [names](const std::string&) {
            throw Error(ErrorKind::kUsage,
                        std::string(names).substr(0, std::string(names).find(',')) +
                            ": there is no VMAF model here, only features. Use -n and --feature " +
                            std::string(default_feature().name) + ".");
          },
          "MODEL", "refused: there is no VMAF model here");
    }
  }

  void add_feature_flags() {
    group_ = "Features";
    list("--feature", c_.features, "NAME[=key=value[:key=value]...], exactly as vmaf takes it; may repeat",
         "SPEC");
    // Features may have flags of the same names, which then hold for each of them.
    std::set<std::string_view> added;
    for (const FeatureInfo* info : features()) {
      for (const FeatureFlag& flag : info->flags) {
        if (added.insert(flag.name).second) add_feature_flag(*info, flag);
      }
    }
    group_ = "Heatmaps";
    value(
        "--heatmaps", [&](const std::string& text) { c_.heatmaps = text; }, "DIR",
        "write pictures to this folder that show where the flaws are");
    heatmap_flag("--heatmap-format", parse_heatmap_formats, "png,video,gray",
                 "what --heatmaps writes: coloured pictures (default), a coloured video, raw samples");
    heatmap_flag("--heatmap-frames", parse_heatmap_frames, "worst|all|A-B",
                 "of which frames; default: the worst for png, all for the others");
  }

  // Words that a flag chooses from are checked here, so that its name stands in the message.
  void add_feature_flag(const FeatureInfo& info, const FeatureFlag& flag) {
    const std::string name(flag.name);
    if (flag.type.empty()) {
      app_.add_flag_callback(name, [this, name] { c_.of_features.emplace_back(name, ""); }, std::string(flag.help))
          ->group(group_);
      return;
    }
    std::vector<std::string> words;
    const auto spec = std::find_if(info.options.begin(), info.options.end(),
                                   [&](const OptionSpec& option) { return option.name == flag.option; });
    if (spec != info.options.end() && spec->kind == OptionKind::kChoice) {
      words.assign(spec->choices.begin(), spec->choices.end());
      words.insert(words.end(), spec->own_choices.begin(), spec->own_choices.end());
    }
    value(
        name,
        [this, name, words = std::move(words)](const std::string& text) {
          if (!words.empty()) choice_value(name, text, words);
          c_.of_features.emplace_back(name, text);
        },
        std::string(flag.type), std::string(flag.help));
  }

  void heatmap_flag(const char* name, void (*set)(const std::string&, HeatmapWishes&), const char* type,
                    const char* help) {
    value(
        name,
        [this, name, set](const std::string& text) {
          set(text, c_.arguments.heatmaps);
          c_.heatmap_flags.emplace_back(name);
        },
        type, help);
  }

  // What people who know other programs ask for.
  static void refuse_foreign_backend(const std::string& text) {
    if (text == "gpu") {
      throw Error(ErrorKind::kUsage, "--backend: there is no \"gpu\"; vulkan computes on a GPU.");
    }
    for (const char* foreign : {"cuda", "nvidia", "opencl", "metal", "hip", "sycl"}) {
      if (text != foreign) continue;
      throw Error(ErrorKind::kUsage, "--backend: there is no \"" + text + "\"; vulkan runs on the GPUs of NVIDIA, AMD, Intel and others.");
    }
  }

  std::vector<std::string> scoring_flags() const {
    std::vector<std::string> flags;
    for (const CLI::Option* option : app_.parse_order()) {
      const bool scores = option->get_group() == "Inputs" || option->get_group() == "Features";
      if (scores && !option->get_positional()) flags.push_back(option->get_name());
    }
    return flags;
  }

  // That of the last format flag.
  std::optional<ReportFormat> format_flag() const {
    std::optional<ReportFormat> format;
    for (const CLI::Option* option : app_.parse_order()) {
      for (const FormatFlag& flag : kFormats) {
        if (option->check_lname(flag.name)) format = flag.format;
      }
    }
    return format;
  }

  void set_progress(const std::string& text) {
    static const std::vector<std::string> kWords = {"auto", "bar", "plain", "json", "none"};
    c_.arguments.progress = *parse_progress_form(kWords[choice_value("--progress", text, kWords)]);
  }

  void set_backend(const std::string& text) {
    static const std::vector<std::string> kWords = {"auto", "cpu", "scalar", "hybrid", "vulkan"};
    constexpr Backend kBackends[] = {Backend::kCpu, Backend::kScalar, Backend::kHybrid, Backend::kVulkan};
    refuse_foreign_backend(text);
    const size_t i = choice_value("--backend", text, kWords);
    c_.arguments.backend = i == 0 ? std::nullopt : std::optional(kBackends[i - 1]);
  }

  CLI::App app_;
  std::string group_;
  CollectedFlags c_;
  bool no_prediction_ = false, several_ = false;
};

}  // namespace

std::variant<RunOptions, TextRequest> parse_arguments(const std::vector<std::string>& words,
                                                     const std::vector<ExtraFlag>& extra) {
  return Parser(extra).parse(words);
}

std::variant<SeveralArguments, TextRequest> parse_several(const std::vector<std::string>& words,
                                                          const std::vector<ExtraFlag>& extra) {
  return Parser(extra).parse_several(words);
}

}  // namespace vq::cli
