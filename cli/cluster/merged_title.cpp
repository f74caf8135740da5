#include "cli/cluster/merged_title.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cli/cluster/input_check.h"
#include "cli/cluster/replay_extractor.h"
#include "cli/cluster/shard_result.h"
#include "cli/run/pair_remarks.h"
#include "cli/run/run_facts.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/version.h"
#include "engine/evaluator.h"
#include "engine/models/model_of_run.h"

namespace vq::cli {
namespace {

// The words of both lists, each once.
std::string joined(std::string all, const std::string& more) {
  constexpr std::string_view kBetween = ", ";
  const auto enclosed = [&](const std::string& text) {
    return std::string(kBetween).append(text).append(kBetween);
  };
  for (size_t start = 0; start < more.size();) {
    const size_t end = std::min(more.find(kBetween, start), more.size());
    const std::string one = more.substr(start, end - start);
    if (enclosed(all).find(enclosed(one)) == std::string::npos)
      all.append(all.empty() ? "" : kBetween).append(one);
    start = end + kBetween.size();
  }
  return all;
}

// What the run knew of its videos, from what its first shard reports.
KnownVideos known_videos(const ShardResult& first) {
  const RunFacts& run = first.facts().report.run;
  KnownVideos known{.formats = first.findings().formats};
  const InputFacts& video = run.inputs.front();
  known.encoded = known.formats.distorted;
  known.encoded->width = run.crop ? run.crop->width : video.width;
  known.encoded->height = run.crop ? run.crop->height : video.height;
  known.encoded->bit_depth = video.bit_depth;
  if (run.inputs.size() < 2) return known;
  const InputFacts& reference = run.inputs[1];
  known.display = VideoFormat{.name = reference.path,
                              .width = reference.width,
                              .height = reference.height,
                              .bit_depth = reference.bit_depth};
  known.reference_rate = reference.frame_rate;
  return known;
}

// Of all shards together.
struct Sums {
  std::vector<StageTotal> device, host;
  std::vector<std::pair<std::string, double>> gpu_milliseconds;
  PaceFacts pace;
  int64_t uploaded = 0, copied = 0, read = 0, pairs = 0;
  double wall_seconds = 0;

  void add(const RunFacts& run, int64_t pairs_read) {
    for (const StageFacts& stage : run.stages)
      add_stage_time(stage.on_device ? device : host, stage.name, stage.milliseconds);
    for (const StageFacts& stage : run.stages) {
      if (stage.name == kUploadStage) copied += stage.bytes.value_or(0);
    }
    for (size_t i = 0; run.pace && i < pace.seconds.size(); ++i) pace.seconds[i] += run.pace->seconds[i];
    uploaded += run.bytes_uploaded;
    read += run.bytes_read;
    pairs += pairs_read;
    wall_seconds += run.wall_seconds;
  }
};

// Goes through the frames of a title as ScoringRun does.
class Replay {
 public:
  Replay(const RunOptions& arguments, const ShardResult& first)
      : run_(first.facts().report.run),
        arguments_(arguments),
        settled_(settle(arguments, arguments, known_videos(first))),
        messages_([](std::string_view) {}),
        width_(first.facts().report.width),
        height_(first.facts().report.height) {
    const std::vector<std::string>& warnings = run_.warnings;
    const size_t opening = std::min(first.facts().opening_warnings, warnings.size());
    for (size_t i = 0; i < opening; ++i) messages_.warn(warnings[i]);
    record_.notes = run_.notes;
    record_.pair_faults = run_.pair_faults;
    if (tells_scenes(arguments)) record_.scene_cuts.emplace();
    if (first.findings().watches_pairs) watch_pairs();
    evaluator_ =
        std::make_unique<Evaluator>(settled_.features, settled_.models, settled_.formats, replaying());
    const std::vector<Metric> metrics = report_metrics(settled_.features, settled_.models);
    check_threshold_metrics(arguments.thresholds, metrics);
    check_segments(arguments.segments, metrics);
  }

