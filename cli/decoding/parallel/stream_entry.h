// Where in a stream a decoder may begin that has seen nothing of what came before.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "cli/decoding/ffmpeg_ptr.h"

namespace vq::cli {

// What a packet is to one who looks for such places.
enum class Entry {
  kNone,    // leans on others
  kClosed,  // here: nothing from here on leans on what came before, nor is shown before it
  // Here, but for pictures that come after it, are shown before it, and lean on what came before as well.
  kOpen,
  kLeaning,  // one of those
  kLeading,  // comes after an open entry and is shown before it, but leans on nothing before it
  kRefused,  // this stream cannot be taken apart, here or anywhere
};

// Upper bound on the pictures that lean on an open entry; more than any stream reorders.
inline constexpr size_t kMostLeaning = 64;

class EntryFinder {
 public:
  virtual ~EntryFinder() = default;
  // Takes the packets of the stream in order.
  virtual Entry look(const AVPacket& packet) = 0;
  // Why the first packet may be no entry, in words that go on after the video's name.
  virtual std::string_view no_entry() const { return "it does not begin at a key frame"; }
};

// Null for codecs whose entries are not known, and for streams that lack what a decoder needs to begin.
std::unique_ptr<EntryFinder> entry_finder(const AVCodecParameters& stream);

}  // namespace vq::cli
