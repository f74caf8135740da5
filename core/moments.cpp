#include "core/moments.h"

#include <algorithm>
#include <cmath>

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

bool MomentFinder::add(const TimedScore& frame) {
  if (candidate_ && !less_than_a_second_apart(*candidate_, frame)) {
    insert(worst_, *candidate_);
    candidate_.reset();
  }
  if (!is_flawed(frame.score)) return false;
  while (!second_.empty() && !less_than_a_second_apart(second_.front(), frame)) second_.pop_front();
  const bool is_worst = second_.empty() || worse(frame.score, second_.front().score);
  while (!second_.empty() && !worse(second_.back().score, frame.score)) second_.pop_back();
  second_.push_back(frame);
  if (!is_worst) return false;
  candidate_.reset();
  if (!ranks(frame.score)) return false;
  candidate_ = frame;
  return true;
}

bool MomentFinder::holds(int64_t frame) const {
  if (candidate_ && candidate_->frame == frame) return true;
  return std::any_of(worst_.begin(), worst_.end(),
                     [&](const TimedScore& moment) { return moment.frame == frame; });
}

std::vector<TimedScore> MomentFinder::worst() const {
  std::vector<TimedScore> moments = worst_;
  if (candidate_) insert(moments, *candidate_);
  return moments;
}

bool MomentFinder::is_flawed(double score) const {
  if (std::isnan(score) || metric_.better == Better::kNeither || is_endless(metric_, score)) return false;
  return !metric_.flawless || worse(score, *metric_.flawless);
}

// An equal score does not: the earlier one stays.
bool MomentFinder::ranks(double score) const {
  if (worst_.size() < count_) return true;
  return count_ > 0 && worse(score, worst_.back().score);
}

void MomentFinder::insert(std::vector<TimedScore>& moments, const TimedScore& moment) const {
  const auto place =
      std::upper_bound(moments.begin(), moments.end(), moment,
                       [&](const TimedScore& a, const TimedScore& b) { return worse(a.score, b.score); });
  moments.insert(place, moment);
  if (moments.size() > count_) moments.pop_back();
}

std::vector<size_t> worst_moments(const Report& report, const MetricInfo& metric, std::span<const double> values,
                                  size_t count) {
  MomentFinder finder(metric, count);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool timed = i < report.timestamps.size();
    finder.add({report.frames[i], timed ? report.timestamps[i] : std::nullopt, values[i]});
  }
  std::vector<size_t> positions;
  for (const TimedScore& moment : finder.worst()) {
    const auto place = std::lower_bound(report.frames.begin(), report.frames.end(), moment.frame);
    positions.push_back(static_cast<size_t>(place - report.frames.begin()));
  }
  return positions;
}

}  // namespace vq
