#include "cli/batch/score_several.h"
#include "cli/commands/arguments.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/video_source.h"
#include "cli/inputs/remarks.h"
#include "cli/reports/diff.h"
#include "cli/run/ending.h"
#include "cli/run/run.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "core/version.h"
#include "engine/report/described.h"
#include "engine/report/json_values.h"

namespace vq::cli {
namespace {

// Facts about a video before it is read, for `cambi info`: as text and as JSON.

struct VideoDescription {
  VideoInfo info;
  ProbeFacts probe;
};

// A file that was to be described, and why it was not.
struct DescribedFile {
  std::string path;
  std::optional<VideoDescription> video;
  std::string error;  // if there is none
};

using nlohmann::ordered_json;

constexpr size_t kKeyWidth = 14;
constexpr size_t kMaxText = 200;

// A number that ffprobe writes as a fraction: "34000/50000".
std::string fraction_text(const Facts& facts, const std::string& name) {
  const std::string text = fact_text(facts, name);
  const size_t slash = text.find('/');
  double above = 0, below = 0;
  if (slash == std::string::npos || !parse_real(text.substr(0, slash), above) ||
      !parse_real(text.substr(slash + 1), below) || below == 0) {
    return text;
  }
  return significant_text(above / below, 5);
}

std::string mastering_text(const Facts& side) {
  std::string text;
  if (find_fact(side, "max_luminance") != nullptr) {
    text =
        words("{} to {} cd/m2", fraction_text(side, "min_luminance"), fraction_text(side, "max_luminance"));
  }
  if (find_fact(side, "red_x") == nullptr) return text;
  const auto point = [&](const std::string& name, const std::string& start) {
    return words(", {} {} {}", name, fraction_text(side, start + "_x"), fraction_text(side, start + "_y"));
  };
  text +=
      point("red", "red") + point("green", "green") + point("blue", "blue") + point("white", "white_point");
  return text.starts_with(", ") ? text.substr(2) : text;
}

class Lines {
 public:
  void add(const std::string& key, const std::string& value) {
    if (!value.empty()) text_ += pad_right(key, kKeyWidth) + printable(value, kMaxText) + "\n";
  }
  // Beside our word ffprobe's, if that is another.
  void add(const std::string& key, const std::string& value, const Facts& facts, const std::string& name) {
    const std::string theirs = fact_text(facts, name);
    add(key, theirs.empty() || theirs == value ? value : words("{} ({}={})", value, name, theirs));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_file(Lines& lines, const InputFacts& facts) {
  lines.add("file", shown_path(facts.path));
  lines.add("container", facts.container);
  if (facts.file_bytes) lines.add("file size", bytes_text(*facts.file_bytes));
  if (facts.bit_rate) {
    lines.add("bit rate",
              bit_rate_text(*facts.bit_rate) + (facts.bit_rate_of == "file" ? " (of the whole file)" : ""));
  }
  lines.add("encoder", facts.encoder);
}

void add_format(Lines& lines, const VideoDescription& video) {
  const VideoInfo& info = video.info;
  const Facts& stream = video.probe.stream;
  const std::string profile = fact_text(stream, "profile");
  lines.add("codec", info.codec + (profile.empty() ? "" : words(" ({})", profile)));
  lines.add("pixel format", info.pixel_format, stream, "pix_fmt");
  std::string size = size_text(info.format.size());
  if (info.is_turned) {
    size += words(", stored as {}x{} and turned {}", fact_text(stream, "width"), fact_text(stream, "height"),
                  describe(info.orientation));
  }
  lines.add("size", size);
  const std::string shape = fact_text(stream, "sample_aspect_ratio");
  if (shape != "1:1") lines.add("pixel shape", shape);
  lines.add("bit depth", std::to_string(info.format.bit_depth));
  lines.add("chroma", std::string(to_string(info.format.chroma)));
  lines.add("range", std::string(to_string(info.format.range)), stream, "color_range");
  lines.add("transfer", std::string(to_string(info.format.transfer)), stream, "color_transfer");
  lines.add("matrix", std::string(to_string(info.format.matrix)), stream, "color_space");
  lines.add("primaries", fact_text(stream, "color_primaries"));
  lines.add("scan", info.interlaced ? "interlaced" : "progressive");
  lines.add("film grain", is_described(info.film_grain) ? "described by the stream"
                                                        : std::string(to_string(info.film_grain)));
}

void add_side_data(Lines& lines, const ProbeFacts& probe) {
  for (const Facts& side : probe.side_data) {
    if (find_fact(side, "rotation") != nullptr)
      lines.add("rotation", fact_text(side, "rotation") + " degrees");
    if (find_fact(side, "max_luminance") != nullptr || find_fact(side, "red_x") != nullptr)
      lines.add("mastering", mastering_text(side));
    if (find_fact(side, "max_content") != nullptr) {
      lines.add("light level", words("at most {}, frames on average {} cd/m2", fact_text(side, "max_content"),
                                     fact_text(side, "max_average")));
    }
    if (find_fact(side, "dv_profile") != nullptr) {
      lines.add("Dolby Vision",
                words("profile {}, level {}", fact_text(side, "dv_profile"), fact_text(side, "dv_level")));
    }
  }
}

ordered_json facts_json(const Facts& facts) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : facts) {
    std::visit([&json, &key = name](const auto& own) { json[key] = own; }, value);
  }
  return json;
}

ordered_json with_tags(const Facts& facts, const Facts& tags) {
  ordered_json json = facts_json(facts);
  if (!tags.empty()) json["tags"] = facts_json(tags);
  return json;
}

// As `inputs` of an extended report has it, but for what is known only after reading.
ordered_json input_json(const VideoDescription& video) {
  ordered_json all = described_json(input_facts("", video.info, 0, std::nullopt));
  all["interlaced"] = video.info.interlaced;
  all["frames"] = nullable(video.info.frames);
  ordered_json json;
  for (const char* const name :
       {"container",  "codec",    "pixel_format", "width",       "height",     "bit_depth",       "chroma",
        "range",      "transfer", "matrix",       "interlaced",  "film_grain", "frame_rate",      "frames",
        "file_bytes", "duration", "bit_rate",     "bit_rate_of", "encoder",    "encoder_settings"})
    json[name] = std::move(all[name]);
  return json;
}

ordered_json file_json(const DescribedFile& file) {
  ordered_json json = {{"path", file.path}};
  if (!file.video) {
    json["error"] = file.error;
    return json;
  }
  const ProbeFacts& probe = file.video->probe;
  ordered_json stream = with_tags(probe.stream, probe.stream_tags);
  for (const Facts& side : probe.side_data) stream["side_data_list"].push_back(facts_json(side));
  json["streams"] = ordered_json::array({std::move(stream)});
  json["format"] = with_tags(probe.format, probe.format_tags);
  json["input"] = input_json(*file.video);
  return json;
}

// A line for each fact, in this program's words and beside them ffprobe's if those differ.
std::string info_text(const VideoDescription& video) {
  const VideoInfo& info = video.info;
  Lines lines;
  add_file(lines, input_facts("", info, 0, std::nullopt));
  add_format(lines, video);
  lines.add("frame rate", info.frame_rate() ? significant_text(*info.frame_rate(), 6) + " fps" : "unknown");
  lines.add("frames", info.frames ? words("{} (declared)", *info.frames) : "not declared");
  lines.add("duration", info.duration ? timecode(*info.duration) : "unknown");
  add_side_data(lines, video.probe);
  return lines.take();
}

VideoDescription describe(const std::string& path, int stream, Messages& messages) {
  check_is_video(path);
  SourceOptions options;
  options.path = path;
  options.stream = stream;
  options.stop = interrupt_token();
  const std::unique_ptr<VideoSource> source = open_video(options);
  for (const std::string& warning : source->report().warnings) messages.warn(warning);
  return {source->info(), source->probe()};
}

}  // namespace

int run_info(const ParsedArguments& typed, Messages& messages) {
  const int stream = static_cast<int>(typed.number("--stream", {0, kMaxStream}, -1));
  check_standard_input(typed.arguments);
  const bool is_json = typed.has("--json");
  confine(typed, {}, messages);
  std::vector<DescribedFile> files;
  std::optional<Error> first;
  std::string text;
  for (const std::string& path : typed.arguments) {
    DescribedFile& file = files.emplace_back(DescribedFile{path, {}, {}});
    try {
      file.video = describe(path, stream, messages);
      text += (text.empty() ? "" : "\n") + info_text(*file.video);
    } catch (const Error& error) {
      if (interrupt_signal() != 0) throw;
      file.error = error.what();
      if (!first) {
        first = error;
      } else {
        messages.error(error.what());
      }
    }
  }
  if (is_json)
    text = json_file_text(ordered_json{{"version", version()}, {"files", json_list(files, file_json)}});
  write_stdout(is_json ? text : fit_text(text, stdout_width(), true));
  if (first) throw *first;
  return 0;
}

constexpr std::string_view kFeature = "fingerprint";

static bool is_json(const OutputRequest& output) {
  if (output.format == ReportFormat::kJson) return true;
  if (output.format == ReportFormat::kCsv) return false;
  throw usage_error(
      "fingerprint writes JSON or CSV: use -o FILE.json or FILE.csv, or for standard output --json or "
      "--csv.");
}

// Flags without a meaning here are refused before anything is read.
static void check_fingerprinted(const RunOptions& arguments, const std::vector<std::string>& videos) {
  refuse_feature_files(arguments, "fingerprint");
  std::vector<std::string> outputs;
  for (const OutputRequest& output : arguments.outputs) {
    is_json(output);
    outputs.push_back(output.path);
  }
  check_standard_input(videos);
  check_outputs(outputs, videos);
}

static void write_words(std::span<const DiffSide> videos, const std::optional<FrameMatch>& match,
                        const RunOptions& arguments, Messages& messages) {
  std::vector<OutputText> outputs;
  for (const OutputRequest& output : arguments.outputs) {
    outputs.push_back(
        {output.path, is_json(output) ? frame_words_json(videos, match) : frame_words_csv(videos)});
  }
  Ending ending(messages, ending_options(arguments));
  // The result is printed even under --quiet if it is not written to a file.
  const bool is_shown = match && (outputs.empty() || !arguments.quiet);
  if (!match && outputs.empty()) write_stdout(frame_lines(videos));
  ending.write(std::move(outputs));
  ending.show(is_shown ? match_text(*match) : "", Ending::Text::kResult);
}

int run_fingerprint(const ParsedArguments& typed, Messages& messages) {
  const std::vector<std::string>& paths = typed.arguments;
  RunOptions arguments = several_options(typed, kFeature);
  check_fingerprinted(arguments, paths);
  enter_sandbox_of(arguments, {.read = paths}, messages);
  const SeveralReports scored = score_several(arguments, paths, messages, [](const auto&) {});
  if (const int signal = interrupt_signal(); signal != 0) {
    messages.error("interrupted");
    return interrupt_exit_code(signal);
  }
  if (scored.error) std::rethrow_exception(scored.error);
  std::vector<DiffSide> videos;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (scored.videos[i].report) videos.push_back({paths[i], *scored.videos[i].report});
  }
  std::optional<FrameMatch> match;
  if (videos.size() == 2) match = match_frames(videos[0], videos[1]);
  write_words(videos, match, arguments, messages);
  return match && !match->same() ? exit_code(ErrorKind::kThreshold) : 0;
}

}  // namespace vq::cli
