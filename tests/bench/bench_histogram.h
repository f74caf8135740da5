// What is timed of histograms: counting 1080p pictures that are hard in different ways.
#pragma once

namespace vq::histogram::bench {

// Names are histogram_<picture>_<depth>b/stage/implementation; the counter is ns for a sample of luma. What
// is registered holds for the rest of the program.
void add_benchmarks();

}  // namespace vq::histogram::bench