  void add(const ShardResult& shard) {
    const ShardFacts& facts = shard.facts();
    sums_.add(facts.report.run, shard.findings().pairs_read);
    record_.padding.add(shard.findings().padding);
    record_.types.add(shard.findings().types);
    if (record_.pair_watch)
      record_.pair_watch->add_bars(shard.findings().reference_bars, shard.findings().distorted_bars);
    tell_warnings(facts);
    join_inputs(facts.report.run);
    next_pair_ = 0;
    for (size_t i = 0; i < shard.frames(); ++i) push(shard, i);
    look_up_to(shard, INT64_MAX);
    last_shorter_ = shard.findings().shorter;
    distorted_frames_ = shard.findings().distorted_frames;
    reference_frames_ = shard.findings().reference_frames;
  }

  Report report(bool complete) {
    evaluator_->finish();
    if (complete) end();
    Report report;
    report.version = version();
    report.width = width_;
    report.height = height_;
    evaluator_->give(report);
    report.fps = static_cast<double>(report.frames.size()) / std::max(sums_.wall_seconds, 1e-6);
    fill_run(report, complete);
    return report;
  }

 private:
  RunContext replaying() {
    auto extractor = std::make_unique<ReplayExtractor>(frame_needs(settled_.features));
    extractor_ = extractor.get();
    RunContext use;
    use.make = [made = std::make_shared<std::unique_ptr<FeatureExtractor>>(std::move(extractor))] {
      return std::move(*made);
    };
    return use;
  }

  void watch_pairs() {
    record_.watch_pairs(settled_.formats, Execution(),
                        {run_.inputs.at(1).skipped, run_.inputs.at(0).skipped});
    if (run_.crop || run_.reference_crop) record_.pair_watch->ignore_bars();
  }

  // Every shard opens the videos, and is warned of them.
  void tell_warnings(const ShardFacts& facts) {
    const std::vector<std::string>& lines = facts.report.run.warnings;
    for (size_t i = std::min(facts.opening_warnings, lines.size()); i < lines.size(); ++i) {
      if (reported_.insert(lines[i]).second) messages_.warn(lines[i]);
    }
  }

  void join_inputs(const RunFacts& run) {
    std::vector<std::string> decoders;
    for (const InputFacts& input : run_.inputs) decoders.push_back(input.decoder);
    run_.inputs = run.inputs;
    for (size_t i = 0; i < run_.inputs.size() && i < decoders.size(); ++i) {
      run_.inputs[i].decoder = joined(decoders[i], run_.inputs[i].decoder);
    }
  }

  void push(const ShardResult& shard, size_t i) {
    const PushedFrame pushed = shard.frame(i);
    look_up_to(shard, pushed.frame);
    record_.warn_of_pairs(false, settled_.features, warn_);
    shard.fill(i, results_);
    extractor_->set_results(results_);
    pair_.index = pair_.distorted.index = pushed.frame;
    pair_.distorted.timestamp = pushed.timestamp;
    pair_.distorted.repeated_planes = pushed.distorted_repeats;
    pair_.is_reported = pushed.is_reported;
    if (pushed.has_reference && !pair_.reference) pair_.reference.emplace();
    if (!pushed.has_reference) pair_.reference.reset();
    if (pair_.reference) pair_.reference->repeated_planes = pushed.reference_repeats;
    evaluator_->push(pair_);
  }

  void look_up_to(const ShardResult& shard, int64_t frame) {
    for (; next_pair_ < shard.pairs(); ++next_pair_) {
      const LookedPair pair = shard.pair(next_pair_);
      if (pair.frame > frame) return;
      if (record_.pair_watch) record_.pair_watch->add(pair.frame, pair.reference, pair.distorted);
      if (record_.scene_cuts) record_.scene_cuts->add(pair.frame, pair.scene);
    }
  }

