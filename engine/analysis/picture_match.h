// Tells from thumbnails whether two videos show the same pictures. docs/pairs.md has the rule and how sure it
// is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/analysis/signature.h"

namespace vq {

// What the pictures of one video are to those of the other.
enum class PictureRelation {
  kUnknown,     // too little is shown to tell
  kAlike,       // perhaps some frames later or earlier
  kOther,       // nothing of the kind, or another moment of one place
  kMirrored,    // left and right are exchanged
  kUpsideDown,  // top and bottom are exchanged
  kTurned,      // both, which is a turn by 180 degrees
  kNegative,    // dark and light are exchanged
};

struct PicturePairSignatures {
  Signature reference, distorted;
};

// Of consecutive pairs, whose frames may be up to `window` frames apart.
PictureRelation relation_of(std::span<const PicturePairSignatures> pairs, int window);

// Judges a pair of videos by stretches of frames.
class PictureMatch {
 public:
  static constexpr size_t kStretch = 240, kFirstLook = 60;  // pairs

  // Pairs in order; `frame` is the number of both.
  void add(int64_t frame, const Signature& reference, const Signature& distorted);
  // No more pairs follow.
  void finish();

  // Stretches of neighbours that have one relation.
  struct Stretch {
    int64_t first = 0, last = 0;  // numbers of frames, both inclusive
    int64_t pairs = 0;
    PictureRelation relation = PictureRelation::kUnknown;
  };
  const std::vector<Stretch>& stretches() const { return stretches_; }
  // What most pairs are that tell anything, among those looked at so far.
  PictureRelation relation() const;

 private:
  void close();

  int64_t first_ = 0, last_ = 0;  // of those kept
  std::vector<PicturePairSignatures> kept_;
  std::vector<Stretch> stretches_;
  PictureRelation at_first_look_ = PictureRelation::kUnknown;
};

}  // namespace vq
