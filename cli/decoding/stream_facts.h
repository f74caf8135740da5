// What a stream and its container say about how it was made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vq::cli {

// Bits a second of `stream`, where it or its container declares them.
std::optional<int64_t> declared_bit_rate(const AVFormatContext& container, const AVStream& stream);

// Degrees to the left of a display matrix; nothing where it is none.
std::optional<int> rotation_of(const uint8_t* matrix, size_t size);

// By how many degrees to the left players turn the pictures, as the container says, or else the first
// picture; 0 where neither does.
int display_rotation(const AVStream& stream, const AVFrame& first);

struct EncoderFacts {
  std::string name, settings;  // empty where nothing says
};

// `first` is the first picture of `stream`. The stream's own word goes before that of its container; programs
// that only wrote the container are no encoders.
EncoderFacts encoder_facts(const AVFormatContext& container, const AVStream& stream, const AVFrame& first);

// The part of encoder_facts() that reads what x264 and x265 leave in their streams; nothing where `bytes`
// hold no such text.
std::optional<EncoderFacts> encoder_text(std::string_view bytes);

}  // namespace vq::cli
