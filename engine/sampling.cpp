#include "engine/sampling.h"

#include <cmath>
#include <numeric>

#include "core/text.h"

namespace vq {
namespace {

// A type is reported when its share among scored frames exceeds that among all frames by both of these.
constexpr double kLargerShare = 0.2;
constexpr double kDeviations = 3;  // standard deviations of what chance makes of it

constexpr const char* kTypeLetters[] = {"?", "I", "P", "B"};
static_assert(std::size(kTypeLetters) == kPictureTypes);

int64_t total(const SampledTypes::Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

}  // namespace

int64_t Sampling::count_of(int64_t frames) const {
  const int64_t groups = frames / every;
  return groups + (frames % every > place_in(groups) ? 1 : 0);
}

std::string Sampling::text() const {
  return std::to_string(every) + (is_spread ? ":spread" : "");
}

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
    const double excess = static_cast<double>(state_.scored[i]) / static_cast<double>(scored) - share;
    const double chance = std::sqrt(share * (1 - share) / static_cast<double>(scored));
    if (excess < kLargerShare || excess < kDeviations * chance) continue;
    const std::string text = words(
        "{}: {} of the {} are {}-frames, but only {} % of all frames are, so statistics may differ from "
        "those of all frames.",
        shown_path(video), state_.scored[i], counted(scored, "scored frame"), kTypeLetters[i],
        std::lround(100 * share));
    Diagnostic remark{.text = text, .advice = Advice::kSubsample};
    if (!sampling.is_spread) remark.subjects.push_back(Sampling{sampling.every, true}.text());
    return remark;
  }
  return std::nullopt;
}

}  // namespace vq
