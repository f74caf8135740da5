#include "cli/run/run_cuts.h"

#include <cstdlib>

#include "cli/inputs/pair_reader.h"
#include "cli/inputs/run_inputs.h"
#include "engine/evaluator.h"

namespace vq::cli {

// The frame before at the least: whether a frame repeats it is part of the report. Those that are left out
// are not compared.
int64_t lead_of(const RunOptions& arguments) {
  const FrameNeeds use = frame_needs(arguments.features);
  const bool every_frame = std::ranges::any_of(arguments.features, needs_every_frame);
  return std::max<int64_t>(
      {1, use.before.distorted, use.before.references, every_frame ? 1 : arguments.sampling.longest_step()});
}

std::string reason_for_whole(const RunOptions& arguments) {
  if (arguments.align && arguments.align->finds)
    return "--align auto looks at both videos first; --align N does not";
  if (arguments.pairs_by_time) return "--pair time looks at the times of both videos from their start";
  if (arguments.allow_damage) return "--allow-damage counts what is lost from the start";
  if (!frame_needs(arguments.features).before.noises.empty())
    return "pictures are compared with the frame at which a freeze began";
  return {};
}

StreamIndex index_of(const RunOptions& arguments, Role role) {
  SourceOptions options = in_software(source_options(arguments, role));
  options.threads = 1;
  return index_stream(options);
}

RunCuts::RunCuts(const RunOptions& arguments, const StreamIndex& distorted, const StreamIndex* reference)
    : arguments_(arguments),
      distorted_(distorted),
      reference_(reference),
      lead_(lead_of(arguments)),
      skip_distorted_(arguments.skip_distorted),
      skip_reference_(arguments.skip_reference),
      whole_(reason_for_whole(arguments)) {
  const int64_t shift = arguments.align && arguments.reference ? arguments.align->shift.value_or(0) : 0;
  (shift > 0 ? skip_distorted_ : skip_reference_) += std::abs(shift);
  if (whole_.empty()) whole_ = distorted.whole;
  if (whole_.empty() && reference != nullptr && !reference->whole.empty())
    whole_ = "the reference: " + reference->whole;
  if (!whole_.empty()) return;
  find_range();
  for (const StreamStartPoint& start : distorted.starts)
    places_.push_back(start.picture - skip_distorted_ + lead_);
}

void RunCuts::find_range() {
  pairs_ = *distorted_.pictures - skip_distorted_;
  if (reference_ != nullptr) pairs_ = std::min(pairs_, *reference_->pictures - skip_reference_);
  const auto position = [&](const VideoPosition& wanted) {
    if (const int64_t* const number = std::get_if<int64_t>(&wanted)) return *number;
    return first_at(std::get<double>(wanted));
  };
  first_ = arguments_.start
               ? std::clamp<int64_t>(position(*arguments_.start), 0, std::max<int64_t>(pairs_, 0))
               : 0;
  end_ = arguments_.end ? std::min(pairs_, position(*arguments_.end)) : pairs_;
  if (arguments_.frame_count > 0) end_ = std::min(end_, first_ + arguments_.frame_count);
}

// The first pair that is shown at that time or later.
int64_t RunCuts::first_at(double seconds) const {
  int64_t low = 0, high = std::max<int64_t>(pairs_, 0);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    is_before(time_of(middle), seconds) ? low = middle + 1 : high = middle;
  }
  return low;
}

double RunCuts::time_of(int64_t pair) const {
  const int64_t picture = pair + skip_distorted_;
  return distorted_.timestamp(picture).value_or(static_cast<double>(picture) /
                                                distorted_.info.frame_rate().value_or(kAssumedFrameRate));
}

int64_t RunCuts::idle_reference(int64_t place) const {
  if (reference_ == nullptr || reference_->is_planar) return 0;
  const int64_t picture = place - lead_ + skip_reference_;
  return picture < 0 ? 0 : picture - reference_->part(picture, picture + 1).picture;
}

bool RunCuts::goes_to_end() const {
  const int64_t limit = frames_to_read(arguments_).end;
  return end_ == pairs_ && (limit < 0 || limit > pairs_);
}

ShorterVideo RunCuts::shorter() const {
  if (reference_ == nullptr || !goes_to_end()) return ShorterVideo::kNone;
  const int64_t distorted = *distorted_.pictures - skip_distorted_;
  const int64_t reference = *reference_->pictures - skip_reference_;
  return distorted == reference  ? ShorterVideo::kNone
         : distorted < reference ? ShorterVideo::kDistorted
                                 : ShorterVideo::kReference;
}

// With what does not depend on how the part is read.
RunPart RunCuts::part_between(int64_t first, int64_t end) const {
  RunPart part{.first = first, .end = end, .lead = std::min(first - first_, lead_), .run_first = first_};
  part.distorted_length = distorted_.measured;
  if (reference_ != nullptr) part.reference_length = reference_->measured;
  return part;
}

RunPart RunCuts::part(int64_t first, int64_t end) const {
  RunPart part = part_between(first, end);
  if (end == end_ && goes_to_end()) part.end = -1;
  const int64_t from = first - part.lead;
  const auto of = [&](const StreamIndex& index, int64_t skip) -> std::optional<StreamPart> {
    if (index.is_planar) return std::nullopt;
    return index.part(from + skip, part.end < 0 ? *index.pictures : end + skip);
  };
  part.distorted = of(distorted_, skip_distorted_);
  if (reference_ != nullptr) part.reference = of(*reference_, skip_reference_);
  return part;
}

// Whether decoding for frame `first` begins no later than at `end`, of either video.
bool RunCuts::reads_on(int64_t end, int64_t first) const {
  const auto begins_before = [&](const StreamIndex& index, int64_t skip) {
    return !index.is_planar && index.part(first + skip, first + skip + 1).picture <= end + skip;
  };
  return first <= end || begins_before(distorted_, skip_distorted_) ||
         (reference_ != nullptr && begins_before(*reference_, skip_reference_));
}

RunPart RunCuts::part(std::span<const FrameSpan> scored, std::span<const RunCuts* const> together) const {
  RunPart part = part_between(scored.front().first, scored.back().end);
  part.scored.assign(scored.begin(), scored.end());
  const auto any_reads_on = [&](int64_t end, int64_t from) {
    return reads_on(end, from) ||
           std::ranges::any_of(together, [&](const RunCuts* other) { return other->reads_on(end, from); });
  };
  for (const FrameSpan& span : scored) {
    const int64_t from = std::max(first_, span.first - lead_);
    if (!part.stretches.empty() && any_reads_on(part.stretches.back().frames.end, from)) {
      part.stretches.back().frames.end = span.end;
    } else {
      part.stretches.push_back({.frames = {from, span.end}, .distorted = {}, .reference = {}});
    }
  }
  for (RunStretch& stretch : part.stretches) {
    const auto [from, end] = stretch.frames;
    if (!distorted_.is_planar)
      stretch.distorted = distorted_.part_from(from + skip_distorted_, end + skip_distorted_);
    if (reference_ != nullptr && !reference_->is_planar)
      stretch.reference = reference_->part_from(from + skip_reference_, end + skip_reference_);
  }
  return part;
}

}  // namespace vq::cli
