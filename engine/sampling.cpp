#include "engine/sampling.h"

#include <cmath>
#include <numeric>

#include "core/text.h"

namespace vq {

// A type is reported when its share among scored frames exceeds that among all frames by both of these.
constexpr double kLargerShare = 0.2;
constexpr double kDeviations = 3;  // standard deviations of what chance makes of it

constexpr const char* kTypeLetters[] = {"?", "I", "P", "B"};
static_assert(std::size(kTypeLetters) == kPictureTypes);

static int64_t total(const SampledTypes::Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

int64_t Sampling::count_of(int64_t frames) const {
  const int64_t groups = frames / every;
  return groups + (frames % every > place_in(groups) ? 1 : 0);
}

std::string Sampling::text() const { return std::to_string(every) + (is_spread ? ":spread" : ""); }

// The fractions of multiples of the square root of five lie more evenly than chance has them, and in step
// with no rhythm of a few frames.
int64_t Sampling::place_in(int64_t group) const {
  if (!is_spread) return 0;
  constexpr uint64_t kRootOfFive = 0x3C6EF372FE94F82B;  // its fraction, times 2^64
  constexpr int kBits = 23;  // of a fraction: times any number of frames it fits 64 bits
  const uint64_t fraction = static_cast<uint64_t>(group) * kRootOfFive >> (64 - kBits);
  return static_cast<int64_t>(fraction * static_cast<uint64_t>(every) >> kBits);
}

void SampledTypes::look(PictureType type, bool is_scored) {
  ++state_.all[static_cast<size_t>(type)];
  if (is_scored) ++state_.scored[static_cast<size_t>(type)];
}

void SampledTypes::add(const State& other) {
  for (size_t i = 0; i < kPictureTypes; ++i) {
    state_.all[i] += other.all[i];
    state_.scored[i] += other.scored[i];
  }
}

std::optional<Diagnostic> SampledTypes::remark(const std::string& video, const Sampling& sampling) const {
  const int64_t all = total(state_.all), scored = total(state_.scored);
  if (scored == 0) return std::nullopt;
  for (size_t i = 1; i < kPictureTypes; ++i) {
    const double share = static_cast<double>(state_.all[i]) / static_cast<double>(all);
    const double of_scored = static_cast<double>(state_.scored[i]) / static_cast<double>(scored);
    const double excess = of_scored - share;
    const double chance = std::sqrt(share * (1 - share) / static_cast<double>(scored));
    if (excess < kLargerShare || excess < kDeviations * chance) continue;
    const std::string text = words(
        "{}: {} % of the scored frames are {}-frames, but only {} % of all frames are, so statistics may "
        "differ from those of all frames.",
        shown_path(video), std::lround(100 * of_scored), kTypeLetters[i], std::lround(100 * share));
    Diagnostic remark{.text = text, .advice = Advice::kSubsample};
    if (!sampling.is_spread) remark.subjects.push_back(Sampling{sampling.every, true}.text());
    return remark;
  }
  return std::nullopt;
}

constexpr double kPlainlyLess = 2;
// In frames of the slower video. Programs that convert rates are up to two late, and a bit.
constexpr double kReachFrames = 2.5;
// Shares of the difference that chance makes: pictures of one film that are near each other differ less, and
// an encode differs less from its master.
constexpr double kUnlike = 0.5, kSteady = 0.25;
// A frame that was blended of two is at least this part of their difference away from either, and less than
// that from the line between them. Coding does not make that of a frame if they differ by so many times what
// coding does.
constexpr double kBlended = 0.25, kPlainMotion = 16;

static double unlikeness(const Pattern& a, const Pattern& b) {
  return difference(a, b) / std::max(1.0, static_cast<double>(a.square) + b.square);
}

// Whether it is made of two neighbours. `from_a`, `from_b`: its squared differences; a is the nearer.
static bool lies_between(const Pattern& a, const Pattern& b, double from_a, double from_b, double noise) {
  const double motion = difference(a, b);
  if (motion < kPlainMotion * noise) return false;
  const double along = 0.5 + (from_a - from_b) / motion / 2;
  return along > kBlended && from_a - along * along * motion < kBlended * kBlended * motion;
}

void NearestFrames::read() {
  std::optional<TimedFrame> frame = next_();
  has_ended_ = !frame;
  if (!frame) return;
  if (!held_.empty()) step_ = frame->time - held_.back().time;
  held_.push_back(std::move(*frame));
}

// The frame nearest to the time and those around it that may be alike, and no more.
void NearestFrames::read_around(double time, double reach) {
  const auto is_wanted = [&] {
    if (held_.empty() || held_.back().time < time) return true;
    const auto is_behind = [&](const TimedFrame& frame) { return frame.time > time; };
    const auto behind = static_cast<size_t>(std::ranges::count_if(held_, is_behind));
    return held_.back().time <= time + reach && behind < kReach;
  };
  while (!has_ended_ && is_wanted()) {
    read();
    while (held_.size() > kReach + 1 && held_[kReach + 1].time <= time) {
      held_.pop_front();
      ++first_;
    }
  }
}

size_t NearestFrames::nearest_to(double time) const {
  const auto later = std::ranges::lower_bound(held_, time, {}, &TimedFrame::time);
  const auto at = static_cast<size_t>(later - held_.begin());
  if (later == held_.begin()) return at;
  if (later == held_.end()) return at - 1;
  return later->time - time < time - held_[at - 1].time - kClockTie ? at : at - 1;
}

// Candidates that show something, in order. Frames before the last match are none.
std::vector<NearestFrames::Candidate> NearestFrames::candidates(size_t nearest, double time, double reach,
                                                                const Pattern& shown) const {
  std::vector<Candidate> found;
  const size_t from = std::max(oldest(), nearest - std::min(nearest, kReach));
  for (size_t i = from; i < std::min(held_.size(), nearest + kReach + 1); ++i) {
    const double distance = std::abs(held_[i].time - time);
    if (!held_[i].pattern.is_present || (i != nearest && distance > reach + kClockTie)) continue;
    found.push_back({i, distance, difference(shown, held_[i].pattern)});
  }
  return found;
}

// Among pictures that change much, one that is like none of them may be one that was left out.
bool NearestFrames::fits_none(const std::vector<Candidate>& all, const Candidate& best,
                              const Pattern& shown) const {
  const Pattern& own = held_[best.place].pattern;
  const auto pattern = [&](const Candidate& other) -> const Pattern& { return held_[other.place].pattern; };
  const auto is_steady = [&](const Candidate& other) { return unlikeness(own, pattern(other)) < kSteady; };
  if (unlikeness(shown, own) > kUnlike && std::ranges::all_of(all, is_steady)) return true;
  return std::ranges::any_of(all, [&](const Candidate& other) {
    const bool is_neighbour = other.place + 1 == best.place || best.place + 1 == other.place;
    return is_neighbour && lies_between(own, pattern(other), best.difference, other.difference, shown.noise);
  });
}

size_t NearestFrames::most_alike(size_t nearest, double time, double reach, const Pattern& shown,
                                 bool& is_alike) const {
  if (!shown.is_present) return nearest;
  const std::vector<Candidate> all = candidates(nearest, time, reach, shown);
  const auto less = [](const Candidate& a, const Candidate& b) { return a.difference < b.difference; };
  const auto best = std::ranges::min_element(all, less);
  if (best == all.end()) return nearest;
  is_alike = !fits_none(all, *best, shown);
  const double plain = kPlainlyLess * best->difference + shown.noise, alike = best->difference + shown.noise;
  const Candidate* chosen = &*best;
  for (const Candidate& other : all) {
    if (other.place == nearest && other.difference <= plain) return nearest;
    if (other.difference <= alike && other.distance < chosen->distance - kClockTie) chosen = &other;
  }
  return chosen->place;
}

NearestFrames::Match NearestFrames::at(double time, double seconds, const Pattern& shown) {
  const double reach = kReachFrames * std::max(seconds, frame_seconds_ > 0 ? frame_seconds_ : step_);
  read_around(time, reach);
  if (held_.empty()) return {};
  const double last_seconds = std::max({step_, frame_seconds_, kClockTie});
  const bool is_over = has_ended_ && time >= held_.back().time + last_seconds - kClockTie;
  // Frames of a video that is late come when their time is over.
  const bool is_awaited = is_late_ && last_ < last_read() && time <= held_.back().time + reach + kClockTie;
  if (is_over && !is_awaited) return {};
  const size_t nearest = nearest_to(time);
  Match match;
  const size_t chosen = most_alike(std::max(nearest, oldest()), time, reach, shown, match.is_alike);
  match.from_nearest = static_cast<int64_t>(chosen) - static_cast<int64_t>(nearest);
  is_late_ = match.from_nearest < 0;
  const int64_t number = first_ + static_cast<int64_t>(chosen);
  repeated_ += number == last_ ? 1 : 0;
  unused_ += std::max<int64_t>(0, number - last_ - 1);
  last_ = number;
  // Earlier frames are no longer compared, but may be nearest in time.
  for (size_t i = 0; i < chosen; ++i) held_[i].frame = Frame();
  match.frame = &held_[chosen].frame;
  return match;
}

bool NearestFrames::goes_on_at(double time) {
  const auto leave_earlier = [&] {
    for (; !held_.empty() && held_.front().time < time - kClockTie; held_.pop_front())
      unused_ += first_++ > last_ ? 1 : 0;
  };
  leave_earlier();
  while (!has_ended_ && held_.empty()) {
    read();
    leave_earlier();
  }
  return !held_.empty() && last_read() > last_;
}

}  // namespace vq
