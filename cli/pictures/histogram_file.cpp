#include "cli/pictures/histogram_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// Version 1.0 of NumPy's format: this, two bytes that tell the length of the rest of the header, and a Python
// literal, filled up with spaces. All together a multiple of 64, and long enough for any number of frames.
constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr size_t kHeaderBytes = 128, kLengthBytes = 2;

void append_little_endian(std::string& out, uint32_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::string array_header(int64_t frames, const std::vector<HistogramInfo>& infos) {
  std::string literal = "{'descr': '<u4', 'fortran_order': False, 'shape': (" + std::to_string(frames) +
                        ", " + std::to_string(infos.size()) + ", " + std::to_string(infos.front().bins) +
                        "), }";
  const size_t room = kHeaderBytes - kMagic.size() - kLengthBytes;
  literal.resize(room - 1, ' ');
  std::string header(kMagic);
  append_little_endian(header, static_cast<uint32_t>(room), kLengthBytes);
  return header + literal + "\n";
}

std::string table_header(const std::vector<HistogramInfo>& infos) {
  std::string header = "frame,channel";
  for (int bin = 0; bin < infos.front().bins; ++bin) header += words(",{}", bin);
  return header + "\n";
}

}  // namespace

void check_histogram_path(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  if (extension != ".npy" && extension != ".csv") {
    throw Error(ErrorKind::kUsage,
                words("histograms are written as .npy or .csv, and {} is neither.", shown_path(path)));
  }
  if (extension == ".npy" && is_written_in_place(path)) {
    throw Error(ErrorKind::kUsage, "a .npy file begins with its number of frames, which " + shown_path(path) +
                                       " would have to wait for. Use .csv there, or a file.");
  }
}

HistogramFile::HistogramFile(const std::string& path, std::vector<HistogramInfo> infos)
    : infos_(std::move(infos)),
      is_array_(lower_case(std::filesystem::path(path).extension().string()) == ".npy"),
      file_(path) {
  write_header();
}

void HistogramFile::write_header() {
  file_.write(is_array_ ? array_header(frames_, infos_) : table_header(infos_));
}

void HistogramFile::add(int64_t frame, std::span<const std::vector<uint32_t>> histograms) {
  is_whole_ = false;
  buffer_.clear();
  is_array_ ? add_words(histograms) : add_lines(frame, histograms);
  file_.write(buffer_);
  ++frames_;
  is_whole_ = true;
}

void HistogramFile::add_words(std::span<const std::vector<uint32_t>> histograms) {
  for (const std::vector<uint32_t>& histogram : histograms) {
    for (const uint32_t count : histogram) append_little_endian(buffer_, count, sizeof count);
  }
}

void HistogramFile::add_lines(int64_t frame, std::span<const std::vector<uint32_t>> histograms) {
  for (size_t i = 0; i < histograms.size(); ++i) {
    buffer_ += words("{},{}", frame, infos_[i].name);
    for (const uint32_t count : histograms[i]) buffer_ += words(",{}", count);
    buffer_ += "\n";
  }
}

OutputFile* HistogramFile::output() {
  if (is_array_) {
    file_.seek(0);
    write_header();
  }
  return &file_;
}

OutputFile* HistogramFile::partial_output() {
  if (!is_whole_ || !file_.is_pending()) return nullptr;
  output();
  file_.move_to(partial_path(file_.path()));
  return &file_;
}

}  // namespace vq::cli
