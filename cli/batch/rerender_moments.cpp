#include "cli/batch/rerender_moments.h"

#include <cmath>

#include "cli/decoding/frame_reader.h"
#include "cli/decoding/open_video.h"
#include "cli/inputs/run_inputs.h"
#include "cli/pictures/picture_tap.h"
#include "cli/reports/compare.h"
#include "cli/run/run.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "engine/known_metrics.h"
#include "feature/feature.h"

namespace vq::cli {
namespace {

// Reports may have been written with few digits.
constexpr double kSameScore = 1e-3;

constexpr size_t kFewRuns = 3;       // of which pictures may be large
constexpr size_t kVideosAtOnce = 8;  // from which pictures are taken

std::optional<Chroma> chroma_named(const std::string& name) {
  for (const Chroma chroma : {Chroma::k400, Chroma::k420, Chroma::k422, Chroma::k444}) {
    if (to_string(chroma) == name) return chroma;
  }
  return std::nullopt;
}

// Where the video is; empty if it is nowhere.
std::string place_of(const NamedReport& run, const InputFacts& video) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_regular_file(path_of(video.path), error) || video.container == kSequenceContainer)
    return video.path;
  const std::string& report = run.saved.empty() ? run.path : run.saved;
  const fs::path beside = path_of(report).parent_path() / path_of(video.path);
  return fs::is_regular_file(beside, error) ? text_of(beside) : "";
}

// Whether the run scored the video as players turn it, rather than as it is stored.
bool was_turned(const Report& report, const InputFacts& video) {
  const std::string note = shown_path(video.path) + " " + kTurnedByTag;
  return std::ranges::any_of(report.run.notes,
                             [&](const std::string& line) { return line.starts_with(note); });
}

SourceOptions source_of(const std::string& path, const InputFacts& video, const LookRequest& request,
                        bool is_turned) {
  SourceOptions options;
  options.path = path;
  options.planes = kMaxPlanes;
  options.threads = request.threads;
  options.allow_damage = true;
  options.film_grain = video.film_grain != to_string(FilmGrain::kNotApplied);
  options.upright = is_turned;
  options.stop = request.stop;
  const std::optional<Chroma> chroma = chroma_named(video.chroma);
  if (video.container == "raw" && chroma)
    options.raw = PlanarLayout{video.width, video.height, video.bit_depth, *chroma};
  return options;
}

bool is_as_reported(const VideoInfo& info, const InputFacts& video) {
  return info.format.width == video.width && info.format.height == video.height &&
         info.format.bit_depth == video.bit_depth && info.codec == video.codec &&
         (!video.file_bytes || !info.file_bytes || *video.file_bytes == *info.file_bytes);
}

bool is_scored_alone(const FeatureRequest& request) {
  return request.info->needs_reference == nullptr || !request.info->needs_reference(request.options);
}

// Heat maps are of the video alone.
void leave_reference_out(FeatureRequest& request) {
  const OptionSpec* const option = find_role(request.info->options, OptionRole::kReference);
  if (option != nullptr && !is_scored_alone(request))
    request.options.set(option->name, "false", OptionForm::kOwn);
}

// The feature of the metric with the options that the run had; nothing if it has no heat maps of a video
// alone.
std::optional<FeatureRequest> request_for(const Report& report, const std::string& metric) {
  for (const auto& [name, values] : report.run.features) {
    for (const FeatureInfo* const info : features()) {
      if (info->name != name || info->heatmaps == nullptr) continue;
      FeatureRequest request{.info = info, .options = OptionSet(info->options)};
      for (const OptionSpec& spec : info->options) {
        const auto given =
            std::ranges::find_if(values, [&](const auto& value) { return value.first == spec.name; });
        if (spec.kind != OptionKind::kPath && given != values.end())
          request.options.put(spec.name, given->second);
      }
      const std::vector<std::string> metrics = info->metric_names(request.options);
      if (!contains(metrics, metric)) continue;
      leave_reference_out(request);
      request.asked_by = AskedBy::kUser;
      request.heatmaps = true;
      return is_scored_alone(request) ? std::optional(request) : std::nullopt;
    }
  }
  return std::nullopt;
}

// One run and its video.
class Look {
 public:
  Look(const NamedReport& run, const LookRequest& request, const InputFacts& video, const std::string& path)
      : run_(run),
        asked_(request),
        finder_(source_of(path, video, request, was_turned(run.report, video))),
        format_(finder_.info().format) {
    crop_ = run.report.run.crop;
    if (crop_) format_.width = crop_->width, format_.height = crop_->height;
    request_ = request_for(run.report, request.metric);
  }

  const VideoInfo& info() const { return finder_.info(); }

