// What a container says of its streams by itself.
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
  int64_t frames;    // 0 where it does not say, or left a placeholder
  int64_t duration;  // in the stream's time base
};

// Taken after the header was read and before the streams are probed, which fills gaps with estimates and with
// what the decoders say.
class ContainerDeclarations {
 public:
  // `start`: the first bytes of the file, as many as a header takes.
  ContainerDeclarations(const AVFormatContext& container, std::string_view start);

  // After probing. The first tag of flv, which says how long it is, is not part of its header.
  void add_probed(const AVFormatContext& container);
  // Nothing for a stream that the header does not have.
  const StreamDeclaration* of(const AVStream& stream) const;
  // How long the stream is said to be.
  DeclaredLength length(const AVFormatContext& container, const AVStream& stream) const;

 private:
  std::vector<StreamDeclaration> streams_;
  int64_t duration_;                      // of all streams, in AV_TIME_BASE
  std::optional<double> header_seconds_;  // of ASF
  std::optional<int64_t> bytes_;
};

// mp4 and its kin.
bool is_mov(const AVFormatContext& container);

}  // namespace vq::cli
