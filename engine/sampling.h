// Which frames of a subsampled run are scored, and whether they represent the others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/frame.h"
#include "engine/request.h"

namespace vq {

// One frame of each group of `every` that follow each other, from the first frame of the range on.
struct Sampling {
  int64_t every = 1;
  // The first of each group, or one whose place within it is another in each: docs/sampling.md.
  bool is_spread = false;

  bool takes(int64_t position) const { return position % every == place_in(position / every); }
  // How many of the first so many frames.
  int64_t count_of(int64_t frames) const;
  // The most frames from one that is taken to the next.
  int64_t longest_step() const { return is_spread ? 2 * every - 1 : every; }
  std::string text() const;  // "4", "4:spread"

 private:
  int64_t place_in(int64_t group) const;
};

// Counts frames by picture type.
class SampledTypes {
 public:
  using Counts = std::array<int64_t, kPictureTypes>;
  struct State {
    Counts all = {}, scored = {};
    bool operator==(const State&) const = default;
  };

  void look(PictureType type, bool is_scored);
  const State& state() const { return state_; }
  // As if this had looked at what somebody else did.
  void add(const State& other);
  // A warning if one type is more frequent among the scored frames of the video than among all of them,
  // beyond what chance explains.
  std::optional<Diagnostic> remark(const std::string& video, const Sampling& sampling) const;

 private:
  State state_;
};

}  // namespace vq
