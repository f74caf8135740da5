// Measurement of the host's memory bandwidth.
#pragma once

#include "core/worker_pool.h"

namespace vq::cli {

// Bytes per second of copies within memory on all threads of the pool together, reads and writes counted: the
// median of several. Throws std::bad_alloc.
double host_bandwidth(WorkerPool& pool);

}  // namespace vq::cli
