#include "feature/cambi_stages.h"

namespace vq::cambi::scalar {
namespace {

// Every sample is read before anything is written over it, so the planes may be the same.
template <typename T>
void decimate(PlaneView<const T> in, PlaneView<T> out) {
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) out.row(y)[x] = in.row(2 * y)[2 * x];
  }
}

}  // namespace

void decimate_image(ImageIn in, Image out) {
  decimate(in, out);
}
void decimate_mask(MaskIn in, Mask out) {
  decimate(in, out);
}

}  // namespace vq::cambi::scalar
