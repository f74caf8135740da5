#include "engine/analysis/scene_cuts.h"

#include <algorithm>
#include <cmath>

namespace vq {
namespace {

// The neighbours of a frame are judged with neighbours of their own.
constexpr size_t kAround = 2 * SceneCutFinder::kReach;

}  // namespace

// Of the one with more contrast, what the other does not explain: 0 to its contrast. A negative picture
// explains nothing.
double SceneCutFinder::difference(const Pattern& a, const Pattern& b) {
  const double most = std::max(a.contrast, b.contrast), product = a.contrast * b.contrast;
  if (product <= 0) return most;
  double sum = 0;
  for (size_t i = 0; i < a.levels.size(); ++i) sum += a.levels[i] * b.levels[i];
  const double correlation = std::clamp(sum / kSignatureCells / product, 0.0, 1.0);
  return most * std::sqrt(1 - correlation * correlation);
}

// From the frame before. Measured by the most contrast around it, so that the first frames of a fade are no
// news.
double SceneCutFinder::change(size_t position) const {
  const size_t begin = position - std::min(position, kReach), end = std::min(position + kReach, kept_.size());
  double contrast = 0;
  for (size_t i = begin; i < end; ++i) contrast = std::max(contrast, kept_[i].contrast);
  return difference(kept_[position - 1], kept_[position]) / (contrast + kLeastContrast);
}

bool SceneCutFinder::stands_out(size_t position, double change_here) const {
  const size_t reach = change_here >= kPlainChange ? 1 : kReach;
  const size_t begin = position > reach ? position - reach : 1,
               end = std::min(position + reach + 1, kept_.size());
  for (size_t i = begin; i < end; ++i) {
    if (i != position && change(i) * kProminence > change_here) return false;
  }
  return true;
}

// Whether a frame soon after is like that before the change, or this one like a frame soon before.
bool SceneCutFinder::comes_back(size_t position) const {
  const auto likeness = [](const Pattern& a, const Pattern& b) {
    const double contrast = std::max(a.contrast, b.contrast);
    return contrast > 0 ? difference(a, b) / contrast : 0;
  };
  const Pattern &before = kept_[position - 1], &here = kept_[position];
  const double most = likeness(before, here) / 2;
  for (size_t k = 1; k <= kReach; ++k) {
    if (position + k < kept_.size() && likeness(before, kept_[position + k]) < most) return true;
    if (position >= k + 1 && likeness(kept_[position - 1 - k], here) < most) return true;
  }
  return false;
}

bool SceneCutFinder::is_cut(size_t position) const {
  const double change_here = change(position);
  return change_here >= kLeastChange && stands_out(position, change_here) && !comes_back(position);
}

void SceneCutFinder::add(int64_t number, const Signature& signature) {
  Pattern pattern{.number = number};
  double sum = 0, squares = 0;
  for (const uint16_t level : signature.levels) sum += level;
  for (size_t i = 0; i < pattern.levels.size(); ++i) {
    pattern.levels[i] = signature.levels[i] - sum / kSignatureCells;
    squares += pattern.levels[i] * pattern.levels[i];
  }
  pattern.contrast = std::sqrt(squares / kSignatureCells);
  kept_.push_back(pattern);
  if (kept_.size() <= judged_ + kAround) return;
  if (is_cut(judged_)) cuts_.push_back(kept_[judged_].number);
  if (judged_ > kAround) {
    kept_.pop_front();
  } else {
    ++judged_;
  }
}

// The contrast around a frame, which grows by what follows, only lowers its change.
bool SceneCutFinder::may_be_cut() const {
  if (kept_.size() < 2) return false;
  const size_t last = kept_.size() - 1;
  const double change_here = change(last);
  return change_here >= kLeastChange && (last < 2 || change(last - 1) * kProminence <= change_here);
}

std::vector<int64_t> SceneCutFinder::cuts() const {
  std::vector<int64_t> all = cuts_;
  for (size_t i = judged_; i < kept_.size(); ++i) {
    if (is_cut(i)) all.push_back(kept_[i].number);
  }
  return all;
}

}  // namespace vq
