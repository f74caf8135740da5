// Checks whether pictures in display order are equidistant, and counts missing ones.
#pragma once

#include <cstdint>
#include <optional>

namespace vq::cli {

// Times are in any unit: of a clock, or counts such as the picture order count of H.264.
class DisplayOrder {
 public:
  // The next picture. A time that does not rise restarts the count.
  void add(std::optional<int64_t> time);
  // The same for a picture before which others may be missing. Returns how many fit in between; nothing if
  // undecidable.
  std::optional<int64_t> add_after_gap(std::optional<int64_t> time);
  // The usual distance, for a stream with too few pictures to determine it. Needs: step > 0.
  void assume_step(int64_t step);
  // Whether every picture had a time and, apart from gaps, the usual distance from the one before, and there
  // were enough of them to determine it.
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
