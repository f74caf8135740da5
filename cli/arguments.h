// The command line of a scoring run as plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/colour.h"
#include "cli/crop.h"
#include "cli/feature_spec.h"
#include "cli/heatmap_outputs.h"
#include "cli/number_text.h"
#include "cli/output_check.h"
#include "cli/progress.h"
#include "cli/report_writer.h"
#include "cli/threshold.h"
#include "cli/video_source.h"

namespace vq::cli {

struct OutputRequest {
  std::string path;
  std::optional<ReportFormat> format;  // none: neither a flag nor the extension says
};

// What is left of it by a run that ends early; empty where it is written in place.
std::string partial_output(const OutputRequest& request);

// A point in a video: a frame number, or seconds from the start.
using VideoPosition = std::variant<int64_t, double>;

struct Arguments {
  std::vector<std::string> original;  // argv without the program's name
  std::vector<std::string> scoring_flags;  // of those given, the ones that say what is scored and with which feature

  std::string distorted;
  std::optional<std::string> reference;
  std::optional<RawFormat> raw;
  int stream = -1;  // of both videos; -1: the best one
  std::optional<int> reference_stream;  // where the reference has another
  int64_t skip_distorted = 0, skip_reference = 0;
  int64_t frame_count = 0;  // frames to read after skipping; 0: all
  int64_t subsample = 1;    // frames 0, N, 2N, ... of those read are scored
  std::optional<VideoPosition> start, end;
  std::optional<CropWish> crop;
  bool strict = false, allow_damage = false;

  std::vector<FeatureRequest> features;  // at least one
  std::optional<ColourWishes> colour;    // none with --feature, which infers nothing
  std::optional<Backend> backend;        // none: auto
  std::string device;                    // number or name; empty: any
  unsigned cpumask = 0, gpumask = 0;     // instruction sets not to use
  int threads = 0;                       // 0: all cores
  int64_t max_memory = 0;                // bytes; 0: three quarters of what the process may have

  HeatmapWishes heatmaps;  // beside the features' own heatmaps_path
  std::vector<OutputRequest> outputs;
  std::vector<Threshold> fail_above;
  bool stream_scores = false;   // a JSON object a line on standard output, as they come
  std::optional<size_t> worst;  // frames to list and to show; none: as each output sees fit
  std::optional<NumberStyle> precision;
  bool extended = false;
  bool quiet = false;
  ProgressForm progress = ProgressForm::kAuto;
};

// Where the outputs go, and what is left of each by a run that ends early.
std::vector<OutputPlace> output_places(const Arguments& arguments);

// The videos, the distorted one first.
std::vector<std::string> input_paths(const Arguments& arguments);

// What to do instead of scoring.
struct TextRequest {
  std::string text;  // to be printed on standard output
  bool is_help = false;
};

// A flag that a subcommand has on top of those of a run.
struct ExtraFlag {
  std::string name;
  std::function<void(const std::string& text)> set;
};

// Throws Error{kUsage}, Error{kMismatch} for impossible picture sizes, and what setters of `extra` throw.
std::variant<Arguments, TextRequest> parse_arguments(const std::vector<std::string>& words,
                                                     const std::vector<ExtraFlag>& extra = {});

// Several videos or reports with one set of flags; `arguments.distorted` is the first of them.
struct SeveralArguments {
  Arguments arguments;
  std::vector<std::string> paths;  // at least one
};

// The same grammar with any number of positionals. Throws as parse_arguments().
std::variant<SeveralArguments, TextRequest> parse_several(const std::vector<std::string>& words,
                                                          const std::vector<ExtraFlag>& extra = {});

}  // namespace vq::cli
