#include "cli/output_check.h"

#include "cli/byte_source.h"
#include "cli/message_text.h"
#include "cli/output_path.h"
#include "core/error.h"
#include "core/options.h"

namespace vq::cli {
namespace {

struct Name {
  std::string path;
  std::string shown;
};

std::vector<Name> names_of(const std::vector<OutputPlace>& outputs) {
  std::vector<Name> names;
  for (const OutputPlace& output : outputs) {
    const std::string path = shown_path(output.path), partial = shown_path(output.partial);
    names.push_back({output.path, "the output " + path});
    if (partial.empty()) continue;
    names.push_back({output.partial, partial + ", which is left of " + path + " if the run ends early,"});
  }
  return names;
}

}  // namespace

void check_distinct(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs) {
  const std::vector<Name> names = names_of(outputs);
  for (size_t i = 0; i < names.size(); ++i) {
    for (const std::string& input : inputs) {
      if (!same_file(names[i].path, is_standard_input(input) ? "/dev/stdin" : input)) continue;
      throw Error(ErrorKind::kUsage, names[i].shown + " is the same file as the input " + shown_path(input) + ".");
    }
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(names[i].path, names[j].path)) continue;
      throw Error(ErrorKind::kUsage, names[j].shown + " and " + names[i].shown + " are the same file.");
    }
  }
}

void check_outputs(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs) {
  check_distinct(outputs, inputs);
  for (const OutputPlace& output : outputs) {
    check_writable(output.path);
    if (!output.partial.empty()) check_replaceable(output.partial);
  }
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::vector<OutputPlace> places;
  for (const std::string& path : outputs) places.push_back({path});
  check_outputs(places, inputs);
}

}  // namespace vq::cli
