// Features whose frames are fitted first: scaled, or brought to another depth or range.
#pragma once

#include <memory>
#include <span>

#include "feature/feature.h"

namespace vq {

// Fits frames in the execution's pool, a few at a time, and hands them on in order. `extractor` takes frames
// of fitted_formats(), and looks at what `use` says. Needs: execution.make_fitter and a pool. Throws as
// MakeFitter.
std::unique_ptr<FeatureExtractor> with_fitting(std::unique_ptr<FeatureExtractor> extractor,
                                               const FrameNeeds& use, const VideoFormats& formats,
                                               const Fitting& fitting, const Execution& execution);

// What the frames that are being fitted take, in bytes.
int64_t fitting_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting,
                      const Execution& execution);

}  // namespace vq
