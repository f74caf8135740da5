#include "cli/batch/batch.h"

#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/pictures/picture_tap.h"
#include "cli/run/open_run.h"
#include "cli/run/run.h"
#include "cli/run/run_outputs.h"
#include "cli/run/sampled_run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/report/json_values.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

using State = VideoOutcome::State;

void set_failed(VideoOutcome& outcome, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const RefusedPair& refusal) {
    outcome.fail(State::kRefused, refusal);
  } catch (const std::exception&) {
    outcome.fail(State::kFailed, error_of(failure));
  }
}

// The number of videos that a device decodes and scores at a time; 0 if the CPU has a part in that. Four keep
// its decoders busy while sessions of others are opened and closed, which drivers do one after another
// (docs/performance-gpu.md).
int find_runs_on_device(const RunOptions& options, int workers) {
  constexpr int kOnDevice = 4;
  try {
    Messages unheard([](std::string_view) {});
    const BackendChoice choice = choose_backend(options, unheard);
    return may_be_hardware(settle_decoder(options.hardware, choice)) && is_on_device(choice.backend)
               ? std::min(workers, kOnDevice)
               : 0;
  } catch (const Error&) {  // each video says so
    return 0;
  }
}

// Threads as long as they are held.
class Share {
 public:
  Share(ThreadShares& shares, int wanted) : shares_(shares), threads_(shares.take(wanted)) {}
  ~Share() { shares_.give_back(threads_); }
  Share& operator=(Share&&) = delete;
  int threads() const { return threads_; }

 private:
  ThreadShares& shares_;
  const int threads_;
};

class Batch {
 public:
  Batch(const BatchRequest& request, const VideoList& list, Messages& messages)
      : request_(request),
        list_(list),
        threads_(thread_count(request.arguments)),
        memory_(memory_limit(request.arguments)),
        workers_(
            std::clamp(static_cast<int>(list.videos.size()), 1, request.jobs > 0 ? request.jobs : threads_)),
        shares_(std::max(threads_, workers_), request.arguments.stop),
        shared_(sharing_devices(request.arguments)),
        progress_(progress_settings(request.arguments, std::nullopt), {}, list.videos),
        messages_(messages, mutex_, [this] { progress_.clear(); }) {
    for (const ListedVideo& video : list.videos) {
      outcomes_.push_back(
          {.path = video.path, .name = video.name, .reference = reference_of(request, video)});
    }
  }

  std::vector<VideoOutcome> score() {
    score_all();
    for (size_t i = 0; i < outcomes_.size() && !is_stopped(); ++i) {
      if (is_to_be_alone_[i]) score_video(i, Place::kAlone);
    }
    progress_.finish();
    return std::move(outcomes_);
  }

 private:
  enum class Place { kBesideOthers, kAlone };

