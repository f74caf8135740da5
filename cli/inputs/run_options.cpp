#include "cli/inputs/run_options.h"

#include <algorithm>

#include "cli/pictures/picture_tap.h"
#include "cli/system/standard_streams.h"

namespace vq::cli {

std::vector<OutputPlace> output_places(const RunOptions& arguments) {
  std::vector<OutputPlace> places;
  for (const OutputRequest& output : arguments.outputs)
    places.push_back({output.path, partial_output(output)});
  // Of a run that ends early it has the error, so it is not called a part.
  if (arguments.junit) places.push_back({*arguments.junit, {}});
  if (!arguments.trace.empty()) places.push_back({arguments.trace, {}});
  for (const FeatureRequest& request : arguments.features) {
    const std::string path = histogram_path(request);
    if (path.empty()) continue;
    places.push_back({path, is_written_in_place(path) ? std::string() : partial_path(path)});
  }
  return places;
}

bool writes_page(const OutputOptions& options) {
  return std::any_of(options.outputs.begin(), options.outputs.end(),
                     [](const OutputRequest& output) { return output.format == ReportFormat::kHtml; });
}

bool tells_stages(const RunOptions& options) {
  return options.extended || writes_page(options);
}

bool is_about_scenes(const OutputOptions& options) {
  return options.lists_scenes ||
         std::any_of(options.segments.begin(), options.segments.end(),
                     [](const SegmentRequest& segments) { return segments.by_scene; }) ||
         std::any_of(options.outputs.begin(), options.outputs.end(), [](const OutputRequest& output) {
           return output.format && is_of_scenes(*output.format);
         });
}

bool finds_scenes(const RunOptions& options) {
  if (options.scenes) return false;
  return writes_page(options) || is_about_scenes(options) ||
         std::any_of(options.outputs.begin(), options.outputs.end(), [&](const OutputRequest& output) {
           return (output.format == ReportFormat::kJson && options.extended) ||
                  (output.format && zone_form(*output.format));
         });
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
