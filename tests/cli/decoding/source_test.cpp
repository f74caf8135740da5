#include "tests/support/source_test.h"
#include "cli/decoding/open_video.h"
#include "cli/system/process.h"

#include "tests/support/paths.h"

namespace vq::cli {
namespace {

std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0xEDB88320u : 0);
    table[i] = value;
  }
  return table;
}

template <typename Open>
Outcome collect(Open open) {
  Outcome outcome;
  std::unique_ptr<VideoSource> source;
  try {
    source = open();
    outcome.opened = true;
    outcome.info = source->info();
    while (const auto frame = source->read()) {
      outcome.indices.push_back(frame->index);
      outcome.crcs.push_back(planes_crc(on_host(*frame)));
      outcome.crc = luma_crc(*frame, outcome.crc);
      outcome.timestamps.push_back(frame->timestamp);
    }
  } catch (const Error& error) {
    outcome.code = exit_code(error);
    outcome.message = error.what();
  }
  if (source) {
    // After the end, of whatever kind, nothing more comes.
    if (source->read()) outcome.message += " (and yet another frame)";
    outcome.warnings = source->report().warnings;
    outcome.length = source->report().length;
    outcome.decoders = source->report().decoder_count;
  }
  return outcome;
}

}  // namespace

std::string clip_path(const std::string& name) { return testdata("clips/") + name; }
std::string format_path(const std::string& name) { return testdata("formats/") + name; }

std::vector<uint8_t> file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<uint8_t> text_bytes(const std::string& text) { return {text.begin(), text.end()}; }

uint32_t crc32(uint32_t crc, const uint8_t* data, size_t size) {
  static const std::array<uint32_t, 256> kTable = make_crc_table();
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) crc = kTable[(crc ^ data[i]) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

namespace {

uint32_t plane_crc(const SampleView& plane, uint32_t crc) {
  const size_t width = static_cast<size_t>(plane.width());
  for (int y = 0; y < plane.height(); ++y) {
    crc = plane.is_u8() ? crc32(crc, plane.u8.row(y), width)
                        : crc32(crc, reinterpret_cast<const uint8_t*>(plane.u16.row(y)), 2 * width);
  }
  return crc;
}

}  // namespace

uint32_t luma_crc(const Frame& frame, uint32_t crc) { return plane_crc(frame.luma(), crc); }

uint32_t planes_crc(const Frame& frame) {
  uint32_t crc = 0;
  for (const SampleView& plane : frame.planes) crc = plane_crc(plane, crc);
  return crc;
}

std::vector<uint32_t> rest_of(VideoSource& source) {
  std::vector<uint32_t> crcs;
  while (const auto frame = source.read()) crcs.push_back(planes_crc(on_host(*frame)));
  return crcs;
}

SourceOptions options_for(const std::string& path, int threads, int planes) {
  SourceOptions options;
  options.path = path;
  options.threads = threads;
  options.planes = planes;
  return options;
}

Outcome read_all(const SourceOptions& options) {
  return collect([&] { return open_video(options); });
}

Outcome read_all(const SourceOptions& options, std::unique_ptr<ByteSource> bytes) {
  return collect([&] { return open_video(options, std::move(bytes)); });
}

std::unique_ptr<VideoSource> open_bytes(std::vector<uint8_t> bytes, SourceOptions options, bool seekable) {
  options.path = "input";
  return open_video(options, std::make_unique<MemorySource>(std::move(bytes), seekable));
}

Outcome read_bytes(std::vector<uint8_t> bytes, SourceOptions options, bool seekable) {
  options.path = "input";
  return read_all(options, std::make_unique<MemorySource>(std::move(bytes), seekable));
}

}  // namespace vq::cli
