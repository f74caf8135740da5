// The samples of fitted pictures, for tests of every implementation.
#pragma once

#include "feature/fitting/fitting.h"

namespace vq::fitting::test {

using Samples = std::vector<uint16_t>;
// What an implementation makes of a picture: its planes.
using Fit = std::vector<Samples> (*)(const Frame&, const VideoFormat&, const Fitting&);

template <typename T>
Samples samples_of(PlaneView<T> plane) {
  Samples samples;
  for (int y = 0; y < plane.height; ++y)
    samples.insert(samples.end(), plane.row(y), plane.row(y) + plane.width);
  return samples;
}

inline std::vector<Samples> fitted_by(const Frame& frame, const VideoFormat& format, const Fitting& fitting,
                                      const Execution& execution) {
  const Frame fitted = make_frame_fitter(format, fitting, kMaxPlanes, execution)->fit(frame);
  std::vector<Samples> planes;
  for (const SampleView& plane : fitted.planes) {
    if (!plane.empty()) planes.push_back(plane.is_u8() ? samples_of(plane.u8) : samples_of(plane.u16));
  }
  return planes;
}

}  // namespace vq::fitting::test