  void score_all() {
    is_to_be_alone_.resize(outcomes_.size());
    partials_.resize(outcomes_.size());
    std::exception_ptr fault;  // if there was no memory even for an outcome
    const auto work = [this, &fault] {
      try {
        for (size_t i = next_++; i < outcomes_.size() && !is_stopped(); i = next_++)
          score_video(i, workers_ > 1 ? Place::kBesideOthers : Place::kAlone);
      } catch (...) {
        next_ = outcomes_.size();
        const std::lock_guard lock(mutex_);
        fault = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      try {
        for (int i = 1; i < workers_; ++i) threads.emplace_back(work);
      } catch (const std::exception&) {  // those that did start do the work
      }
      work();
    }
    if (fault) std::rethrow_exception(fault);
  }

  void score_video(size_t i, Place place) {
    VideoOutcome& outcome = outcomes_[i];
    try {
      bring_about(i, place);
      if (outcome.scores) remove_partials(i);
    } catch (...) {
      const std::exception_ptr failure = std::current_exception();
      const ErrorKind kind = error_of(failure).kind();
      const bool may_pass_alone = kind == ErrorKind::kResource || kind == ErrorKind::kBackend;
      if (is_stopped()) {
        outcome.state = State::kLeft;
      } else if (place == Place::kBesideOthers && may_pass_alone) {
        is_to_be_alone_[i] = true;
      } else {
        set_failed(outcome, failure);
      }
    }
    try {
      const std::lock_guard lock(mutex_);
      progress_.end(i, outcome);
    } catch (const std::bad_alloc&) {  // what cannot be shown costs no other video
    }
  }

  void bring_about(size_t i, Place place) {
    BatchTask task = batch_task(request_, list_.videos[i]);
    RunOptions& own = task.arguments;
    own.devices = shared_.devices;
    own.hardware = shared_.hardware;
    if (!request_.force && reuse(outcomes_[i], task)) return;
    own.hardware.runs = std::max(1, runs_on_device());
    const Share share(shares_, place == Place::kAlone ? threads_ : threads_wanted(i, own));
    if (is_stopped()) return;
    own.threads = std::max(share.threads(), 1);
    if (place == Place::kAlone) {
      own.max_memory = memory_;
    } else {
      own.max_memory = std::max<int64_t>(1, memory_ / std::max(threads_, workers_) * own.threads);
    }
    score(i, task);
  }

  // As many as its pictures keep busy, and more if there are too few videos for all threads.
  int threads_wanted(size_t i, const RunOptions& own) {
    const auto left = static_cast<int>(std::min<size_t>(outcomes_.size() - i, static_cast<size_t>(workers_)));
    const int fair = std::max(1, threads_ / std::max(left, 1));
    if (request_.jobs > 0) return fair;
    if (const int runs = runs_on_device(); runs > 0) return std::max(fair, threads_ / runs);
    const VideoFormat format = look_at_input(own).format;
    return std::max(fair, useful_threads(int64_t{format.width} * format.height));
  }

  // Loads the drivers, so only once there is a video to score.
  int runs_on_device() {
    std::call_once(devices_are_known_, [this] { runs_on_device_ = find_runs_on_device(shared_, workers_); });
    return runs_on_device_;
  }

  bool is_stopped() const { return request_.arguments.stop.is_requested(); }

  // Whether there is nothing left to do for the video.
  bool reuse(VideoOutcome& outcome, const BatchTask& task) {
    const std::optional<Report> report = kept_report(request_, task);
    if (!report) return false;
    const std::unique_ptr<Messages> messages = messages_.of_run();
    for (const PairFault& fault : report->run.pair_faults) messages->warn(fault.diagnostic.text);
    outcome.scores = scores_of(*report);
    set_outputs(outcome, task.arguments);
    outcome.state = State::kKept;
    return true;
  }

  void set_outputs(VideoOutcome& outcome, const RunOptions& own) const {
    outcome.report = batch_output(outcome.name, ReportFormat::kJson);
    if (contains(own.outputs, ReportFormat::kHtml, &OutputRequest::format))
      outcome.page = batch_output(outcome.name, ReportFormat::kHtml);
  }

  void make_folders(const RunOptions& own) {
    make_folder(folder_of(own.outputs.front().path));
    for (const FeatureRequest& request : own.features) {
      if (!heatmap_folder(request).empty()) make_folder(folder_of(heatmap_folder(request)));
    }
  }

  void score(size_t i, const BatchTask& task) {
    const RunOptions& own = task.arguments;
    VideoOutcome& outcome = outcomes_[i];
    const std::unique_ptr<Messages> messages = messages_.of_run();
    make_folders(own);
    ScoringRun run(own, *messages);
    if (!request_.arguments.quiet) {
      for (const std::string& text : run.settled().expectations()) messages->note(text);
    }
    RunOutputs& outputs = run.outputs();
    const auto begin = [&](std::optional<int64_t> frames) {
      const std::lock_guard lock(mutex_);
      progress_.begin(i, frames);
    };
    begin(own.confidence ? std::nullopt : run.expected_frames());
    RunWatcher watcher{[&](double) {
      const std::lock_guard lock(mutex_);
      progress_.frame(i);
    }};
    watcher.begins_again = [&] { begin(run.expected_frames()); };
    watcher.note = [&](const std::string& text) {
      if (!request_.arguments.quiet) messages->note(words("{}: {}", shown_path(own.distorted), text));
    };
    std::optional<SampledRun> sampled;
    try {
      if (own.confidence) {
        sampled.emplace(own, run, *messages).answer(run, watcher);
      } else {
        run.score(watcher);
      }
    } catch (...) {
      if (!is_stopped() && run.scored() > 0) note_partials(i, own, outputs.write_partial(run.report()));
      throw;
    }
    if (is_stopped()) return;
    Report report = run.report();
    if (sampled) sampled->complete(report);
    finish_task(report, task, outputs);
    outcome.scores = scores_of(report);
    set_outputs(outcome, own);
    outcome.state = State::kScored;
  }

  void note_partials(size_t i, const RunOptions& own, std::vector<std::string> files) {
    VideoOutcome& outcome = outcomes_[i];
    const bool has_report = contains(files, partial_output(own.outputs.front()));
    partials_[i] = std::move(files);
    if (has_report) outcome.partial = partial_path(batch_output(outcome.name, ReportFormat::kJson));
  }

  // Removes the partial reports of a first try once a second one has everything.
  void remove_partials(size_t i) {
    std::error_code ignored;
    for (const std::string& file : partials_[i]) fs::remove(path_of(file), ignored);
    outcomes_[i].partial.clear();
  }

  const BatchRequest& request_;
  const VideoList& list_;
  const int threads_;
  const int64_t memory_;
  const int workers_;
  ThreadShares shares_;
  const RunOptions shared_;  // with the devices of all videos
  std::once_flag devices_are_known_;
  int runs_on_device_ = 0;
  std::vector<VideoOutcome> outcomes_;              // each touched by one thread at a time
  std::vector<char> is_to_be_alone_;                // the same
  std::vector<std::vector<std::string>> partials_;  // the same: files of a try that failed
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;  // for what follows
  BatchProgress progress_;
  SharedMessages messages_;
};

// By the first video that can be looked at: what it refuses, all would.
void check_metrics(const BatchRequest& request, const VideoList& list) {
  if (request.arguments.thresholds.empty() && request.arguments.segments.empty()) return;
  for (const ListedVideo& video : list.videos) {
    RunOptions own = request.arguments;
    own.distorted = video.path;
    own.threads = 1;
    std::vector<Metric> metrics;
    try {
      metrics = check_run(own);
    } catch (const Error&) {
      continue;
    }
    check_threshold_metrics(own.thresholds, metrics);
    check_segments(own.segments, metrics);
    return;
  }
}

VideoOutcome outcome_of(const ListFault& fault) {
  VideoOutcome outcome{.path = fault.path};
  set_failed(outcome, fault.error);
  return outcome;
}

// No file can have the name of a folder: of one that is there, or one that reports of other videos need.
void check_batch_folders(const BatchRequest& request, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    std::error_code ignored;
    const bool is_there = fs::is_directory(path_of(request.folder + "/" + name), ignored);
    const auto inside = names.lower_bound(name + "/");
    if (!is_there && (inside == names.end() || !inside->starts_with(name + "/"))) continue;
    throw usage_error(
        "{} cannot be written: {}", shown_path(request.folder + "/" + name),
        is_there ? "it is a folder. Try: another folder for --reports"
                 : words("{} needs a folder of that name. Score it separately: cambi VIDEO -o FILE.json",
                         shown_path(*inside)));
  }
}

}  // namespace