  // What a run finds when all frames are through.
  void end() {
    const auto end_of = [](const InputFacts& video, std::optional<int64_t> declared) {
      return ReadVideoEnd{.path = video.path, .declared_frames = declared, .skipped = video.skipped};
    };
    RunRecord::Ending ending{.distorted = end_of(run_.inputs.at(0), distorted_frames_),
                             .reference = {},
                             .shorter = last_shorter_,
                             .pairs = sums_.pairs,
                             .scored = evaluator_->scored()};
    if (run_.inputs.size() > 1) ending.reference = end_of(run_.inputs[1], reference_frames_);
    record_.end(arguments_, settled_.features, settled_.formats, ending, warn_);
  }

  void fill_run(Report& report, bool complete) {
    RunFacts& run = report.run;
    run = run_;
    for (InputFacts& input : run.inputs) input.frames = sums_.pairs;
    BackendReport backend = evaluator_->backend_report();
    backend.backend = run.backend;
    backend.stages = sums_.device;
    backend.host_stages = sums_.host;
    backend.bytes_copied = sums_.copied;
    run.gpu_milliseconds.clear();
    for (const StageTotal& stage : sums_.device) run.gpu_milliseconds.emplace_back(stage.stage, stage.ms);
    run.stages = stage_facts(backend, settled_.features, settled_.formats);
    if (!tells_stages(arguments_)) run.stages.clear();
    run.pace = sums_.pace;
    run.bytes_uploaded = sums_.uploaded;
    run.bytes_read = sums_.read;
    run.wall_seconds = microseconds(sums_.wall_seconds);
    run.complete = complete;
    run.repeated_frames = backend.repeated_frames;
    run.warnings = messages_.warnings();
    record_.fill(arguments_, report);
  }

  RunFacts run_;
  const RunOptions arguments_;
  const Settled settled_;
  Messages messages_;
  const RunRecord::Warn warn_ = [this](const std::string& line) { messages_.warn(line); };
  RunRecord record_;
  const int width_, height_;
  std::set<std::string> reported_;
  Sums sums_;
  ReplayExtractor* extractor_ = nullptr;  // of the evaluator
  std::unique_ptr<Evaluator> evaluator_;
  FramePair pair_;
  std::vector<FrameResult> results_;
  size_t next_pair_ = 0;  // of the shard at work
  ShorterVideo last_shorter_ = ShorterVideo::kNone;
  std::optional<int64_t> distorted_frames_, reference_frames_;
};

ShardGap gap_of(const PlanHead& head, const PlannedTitle& title, int64_t place, const Error& error) {
  ShardGap gap{.shard = title.first_shard + place, .kind = ShardGap::Kind::kMissing, .reason = error.what()};
  std::ifstream file(failure_path(head, title, place));
  std::string line;
  if (std::getline(file, line)) {
    gap.kind = ShardGap::Kind::kFailed;
    gap.reason = line.substr(line.find('\t') + 1);
    return gap;
  }
  const ResultState state = result_state(shard_path(head, title, place), {head.id, gap.shard});
  if (state != ResultState::kAbsent && state != ResultState::kForeign) gap.kind = ShardGap::Kind::kDamaged;
  return gap;
}

}  // namespace

MergedTitle merge_title(const PlanHead& head, const PlannedTitle& title, const RunOptions& arguments) {
  check_models_unchanged(head);
  MergedTitle merged;
  std::optional<Replay> replay;
  for (size_t i = 0; i < title.shards.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const std::string path = shard_path(head, title, place);
    const ShardId id{head.id, title.first_shard + place};
    if (!merged.gaps.empty() && is_whole_result(path, id)) continue;  // of no use, but there
    try {
      const ShardResult shard(path, id);
      if (!merged.gaps.empty()) continue;
      if (!replay) replay.emplace(arguments, shard);
      replay->add(shard);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kIncomplete) throw;
      merged.gaps.push_back(gap_of(head, title, place, error));
    }
  }
  if (replay) merged.report = replay->report(merged.gaps.empty());
  return merged;
}

}  // namespace vq::cli
