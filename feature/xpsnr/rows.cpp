#include "feature/xpsnr/plan.h"

namespace vq::xpsnr {
namespace {

// Loops store whole vectors of words, and twice as many sums.
constexpr int kMargin = 64;

}  // namespace

Rows::Rows(int width)
    : now(width + kMargin, kRing), before(width + kMargin, 5), columns(width + kMargin, 2) {}

int64_t Rows::bytes(int width) {
  constexpr int64_t kPadding = 128;
  return int64_t{kRing + 5 + 1} * (2 * (width + kMargin) + kPadding) +
         int64_t{2 + 1} * (4 * (width + kMargin) + kPadding);
}

}  // namespace vq::xpsnr
