#include "engine/report/moments.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vq {
namespace {

constexpr double kSecond = 1e6;           // in microseconds
constexpr int64_t kFramesOfASecond = 25;  // where times are unknown

bool has_time(const TimedScore& frame) {
  return frame.timestamp && std::isfinite(*frame.timestamp);
}

// Reports have times in microseconds. Counted in these, frames a second apart are so in every report.
double microseconds(const TimedScore& frame) {
  return std::round(*frame.timestamp * 1e6);
}

bool less_than_a_second_apart(const TimedScore& a, const TimedScore& b) {
  if (has_time(a) && has_time(b)) return std::fabs(microseconds(a) - microseconds(b)) < kSecond;
  return std::abs(a.frame - b.frame) < kFramesOfASecond;
}

}  // namespace

bool MomentFinder::add(const TimedScore& frame, bool begins_scene) {
  if (begins_scene) end_scene();
  if (candidate_ && !less_than_a_second_apart(*candidate_, frame)) end_second();
  if (!is_flawed(frame.score)) return false;
  while (!second_.empty() && !less_than_a_second_apart(second_.front(), frame)) second_.pop_front();
  const bool is_worst = second_.empty() || worse(frame.score, second_.front().score);
  while (!second_.empty() && !worse(second_.back().score, frame.score)) second_.pop_back();
  second_.push_back(frame);
  if (!is_worst) return false;
  const bool was_of_scene = candidate_ && leads(*candidate_);
  candidate_.reset();
  const bool is_worst_of_scene = !scene_worst_ || worse(frame.score, scene_worst_->score);
  if (!(is_worst_of_scene ? ranks(scenes_, count_, frame.score)
                          : ranks(others_, room_for_others(), frame.score)))
    return false;
  candidate_ = frame;
  if (!is_worst_of_scene) return true;
  if (scene_worst_ && !was_of_scene) insert(others_, *scene_worst_);
  scene_worst_ = frame;
  trim();
  return true;
}

bool MomentFinder::leads(const TimedScore& frame) const {
  return scene_worst_ && scene_worst_->frame == frame.frame;
}

void MomentFinder::end_second() {
  if (candidate_ && !leads(*candidate_)) insert(others_, *candidate_);
  candidate_.reset();
  trim();
}

void MomentFinder::end_scene() {
  end_second();
  second_.clear();
  if (scene_worst_) insert(scenes_, *scene_worst_);
  scene_worst_.reset();
}

size_t MomentFinder::room_for_others() const {
  return count_ - std::min(count_, scenes_.size() + (scene_worst_ ? 1 : 0));
}

void MomentFinder::trim() {
  others_.resize(std::min(others_.size(), room_for_others()));
}

bool MomentFinder::holds(int64_t frame) const {
  const auto is_it = [&](const TimedScore& moment) { return moment.frame == frame; };
  if (candidate_ && is_it(*candidate_)) return true;
  if (scene_worst_ && is_it(*scene_worst_)) return true;
  return std::any_of(scenes_.begin(), scenes_.end(), is_it) ||
         std::any_of(others_.begin(), others_.end(), is_it);
}

std::vector<TimedScore> MomentFinder::worst() const {
  MomentFinder ended = *this;
  ended.end_scene();
  ended.trim();
  Moments moments = std::move(ended.scenes_);
  for (const TimedScore& other : ended.others_) insert(moments, other);
  return moments;
}

bool MomentFinder::is_flawed(double score) const {
  if (std::isnan(score) || metric_.better == Better::kNeither || is_endless(metric_, score)) return false;
  return !metric_.flawless || worse(score, *metric_.flawless);
}

// An equal score does not: the earlier one stays.
bool MomentFinder::ranks(const Moments& moments, size_t room, double score) const {
  if (moments.size() < room) return true;
  return room > 0 && worse(score, moments.back().score);
}

void MomentFinder::insert(Moments& moments, const TimedScore& moment) const {
  const auto is_before = [&](const TimedScore& a, const TimedScore& b) {
    return worse(a.score, b.score) || (a.score == b.score && a.frame < b.frame);
  };
  moments.insert(std::upper_bound(moments.begin(), moments.end(), moment, is_before), moment);
  if (moments.size() > count_) moments.pop_back();
}

std::vector<size_t> worst_moments(const Report& report, const MetricInfo& metric,
                                  std::span<const double> values, size_t count) {
  MomentFinder finder(metric, count);
  const std::vector<int64_t> cuts = report.run.scene_cuts.value_or(std::vector<int64_t>());
  auto cut = cuts.begin();
  for (size_t i = 0; i < values.size(); ++i) {
    const bool timed = i < report.timestamps.size();
    const auto next = std::find_if(cut, cuts.end(), [&](int64_t begin) { return begin > report.frames[i]; });
    finder.add({report.frames[i], timed ? report.timestamps[i] : std::nullopt, values[i]}, next != cut);
    cut = next;
  }
  std::vector<size_t> positions;
  for (const TimedScore& moment : finder.worst()) {
    const auto place = std::lower_bound(report.frames.begin(), report.frames.end(), moment.frame);
    positions.push_back(static_cast<size_t>(place - report.frames.begin()));
  }
  return positions;
}

}  // namespace vq
