// Declarations of a container on its streams.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/decoding/damage/declared_length.h"
#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

struct StreamDeclaration {
  int width, height;
  AVColorRange range;
  AVColorTransferCharacteristic transfer;
  int64_t frames;    // 0 if not declared, or a placeholder
  int64_t duration;  // in the stream's time base
};

// Read after the header and before probing, which fills gaps with estimates and with the decoders'
// information.
class ContainerDeclarations {
 public:
  // `start`: the first bytes of the file, covering the header.
  ContainerDeclarations(const AVFormatContext& container, std::string_view start);

  // After probing. The first tag of flv, which has the length, is not part of its header.
  void add_probed(const AVFormatContext& container);
  // Null for a stream that is not in the header.
  const StreamDeclaration* of(const AVStream& stream) const;
  // The declared length of the stream.
  DeclaredLength length(const AVFormatContext& container, const AVStream& stream) const;

 private:
  std::vector<StreamDeclaration> streams_;
  int64_t duration_;                      // of all streams, in AV_TIME_BASE
  std::optional<double> header_seconds_;  // of ASF
  std::optional<int64_t> bytes_;
};

// mp4 and related formats.
bool is_mov(const AVFormatContext& container);

}  // namespace vq::cli
