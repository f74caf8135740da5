#include "cli/batch/score_several.h"

#include "cli/inputs/pair_reader.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// The last parts of a path.
fs::path end_of(const fs::path& path, ptrdiff_t parts) {
  fs::path end;
  const auto count = std::distance(path.begin(), path.end());
  for (auto part = std::next(path.begin(), std::max<ptrdiff_t>(0, count - parts)); part != path.end(); ++part)
    end /= *part;
  return end;
}

// The name of each file, with as many of the folders that it is in as tell it apart from the others.
std::vector<std::string> names_in_folder(const std::vector<std::string>& videos) {
  std::vector<fs::path> places;
  for (const std::string& video : videos)
    places.push_back(fs::absolute(path_of(video)).lexically_normal().relative_path());
  std::vector<std::string> names;
  for (const fs::path& place : places) {
    ptrdiff_t parts = 1;
    const auto looks_alike = [&](const fs::path& other) {
      return other != place && end_of(other, parts) == end_of(place, parts);
    };
    while (std::ranges::any_of(places, looks_alike)) ++parts;
    names.push_back(escaped_text(text_of(end_of(place, parts))));
  }
  return names;
}

// Reports do not say what a comparison makes of them.
RunOptions without_outputs(RunOptions arguments) {
  arguments.outputs.clear();
  arguments.thresholds.clear();
  arguments.baseline.reset();
  arguments.precision.reset();
  arguments.worst.reset();
  arguments.heatmaps.page = false;
  arguments.heatmaps.page_quality.reset();
  std::erase_if(arguments.given, [](const GivenOption& given) {
    return given.role == FlagRole::kReporting || given.role == FlagRole::kTelling ||
           given.role == FlagRole::kDrawing;
  });
  return arguments;
}

}  // namespace

SavedReports::SavedReports(const RunOptions& arguments, const std::vector<std::string>& videos,
                           const std::string& folder)
    : request_{.arguments = without_outputs(arguments), .folder = folder, .formats = {}} {
  std::vector<std::string> read = videos;
  if (arguments.reference) read.push_back(*arguments.reference);
  for (const std::string& path : read) {
    if (is_read_once(path))
      throw usage_error("--reports knows by their files which videos were scored already, and {} is none.",
                        shown_path(path));
  }
  const std::vector<std::string> names = names_in_folder(videos);
  for (size_t i = 0; i < videos.size(); ++i) {
    BatchRequest request = request_;
    request.arguments = own_options(request_.arguments, videos, i);
    const bool has_twin = request_.arguments.film_grain == FilmGrainRequest::kBoth && i % 2 == 1;
    tasks_.push_back(batch_task(
        request,
        {.path = videos[i], .reference = {}, .name = names[i] + (has_twin ? " without grain" : "")}));
    make_folder(folder_of(path(i)));
  }
}

std::optional<Report> SavedReports::find(size_t video) const { return kept_report(request_, tasks_[video]); }

void SavedReports::save(size_t video, Report report) const {
  Messages unheard([](std::string_view) {});
  RunOutputs outputs(tasks_[video].arguments, unheard);
  finish_task(report, tasks_[video], outputs);
}

}  // namespace vq::cli
