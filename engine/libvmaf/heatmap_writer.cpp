#include "engine/libvmaf/heatmap_writer.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "core/text/message_text.h"
#include "engine/heatmap_name.h"
#include "engine/libvmaf/log.h"

namespace vq::libvmaf {
namespace {

bool write_map(std::FILE* file, PlaneView<const uint16_t> map) {
  std::vector<unsigned char> row(static_cast<size_t>(map.width) * 2);
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const auto at = static_cast<size_t>(x) * 2;
      row[at] = static_cast<unsigned char>(map.row(y)[x] & 0xFF);
      row[at + 1] = static_cast<unsigned char>(map.row(y)[x] >> 8);
    }
    if (std::fwrite(row.data(), 1, row.size(), file) != row.size()) return false;
  }
  return std::fflush(file) == 0;
}

}  // namespace

HeatmapWriter::HeatmapWriter(const std::string& folder, std::string_view feature,
                             std::span<const HeatmapInfo> infos) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);  // where it failed, files cannot be opened
  for (const HeatmapInfo& info : infos) {
    File& added = files_.emplace_back();
    added.path = folder + "/" + heatmap_file_name(feature, info);
    added.file.reset(std::fopen(added.path.c_str(), "wbe"));
    if (added.file == nullptr)
      throw Error(ErrorKind::kOutput, "cannot write " + added.path + ": " + errno_text(errno));
  }
}

void HeatmapWriter::write(std::span<const Plane<uint16_t>> maps) {
  for (size_t i = 0; i < files_.size() && i < maps.size(); ++i) {
    if (write_map(files_[i].file.get(), maps[i].view())) continue;
    log(LogLevel::kError, "cannot write " + files_[i].path + ": " + errno_text(errno));
    files_.clear();
  }
}

}  // namespace vq::libvmaf
