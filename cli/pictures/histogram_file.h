// Histograms of all frames of a run in one file: .npy, which NumPy loads as an array of 32-bit counts with
// the axes frame, channel and bin, or .csv with a line for each frame and channel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/system/output_file.h"
#include "feature/feature.h"

namespace vq::cli {

// Throws Error{kUsage} for any other extension, and for an .npy file that is written in place: its number of
// frames comes first.
void check_histogram_path(const std::string& path);

class HistogramFile {
 public:
  // Opens the temporary file. Needs: check_histogram_path(). Throws Error{kOutput}.
  HistogramFile(const std::string& path, std::vector<HistogramInfo> infos);

  // The histograms of the next frame, as `infos` describes them.
  void add(int64_t frame, std::span<const std::vector<uint32_t>> histograms);
  // The file, to be committed with others.
  OutputFile* output();
  // The same for a run that ended early, named by partial_path(). Null if writing failed, or was in place.
  OutputFile* partial_output();

 private:
  void write_header();
  void add_words(std::span<const std::vector<uint32_t>> histograms);
  void add_lines(int64_t frame, std::span<const std::vector<uint32_t>> histograms);

  const std::vector<HistogramInfo> infos_;
  const bool is_array_;
  OutputFile file_;
  int64_t frames_ = 0;
  bool is_whole_ = true;  // the file ends with a complete frame
  std::string buffer_;
};

}  // namespace vq::cli
