#include "cli/run/run_sandbox.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/decoding/sequence.h"
#include "cli/pictures/shown_metrics.h"
#include "cli/system/github.h"
#include "core/error.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// The file, or the folder in which the pictures of a sequence are looked for.
std::string place_of(const std::string& path) {
  std::error_code error;
  if (!names_sequence(path) || fs::is_directory(path, error)) return path;
  const size_t wildcard = path.find_first_of("*?[");
  const fs::path folder = fs::path(path.substr(0, wildcard)).parent_path();
  return folder.empty() ? "." : folder.string();
}

void add_inputs(const RunOptions& options, SandboxPaths& paths) {
  std::vector<std::string> videos = input_paths(options);
  videos.insert(videos.end(), paths.read.begin(), paths.read.end());
  for (std::string& video : videos) video = place_of(video);
  paths.read = std::move(videos);
  if (options.baseline) paths.read.push_back(*options.baseline);
  for (const model::ModelSpec& spec : options.model_specs) paths.read.push_back(spec.path);
}

void add_outputs(const RunOptions& options, SandboxPaths& paths) {
  for (const OutputPlace& place : output_places(options)) paths.written.push_back(place.path);
  for (const FeatureRequest& request : options.features) paths.folders.push_back(heatmap_folder(request));
  if (const char* const summary = std::getenv("GITHUB_STEP_SUMMARY"); options.github && summary != nullptr) {
    try {
      append_step_summary("");  // a file can only be allowed once it exists
    } catch (const Error&) {
      // Reported when it is written.
    }
    paths.appended.emplace_back(summary);
  }
  for (const std::string& folder : paths.folders) {
    std::error_code reported_when_it_is_used;
    if (!folder.empty()) fs::create_directories(folder, reported_when_it_is_used);
  }
}

bool may_use_devices(const RunOptions& options) {
  const bool on_host = options.backend == Backend::kCpu || options.backend == Backend::kScalar;
  return !on_host || options.hardware.decoder == DecoderRequest::kHardware;
}

}  // namespace

void enter_sandbox_of(RunOptions& options, SandboxPaths more, Messages& messages) {
  if (!options.sandbox) return;
  add_inputs(options, more);
  add_outputs(options, more);
  more.devices = may_use_devices(options);
  options.sandbox_layers = enter_sandbox(more);
  if (!options.quiet) messages.note("sandbox: " + options.sandbox_layers);
}

}  // namespace vq::cli
