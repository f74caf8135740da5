// How often parts of the hash are the same for different pictures, and how often chance would have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vq::fingerprint::test {

struct CollisionCount {
  std::string part;     // of the hash or of the sums: "hash 2"
  double found = 0;     // pairs of pictures that are the same there
  double expected = 0;  // by chance

  // By how many standard deviations of chance that is more or less.
  double deviation() const;
};

// Pictures that differ from each other in little, in ways that could cancel out.
enum class Family {
  kNoiseInLowBits,  // the lowest bits of 64 samples of a flat picture
  kPairsUp,         // one level up at two places of a flat picture
  kUpAndDown,       // one level up at a place and down at another
  kSwapped,         // two words of a picture, whose words all differ, change places
};
inline constexpr Family kFamilies[] = {Family::kNoiseInLowBits, Family::kPairsUp, Family::kUpAndDown,
                                       Family::kSwapped};
std::string to_string(Family family);

// Counts over `count` different pictures, in `bits` bits of the hash from each of its lanes on, and of the
// sums before they are stirred: a lane and, of more than 32 bits, the lowest of the next. Takes 8 bytes a
// picture. Needs: 32 <= bits <= 64.
std::vector<CollisionCount> count_collisions(Family family, size_t count, int bits);

// A line for each family that a failure can be told by, and for people to read.
std::string collision_text(Family family, const CollisionCount& count);

}  // namespace vq::fingerprint::test
