// Whether pictures in display order follow one another at the same distance, and how many are missing where
// they do not.
#pragma once

#include <cstdint>
#include <optional>

namespace vq::cli {

// Times are in any unit: of a clock, or counts such as the picture order count of H.264.
class DisplayOrder {
 public:
  // Takes the next picture. A time that does not rise starts a new count.
  void add(std::optional<int64_t> time);
  // The same for a picture of which it is known that others may be missing before it. Says how many would fit
  // in between; nothing where that cannot be told.
  std::optional<int64_t> add_after_gap(std::optional<int64_t> time);
  // The distance that is usual, of a stream of which too few pictures came to tell. Needs: step > 0.
  void assume_step(int64_t step);
  // Every picture had a time and was at the usual distance from the one before, but for gaps, and there were
  // enough of them to speak of one.
  bool is_regular() const { return !irregular_ && steps_ >= kEnoughSteps; }
  // The usual distance. Needs: is_regular().
  int64_t step() const { return step_; }

 private:
  bool fits(int64_t distance, int64_t steps) const;

  static constexpr int kEnoughSteps = 3;

  std::optional<int64_t> last_;
  int64_t step_ = 0;
  int64_t steps_ = 0;  // of that distance
  bool irregular_ = false;
};

}  // namespace vq::cli
