// What the tests of inputs share: files of the test, checksums and sources that misbehave.
#pragma once

#include "cli/decoding/video_source.h"
#include "tests/support/memory_source.h"
#include "tests/support/test.h"

namespace vq::cli {

std::string clip_path(const std::string& name);    // in testdata/clips
std::string format_path(const std::string& name);  // in testdata/formats
std::vector<uint8_t> file_bytes(const std::string& path);
std::vector<uint8_t> text_bytes(const std::string& text);

// The CRC-32 of zip and PNG, continued from `crc`.
uint32_t crc32(uint32_t crc, const uint8_t* data, size_t size);
// Of the samples, row by row; deep ones as little endian. Of luma alone, or of every plane.
uint32_t luma_crc(const Frame& frame, uint32_t crc = 0);
uint32_t planes_crc(const Frame& frame);

// The checksums of all frames that are left.
std::vector<uint32_t> rest_of(VideoSource& source);

SourceOptions options_for(const std::string& path, int threads = 0, int planes = 1);

// Gives the bytes of another source up to its `fail_at`-th read (from 0), which fails with the words of EIO.
class FailingSource : public ByteSource {
 public:
  FailingSource(std::unique_ptr<ByteSource> inner, int fail_at)
      : inner_(std::move(inner)), fail_at_(fail_at) {}
  size_t read(uint8_t* data, size_t size) override {
    if (reads_++ >= fail_at_) throw ReadError("read error: Input/output error");
    return inner_->read(data, size);
  }
  std::optional<int64_t> size() override { return inner_->size(); }
  void seek(int64_t offset) override { inner_->seek(offset); }

 private:
  std::unique_ptr<ByteSource> inner_;
  int fail_at_;
  int reads_ = 0;
};

// What reading a video to its end gave.
struct Outcome {
  VideoInfo info;
  std::vector<int64_t> indices;  // of the frames
  std::vector<uint32_t> crcs;    // of each frame, in all planes that were read
  uint32_t crc = 0;              // of the luma of all frames together
  std::vector<std::optional<double>> timestamps;
  std::vector<std::string> warnings;
  std::optional<StreamLength> length;
  int decoders = 0;
  int code = 0;  // exit code of the Error that ended it; 0 for a clean end
  bool opened = false;
  std::string message;

  bool operator==(const Outcome& other) const {
    return indices == other.indices && crcs == other.crcs && timestamps == other.timestamps &&
           warnings == other.warnings && length == other.length && code == other.code &&
           message == other.message;
  }
};

// A reading that ended with this code, and with such an error.
MATCHER_P2(Ends, code, error, "") {
  *result_listener << "which ended with " << arg.code << ": " << arg.message;
  return arg.code == code && ::testing::Matches(error)(arg.message);
}

Outcome read_all(const SourceOptions& options);
Outcome read_all(const SourceOptions& options, std::unique_ptr<ByteSource> bytes);
// `bytes` under the name "input".
std::unique_ptr<VideoSource> open_bytes(std::vector<uint8_t> bytes, SourceOptions options = {},
                                        bool seekable = true);
Outcome read_bytes(std::vector<uint8_t> bytes, SourceOptions options = {}, bool seekable = true);

}  // namespace vq::cli
