#include "engine/analysis/alignment.h"

#include <cmath>
#include <cstdlib>

#include "core/text.h"

namespace vq {

// Frames that are given a shift at a time, and those on either side that are looked at with them.
constexpr int64_t kBlock = 192, kContext = 64;
constexpr double kLeastConfidence = 0.5;
// Denoising over time lags by a frame, and a picture that lies a little to the side looks late if a camera
// pans; with a confidence below this.
constexpr double kPlainConfidence = 0.8;
constexpr double kForeignLikeness = 0.3;
// Errors up to so many times the least agree with it.
constexpr double kAgreeing = 2;

static double share_of(double part, double whole) { return whole > 0 ? part / whole : 1; }

bool Alignment::is_certain() const { return frames >= kLeastAlignedFrames && confidence >= kLeastConfidence; }

bool Alignment::is_plain() const {
  return is_certain() &&
         (confidence >= kPlainConfidence || (!is_uneven() && confidence_of_any >= kPlainConfidence));
}

int Alignment::first_shift() const {
  int found = shift;
  for (const ShiftPart& part : parts) {
    if (part.first < parts.front().first + kLeastAlignedFrames) found = part.shift;
  }
  return found;
}

bool Alignment::is_foreign() const {
  return frames >= kLeastAlignedFrames && !is_certain() && likeness < kForeignLikeness;
}

std::vector<ShiftChange> changes_of(const Alignment& alignment) {
  std::vector<ShiftChange> changes;
  for (size_t i = 1; i < alignment.parts.size(); ++i) {
    const int64_t later = int64_t{alignment.parts[i].shift} - alignment.parts[i - 1].shift;
    const ShiftChange change = {alignment.parts[i].first, std::max<int64_t>(0, -later),
                                std::max<int64_t>(0, later)};
    // A frame that is shown several times over is one place.
    const bool goes_on =
        i > 1 && alignment.parts[i - 1].frames == 1 && change.repeated > 0 && changes.back().repeated > 0;
    if (goes_on) {
      changes.back().repeated += change.repeated;
    } else {
      changes.push_back(change);
    }
  }
  return changes;
}

AlignmentFinder::AlignmentFinder(int window)
    : window_(window), errors_(static_cast<size_t>(2 * window + 1)) {}

void AlignmentFinder::add(Frames& frames, int64_t number, const Signature& signature) {
  if (!has_begun_) done_ = number;
  has_begun_ = true;
  if (!frames.has_begun) frames.first = number;
  frames.has_begun = true;
  // Lost frames look like the one before, but nobody compares them.
  while (frames.end() < number) {
    Pattern lost = frames.kept.empty() ? Pattern() : frames.kept.back();
    lost.is_present = false;
    frames.kept.push_back(lost);
  }
  frames.kept.push_back(pattern_of(signature));
  search_ready();
}

void AlignmentFinder::search_ready() {
  while (true) {
    const int64_t end = done_ + kBlock, context_end = end + kContext;
    if (distorted_.end() < context_end || reference_.end() < context_end - centre_ + window_) return;
    search(end, context_end);
  }
}

void AlignmentFinder::search(int64_t end, int64_t context_end) {
  const int64_t first = std::max(distorted_.first, done_ - kContext);
  const auto cut = [](const Frames& frames, int64_t from, int64_t to) {
    from = std::clamp(from, frames.first, frames.end());
    to = std::clamp(to, from, frames.end());
    return std::vector<Pattern>(frames.kept.begin() + (from - frames.first),
                                frames.kept.begin() + (to - frames.first));
  };
  const int64_t reference_first = std::max(reference_.first, first - centre_ - window_);
  const std::vector<Pattern> distorted = cut(distorted_, first, context_end);
  const std::vector<Pattern> reference = cut(reference_, reference_first, context_end - centre_ + window_);
  if (!distorted.empty() && !reference.empty()) {
    // Seen from the last shift, the reference begins later.
    const BlockShifts block =
        search_block({reference_first + centre_, reference}, {first, distorted}, window_);
    take_errors(block);
    take(block, first, std::min(end, distorted_.end()));
  }
  done_ = end;
  forget();
}

void AlignmentFinder::take(const BlockShifts& block, int64_t first, int64_t end) {
  const int from = centre_;
  // Earlier parts decided nothing.
  if (block.is_decided && !has_decided_ && !parts_.empty()) {
    const int shift = from + block.path[static_cast<size_t>(done_ - first)];
    parts_ = {{parts_.front().first, done_ - parts_.front().first, shift}};
  }
  has_decided_ = has_decided_ || block.is_decided;
  // The first block at the end of its window told no more than the direction; the next has its window there.
  const bool was_at_edge = parts_.size() == 1 && std::abs(parts_.front().shift) == window_;
  if (was_at_edge && end > done_)
    parts_.front().shift = from + block.path[static_cast<size_t>(done_ - first)];
  for (int64_t frame = done_; frame < end; ++frame) {
    const int shift = from + block.path[static_cast<size_t>(frame - first)];
    if (parts_.empty() || parts_.back().shift != shift) parts_.push_back({frame, 0, shift});
    ++parts_.back().frames;
    centre_ = shift;
    compared_ += distorted_.kept[static_cast<size_t>(frame - distorted_.first)].is_present ? 1 : 0;
  }
}

void AlignmentFinder::take_errors(const BlockShifts& block) {
  path_error_ += block.path_error;
  unlikeness_ += block.unlikeness;
  searched_ += block.frames;
  for (size_t i = 0; i < errors_.size(); ++i) errors_[i] += block.errors[i];
  const int shift = block.path.front();
  if (std::ranges::any_of(block.path, [&](int other) { return other != shift; })) return;
  Uniform& sums = uniform_[centre_ + shift];
  sums.errors.resize(errors_.size());
  sums.own.resize(errors_.size());
  for (int i = 0; i < static_cast<int>(errors_.size()); ++i) {
    const auto place = static_cast<size_t>(i);
    const int other = i + shift;  // what lies outside the block's window was not looked at
    const bool is_known = other >= 0 && other < static_cast<int>(errors_.size());
    const double own =
        is_known ? block.own[static_cast<size_t>(other)] : block.errors[static_cast<size_t>(shift + window_)];
    sums.own[place] += own;
    sums.errors[place] +=
        is_known ? block.compared[static_cast<size_t>(other)] : std::max(block.variance, own);
  }
}

// Drops the frames that no block will look at again.
void AlignmentFinder::forget() {
  const auto drop = [](Frames& frames, int64_t before) {
    while (!frames.kept.empty() && frames.first < before) {
      frames.kept.pop_front();
      ++frames.first;
    }
  };
  drop(distorted_, done_ - kContext);
  drop(reference_, done_ - kContext - centre_ - window_);
}

Alignment AlignmentFinder::so_far() const {
  Alignment alignment;
  alignment.parts = parts_;
  alignment.frames = compared_;
  if (parts_.empty()) return alignment;
  std::map<int, int64_t> frames;
  for (const ShiftPart& part : parts_) frames[part.shift] += part.frames;
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  alignment.shift = std::ranges::max_element(frames, fewer)->first;
  alignment.likeness = 1 - share_of(unlikeness_, static_cast<double>(searched_));
  judge(alignment);
  return alignment;
}

void AlignmentFinder::judge(Alignment& alignment) const {
  alignment.least = alignment.most = alignment.shift;
  const auto known = uniform_.find(alignment.shift);
  if (known == uniform_.end()) {
    // No stretch is long enough to be judged by itself: the path is, against all that change nothing.
    alignment.confidence = std::max(0.0, 1 - share_of(path_error_, *std::ranges::min_element(errors_)));
    return;
  }
  const Uniform& sums = known->second;
  const size_t own = static_cast<size_t>(window_);
  alignment.confidence = 1;
  const auto agrees = [&](size_t i) { return sums.errors[i] <= kAgreeing * sums.own[i]; };
  for (size_t i = 0; i < sums.errors.size(); ++i) {
    if (i != own)
      alignment.confidence = std::min(alignment.confidence, 1 - share_of(sums.own[i], sums.errors[i]));
  }
  alignment.confidence = std::max(0.0, alignment.confidence);
  if (alignment.shift != 0 && std::abs(alignment.shift) <= window_) {
    const auto none = static_cast<size_t>(window_ - alignment.shift);
    alignment.confidence_of_any = std::max(0.0, 1 - share_of(sums.own[none], sums.errors[none]));
  }
  for (size_t i = own; i-- > 0 && agrees(i);) --alignment.least;
  for (size_t i = own + 1; i < sums.errors.size() && agrees(i); ++i) ++alignment.most;
  // The best shift at the end of the window may be better beyond it.
  const bool is_one_block = parts_.size() == 1 && parts_.front().frames <= kBlock;
  if (is_one_block && std::abs(alignment.shift) == window_) alignment.confidence = 0;
}

Alignment AlignmentFinder::finish() {
  while (done_ < distorted_.end()) {
    // More than a block may be left if the other video ended before.
    const bool is_last = distorted_.end() - done_ <= kBlock;
    const int64_t end = is_last ? distorted_.end() : done_ + kBlock;
    search(end, is_last ? end : end + kContext);
  }
  return so_far();
}

constexpr size_t kPlaces = 4;  // that are named

// "2 frames dropped (before frame 9, 18)".
static std::string list_of(const std::vector<ShiftChange>& changes, int64_t ShiftChange::*count,
                           const char* what) {
  int64_t frames = 0;
  size_t places = 0;
  std::string named;
  for (const ShiftChange& change : changes) {
    if (change.*count == 0) continue;
    frames += change.*count;
    if (++places > kPlaces) continue;
    named += (places == 1 ? "" : ", ") + std::to_string(change.frame);
  }
  if (frames == 0) return "";
  if (places > kPlaces) named += words(", ...; {} places", places);
  return words("{} {} (before frame {})", counted(frames, "frame"), what, named);
}

std::string shift_text(int64_t shift) { return (shift > 0 ? "+" : "") + std::to_string(shift); }

std::string lateness(int64_t shift) {
  return counted(std::abs(shift), "frame") + (shift > 0 ? " late" : " early");
}

std::string changes_text(const Alignment& alignment) {
  const std::vector<ShiftChange> changes = changes_of(alignment);
  const std::string dropped = list_of(changes, &ShiftChange::dropped, "dropped");
  const std::string repeated = list_of(changes, &ShiftChange::repeated, "repeated");
  return dropped + (dropped.empty() || repeated.empty() ? "" : " and ") + repeated;
}

Skips skips_for(int64_t shift, const Skips& now) {
  const int64_t common = std::min(now.reference, now.distorted);
  const int64_t lead = now.distorted - now.reference + shift;
  return {common + std::max<int64_t>(0, -lead), common + std::max<int64_t>(0, lead)};
}

}  // namespace vq
