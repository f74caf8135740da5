#include "cli/run/run_record.h"

#include <cmath>
#include <iterator>

#include "cli/inputs/feature_flags.h"
#include "cli/inputs/remarks.h"
#include "core/error.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/backend_choice.h"
#include "engine/report/segments.h"

namespace vq::cli {

RunRecord::RunRecord(const RunOptions& options, const VideoFormats& formats, const Execution& execution,
                     Warn warn)
    : options_(options),
      formats_(formats),
      warn_(std::move(warn)),
      cell_sums_(signature::cell_sums_for(execution)) {
  if (finds_scenes(options)) scene_cuts_.emplace();
  if (options.scenes) {
    possible_cuts_ = options.scenes->list.starts;
    // As the run numbers frames.
    for (int64_t& cut : possible_cuts_) cut -= options.scenes->list.is_own ? 0 : options.skip_distorted;
  }
  if (!formats.reference || !any_compares(options.features)) return;
  pair_watch_ = std::make_unique<PairWatch>(
      formats, execution, Skips{.reference = options.skip_reference, .distorted = options.skip_distorted});
  const bool is_off = options.align && options.align->is_off();
  if (options.pairs_by_time || is_off) pair_watch_->ignore_shifts();
}

void RunRecord::add_notes(const std::vector<std::string>& notes) {
  notes_.insert(notes_.end(), notes.begin(), notes.end());
}

void RunRecord::add_faults(const std::vector<PairFault>& faults) {
  if (!options_.is_vmaf) pair_faults_.insert(pair_faults_.end(), faults.begin(), faults.end());
}

// If the pair is scored nevertheless, all misplaced frames are wanted.
void RunRecord::expect(int64_t pairs) {
  if (pair_watch_ && !options_.compare_anyway) pair_watch_->expect(pairs);
}

void RunRecord::ignore_bars() {
  if (pair_watch_) pair_watch_->ignore_bars();
}

void RunRecord::collect(PartFindings& findings, std::function<void()> judge_beginning) {
  findings_ = &findings;
  judge_beginning_ = std::move(judge_beginning);
  findings.watches_pairs = pair_watch_ != nullptr;
  findings.formats = formats_;
  if (!pair_watch_) return;
  pair_watch_->pass_on([this](int64_t frame, const Signature& reference, const Signature& distorted) {
    findings_->pairs.push_back({.frame = frame, .scene = {}, .distorted = distorted, .reference = reference});
  });
}

static void add_each(std::vector<double>& to, std::span<const double> numbers) {
  to.resize(std::max(to.size(), numbers.size()));
  for (size_t i = 0; i < numbers.size(); ++i) to[i] += numbers[i];
}

void RunRecord::look(const FramePair& pair) {
  if (pair_watch_) pair_watch_->look(pair);
  if (scene_cuts_) look_for_scenes(pair);
  if (options_.sampling.every > 1) types_.look(pair.distorted.type, pair.is_reported);
}

// Frames are in memory here whatever the backend.
void RunRecord::look_for_scenes(const FramePair& pair) {
  const Signature scene = pair_watch_ && pair.reference
                              ? pair_watch_->distorted()
                              : signature_of(pair.distorted, formats_.distorted, cell_sums_);
  if (findings_ == nullptr) {
    scene_cuts_->add(pair.index, scene);
    if (scene_cuts_->may_be_cut()) possible_cuts_.push_back(pair.index);
    return;
  }
  if (!pair_watch_) findings_->pairs.emplace_back();
  findings_->pairs.back().frame = pair.index;
  findings_->pairs.back().scene = scene;
}

void RunRecord::look(const LookedPair& pair) {
  if (pair_watch_) pair_watch_->add(pair.frame, pair.reference, pair.distorted);
  if (!scene_cuts_) return;
  scene_cuts_->add(pair.frame, pair.scene);
  if (scene_cuts_->may_be_cut()) possible_cuts_.push_back(pair.frame);
}

void RunRecord::look_at_scored(const FramePair& pair, bool is_scored) {
  if (options_.score_bits == 0) padding_.look(pair.distorted);
  if (findings_ == nullptr || !is_scored) return;
  findings_->frames.push_back({.frame = pair.index,
                               .timestamp = pair.distorted.timestamp,
                               .is_reported = pair.is_reported,
                               .has_reference = pair.reference.has_value(),
                               .distorted_repeats = pair.distorted.repeated_planes,
                               .reference_repeats = pair.reference ? pair.reference->repeated_planes : 0});
}

void RunRecord::found(const FrameScores& scores) {
  if (findings_ == nullptr && watches_scenes()) add_up(scores);
  if (findings_ == nullptr) return;
  findings_->results.push_back(mapped(scores.results, &FrameResult::without_pictures));
}

void RunRecord::add_up(const FrameScores& scores) {
  const auto adds_up = [&](size_t i) {
    return !scores.results[i].tallies.empty() &&
           (scores.is_reported || needs_every_frame(options_.features[i]));
  };
  for (size_t i = 0; i < options_.features.size(); ++i) {
    if (!adds_up(i)) continue;
    if (sums_.empty() || may_begin_scene_in(sums_.back().last, scores.frame)) {
      sums_ = joined(std::move(sums_), scene_cuts_ ? scene_cuts_->cuts() : possible_cuts_, scores.frame);
      sums_.push_back({.first = scores.frame, .last = scores.frame, .totals = {}});
      sums_.back().totals.resize(options_.features.size());
    }
    sums_.back().last = scores.frame;
    add_each(sums_.back().totals[i], scores.results[i].tallies);
  }
}

// Those that begin no scene are joined to the ones before. Whether a frame begins one is known some frames
// before `end`.
std::vector<RunRecord::Sums> RunRecord::joined(std::vector<Sums> sums, std::span<const int64_t> cuts,
                                               int64_t end) {
  constexpr int64_t kUnknown = 64;
  std::vector<Sums> scenes;
  for (Sums& next : sums) {
    const auto cut = scenes.empty() ? cuts.end() : std::ranges::upper_bound(cuts, scenes.back().last);
    const bool begins = scenes.empty() || (cut != cuts.end() && *cut <= next.first);
    if (begins || next.first + kUnknown >= end) {
      scenes.push_back(std::move(next));
      continue;
    }
    for (size_t i = 0; i < next.totals.size(); ++i) add_each(scenes.back().totals[i], next.totals[i]);
    scenes.back().last = next.last;
  }
  return scenes;
}

void RunRecord::add(const PartFindings& part) {
  padding_.add(part.padding);
  types_.add(part.types);
  if (pair_watch_) pair_watch_->add_bars(part.bars);
}

// Frames are looked at before they are scored.
bool RunRecord::may_begin_scene_in(int64_t after, int64_t frame) const {
  const auto next = std::ranges::upper_bound(possible_cuts_, after);
  return next != possible_cuts_.end() && *next <= frame;
}

void RunRecord::take_pair_faults(bool ended) {
  if (!pair_watch_) return;
  if (findings_ != nullptr) {
    if (judge_beginning_ && is_not_comparable(pair_watch_->take_faults(false)))
      std::exchange(judge_beginning_, nullptr)();
    return;
  }
  for (PairFault& fault : pair_watch_->take_faults(ended)) {
    fault.diagnostic = {in_words(fault.diagnostic)};
    add_faults({fault});
    refuse_pair_fault(fault, options_);
    if (!options_.is_vmaf) warn_(fault.diagnostic.text);
  }
}

// Says that material of few bits is scored at its container's depth; empty if that changes nothing.
static std::string padding_note(std::span<const FeatureRequest> features, const VideoFormats& formats,
                                std::optional<int> depth) {
  if (!depth) return {};
  const VideoFormat& video = formats.distorted;
  for (const FeatureRequest& request : features) {
    const std::string advice = depth_advice(request, video, *depth);
    if (advice.empty()) continue;
    return words("{}-bit material in {} bits (try {})", *depth, video.bit_depth, advice);
  }
  return {};
}

void RunRecord::end(const ReadVideos& read) {
  take_pair_faults(true);
  if (const std::string line = judge_lengths(read, options_); !line.empty()) warn_(line);
  if (const auto remark = types_.remark(read.distorted.path, options_.sampling)) warn_(in_words(*remark));
  const std::string note = padding_note(options_.features, formats_, padding_.depth());
  if (!note.empty()) notes_.push_back(note);
}

void RunRecord::end_part(ShorterVideo shorter, int64_t pairs) {
  findings_->padding = padding_.state();
  findings_->types = types_.state();
  findings_->pairs_read = pairs;
  findings_->shorter = shorter;
  if (pair_watch_) findings_->bars = pair_watch_->looked_bars();
}

void RunRecord::complete(Report& report) const {
  RunFacts& run = report.run;
  report.version = version();
  report.width = formats_.distorted.width;
  report.height = formats_.distorted.height;
  report.fps = static_cast<double>(report.frames.size()) / std::max(run.wall_seconds, 1e-6);
  run.wall_seconds = std::round(run.wall_seconds * 1e6) / 1e6;
  for (StageTotal& total : run.host_stages) total.ms = std::round(total.ms * 1e3) / 1e3;
  run.arguments = options_.original;
  run.subsample = options_.sampling.every;
  run.sample_is_spread = options_.sampling.is_spread;
  run.notes = notes_;
  // The first part of a merge may have said so.
  const std::string note = words("on the CPU: {}, since a device's results differ", run.on_host);
  if (!run.on_host.empty() && std::ranges::count(notes_, note) == 0) run.notes.push_back(note);
  for (const FeatureRequest& request : options_.features) {
    if (request.info->remarks == nullptr) continue;
    const VideoFormats formats = vq::formats_of(request, formats_);
    std::ranges::move(request.info->remarks(request.options, formats, report.aggregates),
                      std::back_inserter(run.notes));
  }
  run.pair_faults = pair_faults_;
  if (scene_cuts_) run.scene_cuts = scene_cuts_->cuts();
  if (options_.scenes) run.scene_cuts = cuts_in(report, options_.scenes->list);
  if (run.scene_cuts) {
    for (const Sums& sums : joined(sums_, *run.scene_cuts, std::numeric_limits<int64_t>::max())) {
      SceneAggregates& scene = report.scene_aggregates.emplace_back();
      scene.first = sums.first;
      for (size_t i = 0; i < sums.totals.size(); ++i) {
        const FeatureRequest& request = options_.features[i];
        if (request.info->aggregates == nullptr || sums.totals[i].empty()) continue;
        const VideoFormats formats = vq::formats_of(request, formats_);
        std::ranges::move(request.info->aggregates(request.options, formats, sums.totals[i]),
                          std::back_inserter(scene.figures));
      }
    }
  }
  run.segments = segments_of(report, options_.segments);
}

constexpr double kMostBits = 1e15;  // a second: more is a duration that cannot be right

static std::optional<int64_t> bits_a_second(int64_t bytes, double seconds) {
  const double rate = 8 * static_cast<double>(bytes) / seconds;
  if (!(rate > 0) || rate > kMostBits) return std::nullopt;
  return std::llround(rate);
}

// The stream's own, as it declares it or as it was read; else that of the file, sound and all.
static void add_bit_rate(InputFacts& input, const StreamLength* measured) {
  if (!input.bit_rate && measured != nullptr)
    input.bit_rate = bits_a_second(measured->bytes, measured->seconds);
  input.bit_rate_of = "stream";
  if (input.bit_rate) return;
  if (input.file_bytes && input.duration) input.bit_rate = bits_a_second(*input.file_bytes, *input.duration);
  input.bit_rate_of = input.bit_rate ? "file" : "";
}

// Whether there is no other picture: as declared, or if the end was reached.
static bool is_single_picture(const VideoInfo& info, int64_t frames,
                              const std::optional<StreamLength>& measured) {
  return info.frames ? *info.frames == 1 : info.takes_frame_rate && measured && frames == 1;
}

// A sound track that is longer makes it no whole number, as a rule.
static std::optional<int64_t> frames_in_duration(const VideoInfo& info) {
  constexpr double kError = 0.05;
  if (!info.duration || !info.frame_rate()) return std::nullopt;
  const double frames = *info.duration * *info.frame_rate();
  if (std::abs(frames - std::round(frames)) > kError) return std::nullopt;
  return std::llround(frames);
}

InputFacts input_facts(const std::string& role, const VideoInfo& info, int64_t frames,
                       const std::optional<StreamLength>& measured) {
  InputFacts input = vq::input_facts(role, info.format, frames);
  static_cast<StoredVideo&>(input) = info;
  input.frame_rate = info.frame_rate();
  if (is_single_picture(info, frames, measured)) {
    input.duration.reset();
    input.bit_rate.reset();
    const double pixels = static_cast<double>(input.width) * input.height;
    if (input.file_bytes && pixels > 0)
      input.bits_per_pixel = 8 * static_cast<double>(*input.file_bytes) / pixels;
  } else {
    // Demuxers of pictures make up how long each is shown.
    const StreamLength* const length = measured && !info.takes_frame_rate ? &*measured : nullptr;
    if (!input.duration && length != nullptr) input.duration = length->seconds;
    add_bit_rate(input, length);
  }
  input.all_frames = info.frames;
  // A video that was read to its end has the frames that were read.
  if (!info.frames && !measured) input.all_frames = frames_in_duration(info);
  input.film_grain = to_string(info.film_grain);
  return input;
}

std::string judge_lengths(const ReadVideos& read, const RunOptions& options) {
  if (read.shorter == ShorterVideo::kNone) return {};
  const bool is_distorted = read.shorter == ShorterVideo::kDistorted;
  const ReadVideos::Video &shorter = is_distorted ? read.distorted : *read.reference,
                          &longer = is_distorted ? *read.reference : read.distorted;
  std::string count = counted(read.pairs, "frame");
  if (const std::optional<int64_t> declared = longer.declared_frames)
    count = words("{} of {}", read.pairs, counted(*declared - longer.skipped, "frame"));
  // Pairs by time are as many as frames of the distorted video, whatever was read of the reference.
  const std::string text = options.pairs_by_time && is_distorted
                               ? words("{} ended before {}", shorter.path, longer.path)
                               : words("{} ended after {} of {}", shorter.path, count, longer.path);
  if (options.strict) throw Error(ErrorKind::kIncomplete, "{}, and --strict is set.", text);
  return words("{}; scored {}. Use --strict to make this an error.", text, read.scored);
}

PaceFacts pace_of(const std::vector<StageTotal>& parts, double waited) {
  PaceFacts pace;
  const auto seconds = [&](std::string_view part) -> double& {
    return pace.seconds[static_cast<size_t>(std::find(pace::kParts.begin(), pace::kParts.end(), part) -
                                            pace::kParts.begin())];
  };
  for (const StageTotal& total : parts) seconds(total.stage) += 1e-3 * total.ms;
  const double decoding = std::min(waited, seconds(pace::kPreparing));
  seconds(pace::kDecoding) += decoding;
  seconds(pace::kPreparing) -= decoding;
  return pace;
}

void add_work(BackendReport& all, const BackendReport& more) {
  for (const StageTotal& total : more.stages) add_stage_time(all.stages, total.stage, total.ms);
  for (const StageTotal& total : more.host_stages) add_stage_time(all.host_stages, total.stage, total.ms);
  all.on_host = joined_words(all.on_host, more.on_host);
  all.bytes_uploaded += more.bytes_uploaded;
  all.bytes_read += more.bytes_read;
}

void Replay::push(const PushedFrame& pushed) {
  pair_.index = pair_.distorted.index = pushed.frame;
  pair_.distorted.timestamp = pushed.timestamp;
  pair_.distorted.repeated_planes = pushed.distorted_repeats;
  pair_.is_reported = pushed.is_reported;
  if (pushed.has_reference && !pair_.reference) pair_.reference.emplace();
  if (!pushed.has_reference) pair_.reference.reset();
  if (pair_.reference) pair_.reference->repeated_planes = pushed.reference_repeats;
  record_.judge_pairs();
  frames_ += pushed.is_reported;
  evaluator_.push(pair_, results_);
}

void Replay::add(const PartFindings& found, const RunFacts& run) {
  add_work(sums_, run);
  pairs_ += found.pairs_read;
  record_.add(found);
  shorter_ = found.shorter;
  distorted_frames_ = found.distorted_frames;
  reference_frames_ = found.reference_frames;
  const std::vector<InputFacts> before = std::exchange(inputs_, run.inputs);
  for (size_t i = 0; i < inputs_.size() && i < before.size(); ++i) {
    inputs_[i].decoder = joined_words(before[i].decoder, inputs_[i].decoder);
    if (before[i].bit_rate_of != "stream") continue;  // the length of which the last part alone finds
    inputs_[i].bit_rate = before[i].bit_rate;
    inputs_[i].bit_rate_of = before[i].bit_rate_of;
  }
}

void Replay::count(const RunFacts& run) {
  for (const ScoredBy& member : members_of(run, std::exchange(frames_, 0))) {
    const auto is_it = [&](const ScoredBy& each) {
      return each.backend == member.backend && each.device == member.device && each.driver == member.driver;
    };
    const auto known = std::ranges::find_if(scored_by_, is_it);
    if (known == scored_by_.end()) {
      scored_by_.push_back(member);
      continue;
    }
    known->decoder = joined_words(known->decoder, member.decoder);
    known->frames += member.frames;
  }
}

ReadVideos Replay::read(int64_t pairs) const {
  const auto end_of = [](const InputFacts& video, std::optional<int64_t> declared) {
    return ReadVideos::Video{video.path, declared, video.skipped};
  };
  ReadVideos read{.distorted = end_of(inputs_.at(0), distorted_frames_),
                  .shorter = shorter_,
                  .pairs = pairs,
                  .scored = evaluator_.scored()};
  if (inputs_.size() > 1) read.reference = end_of(inputs_[1], reference_frames_);
  return read;
}

std::string joined_words(std::string all, const std::string& more) {
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

std::vector<ScoredBy> members_of(const RunFacts& run, int64_t frames) {
  if (!run.scored_by.empty() || frames == 0) return run.scored_by;
  ScoredBy only{run.backend, run.device, run.driver, {}, frames};
  for (const InputFacts& input : run.inputs) only.decoder = joined_words(only.decoder, input.decoder);
  return {only};
}

}  // namespace vq::cli
