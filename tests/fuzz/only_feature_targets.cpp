#include "tests/fuzz/target.h"

namespace vq::fuzz {

std::span<const Target> targets() {
  return feature_targets();
}

}  // namespace vq::fuzz
