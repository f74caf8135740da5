// The order of rows in portable float maps.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vq::cli {

// Whether pictures of this codec come out upside down: the rows of PFM and PHM files lie from bottom to top,
// which libavcodec does not heed, up to 7.1 at least. It is asked once, with a picture of two rows.
bool is_upside_down(AVCodecID codec);

}  // namespace vq::cli
