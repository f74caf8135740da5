#include "cli/cluster/merged_title.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cli/cluster/shard_result.h"
#include "cli/cluster/shard_run.h"
#include "cli/inputs/remarks.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/evaluator.h"
#include "engine/models/model_features.h"

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

// Facts about the run's videos, from the report of its first shard.
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

// What all shards found together.
struct Sums {
  BackendReport backend;
  PaceFacts pace;
  int64_t pairs = 0;
  double wall_seconds = 0;

  void add(const RunFacts& run, int64_t pairs_read) {
    for (const StageFacts& stage : run.stages) {
      add_stage_time(stage.on_device ? backend.stages : backend.host_stages, stage.name, stage.milliseconds);
    }
    for (size_t i = 0; run.pace && i < pace.seconds.size(); ++i) pace.seconds[i] += run.pace->seconds[i];
    backend.bytes_uploaded += run.bytes_uploaded;
    backend.bytes_read += run.bytes_read;
    pairs += pairs_read;
    wall_seconds += run.wall_seconds;
  }
};

// The options of the run whose parts these are, with what it computed and skipped.
RunOptions settled_options(RunOptions options, const Settled& settled,
                           const std::vector<InputFacts>& inputs) {
  options.features = settled.features;
  options.models = settled.models;
  options.skip_distorted = inputs.at(0).skipped;
  if (inputs.size() > 1) options.skip_reference = inputs[1].skipped;
  return options;
}

RunContext replaying(std::unique_ptr<FeatureExtractor> extractor) {
  RunContext context;
  context.make = [made = std::make_shared<std::unique_ptr<FeatureExtractor>>(std::move(extractor))] {
    return std::move(*made);
  };
  return context;
}

// Gives what shards found to the record and the evaluator of one run, in order.
class ShardFeed {
 public:
  ShardFeed(const RunOptions& arguments, const ShardResult& first)
      : settled_(settle(arguments, arguments, known_videos(first))),
        run_(first.facts().report.run),
        options_(settled_options(arguments, settled_, run_.inputs)),
        record_(options_, settled_.formats, {}, [this](const std::string& line) { messages_.warn(line); }),
        extractor_(new ReplayExtractor(frame_needs(settled_.features))),
        evaluator_(settled_.features, settled_.models, settled_.formats,
                   replaying(std::unique_ptr<FeatureExtractor>(extractor_))) {
    record_.add_notes(run_.notes);
    record_.add_faults(run_.pair_faults);
    if (run_.crop || run_.reference_crop) record_.ignore_bars();
    const size_t opening = std::min(first.facts().opening_warnings, run_.warnings.size());
    for (size_t i = 0; i < opening; ++i) messages_.warn(run_.warnings[i]);
    const std::vector<Metric> metrics = report_metrics(settled_.features, settled_.models);
    check_threshold_metrics(options_.thresholds, metrics);
    check_segments(options_.segments, metrics);
  }

  // Whether it has all that the features need of its frames, and goes on where the last one ended.
  bool fits(const ShardResult& shard) const { return follows(shard) && has_scores(shard); }

  // Needs: fits().
  void add(const ShardResult& shard) {
    const ShardFacts& facts = shard.facts();
    sums_.add(facts.report.run, shard.findings().pairs_read);
    record_.add(shard.findings());
    add_warnings(facts);
    join_inputs(facts.report.run);
    next_pair_ = 0;
    for (size_t i = 0; i < shard.frames(); ++i) push(shard, i);
    look_up_to(shard, INT64_MAX);
    shorter_ = shard.findings().shorter;
    distorted_frames_ = shard.findings().distorted_frames;
    reference_frames_ = shard.findings().reference_frames;
  }

  // All shards are added. Throws as RunRecord::end().
  void end() {
    evaluator_.finish();
    const auto end_of = [](const InputFacts& video, std::optional<int64_t> declared) {
      return ReadVideoEnd{.path = video.path, .declared_frames = declared, .skipped = video.skipped};
    };
    RunRecord::ReadVideos read{.distorted = end_of(run_.inputs.at(0), distorted_frames_),
                               .reference = {},
                               .shorter = shorter_,
                               .pairs = sums_.pairs,
                               .scored = evaluator_.scored()};
    if (run_.inputs.size() > 1) read.reference = end_of(run_.inputs[1], reference_frames_);
    record_.end(read);
  }

