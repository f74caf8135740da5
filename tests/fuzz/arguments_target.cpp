#include <algorithm>

#include "cli/commands/arguments.h"
#include "cli/commands/feature_spec.h"
#include "core/error.h"
#include "core/options.h"
#include "core/text.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// What is left to the program.
bool is_open(const OptionSpec& spec, const OptionSet& options) {
  return !spec.own_default.empty() && options.text(spec.name) == spec.own_default;
}

// Whether --feature can say the same, but for what is left open.
bool has_exact_form(const FeatureRequest& request) {
  return std::all_of(request.info->options.begin(), request.info->options.end(), [&](const OptionSpec& spec) {
    if (is_open(spec, request.options)) return true;
    if (!spec.in_exact_form) return request.options.is_default(spec.name);
    const auto is_own = [&](std::string_view choice) { return choice == request.options.text(spec.name); };
    return std::none_of(spec.own_choices.begin(), spec.own_choices.end(), is_own);
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
  std::replace(text.begin(), text.end(), '\\', '/');
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

}  // namespace

void run_arguments(std::span<const uint8_t> bytes) {
  const std::string text(bytes.begin(), bytes.end());
  try {
    const cli::ParsedArguments words = cli::parse_run_words(lines_of(text));
    if (!words.asks_for_help && words.find("--version") == nullptr) check_arguments(cli::run_options(words));
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kMismatch,
            "a bad command line is a usage error");
    check_message(error.what());
  }
  try {
    check_request(cli::parse_feature(text));
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kUsage, "a bad feature is a usage error");
    check_message(error.what());
  }
}

}  // namespace vq::fuzz
