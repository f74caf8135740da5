// How fast the host moves bytes.
#pragma once

#include "core/worker_pool.h"

namespace vq::cli {

// Bytes a second that copies within memory reach on all threads of the pool together, reading and writing
// counted: the median of several. Throws std::bad_alloc.
double host_bandwidth(WorkerPool& pool);

}  // namespace vq::cli