  Report report(bool is_complete) {
    evaluator_.finish();
    for (InputFacts& input : run_.inputs) input.frames = sums_.pairs;
    sums_.backend.backend = run_.backend;
    sums_.backend.repeated_frames = evaluator_.backend_report().repeated_frames;
    Report report;
    evaluator_.give(report);
    report.run = run_;
    report.run.pace = sums_.pace;
    report.run.wall_seconds = sums_.wall_seconds;
    report.run.complete = is_complete;
    report.run.warnings = messages_.warnings();
    record_.complete(report, sums_.backend);
    return report;
  }

 private:
  // Frames that are lost between its pairs take memory and time: no more than three hours have.
  bool follows(const ShardResult& shard) const {
    constexpr int64_t kMostLost = int64_t{1} << 18;
    if (shard.pairs() == 0) return true;
    const int64_t first = last_pair_ < 0 ? shard.pair(0).frame : last_pair_ + 1;
    const int64_t frames = shard.pair(shard.pairs() - 1).frame - first + 1;
    return frames - static_cast<int64_t>(shard.pairs()) <= kMostLost;
  }

  bool has_scores(const ShardResult& shard) const {
    bool is_reported = false;
    for (size_t i = 0; i < shard.frames(); ++i) is_reported = is_reported || shard.frame(i).is_reported;
    const std::vector<FeatureShape>& found = shard.shape().features;
    for (size_t i = 0; shard.frames() > 0 && i < settled_.features.size(); ++i) {
      const FeatureRequest& request = settled_.features[i];
      const FeatureInfo& info = *request.info;
      if (i >= found.size()) return false;
      if (!is_reported && !needs_every_frame(request)) continue;
      const size_t texts = info.text_names == nullptr ? 0 : info.text_names(request.options).size();
      const size_t values = info.make_sequence == nullptr ? metrics_of(request).size() : 1;
      if (found[i].values < values || found[i].texts < texts) return false;
    }
    return true;
  }

  // Every shard opens the videos, and is warned of them.
  void add_warnings(const ShardFacts& facts) {
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
    shard.fill(i, results_);
    extractor_->set_results(results_);
    pair_.index = pair_.distorted.index = pushed.frame;
    pair_.distorted.timestamp = pushed.timestamp;
    pair_.distorted.repeated_planes = pushed.distorted_repeats;
    pair_.is_reported = pushed.is_reported;
    if (pushed.has_reference && !pair_.reference) pair_.reference.emplace();
    if (!pushed.has_reference) pair_.reference.reset();
    if (pair_.reference) pair_.reference->repeated_planes = pushed.reference_repeats;
    record_.judge_pairs();
    evaluator_.push(pair_);
  }

  void look_up_to(const ShardResult& shard, int64_t frame) {
    for (; next_pair_ < shard.pairs(); ++next_pair_) {
      const LookedPair pair = shard.pair(next_pair_);
      if (pair.frame > frame) return;
      record_.look(pair);
      last_pair_ = pair.frame;
    }
  }

  const Settled settled_;
  RunFacts run_;  // of the first shard, and of all as far as they are read
  const RunOptions options_;
  Messages messages_{[](std::string_view) {}};
  RunRecord record_;
  ReplayExtractor* const extractor_;  // of the evaluator
  Evaluator evaluator_;
  std::set<std::string> reported_;
  Sums sums_;
  FramePair pair_;
  std::vector<FrameResult> results_;
  size_t next_pair_ = 0;    // of the shard at work
  int64_t last_pair_ = -1;  // number of its frame
  ShorterVideo shorter_ = ShorterVideo::kNone;
  std::optional<int64_t> distorted_frames_, reference_frames_;
};

