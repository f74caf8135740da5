#include "engine/memory.h"

#include <algorithm>

#include "feature/extractor.h"

namespace vq {

int read_ahead(int threads) {
  return std::min(threads, 4);
}

int64_t decoding_bytes(const DecodedVideo& video, const DecodingUse& use) {
  // Decoders keep reference pictures (16 at most in common codecs, at most a few for the largest pictures)
  // and one more for each thread, with all their planes; y4m and raw video only what is queued.
  constexpr int64_t kReferencePictures = 6;
  const VideoFormat& format = video.format;
  // As if it had chroma in full where nothing is known of that.
  const Chroma chroma = format.chroma == Chroma::kOther && !video.is_planar ? Chroma::k444 : format.chroma;
  const int planes = video.is_planar ? std::min(use.planes, plane_count(chroma)) : plane_count(chroma);
  int64_t frame = 0;
  for (int i = 0; i < planes; ++i) {
    const PlaneSize size = plane_size({format.width, format.height}, chroma, i);
    frame += stored_stride(size.width * int64_t{format.bit_depth > 8 ? 2 : 1}) * size.height;
  }
  // Those of several decoders share the threads.
  return frame * (use.queued + (video.is_planar ? 0 : video.decoders * kReferencePictures + use.threads));
}

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
    DecodingUse last = use;
    last.queued += video.held;
    bytes += decoding_bytes(video.decoded, video.fitted ? use : last);
    if (video.fitted) bytes += decoding_bytes(*video.fitted, last);
  }
  return bytes;
}

}  // namespace vq
