// What is timed of metrics that compare a video with its reference: each whole, one frame on one thread.
#pragma once

namespace vq::bench {

// Names are compared_<size>_<depth>b/feature/implementation; the counter is ns for a sample of luma. What is
// registered holds for the rest of the program.
void add_compared_features();

}  // namespace vq::bench
