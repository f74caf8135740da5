// Encoding of pictures by libavcodec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "cli/pictures/picture.h"
#include "core/plane.h"

namespace vq::cli {

// The bytes of a PNG file, with the comment (Latin-1) unless that is empty. Throws Error{kInternal} if
// libavcodec lacks the encoder.
std::string encode_png(const RgbImage& image, const std::string& comment = {});
// The same for a grey picture, which takes a third of the space.
std::string encode_png(PlaneView<const uint8_t> grey, const std::string& comment = {});

// A picture for a page.
struct PagePicture {
  std::string mime;   // "image/png", "image/webp"
  std::string bytes;  // empty: no picture
  bool exact = true;  // lossless
};

// Lossless if that takes at most `most_bytes`, otherwise at the best quality that fits. Also lossless if this
// libavcodec has no WebP encoder. Throws as encode_png().
PagePicture page_picture(PlaneView<const uint8_t> grey, size_t most_bytes);
// The same for colours, which take the space of grey if there are none.
PagePicture page_picture(const RgbImage& image, size_t most_bytes);
// Lossless in any case, in the smallest form that there is. Throws as encode_png().
PagePicture lossless_picture(const RgbImage& image);

struct LayerColour {
  Colour colour;
  uint8_t opacity = 255;
};

// A picture to overlay on another: each sample is an index of a colour. Lossless. Needs: 256 colours. Throws
// as encode_png().
PagePicture page_layer(PlaneView<const uint8_t> picks, std::span<const LayerColour> colours);

}  // namespace vq::cli
