#include "tests/fingerprint/collisions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iomanip>
#include <sstream>

#include "feature/fingerprint/fingerprint.h"

namespace vq::fingerprint::test {
namespace {

constexpr uint32_t kGrey = 0x80808080;
constexpr int kWordsInRow = 64;

LaneSums operator-(const LaneSums& a, const LaneSums& b) {
  LaneSums difference;
  for (size_t i = 0; i < kLanes; ++i) difference[i] = a[i] - b[i];
  return difference;
}

Place place_of(size_t index) {
  return {static_cast<int>(index % kWordsInRow), static_cast<int>(index / kWordsInRow), 0};
}

// A permutation of 64-bit numbers without a pattern, so that different pictures get different bits
// (Stafford's mix 13).
uint64_t scattered(uint64_t v) {
  v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9;
  v = (v ^ v >> 27) * 0x94D049BB133111EB;
  return v ^ v >> 31;
}

// Hands the sums of each picture of a family to `take`, up to `count` of them.
using Take = std::function<void(const LaneSums&)>;

void make_noise(size_t count, const Take& take) {
  constexpr size_t kWords = 16;
  std::array<std::array<LaneSums, 16>, kWords> mixed_words;
  for (size_t i = 0; i < kWords; ++i) {
    for (uint32_t low = 0; low < 16; ++low) {
      const uint32_t spread = (low & 1) | (low & 2) << 7 | (low & 4) << 14 | (low & 8) << 21;
      mixed_words[i][low] = mixed_word(kGrey | spread, place_of(i));
    }
  }
  for (size_t n = 0; n < count; ++n) {
    const uint64_t bits = scattered(n);
    LaneSums sums{};
    for (size_t i = 0; i < kWords; ++i) sums = sums + mixed_words[i][bits >> (4 * i) & 15];
    take(sums);
  }
}

// All pairs of words of a flat picture, the first changed to `first` and the second to `second`.
void make_pairs(uint32_t first, uint32_t second, size_t count, const Take& take) {
  std::vector<LaneSums> of_first, of_second;
  for (size_t j = 0; count > 0; ++j) {
    const LaneSums before = mixed_word(kGrey, place_of(j));
    of_first.push_back(mixed_word(first, place_of(j)) - before);
    of_second.push_back(mixed_word(second, place_of(j)) - before);
    for (size_t i = 0; i < j && count > 0; ++i, --count) take(of_first[i] + of_second[j]);
  }
}

void make_swapped(size_t count, const Take& take) {
  const auto word = [](size_t index) { return kGrey + static_cast<uint32_t>(index); };
  for (size_t j = 0; count > 0; ++j) {
    for (size_t i = 0; i < j && count > 0; ++i, --count) {
      take(mixed_word(word(j), place_of(i)) - mixed_word(word(i), place_of(i)) +
           mixed_word(word(i), place_of(j)) - mixed_word(word(j), place_of(j)));
    }
  }
}

void make_pictures(Family family, size_t count, const Take& take) {
  switch (family) {
    case Family::kNoiseInLowBits:
      return make_noise(count, take);
    case Family::kPairsUp:
      return make_pairs(kGrey + 1, kGrey + 1, count, take);
    case Family::kUpAndDown:
      return make_pairs(kGrey + 1, kGrey - 1, count, take);
    case Family::kSwapped:
      return make_swapped(count, take);
  }
}

double equal_pairs(std::vector<uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  double pairs = 0;
  for (size_t i = 0; i < keys.size();) {
    size_t end = i + 1;
    while (end < keys.size() && keys[end] == keys[i]) ++end;
    const auto same = static_cast<double>(end - i);
    pairs += same * (same - 1) / 2;
    i = end;
  }
  return pairs;
}

}  // namespace

double CollisionCount::deviation() const {
  return (found - expected) / std::sqrt(expected);
}

std::string to_string(Family family) {
  constexpr const char* kNames[] = {"noise in the lowest bits", "two up", "one up, one down", "two swapped"};
  return kNames[static_cast<size_t>(family)];
}

std::vector<CollisionCount> count_collisions(Family family, size_t count, int bits) {
  const FingerprintPlan plan = {
      .planes = 1, .sizes = {PlaneSize{4 * kWordsInRow, 4 * kWordsInRow}}, .bit_depth = 8};
  const double pairs = static_cast<double>(count) * static_cast<double>(count - 1) / 2;
  std::vector<CollisionCount> counts;
  for (const bool is_hash : {true, false}) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<uint64_t> keys;
      keys.reserve(count);
      make_pictures(family, count, [&](const LaneSums& sums) {
        const LaneSums lanes = is_hash ? fingerprint(plan, {&sums, 1}) : sums;
        const uint64_t whole = lanes[lane] | uint64_t{lanes[(lane + 1) % kLanes]} << 32;
        keys.push_back(whole << (64 - bits));
      });
      counts.push_back({(is_hash ? "hash " : "sums ") + std::to_string(lane), equal_pairs(keys),
                        std::ldexp(pairs, -bits)});
    }
  }
  return counts;
}

std::string collision_text(Family family, const CollisionCount& count) {
  std::ostringstream text;
  text << to_string(family) << ", " << count.part << ": " << std::fixed << std::setprecision(0) << count.found
       << " pairs, by chance " << std::setprecision(1) << count.expected << ", " << std::showpos
       << count.deviation() << " deviations";
  return text.str();
}

}  // namespace vq::fingerprint::test
