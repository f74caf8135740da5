#include <algorithm>

#include "feature/cambi_stages.h"

namespace vq::cambi::scalar {

void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples) {
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const double sample = factor * static_cast<double>(values.row(y)[x]);
      samples.row(y)[x] = static_cast<uint16_t>(std::min(sample, 65535.0));
    }
  }
}

}  // namespace vq::cambi::scalar