ShardGap gap_of(const PlanHead& head, const PlannedTitle& title, int64_t place, const Error& error) {
  ShardGap gap{.shard = title.first_shard + place, .kind = ShardGap::Kind::kMissing, .reason = error.what()};
  std::ifstream file(failure_path(head, title, place));
  if (std::string line; std::getline(file, line)) {
    // The reason; then, of a fault, its kind, certainty and text.
    const std::vector<std::string_view> fields = split(line, '\t');
    gap.kind = ShardGap::Kind::kFailed;
    gap.reason = fields.empty() ? "" : fields[0];
    const auto kind = fields.size() == 4 ? find_pair_fault_kind(fields[1]) : std::nullopt;
    if (kind) gap.fault = PairFault{*kind, {std::string(fields[3])}, fields[2] == "1"};
    return gap;
  }
  const ResultState state = result_state(shard_path(head, title, place), {head.id, gap.shard});
  if (state != ResultState::kAbsent && state != ResultState::kForeign) gap.kind = ShardGap::Kind::kDamaged;
  return gap;
}

// One shard at a time is in memory.
void add_shard(const ShardId& id, const std::string& path, const RunOptions& arguments,
               std::optional<ShardFeed>& feed) {
  const ShardResult shard(path, id);
  if (!feed) feed.emplace(arguments, shard);
  if (!feed->fits(shard))
    throw Error(ErrorKind::kIncomplete, shown_path(path) + " does not hold what its plan asks for");
  feed->add(shard);
}

// Where a shard is missing, those behind it are looked for alone.
void add_shards(const PlanHead& head, const PlannedTitle& title, const RunOptions& arguments,
                std::optional<ShardFeed>& feed, std::vector<ShardGap>& gaps) {
  for (size_t i = 0; i < title.shards.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const std::string path = shard_path(head, title, place);
    const ShardId id{head.id, title.first_shard + place};
    if (!gaps.empty() && is_whole_result(path, id)) continue;
    try {
      gaps.empty() ? add_shard(id, path, arguments, feed) : (void)ShardResult(path, id);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kIncomplete) throw;
      gaps.push_back(gap_of(head, title, place, error));
    }
  }
}

}  // namespace

MergedTitle merge_title(const PlanHead& head, const PlannedTitle& title, const RunOptions& arguments) {
  check_models_unchanged(head);
  MergedTitle merged;
  std::optional<ShardFeed> feed;
  try {
    add_shards(head, title, arguments, feed, merged.gaps);
    if (feed && merged.gaps.empty()) feed->end();
    for (const ShardGap& gap : merged.gaps) {
      if (gap.fault) refuse_pair_fault(*gap.fault, arguments);
    }
  } catch (const RefusedPair& refusal) {
    merged.refusal = refusal;
  }
  if (feed) merged.report = feed->report(merged.gaps.empty() && !merged.refusal);
  return merged;
}

std::string gaps_text(const PlannedTitle& title, const std::vector<ShardGap>& gaps) {
  using Kind = ShardGap::Kind;
  struct Phrase {
    Kind kind;
    const char *one, *several;
  };
  constexpr Phrase kPhrases[] = {{Kind::kMissing, "is missing", "are missing"},
                                 {Kind::kDamaged, "is damaged", "are damaged"},
                                 {Kind::kFailed, "failed", "failed"}};
  std::vector<std::string> counts, numbers;
  for (const Phrase& phrase : kPhrases) {
    const auto count =
        std::count_if(gaps.begin(), gaps.end(), [&](const ShardGap& gap) { return gap.kind == phrase.kind; });
    if (count == 0) continue;
    const std::string of_all =
        counts.empty() ? " of " + counted(static_cast<int64_t>(title.shards.size()), "shard") : "";
    counts.push_back(words("{}{} {}", count, of_all, count == 1 ? phrase.one : phrase.several));
  }
  constexpr size_t kMostGaps = 10;
  for (const ShardGap& gap : std::span(gaps).first(std::min(gaps.size(), kMostGaps)))
    numbers.push_back(words("{}{}", gap.shard, gap.kind == Kind::kMissing ? "" : words(" ({})", gap.reason)));
  if (gaps.size() > kMostGaps) numbers.push_back("...");
  return words("{}: {}: {} {}", shown_path(title.distorted.file.path), join(counts, ", "),
               gaps.size() == 1 ? "number" : "numbers", join(numbers, ", "));
}

}  // namespace vq::cli