void check_batch_names(const BatchRequest& request, const VideoList& list) {
  std::set<std::string> names = {"summary.json", "summary.csv", "index.html"};
  std::vector<ReportFormat> formats = request.formats;
  formats.push_back(ReportFormat::kJson);
  for (const ListedVideo& video : list.videos) {
    for (const ReportFormat format : formats) {
      const std::string name = batch_output(video.name, format);
      if (names.insert(name).second) continue;
      throw usage_error(
          "a file of {} would have the name {} like another file of this batch. Score it separately: cambi "
          "VIDEO -o FILE.json",
          shown_path(video.path), shown_path(name));
    }
  }
  check_batch_folders(request, names);
}

BatchSummary score_batch(const BatchRequest& request, const VideoList& list, Messages& messages) {
  const double start = seconds_now();
  check_metrics(request, list);
  BatchSummary summary{.arguments = request.arguments.original, .videos = {}, .remarks = list.remarks};
  if (const Sampling& sampling = request.arguments.sampling; sampling.every > 1) {
    summary.remarks.push_back(words("Only {} of each video was scored, so statistics are of these.",
                                    sample_text(sampling.every, sampling.is_spread)));
  }
  for (const ListFault& fault : list.faults) summary.videos.push_back(outcome_of(fault));
  for (VideoOutcome& outcome : Batch(request, list, messages).score())
    summary.videos.push_back(std::move(outcome));
  summary.wall_seconds = seconds_now() - start;
  return summary;
}

