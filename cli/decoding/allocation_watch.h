// Notices allocations that fail within libraries.
#pragma once

namespace vq::cli {

// Whether an allocation of FFmpeg's kind has failed since the program began. Some of its decoders go on where
// one does, say nothing, and hand out a picture that is not the video's: after this no picture can be
// trusted. Always false under the sanitizers, which have allocators of their own.
bool allocation_has_failed();

}  // namespace vq::cli
