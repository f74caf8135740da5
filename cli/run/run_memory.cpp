#include "cli/run/run_memory.h"

#include <algorithm>

#include "cli/run/memory_limit.h"
#include "cli/run/run_inputs.h"
#include "feature/extractor.h"

namespace vq::cli {

int64_t run_bytes(const VideoReading& reading, const std::vector<FeatureRequest>& features,
                  const VideoFormats& formats, const Execution& execution) {
  constexpr int64_t kReadAndCompared =
      2;  // the frame that is being read, and the one that the next is compared with
  const FrameNeeds looked_at = frame_needs(features);
  const int before = std::max(looked_at.before.distorted, looked_at.before.references);
  const auto in_flight = static_cast<int64_t>(frames_in_flight(features, execution));
  const DecodingUse use = {
      looked_at.planes, read_ahead(reading.threads) + in_flight + kReadAndCompared + before, reading.threads};
  int64_t bytes = extractor_bytes(features, formats, execution);
  for (const ReadVideo& video : reading.videos) {
    bytes += decoding_bytes(*video.decoded, use);
    if (video.fitted != nullptr) bytes += decoding_bytes(*video.fitted, use);
  }
  return bytes;
}

}  // namespace vq::cli