int useful_threads(int64_t pixels) {
  constexpr int64_t kSmall = 1 << 20;  // up to 1280x720
  if (pixels <= kSmall) return 1;
  if (pixels <= 5 * kSmall / 2) return 2;  // up to 1920x1080
  return pixels <= 9 * kSmall ? 4 : 8;     // up to 4096x2160
}

int ThreadShares::take(int wanted) {
  constexpr auto kPoll = std::chrono::milliseconds(100);
  wanted = std::clamp(wanted, 1, total_);
  std::unique_lock lock(mutex_);
  const int64_t ticket = next_ticket_++;
  while (!(ticket == served_ && free_ >= wanted) && !stop_.is_requested()) changed_.wait_for(lock, kPoll);
  served_ = std::max(served_, ticket + 1);
  const int taken = std::min(wanted, free_);
  free_ -= taken;
  changed_.notify_all();
  return taken;
}

void ThreadShares::give_back(int threads) {
  const std::lock_guard lock(mutex_);
  free_ += threads;
  changed_.notify_all();
}

constexpr size_t kLongestName = 60;

using Outcome = VideoOutcome::State;

static std::string json_count(std::optional<int64_t> value) {
  return value ? std::to_string(*value) : "null";
}

// The mean of the leading metric: "cambi 3.343".
static std::string score_text(const VideoScores& scores) {
  const MetricOutcome& metric = scores.metrics[scores.leading];
  const double mean = statistic_in(metric, "mean");
  return words("{} {}", metric.metric.name, std::isnan(mean) ? "-" : fixed_text(mean, 3));
}

BatchProgress::BatchProgress(const ProgressSettings& settings, ProgressPort port,
                             const std::vector<ListedVideo>& videos)
    : ShownProgress(settings, std::move(port)) {
  for (const ListedVideo& video : videos) {
    videos_.push_back(
        {.name = video.name, .bytes = std::max<int64_t>(video.bytes, 1), .frames = 0, .total = {}});
    bytes_ += videos_.back().bytes;
  }
}

void BatchProgress::begin(size_t video, std::optional<int64_t> frames) {
  State& state = videos_[video];
  state.total = frames;
  state.frames = 0;
  state.is_running = true;
  if (form_ != ProgressForm::kJson) return;
  port_.write(words(R"({"event": "begin", "video": {}, "index": {}, "frames": {}})", json_quoted(state.name),
                    video, json_count(frames)) +
              "\n");
}

void BatchProgress::frame(size_t video) {
  ++videos_[video].frames;
  ++frames_;
  show();
}

