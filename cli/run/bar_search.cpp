#include "cli/run/bar_search.h"

#include <memory>
#include <optional>

#include "cli/decoding/open_video.h"
#include "core/error.h"

namespace vq::cli {
namespace {

// Number of pictures that are looked at: that show anything, and in all.
constexpr int kLitPictures = 300, kMostPictures = 1500;

}  // namespace

BarFinder look_for_bars(const BarSearch& search) {
  const std::unique_ptr<VideoSource> source = open_video(search.source);
  BarFinder bars(source->info().format, search.execution);
  try {
    source->skip(search.skip);
    for (int lit = 0, read = 0; lit < kLitPictures && read < kMostPictures && !bars.is_whole(); ++read) {
      const std::optional<Frame> frame = source->read();
      if (!frame) break;
      if (bars.look(*frame)) ++lit;
    }
  } catch (const Error& error) {
    // Damage is reported when the frames are read to be scored.
    const bool stopped = search.source.stop.is_requested();
    if (stopped || error.kind() != ErrorKind::kIncomplete) throw;
  }
  return bars;
}

}  // namespace vq::cli
