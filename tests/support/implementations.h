// The implementations of a stage, or of a table of stages, that this machine can run.
#pragma once

#include "core/plane.h"
#include "feature/simd_targets.h"
#include "tests/support/test.h"

namespace vq::test {

// `stages` is a function or a table of functions; a function can be called through the implementation.
template <typename Stages>
struct Implementation {
  std::string name;
  Stages stages;

  template <typename... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) const {
    return stages(std::forward<Arguments>(arguments)...);
  }
};

// What a program has beside the CPU: gpu_tests add their device's, before main().
template <typename Stages>
std::vector<Implementation<Stages>>& added_implementations() {
  static std::vector<Implementation<Stages>> added;
  return added;
}
template <typename Stages>
bool add_implementation(const std::string& name, const Stages& stages) {
  added_implementations<Stages>().push_back({name, stages});
  return true;
}

// The scalar one first, then those that the program adds, or else what `stages_for(target)` returns for each
// instruction set.
template <typename Stages, typename StagesFor>
std::vector<Implementation<Stages>> all_implementations(const Stages& scalar, const StagesFor& stages_for) {
  std::vector<Implementation<Stages>> found = {{"scalar", scalar}};
  const std::vector<Implementation<Stages>>& added = added_implementations<Stages>();
  found.insert(found.end(), added.begin(), added.end());
  if (!added.empty()) return found;
  for (const SimdTarget& target : allowed_simd_targets(0))
    found.push_back({target.name, stages_for(target.id)});
  return found;
}

// Fails unless run(implementation) returns the same for each as for the first.
template <typename Stages, typename Run>
void expect_same_of_all(const std::vector<Implementation<Stages>>& all, const std::string& where,
                        const Run& run) {
  const auto expected = run(all.front());
  for (const Implementation<Stages>& one : all) ASSERT_EQ(run(one), expected) << one.name << ", " << where;
}

// Rows of noise between two values, with zeros for guards.
inline Plane<float> noise(int width, int height, float low, float high, unsigned seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> values(low, high);
  Plane<float> plane(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) plane.row(y)[x] = values(random);
  }
  return plane;
}

// The bits of floats, which tell zeros and NaNs apart.
using Bits = std::vector<uint32_t>;
inline void append(Bits& bits, const float* row, int width) {
  const size_t before = bits.size();
  bits.resize(before + static_cast<size_t>(width));
  std::memcpy(bits.data() + before, row, static_cast<size_t>(width) * sizeof(float));
}

}  // namespace vq::test
