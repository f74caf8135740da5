#include "cli/commands/subcommand.h"

#include <algorithm>

#include "cli/commands/info_report.h"
#include "cli/decoding/open_video.h"
#include "cli/inputs/input_kind.h"
#include "cli/run/run_sandbox.h"
#include "cli/system/interrupt.h"
#include "cli/system/progress.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text/argument_values.h"
#include "core/text/fit_text.h"

namespace vq::cli {
namespace {

VideoDescription describe(const std::string& path, int stream, Messages& messages) {
  check_is_video(path);
  SourceOptions options;
  options.path = path;
  options.stream = stream;
  options.stop = interrupt_token();
  const std::unique_ptr<VideoSource> source = open_video(options);
  for (const std::string& warning : source->take_warnings()) messages.warn(warning);
  return {source->info(), source->probe()};
}

void enter_sandbox(const ParsedArguments& words, Messages& messages) {
  RunOptions options;
  options.sandbox = words.find("--sandbox") != nullptr;
  options.backend = Backend::kCpu;
  enter_sandbox_of(options, {.read = words.arguments}, messages);
}

}  // namespace

int run_info(const ParsedArguments& words, Messages& messages) {
  const std::string* const stream_text = words.find("--stream");
  const int stream =
      stream_text == nullptr ? -1 : static_cast<int>(int_value("--stream", *stream_text, {0, kMaxStream}));
  if (std::count_if(words.arguments.begin(), words.arguments.end(), is_standard_input) > 1) {
    throw Error(ErrorKind::kUsage, "standard input is named more than once; it can be read only once.");
  }
  const bool is_json = words.find("--json") != nullptr;
  enter_sandbox(words, messages);
  std::vector<DescribedFile> files;
  std::optional<Error> first;
  std::string text;
  for (const std::string& path : words.arguments) {
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
  write_stdout(is_json ? info_json(files) : fit_text(text, stdout_width(), true));
  if (first) throw *first;
  return 0;
}

}  // namespace vq::cli
