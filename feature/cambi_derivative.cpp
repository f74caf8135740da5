#include "feature/cambi_stages.h"

namespace vq::cambi::scalar {

void derivative(ImageIn image, Mask flat) {
  for (int y = 0; y < image.height; ++y) {
    const uint16_t* row = image.row(y);
    const uint16_t* below = image.row(y + 1 < image.height ? y + 1 : y);
    uint8_t* out = flat.row(y);
    for (int x = 0; x < image.width; ++x) {
      const bool like_right = x + 1 == image.width || row[x] == row[x + 1];
      out[x] = like_right && row[x] == below[x];
    }
  }
}

}  // namespace vq::cambi::scalar
