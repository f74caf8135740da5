#include "cli/command.h"

#include "cli/arguments.h"
#include "cli/run.h"

namespace vq::cli {

int run_command(const std::vector<std::string>& words, Messages& messages) {
  const std::variant<Arguments, TextRequest> parsed = parse_arguments(words);
  if (const TextRequest* request = std::get_if<TextRequest>(&parsed)) {
    write_stdout(request->text);
    return 0;
  }
  return run_scoring(std::get<Arguments>(parsed), messages);
}

}  // namespace vq::cli