void BatchProgress::end(size_t video, const VideoOutcome& outcome) {
  State& state = videos_[video];
  state.is_running = false;
  if (outcome.state == Outcome::kLeft) return;
  ++ended_;
  if (outcome.error) ++failed_;
  if (outcome.state == Outcome::kKept) {
    bytes_ -= state.bytes;  // no work
  } else {
    bytes_done_ += state.bytes;
  }
  if (form_ == ProgressForm::kPlain) plain_end(outcome);
  if (form_ != ProgressForm::kJson) return;
  port_.write(words(R"({"event": "end", "video": {}, "index": {}, "state": "{}", "frames": {}, "error": {}})",
                    json_quoted(state.name), video, word_of(outcome.state),
                    json_count(outcome.scores ? std::optional(outcome.scores->frames) : std::nullopt),
                    outcome.error ? json_quoted(outcome.message) : "null") +
              "\n");
}

void BatchProgress::plain_end(const VideoOutcome& outcome) {
  if (outcome.state == Outcome::kKept) return;
  std::string line = words("{}/{}  {}  ", ended_, videos_.size(), shown_path(outcome.name));
  if (!outcome.scores) {
    line += word_of(outcome.state);
  } else {
    line += outcome.scores->is_comparable() ? score_text(*outcome.scores) : "not comparable";
    line += "  " + counted(outcome.scores->frames, "frame");
  }
  port_.write(line + "\n");
}

void BatchProgress::finish() {
  clear();
  if (form_ != ProgressForm::kJson) return;
  port_.write(words(R"({"event": "finish", "videos": {}, "ended": {}, "failed": {}, "elapsed_seconds": {}})",
                    videos_.size(), ended_, failed_, json_number(elapsed(), 3)) +
              "\n");
}

Pace BatchProgress::pace() const {
  Pace pace{.elapsed = elapsed()};
  if (pace.elapsed > 0) pace.fps = static_cast<double>(frames_) / pace.elapsed;
  double done = static_cast<double>(bytes_done_);
  for (const State& state : videos_) {
    if (!state.is_running || !state.total || *state.total <= 0) continue;
    done += static_cast<double>(state.bytes) *
            std::min(1.0, static_cast<double>(state.frames) / static_cast<double>(*state.total));
  }
  if (bytes_ <= 0) return pace;
  const double share = std::min(1.0, done / static_cast<double>(bytes_));
  pace.percent = 100 * share;
  if (share > 0) pace.seconds_left = pace.elapsed * (1 - share) / share;
  return pace;
}

std::vector<StatusPart> BatchProgress::parts(const Pace& now) const {
  std::vector<StatusPart> parts = {{words("{}/{} videos", ended_, videos_.size()), 0}};
  if (now.percent) parts.push_back({words("{}%", static_cast<int>(*now.percent)), kPercentRank});
  if (now.fps) parts.push_back({fixed_text(*now.fps, 1) + " fps", 4});
  if (now.seconds_left) parts.push_back({duration_text(*now.seconds_left) + " left", 2});
  if (failed_ > 0) parts.push_back({words("{} failed", failed_), 3, true});
  std::vector<std::string_view> names;
  for (const State& state : videos_) {
    if (state.is_running) names.push_back(file_part(state.name));
  }
  if (!names.empty()) parts.push_back({printable(join(names, ", "), kLongestName), 5});
  return parts;
}

std::string BatchProgress::json_line(const Pace& now) const {
  std::vector<std::string> running;
  for (const State& state : videos_) {
    if (!state.is_running) continue;
    running.push_back(words(R"({"video": {}, "frames": {}, "total": {}})", json_quoted(state.name),
                            state.frames, json_count(state.total)));
  }
  return words(
             R"({"event": "progress", "videos": {}, "ended": {}, "failed": {}, "frames": {}, )"
             R"("percent": {}, "fps": {}, "elapsed_seconds": {}, "remaining_seconds": {}, "running": [{}]})",
             videos_.size(), ended_, failed_, frames_, json_number(now.percent, 1), json_number(now.fps, 2),
             json_number(now.elapsed, 3), json_number(now.seconds_left, 3), join(running, ", ")) +
         "\n";
}

}  // namespace vq::cli