  // The moments of which the run has a score, by frame. False if what is found does not fit the report.
  bool see(std::vector<Snapshot>& shots) {
    const VideoFormats formats{format_, {}};
    ObservedVideo observed;
    observed.format = format_;
    observed.metric = metric_info(run_.report, asked_.metric);
    if (request_) observed.metric = metric_info(shown().metric);
    if (request_) observed.heatmaps = heatmaps_of(*request_, formats);
    const SnapshotMaker maker(observed, asked_.limit);
    std::vector<FramePair> waiting;  // for their heatmaps
    const auto draw = [&] {
      const auto results = score_again(*request_, formats, waiting, {.threads = asked_.threads});
      for (size_t i = 0; i < waiting.size(); ++i) {
        const double score = results[i].values[shown().value];
        shots.push_back(maker.make({waiting[i].distorted, score, results[i].heatmaps}));
      }
      waiting.clear();
    };
    const std::vector<double>& scores = find_metric(run_.report, asked_.metric)->values;
    for (const size_t position : positions()) {
      std::optional<Frame> frame =
          finder_.find(run_.report.frames[position], timestamp_at(run_.report, position));
      if (!frame) return false;
      if (crop_) crop_frame(*frame, format_.chroma, *crop_);
      if (!request_) {
        shots.push_back(maker.make({*frame, scores[position], {}}));
        continue;
      }
      waiting.push_back({.distorted = *frame, .reference = std::nullopt, .index = frame->index});
      if (waiting.size() == static_cast<size_t>(asked_.threads)) draw();
    }
    if (!waiting.empty()) draw();
    return !request_ || scores_fit(shots);
  }

  // Score of a frame by the run, for captions.
  double score_of(int64_t frame) const {
    return find_metric(run_.report, asked_.metric)->values[position_of(frame)];
  }

 private:
  MetricPlace shown() const { return shown_metric({*request_}, {}); }

  size_t position_of(int64_t frame) const {
    const std::vector<int64_t>& frames = run_.report.frames;
    return static_cast<size_t>(std::ranges::lower_bound(frames, frame) - frames.begin());
  }

  std::vector<size_t> positions() const {
    const std::vector<int64_t>& frames = run_.report.frames;
    std::vector<size_t> found;
    for (const int64_t frame : asked_.moments) {
      if (std::ranges::binary_search(frames, frame)) found.push_back(position_of(frame));
    }
    return found;
  }

  bool scores_fit(const std::vector<Snapshot>& shots) const {
    const Metric* const metric = find_metric(run_.report, shown().metric.name);
    if (metric == nullptr) return true;
    return std::ranges::all_of(shots, [&](const Snapshot& shot) {
      const double reported = metric->values[position_of(shot.frame)];
      return !std::isfinite(reported) ||
             std::fabs(shot.score - reported) <= kSameScore * std::max(1.0, std::fabs(reported));
    });
  }

  const NamedReport& run_;
  const LookRequest& asked_;
  FrameFinder finder_;
  VideoFormat format_;  // of what was scored
  std::optional<Rectangle> crop_;
  std::optional<FeatureRequest> request_;
};

LookedAgain none(const NamedReport& run, const std::string& why) {
  return {{}, words("There are no pictures of {}: {}.", shown_path(run.name), why)};
}

// The scored area of the reference, in the frames of the video; as decoded, so that it has a crop of its own.
std::optional<Rectangle> reference_crop(const RunFacts& run) {
  return run.reference_crop ? run.reference_crop : run.crop;
}

bool have_one_reference(const std::vector<NamedReport>& runs) {
  const Report& first = runs.front().report;
  const InputFacts* const video = reference_input(first);
  const auto is_like_first = [&](const NamedReport& run) {
    if (run.report.frames.empty()) return true;  // it was refused
    const InputFacts* const other = reference_input(run.report);
    return other != nullptr && other->path == video->path && other->skipped == video->skipped &&
           reference_crop(run.report.run) == reference_crop(first.run);
  };
  return video != nullptr && std::ranges::all_of(runs, is_like_first);
}

// The reference's frames by their numbers: its timestamps are not those of the report.
std::map<int64_t, Still> reference_stills(const NamedReport& run, const LookRequest& request,
                                          const std::string& path) {
  const InputFacts& video = *reference_input(run.report);
  FrameFinder finder(source_of(path, video, request, was_turned(run.report, video)));
  std::map<int64_t, Still> stills;
  if (!is_as_reported(finder.info(), video)) return stills;
  VideoFormat format = finder.info().format;
  const std::optional<Rectangle> crop = reference_crop(run.report.run);
  if (crop) format.width = crop->width, format.height = crop->height;
  for (const int64_t frame : request.moments) {
    std::optional<Frame> found = finder.find(frame + video.skipped, std::nullopt);
    if (!found) continue;
    if (crop) crop_frame(*found, format.chroma, *crop);
    stills.emplace(frame, still_of(*found, format, fitted({format.width, format.height}, request.limit)));
  }
  return stills;
}

bool has_scores(const NamedReport& run) { return !run.report.frames.empty(); }

}  // namespace

