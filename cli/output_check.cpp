#include "cli/output_check.h"

#include "cli/byte_source.h"
#include "cli/output_file.h"
#include "core/error.h"

namespace vq::cli {
namespace {

void check_against(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (!same_file(output, is_standard_input(input) ? "/dev/stdin" : input)) continue;
    throw Error(ErrorKind::kUsage, "the output " + output + " is the same file as the input " + input + ".");
  }
}

}  // namespace

void check_distinct(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    check_against(outputs[i], inputs);
    if (const auto partial = partial_path(outputs[i])) check_against(*partial, inputs);
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(outputs[i], outputs[j])) continue;
      throw Error(ErrorKind::kUsage,
                  "the outputs " + outputs[j] + " and " + outputs[i] + " are the same file.");
    }
  }
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  check_distinct(outputs, inputs);
  for (const std::string& output : outputs) check_writable(output);
}

}  // namespace vq::cli
