#include "cli/decoding/open_video.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/decoding/video_source.h"
#include "core/error.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {
namespace {

constexpr int kMaxFrames = 6;

// Reads every sample, so that one that is out of bounds is noticed.
uint64_t sum_of(const SampleView& plane) {
  uint64_t sum = 0;
  for (int y = 0; y < plane.height(); ++y) {
    for (int x = 0; x < plane.width(); ++x) sum += plane.is_u8() ? plane.u8.row(y)[x] : plane.u16.row(y)[x];
  }
  return sum;
}

cli::SourceOptions options_of(ByteTaker& taker, bool raw) {
  cli::SourceOptions options;
  options.path = "input";
  options.threads = 1;
  if (!raw) return options;
  constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
  constexpr Chroma kChromas[] = {Chroma::k400, Chroma::k420, Chroma::k422, Chroma::k444};
  cli::RawFormat format;
  format.width = taker.integer(1, 64);
  format.height = taker.integer(1, 64);
  format.bit_depth = kDepths[taker.integer(0, 5)];
  format.chroma = kChromas[taker.integer(0, 3)];
  options.raw = format;
  return options;
}

void check_frame(const Frame& frame, const cli::VideoInfo& info, int64_t last_index) {
  require(frame.luma().width() == info.format.width && frame.luma().height() == info.format.height,
          "a picture has the size of the video");
  require(frame.bit_depth == info.format.bit_depth, "a picture has the depth of the video");
  require(frame.index > last_index, "numbers rise");
  uint64_t sum = 0;
  for (const SampleView& plane : frame.planes) {
    if (!plane.empty()) sum += sum_of(plane);
  }
  volatile uint64_t kept = sum;
  (void)kept;
}

void read_video(const cli::SourceOptions& options, std::vector<uint8_t> bytes, bool seekable) {
  const auto source =
      cli::open_video(options, std::make_unique<cli::MemorySource>(std::move(bytes), seekable));
  const cli::VideoInfo& info = source->info();
  require(info.format.width >= 1 && info.format.width <= 16384, "the width is in range");
  require(info.format.height >= 1 && info.format.height <= 16384, "the height is in range");
  require(info.format.bit_depth >= 8 && info.format.bit_depth <= 16, "the depth is in range");
  int64_t last_index = -1;
  for (int i = 0; i < kMaxFrames; ++i) {
    const auto frame = source->read();
    if (!frame) break;
    check_frame(*frame, info, last_index);
    last_index = frame->index;
  }
  for (const std::string& warning : source->take_warnings()) check_message(warning);
}

}  // namespace

void run_video(std::span<const uint8_t> bytes) {
  ByteTaker taker(bytes);
  const uint8_t how = taker.byte();
  cli::SourceOptions options = options_of(taker, (how & 1) != 0);
  options.allow_damage = (how & 2) != 0;
  options.decoders = (how & 8) != 0 ? 2 : 1;
  const std::span<const uint8_t> rest = taker.rest();
  try {
    read_video(options, {rest.begin(), rest.end()}, (how & 4) == 0);
  } catch (const Error& error) {
    require(error.kind() != ErrorKind::kInternal, "no input is an internal fault");
    check_message(error.what());
  }
}

}  // namespace vq::fuzz
