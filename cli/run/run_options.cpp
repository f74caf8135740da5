#include "cli/run/run_options.h"

#include "cli/output/output_path.h"

namespace vq::cli {

std::vector<OutputPlace> output_places(const RunOptions& arguments) {
  std::vector<OutputPlace> places;
  for (const OutputRequest& output : arguments.outputs) places.push_back({output.path, partial_output(output)});
  return places;
}

std::vector<std::string> input_paths(const RunOptions& arguments) {
  std::vector<std::string> paths = {arguments.distorted};
  if (arguments.reference) paths.push_back(*arguments.reference);
  return paths;
}

std::string partial_output(const OutputRequest& request) {
  if (is_written_in_place(request.path)) return {};
  return request.format == ReportFormat::kHtml ? openable_partial_path(request.path)
                                               : partial_path(request.path);
}

}  // namespace vq::cli