SharedReference look_at_reference(const std::vector<NamedReport>& runs, const LookRequest& request) {
  SharedReference shared;
  if (request.moments.empty() || !have_one_reference(runs)) return shared;
  const InputFacts& video = *reference_input(runs.front().report);
  const auto without = [&](const std::string& why) {
    shared.remark = words("There are no pictures of the reference: {}.", why);
    return shared;
  };
  const auto is_by_time = [](const NamedReport& run) {
    const std::vector<std::string>& notes = run.report.run.notes;
    return contains(notes, "pair=time");
  };
  if (std::ranges::any_of(runs, is_by_time)) return without("pairs were made by time");
  const std::string path = place_of(runs.front(), video);
  if (path.empty()) return without(shown_path(video.path) + " is not there, or cannot be read twice");
  try {
    shared.stills = reference_stills(runs.front(), request, path);
  } catch (const Error& error) {
    return without(error.what());
  }
  if (shared.stills.empty()) return without(shown_path(path) + " is not what was scored");
  shared.name = text_of(path_of(path).filename());
  return shared;
}

std::vector<FramePicture> pictures_of_reference(const LookRequest& request) {
  std::vector<FramePicture> pictures;
  for (const auto& [frame, still] : request.reference) {
    Snapshot shot;
    shot.frame = frame;
    shot.picture = still;
    pictures.push_back(picture_of(shot, request.quality));
    request.made();
  }
  return pictures;
}

LookedAgain rerender_moments(const NamedReport& run, const LookRequest& request) {
  const InputFacts* const video = distorted_input(run.report);
  if (video == nullptr) return none(run, "its report does not name the video");
  const std::string path = place_of(run, *video);
  if (path.empty()) return none(run, shown_path(video->path) + " is not there, or cannot be read twice");
  try {
    Look look(run, request, *video, path);
    std::vector<Snapshot> shots;
    if (!is_as_reported(look.info(), *video) || !look.see(shots)) {
      return none(run, shown_path(path) + " is not what was scored");
    }
    LookedAgain seen;
    for (Snapshot& shot : shots) {
      shot.score = look.score_of(shot.frame);
      const auto source = request.reference.find(shot.frame);
      if (source != request.reference.end()) shot.reference = source->second;
      seen.pictures.push_back(picture_of(shot, request.quality));
      request.made();
    }
    return seen;
  } catch (const Error& error) {
    return none(run, error.what());
  }
}

ComparisonPictures pictures_of(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                               const RunOptions& arguments) {
  ComparisonPictures pictures{.moments = arguments.worst.value_or(kDefaultPagePictures)};
  const PageQuality quality = arguments.heatmaps.page_quality.value_or(PageQuality::kSmall);
  const PlaneSize small = runs.size() <= kFewRuns ? PlaneSize{1280, 720} : PlaneSize{960, 540};
  LookRequest request{.metric = basis.metric,
                      .moments = {},
                      .limit = quality == PageQuality::kLossless ? kSnapshotLimit : small,
                      .threads = thread_count(arguments),
                      .stop = interrupt_token(),
                      .quality = quality};
  for (const auto& moments : {differing_moments(runs, basis.metric, pictures.moments),
                              worst_moments_of_first(runs, basis.metric, pictures.moments)}) {
    for (const SharedMoment& moment : moments) request.moments.insert(moment.frame);
  }
  if (request.moments.empty()) return pictures;
  const auto scored = std::ranges::count_if(runs, has_scores);
  size_t made = 0, all = static_cast<size_t>(scored) * request.moments.size();
  StepProgress progress(progress_settings(arguments, std::nullopt));
  progress.step("picture", 0, all);
  SharedReference source = look_at_reference(runs, request);
  request.reference = std::move(source.stills);
  all += request.reference.size();
  pictures.source = std::move(source.name);
  if (!source.remark.empty()) pictures.remarks.push_back(std::move(source.remark));
  std::mutex mutex;
  request.made = [&] {
    const std::lock_guard lock(mutex);
    if (++made < all) progress.step("picture", made, all);
  };
  std::vector<LookedAgain> seen(runs.size());
  std::vector<std::future<void>> tasks;
  {
    WorkerPool pool(static_cast<int>(
        std::min({static_cast<size_t>(request.threads), kVideosAtOnce, static_cast<size_t>(scored)})));
    request.threads = std::max(1, request.threads / pool.size());
    tasks.push_back(pool.submit(
        std::packaged_task<void()>([&] { pictures.of_source = pictures_of_reference(request); })));
    for (size_t i = 0; i < runs.size(); ++i) {
      if (has_scores(runs[i]))
        tasks.push_back(pool.submit(
            std::packaged_task<void()>([&, i] { seen[i] = rerender_moments(runs[i], request); })));
    }
  }
  for (std::future<void>& task : tasks) task.get();
  progress.step("picture", all, all);
  for (LookedAgain& one : seen) {
    pictures.of_runs.push_back(std::move(one.pictures));
    if (!one.remark.empty()) pictures.remarks.push_back(std::move(one.remark));
  }
  return pictures;
}

}  // namespace vq::cli
