#include <cmath>

#include "cli/commands/arguments.h"
#include "cli/commands/flag_setters.h"
#include "cli/decoding/open_video.h"
#include "tests/fuzz/target.h"
#include "tests/support/memory_source.h"

namespace vq::fuzz {
namespace {

// What is left to the program.
bool is_open(const OptionSpec& spec, const OptionSet& options) {
  return !spec.own_default.empty() && options.text(spec.name) == spec.own_default;
}

// Whether --feature can say the same, but for what is left open.
bool has_exact_form(const FeatureRequest& request) {
  return std::ranges::all_of(request.info->options, [&](const OptionSpec& spec) {
    if (is_open(spec, request.options)) return true;
    if (!spec.in_exact_form) return request.options.is_default(spec.name);
    const auto is_own = [&](std::string_view choice) { return choice == request.options.text(spec.name); };
    return std::ranges::none_of(spec.own_choices, is_own);
  });
}

// The text of a feature with every option spelled out, but paths that are not given and what is left open.
std::string full_text(const FeatureRequest& request) {
  std::string text(request.info->name);
  char separator = '=';
  for (const OptionSpec& spec : request.info->options) {
    if (!spec.in_exact_form || is_open(spec, request.options)) continue;
    if (spec.kind == OptionKind::kPath && !request.options.is_set(spec.name)) continue;
    text += separator;
    text.append(spec.name).append("=");
    for (const char c : request.options.text(spec.name)) {
      if (c == ':' || c == '=' || c == '\\') text += '\\';
      text += c;
    }
    separator = ':';
  }
  return text;
}

// Flags take paths of any bytes, the text of a feature only those of plain text.
bool is_plain(std::string text) {
  std::ranges::replace(text, '\\', '/');
  return printable(text, text.size()) == text;
}

// What was accepted can be written out and read again, and means the same.
void check_request(const FeatureRequest& request) {
  const std::vector<std::string> names = request.info->metric_names(request.options);
  require(!names.empty(), "a feature has metrics");
  if (!has_exact_form(request)) return;
  try {
    const FeatureRequest again = cli::parse_feature(full_text(request));
    require(again.info->metric_names(again.options) == names, "metric names survive");
    for (const OptionSpec& spec : request.info->options) {
      if (is_open(spec, request.options)) continue;
      require(again.options.value(spec.name) == request.options.value(spec.name), "values survive");
    }
  } catch (const Error& error) {
    if (full_text(request).size() > 4096 || !is_plain(full_text(request))) return;  // refused rightly
    broken_promise("\"" + full_text(request) + "\" is refused: " + error.what());
  }
}

void check_arguments(const cli::RunOptions& arguments) {
  require(!arguments.features.empty(), "there is a feature");
  require(!arguments.distorted.empty(), "there is a video");
  require(arguments.sampling.every >= 1 && arguments.frame_count >= 0, "counts are in range");
  require(arguments.skip_distorted >= 0 && arguments.skip_reference >= 0, "skips are in range");
  require(arguments.threads >= 0 && arguments.max_memory >= 0, "limits are in range");
  for (const FeatureRequest& request : arguments.features) check_request(request);
}

// Words of a command line, one a line, or the text of a feature.
void run_arguments(std::span<const uint8_t> bytes) {
  const std::string text(bytes.begin(), bytes.end());
  run_refusable({ErrorKind::kUsage, ErrorKind::kMismatch}, "a bad command line is a usage error", [&] {
    const std::vector<std::string_view> lines = split(text, '\n');
    const cli::ParsedArguments words = cli::parse_run_words({lines.begin(), lines.end()});
    if (!words.asks_for_help && words.find("--version") == nullptr) check_arguments(cli::run_options(words));
  });
  run_refusable({ErrorKind::kUsage}, "a bad feature is a usage error",
                [&] { check_request(cli::parse_feature(text)); });
}

// What is taken for a model scores any values, by each of its models.
void check_models(const std::vector<model::Model>& models) {
  require(!models.empty(), "a file has a model");
  for (const double value : {0.0, 1.0, -1e300}) {
    std::vector<std::vector<double>> values;
    for (const model::Model& one : models) values.emplace_back(one.features.size(), value);
    const model::FrameScores scores = model::predict(models, values);
    require(
        models.size() < 2 ? scores.of_collection.empty() : scores.of_collection.size() == models.size() + 3,
        "a collection has a score for each model, and four more");
    const auto& clip = models.front().clip;
    const bool is_within =
        !clip || std::isnan(scores.score) || (clip->first <= scores.score && scores.score <= clip->second);
    require(is_within, "a score is clipped");
  }
}

void check_spec(const std::string& text) {
  const model::ModelSpec spec = model::parse_model_spec(text);
  require(model::parse_model_spec(model::text_of(spec)) == spec, "the text of a model reads back");
  check_message(model::source_of(spec));
}

// The text of a model file, and of --model.
void run_models(std::span<const uint8_t> bytes) {
  const std::string text(bytes.begin(), bytes.end());
  run_refusable({ErrorKind::kInput}, "a bad model is an input error",
                [&] { check_models(model::parse_models(text, "model")); });
  run_refusable({ErrorKind::kUsage}, "a bad --model is a usage error", [&] { check_spec(text); });
}

constexpr int kMaxFrames = 6;

// Reads every sample, so that one that is out of bounds is noticed.
uint64_t sum_of(const SampleView& plane) {
  uint64_t sum = 0;
  for (int y = 0; y < plane.height(); ++y) {
    for (int x = 0; x < plane.width(); ++x) sum += plane.is_u8() ? plane.u8.row(y)[x] : plane.u16.row(y)[x];
  }
  return sum;
}

cli::SourceOptions options_of(ByteTaker& taker, bool raw) {
  cli::SourceOptions options;
  options.path = "input";
  options.threads = 1;
  if (!raw) return options;
  constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
  constexpr Chroma kChromas[] = {Chroma::k400, Chroma::k420, Chroma::k422, Chroma::k444};
  cli::PlanarLayout format;
  format.width = taker.integer(1, 64);
  format.height = taker.integer(1, 64);
  format.bit_depth = kDepths[taker.integer(0, 5)];
  format.chroma = kChromas[taker.integer(0, 3)];
  options.raw = format;
  return options;
}

void check_frame(const Frame& frame, const cli::VideoInfo& info, int64_t last_index) {
  require(frame.luma().width() == info.format.width && frame.luma().height() == info.format.height,
          "a picture has the size of the video");
  require(frame.bit_depth == info.format.bit_depth, "a picture has the depth of the video");
  require(frame.index > last_index, "numbers rise");
  uint64_t sum = 0;
  for (const SampleView& plane : frame.planes) {
    if (!plane.empty()) sum += sum_of(plane);
  }
  volatile uint64_t kept = sum;
  (void)kept;
}

void read_video(const cli::SourceOptions& options, std::vector<uint8_t> bytes, bool seekable) {
  const auto source =
      cli::open_video(options, std::make_unique<cli::MemorySource>(std::move(bytes), seekable));
  const cli::VideoInfo& info = source->info();
  require(info.format.width >= 1 && info.format.width <= 16384, "the width is in range");
  require(info.format.height >= 1 && info.format.height <= 16384, "the height is in range");
  require(info.format.bit_depth >= 8 && info.format.bit_depth <= 16, "the depth is in range");
  int64_t last_index = -1;
  for (int i = 0; i < kMaxFrames; ++i) {
    const auto frame = source->read();
    if (!frame) break;
    check_frame(*frame, info, last_index);
    last_index = frame->index;
  }
  for (const std::string& warning : source->report().warnings) check_message(warning);
}

// A video over I/O in memory. The first byte says how it is opened.
void run_video(std::span<const uint8_t> bytes) {
  ByteTaker taker(bytes);
  const uint8_t how = taker.byte();
  cli::SourceOptions options = options_of(taker, (how & 1) != 0);
  options.allow_damage = (how & 2) != 0;
  options.decoders = (how & 8) != 0 ? 2 : 1;
  const std::span<const uint8_t> rest = taker.rest();
  try {
    read_video(options, {rest.begin(), rest.end()}, (how & 4) == 0);
  } catch (const Error& error) {
    require(error.kind() != ErrorKind::kInternal, "no input is an internal fault");
    check_message(error.what());
  }
}

const Target kProgramTargets[] = {
    {"arguments", run_arguments},     {"models", run_models}, {"plan", run_plan},   {"report", run_report},
    {"report_text", run_report_text}, {"shard", run_shard},   {"video", run_video},
};
[[maybe_unused]] const bool kHasProgramTargets = add_targets(kProgramTargets);

}  // namespace
}  // namespace vq::fuzz
