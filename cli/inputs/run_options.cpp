#include "cli/inputs/run_options.h"

#include "cli/pictures/picture_tap.h"
#include "cli/system/messages.h"

namespace vq::cli {

CropRequest parse_crop(const std::string& flag, const std::string& text) {
  if (text == "auto") return {};
  std::vector<int> numbers;
  for (const std::string_view part : fields(text, ':')) {
    long long number = 0;
    const bool is_place = parse_int(part, number) && number >= 0 && number <= kMaxSide;
    numbers.push_back(is_place ? static_cast<int>(number) : -1);
  }
  if (numbers.size() != 4 || contains(numbers, -1) || numbers[0] == 0 || numbers[1] == 0) {
    throw usage_error(
        "{}: \"{}\" is not allowed; it takes auto, or WIDTH:HEIGHT:X:Y in samples such as 1920:800:0:140.",
        flag, printable(text));
  }
  return {Rectangle{numbers[2], numbers[3], numbers[0], numbers[1]}};
}

AlignRequest parse_align(const std::string& text) {
  if (text == "auto") return {.finds = true, .shift = {}};
  if (text == "off") return {};
  long long shift = 0;
  const size_t sign = text.starts_with('+') ? 1 : 0;
  const bool is_number = text.size() > sign && (sign == 0 || (text[1] >= '0' && text[1] <= '9'));
  if (!is_number || !parse_int(text.substr(sign), shift) || shift > kMaxFrameNumber ||
      shift < -kMaxFrameNumber) {
    throw usage_error(
        "--align: \"{}\" is not allowed; it takes auto, off, or by how many frames the distorted video is "
        "late, such as 3, or -3 where it is early.",
        printable(text));
  }
  return {.finds = false, .shift = shift};
}

const GivenOption* RunOptions::find(std::string_view flag) const {
  const auto found = std::ranges::find(given, flag, &GivenOption::name);
  return found == given.end() ? nullptr : &*found;
}

namespace {

bool writes(const RunOptions& options, ReportFormat format) {
  return contains(options.outputs, format, &OutputRequest::format);
}

bool has_zones(const OutputRequest& output) { return output.format && info_of(*output.format).zones; }

struct Need {
  FlagNeeds needs;
  const char* lack;  // follows the flag's name
  bool is_of_outputs;
  bool (*is_met)(const RunOptions& options);
};
constexpr Need kNeeds[] = {
    {FlagNeeds::kReference, "has no effect without a reference. Use -r REFERENCE -d DISTORTED.", false,
     [](const RunOptions& options) { return options.reference.has_value(); }},
    {FlagNeeds::kHeatmaps, "needs a folder. Add --heatmaps DIR", false,
     [](const RunOptions& options) {
       return std::ranges::any_of(
           options.features, [](const FeatureRequest& request) { return !heatmap_folder(request).empty(); });
     }},
    {FlagNeeds::kZones, "has no effect without zones. Add --segments-output x264:FILE", false,
     [](const RunOptions& options) { return std::ranges::any_of(options.outputs, has_zones); }},
    {FlagNeeds::kSegments, "needs a threshold. Add --segments [METRIC:]VALUE", false,
     [](const RunOptions& options) { return !options.segments.empty(); }},
    {FlagNeeds::kScaling, "has no effect without --scale-to or a model that is scaled.", false,
     [](const RunOptions& options) {
       return options.scale || std::ranges::any_of(options.model_specs, &model::ModelSpec::is_scaled);
     }},
    {FlagNeeds::kJson, "has no effect without a JSON report. Add -o FILE.json", true,
     [](const RunOptions& options) { return writes(options, ReportFormat::kJson) || writes_page(options); }},
    {FlagNeeds::kReport, "has no effect without a report. Add -o FILE", true,
     [](const RunOptions& options) { return !options.outputs.empty() || options.stream_scores; }},
    {FlagNeeds::kPage, "has no effect without a page. Add --html FILE", true, writes_page},
};

}  // namespace

// A flag that would change nothing was meant to.
void refuse_idle_flags(const RunOptions& options, bool of_outputs) {
  for (const GivenOption& option : options.given) {
    for (const Need& need : kNeeds) {
      if (need.needs == option.needs && need.is_of_outputs == of_outputs && !need.is_met(options))
        throw usage_error("{} {}", option.name, need.lack);
    }
  }
  const bool lists_worst = !options.quiet || writes_page(options) || options.heatmaps.png ||
                           (writes(options, ReportFormat::kJson) && options.extended);
  if (of_outputs && options.worst && !lists_worst) {
    throw usage_error(
        "--worst has no effect under --quiet, without a page, pictures and an extended report.");
  }
}

std::vector<OutputPlace> output_places(const RunOptions& arguments) {
  std::vector<OutputPlace> places;
  for (const OutputRequest& output : arguments.outputs)
    places.push_back({output.path, partial_output(output)});
  // JUnit of a run that ends early has the error, so it is not called a part.
  if (arguments.junit) places.push_back({*arguments.junit, {}});
  if (!arguments.trace.empty()) places.push_back({arguments.trace, {}});
  for (const FeatureRequest& request : arguments.features) {
    const std::string path = histogram_path(request);
    if (path.empty()) continue;
    places.push_back({path, is_written_in_place(path) ? std::string() : partial_path(path)});
  }
  return places;
}

bool writes_page(const RunOptions& options) { return writes(options, ReportFormat::kHtml); }

bool tells_stages(const RunOptions& options) { return options.extended || writes_page(options); }

bool is_about_scenes(const RunOptions& options) {
  return options.lists_scenes || std::ranges::any_of(options.segments, &SegmentRequest::by_scene) ||
         std::ranges::any_of(options.outputs, [](const OutputRequest& output) {
           return output.format && is_of_scenes(*output.format);
         });
}

bool finds_scenes(const RunOptions& options) {
  if (options.scenes) return false;
  return writes_page(options) || is_about_scenes(options) ||
         (options.extended && writes(options, ReportFormat::kJson)) ||
         std::ranges::any_of(options.outputs, has_zones);
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
