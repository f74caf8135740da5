#include "cli/run/replay.h"

#include <algorithm>
#include <string_view>

namespace vq::cli {

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
  for (const StageFacts& stage : run.stages)
    add_stage_time(stage.on_device ? sums_.stages : sums_.host_stages, stage.name, stage.milliseconds);
  sums_.on_host = joined_words(sums_.on_host, run.on_host);
  sums_.bytes_uploaded += run.bytes_uploaded;
  sums_.bytes_read += run.bytes_read;
  pairs_ += found.pairs_read;
  record_.add(found);
  shorter_ = found.shorter;
  distorted_frames_ = found.distorted_frames;
  reference_frames_ = found.reference_frames;
}

RunRecord::ReadVideos Replay::read(const std::vector<InputFacts>& inputs, int64_t pairs) const {
  const auto end_of = [](const InputFacts& video, std::optional<int64_t> declared) {
    return ReadVideoEnd{.path = video.path, .declared_frames = declared, .skipped = video.skipped};
  };
  RunRecord::ReadVideos read{.distorted = end_of(inputs.at(0), distorted_frames_),
                             .reference = {},
                             .shorter = shorter_,
                             .pairs = pairs,
                             .scored = evaluator_.scored()};
  if (inputs.size() > 1) read.reference = end_of(inputs[1], reference_frames_);
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

void join_inputs(std::vector<InputFacts>& all, const std::vector<InputFacts>& later) {
  std::vector<std::string> decoders;
  for (const InputFacts& input : all) decoders.push_back(input.decoder);
  all = later;
  for (size_t i = 0; i < all.size() && i < decoders.size(); ++i)
    all[i].decoder = joined_words(decoders[i], all[i].decoder);
}

std::vector<ScoredBy> members_of(const RunFacts& run, int64_t frames) {
  if (!run.scored_by.empty() || frames == 0) return run.scored_by;
  ScoredBy only{run.backend, run.device, run.driver, {}, frames};
  for (const InputFacts& input : run.inputs) only.decoder = joined_words(only.decoder, input.decoder);
  return {only};
}

void add_scored_by(std::vector<ScoredBy>& all, const std::vector<ScoredBy>& later) {
  for (const ScoredBy& member : later) {
    const auto is_it = [&](const ScoredBy& each) {
      return each.backend == member.backend && each.device == member.device && each.driver == member.driver;
    };
    const auto known = std::find_if(all.begin(), all.end(), is_it);
    if (known == all.end()) {
      all.push_back(member);
      continue;
    }
    known->decoder = joined_words(known->decoder, member.decoder);
    known->frames += member.frames;
  }
}

}  // namespace vq::cli
