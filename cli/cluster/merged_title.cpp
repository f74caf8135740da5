#include "cli/cluster/merged_title.h"

#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "cli/cluster/shard_run.h"
#include "cli/inputs/remarks.h"
#include "cli/pages/page_assets.h"
#include "cli/pages/page_facts.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/evaluator.h"
#include "engine/known_metrics.h"
#include "engine/models/model_features.h"
#include "engine/report/json_values.h"
#include "engine/report/scenes.h"

namespace vq::cli {
namespace {

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

// The options of the run whose parts these are, with what it computed and skipped.
RunOptions settled_options(RunOptions options, const Settled& settled,
                           const std::vector<InputFacts>& inputs) {
  options.features = settled.features;
  options.models = settled.models;
  options.skip_distorted = inputs.at(0).skipped;
  if (inputs.size() > 1) options.skip_reference = inputs[1].skipped;
  return options;
}

// All results are known.
RunContext replaying() {
  RunContext context;
  context.make = [] { return std::unique_ptr<FeatureExtractor>(); };
  context.takes_results = true;
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
        evaluator_(settled_.features, settled_.models, settled_.formats, replaying(), {&record_}),
        replay_(
            record_, evaluator_, [this](const std::string& line) { messages_.warn(line); }, run_.inputs) {
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
    const RunFacts& run = shard.facts().report.run;
    replay_.add(shard.findings(), run);
    for (size_t i = 0; run.pace && i < pace_.seconds.size(); ++i) pace_.seconds[i] += run.pace->seconds[i];
    wall_seconds_ += run.wall_seconds;
    // Every shard opens the videos, and is warned of them.
    for (size_t i = std::min(shard.facts().opening_warnings, run.warnings.size()); i < run.warnings.size();
         ++i)
      replay_.warn(run.warnings[i]);
    replay_.add(shard);
    replay_.count(run);
  }

  // All shards are added. Throws as RunRecord::end().
  void end() {
    evaluator_.finish();
    record_.end(replay_.read(replay_.pairs()));
  }

  Report report(bool is_complete) {
    evaluator_.finish();
    Report report;
    evaluator_.give(report);
    report.run = run_;
    const BackendReport& sums = replay_.sums();
    report.run.stages = sums.stages;
    report.run.host_stages = sums.host_stages;
    report.run.bytes_uploaded = sums.bytes_uploaded;
    report.run.bytes_read = sums.bytes_read;
    report.run.on_host = sums.on_host;
    report.run.repeated_frames = evaluator_.backend_report().repeated_frames;
    report.run.inputs = replay_.inputs();
    for (InputFacts& input : report.run.inputs) input.frames = replay_.pairs();
    report.run.scored_by.clear();
    if (replay_.scored_by().size() > 1) report.run.scored_by = replay_.scored_by();
    report.run.pace = pace_;
    report.run.wall_seconds = wall_seconds_;
    report.run.complete = is_complete;
    report.run.warnings = messages_.warnings();
    record_.complete(report);
    return report;
  }

 private:
  // Frames that are lost between its pairs take memory and time: no more than three hours have.
  bool follows(const ShardResult& shard) const {
    constexpr int64_t kMostLost = int64_t{1} << 18;
    if (shard.pairs() == 0) return true;
    const int64_t first = replay_.last_pair() < 0 ? shard.pair(0).frame : replay_.last_pair() + 1;
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

  const Settled settled_;
  const RunFacts run_;  // of the first shard
  const RunOptions options_;
  Messages messages_{[](std::string_view) {}};
  RunRecord record_;
  Evaluator evaluator_;
  Replay replay_;
  PaceFacts pace_;
  double wall_seconds_ = 0;
};

ShardGap gap_of(const PlanHead& head, const PlannedTitle& title, int64_t place, const Error& error) {
  ShardGap gap{.shard = title.first_shard + place, .kind = ShardGap::Kind::kMissing, .reason = error.what()};
  std::ifstream file(path_of(failure_path(head, title, place)), std::ios::binary);
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

using nlohmann::ordered_json;

// So that larger is worse.
double badness(const MetricInfo& metric, double value) {
  if (std::isnan(value)) return -std::numeric_limits<double>::infinity();
  return metric.better == Better::kHigher ? -value : value;
}

BatchSummary of_one(const VideoOutcome* outcome) {
  BatchSummary summary;
  if (outcome != nullptr) summary.videos.push_back(*outcome);
  return summary;
}

// Without the line of headings.
std::string lines_of(const VideoOutcome& outcome, const NumberStyle& numbers) {
  const std::string text = batch_csv(of_one(&outcome), numbers);
  return text.substr(text.find('\n') + 1);
}

struct MissingShard {
  int64_t number = 0;
  std::string result;  // path
  double work = 0;     // in any unit; 0: nobody knows
};

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
    const auto count = std::ranges::count(gaps, phrase.kind, &ShardGap::kind);
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

Catalogue::Catalogue(CatalogueRequest request)
    : request_(std::move(request)), table_(request_.folder + "/summary.csv") {
  table_.write(batch_csv(of_one(nullptr), request_.numbers));
}

void Catalogue::add(VideoOutcome outcome, const Report& report) {
  table_.write(lines_of(outcome, request_.numbers));
  counts_.add(outcome);
  if (outcome.scores && outcome.scores->is_comparable()) {
    const Metric& leading = report.metrics[leading_metric(report.metrics)];
    add_moments(outcome, report, leading);
    return rank(std::move(outcome), leading);
  }
  std::vector<VideoOutcome>& others = outcome.scores ? apart_ : failed_;
  if (others.size() < kMostTitles) others.push_back(std::move(outcome));
}

// The least bad of those that are kept goes first.
void Catalogue::rank(VideoOutcome outcome, const Metric& leading) {
  const double value = badness(metric_info(leading), statistic_of(leading, request_.by));
  worst_.insert({value, counts_.videos, std::move(outcome)});
  if (worst_.size() > kMostTitles) worst_.erase(std::prev(worst_.end()));
}

void Catalogue::add_moments(const VideoOutcome& outcome, const Report& report, const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  for (const size_t position : worst_moments(report, info, metric.values, request_.moments)) {
    const std::optional<double> time = timestamp_at(report, position);
    const std::string at = time ? " at " + timecode(*time) : "";
    moments_.push_back({badness(info, metric.values[position]),
                        words("{}{}, frame {}: {} {}", shown_path(outcome.name), at, report.frames[position],
                              base_name(metric), fixed_text(metric.values[position], info.decimals))});
  }
  std::ranges::stable_sort(moments_, std::ranges::greater(), &Moment::value);
  if (moments_.size() > request_.moments) moments_.resize(request_.moments);
}

BatchSummary Catalogue::summary() const {
  BatchSummary summary;
  summary.arguments = request_.arguments;
  summary.videos = failed_;
  for (const Ranked& one : worst_) summary.videos.push_back(one.outcome);
  summary.videos.insert(summary.videos.end(), apart_.begin(), apart_.end());
  for (const VideoOutcome& outcome : summary.videos)
    summary.wall_seconds += outcome.scores ? outcome.scores->wall_seconds : 0;
  if (static_cast<int64_t>(summary.videos.size()) < counts_.videos) {
    summary.remarks.push_back(words("of {} these are the {} worst; summary.csv has all",
                                    counted(counts_.videos, "title"), summary.videos.size()));
  }
  for (const Moment& moment : moments_) summary.moments.push_back(moment.text);
  return summary;
}

std::vector<OutputFile> Catalogue::files() {
  const BatchSummary all = summary();
  std::vector<OutputText> texts = {{request_.folder + "/summary.json", batch_json(all, request_.numbers)}};
  if (has_pages()) texts.push_back({request_.folder + "/index.html", write_batch_page(all)});
  std::vector<OutputFile> files = finish_outputs(texts);
  table_.finish();
  files.push_back(std::move(table_));
  commit_outputs(pointers_to(files));
  return files;
}

std::string missing_shards_json(const PlanFile& plan) {
  const PlanHead& head = plan.head();
  std::vector<MissingShard> missing;
  int threads = 1;
  int64_t memory_bytes = 0, known = 0;
  double work = 0;
  plan.each_title([&](const PlannedTitle& title) {
    threads = std::max(threads, title.threads);
    memory_bytes = std::max(memory_bytes, title.memory_bytes);
    for (size_t i = 0; i < title.shards.size(); ++i) {
      const auto place = static_cast<int64_t>(i), number = title.first_shard + place;
      const double own = work_of(title, i);
      work += own;
      known += own > 0;
      std::string result = shard_path(head, title, place);
      if (is_whole_result(result, {.plan = head.id, .shard = number})) continue;
      missing.push_back({number, std::move(result), own});
    }
    return true;
  });
  // A shard of which nobody knows how long it is counts as much as the mean of the others.
  const double mean = known > 0 ? work / static_cast<double>(known) : 1;
  const double all = work + mean * static_cast<double>(head.shards - known);
  ordered_json json = {
      {"version", head.version},         {"results", head.results}, {"arguments", head.arguments},
      {"shards", head.shards},           {"threads", threads},      {"memory_bytes", memory_bytes},
      {"missing", ordered_json::array()}};
  for (const MissingShard& shard : missing) {
    const double share = (shard.work > 0 ? shard.work : mean) / all;
    json["missing"].push_back({{"shard", shard.number}, {"result", shard.result}, {"share", share}});
  }
  return json_file_text(json);
}

}  // namespace vq::cli
