#include "cli/batch/score_several.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/inputs/pair_reader.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/open_run.h"
#include "cli/run/run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "core/text.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

constexpr size_t kSharedFrames = 4;
// More runs than this make several groups: what is left of the reference's part is little then, and each run
// takes memory for every thread of its group.
constexpr size_t kMostInGroup = 8;

// One video with what must live as long as its run.
struct Part {
  RunOptions arguments;
  std::unique_ptr<Messages> messages;
  std::unique_ptr<ScoringRun> run;   // null if the video does not fit its reference
  FrameReader* reference = nullptr;  // of the run, if it shares the video with others
  std::optional<RefusedPair> refusal = {};
  std::exception_ptr error = nullptr;  // another one
  bool complete = false;
};

// The part of the work on a reference that several runs share, for each of them.
struct Shared {
  std::vector<std::unique_ptr<FrameReader>> references;
  std::vector<std::shared_ptr<ScoringGroup>> groups;  // null if the run is scored by itself
};

// Runs that share the terminal: each has its own warnings, each line is shown once. Runs may be on threads of
// their own.
class Several {
 public:
  explicit Several(Messages& messages)
      : shared_messages_(messages, mutex_, [this] {
          if (progress_) progress_->clear();
        }) {}

  std::unique_ptr<Messages> own_messages() { return shared_messages_.of_run(); }

  // Scores on as many threads as there are parts. `settings` but for the total.
  void score(std::vector<Part>& parts, ProgressSettings settings) {
    settings.total = 0;
    for (const Part& part : parts) {
      if (!part.run) continue;
      const std::optional<int64_t> frames = part.run->expected_frames();
      settings.total = settings.total && frames ? std::optional(*settings.total + *frames) : std::nullopt;
    }
    progress_ = std::make_unique<Progress>(std::move(settings));
    run_all(parts);
    progress_.reset();
  }

 private:
  void run_all(std::vector<Part>& parts) {
    if (parts.size() == 1) return score_one(parts.front());
    const auto leave = [](const Part& part) {
      if (part.run && part.reference != nullptr) part.reference->leave();
    };
    std::vector<std::jthread> threads;
    try {
      for (Part& part : parts) {
        threads.emplace_back([&] {
          score_one(part);
          leave(part);
        });
      }
    } catch (const std::exception&) {
      // The threads that did start need not wait for the others, so that they end.
      std::for_each(parts.begin() + static_cast<ptrdiff_t>(threads.size()), parts.end(), leave);
      throw;
    }
  }

  void score_one(Part& part) {
    if (!part.run) return;
    const auto scored = [&](double value) {
      const std::lock_guard lock(mutex_);
      progress_->frame(value);
    };
    try {
      part.run->score({scored});
      part.complete = !part.arguments.stop.is_requested();
    } catch (const RefusedPair& refusal) {
      part.refusal = refusal;
    } catch (...) {
      part.error = std::current_exception();
    }
  }

  std::mutex mutex_;  // for what follows
  std::unique_ptr<Progress> progress_;
  SharedMessages shared_messages_;
};

// For the i-th of them alone.
RunOptions own_options(const RunOptions& arguments, const std::vector<std::string>& videos, size_t i) {
  RunOptions own = arguments;
  own.distorted = videos[i];
  if (own.film_grain == FilmGrainRequest::kBoth)
    own.film_grain = i % 2 == 0 ? FilmGrainRequest::kOn : FilmGrainRequest::kOff;
  return own;
}

// Opens the videos. A run refers to its part, so the parts stay where they are.
std::vector<Part> open_parts(Several& several, const RunOptions& arguments,
                             const std::vector<std::string>& videos, Shared* shared) {
  std::vector<Part> parts(videos.size());
  for (size_t i = 0; i < videos.size(); ++i) {
    parts[i].arguments = own_options(arguments, videos, i);
    parts[i].arguments.heatmaps.page = false;  // one page for all has no pictures
    if (shared != nullptr) parts[i].arguments.group = shared->groups[i];
    parts[i].messages = several.own_messages();
    std::unique_ptr<FrameReader> reference;
    if (shared != nullptr) reference = std::move(shared->references[i]);
    parts[i].reference = reference.get();
    try {
      parts[i].run =
          std::make_unique<ScoringRun>(parts[i].arguments, *parts[i].messages, std::move(reference));
    } catch (const RefusedPair& refusal) {
      parts[i].refusal = refusal;
    }
  }
  return parts;
}

void collect(const std::vector<Part>& parts, SeveralReports& result) {
  for (const Part& part : parts) {
    result.reports.push_back(part.complete ? std::optional(part.run->report()) : std::nullopt);
    if (!result.error) result.error = part.error;
    result.refusals.push_back(part.refusal);
  }
}

// Before the first, which may take long. Each is opened again when its turn comes: kept open, every one of
// them would hold a decoder, its threads and some dozens of frames from the start, while opening takes a
// fraction of a second.
std::vector<std::vector<Metric>> check_all(const RunOptions& arguments,
                                           const std::vector<std::string>& videos) {
  std::vector<std::vector<Metric>> metrics;
  for (size_t i = 0; i < videos.size(); ++i) metrics.push_back(check_run(own_options(arguments, videos, i)));
  return metrics;
}

bool shifts(const AlignRequest& request) {
  return request.finds || request.shift.value_or(0) != 0;
}

// Groups of about equal size for the runs, in their order; they share the threads. A device has its own way.
std::vector<std::shared_ptr<ScoringGroup>> make_groups(const RunOptions& arguments, size_t runs,
                                                       const BackendChoice& backend) {
  if (is_on_device(backend.backend)) return std::vector<std::shared_ptr<ScoringGroup>>(runs);
  const size_t count = (runs + kMostInGroup - 1) / kMostInGroup;
  const int threads = std::max(1, thread_count(arguments) / static_cast<int>(count));
  std::vector<std::shared_ptr<ScoringGroup>> groups, of_runs;
  for (size_t i = 0; i < count; ++i) groups.push_back(std::make_shared<ScoringGroup>(threads, kSharedFrames));
  for (size_t i = 0; i < runs; ++i) of_runs.push_back(groups[i * count / runs]);
  return of_runs;
}

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
    places.push_back(fs::absolute(video).lexically_normal().relative_path());
  std::vector<std::string> names;
  for (const fs::path& place : places) {
    ptrdiff_t parts = 1;
    const auto looks_alike = [&](const fs::path& other) {
      return other != place && end_of(other, parts) == end_of(place, parts);
    };
    while (std::any_of(places.begin(), places.end(), looks_alike)) ++parts;
    names.push_back(escaped_text(end_of(place, parts).string()));
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

// Each run's share of the threads and the memory.
RunOptions shared_out(const RunOptions& arguments, size_t runs) {
  RunOptions own = arguments;
  own.threads = std::max(1, thread_count(arguments) / static_cast<int>(runs));
  own.max_memory = std::max<int64_t>(1, memory_limit(arguments) / static_cast<int64_t>(runs));
  return own;
}

}  // namespace

SeveralReports score_several(const RunOptions& arguments, const std::vector<std::string>& videos,
                             Messages& messages, const MetricCheck& check) {
  Several several(messages);
  SeveralReports result;
  // A shift of its own takes frames of its own from the reference.
  if (arguments.reference && videos.size() > 1 && !(arguments.align && shifts(*arguments.align))) {
    RunOptions own = shared_out(arguments, videos.size());
    const BackendChoice backend = choose_backend(own, *several.own_messages());
    own.hardware = settle_decoder(own.hardware, backend);
    RunOptions with_grain = own;
    if (own.film_grain == FilmGrainRequest::kBoth) with_grain.film_grain = FilmGrainRequest::kOn;
    with_grain.skip_distorted_seconds.reset();  // each run counts its own
    with_grain = count_skipped(std::move(with_grain));
    own.skip_reference = with_grain.skip_reference;
    own.skip_reference_seconds.reset();
    Shared shared{.references = {}, .groups = make_groups(arguments, videos.size(), backend)};
    shared.references.push_back(open_input(with_grain, Role::kReference));
    while (shared.references.size() < videos.size())
      shared.references.push_back(shared.references.front()->share());
    std::vector<Part> parts = open_parts(several, own, videos, &shared);
    std::vector<std::vector<Metric>> metrics;
    for (const Part& part : parts)
      metrics.push_back(part.run ? part.run->settled().metrics() : std::vector<Metric>());
    check(metrics);
    const std::string label = words("{} videos", videos.size());
    several.score(parts, progress_settings(arguments, std::nullopt, label));
    collect(parts, result);
    return result;
  }
  const RunOptions sharing = sharing_devices(arguments);
  check(check_all(arguments, videos));
  const auto goes_on = [&] { return !result.error && !arguments.stop.is_requested(); };
  for (size_t i = 0; i < videos.size() && goes_on(); ++i) {
    const std::string place = words("{}/{} ", i + 1, videos.size());
    try {
      std::vector<Part> parts = open_parts(several, own_options(sharing, videos, i), {videos[i]}, nullptr);
      several.score(parts,
                    progress_settings(arguments, std::nullopt, place + std::string(file_part(videos[i]))));
      collect(parts, result);
    } catch (...) {
      if (i == 0) throw;
      result.error = std::current_exception();
    }
  }
  result.reports.resize(videos.size());
  result.refusals.resize(videos.size());
  return result;
}

SavedReports::SavedReports(const RunOptions& arguments, const std::vector<std::string>& videos,
                           const std::string& folder)
    : request_{.arguments = without_outputs(arguments), .folder = folder, .formats = {}} {
  std::vector<std::string> read = videos;
  if (arguments.reference) read.push_back(*arguments.reference);
  for (const std::string& path : read) {
    if (is_read_once(path))
      throw Error(ErrorKind::kUsage,
                  words("--reports knows by their files which videos were scored already, and {} is none.",
                        shown_path(path)));
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

std::optional<Report> SavedReports::find(size_t video) const {
  return kept_report(request_, tasks_[video]);
}

void SavedReports::save(size_t video, Report report) const {
  Messages unheard([](std::string_view) {});
  RunOutputs outputs(tasks_[video].arguments, unheard);
  finish_task(report, tasks_[video], outputs);
}

}  // namespace vq::cli
