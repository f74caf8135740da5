// Computes several values in parallel.
#pragma once

#include <cstddef>
#include <future>
#include <vector>

namespace vq {

// The results of make(0), make(1), ... make(count - 1), in order. The first is computed in this thread, each
// other in a thread of its own if the system provides one. All have ended when this returns. Throws the
// exception of the lowest index that failed.
template <typename Make>
auto parallel_map(size_t count, Make make) -> std::vector<decltype(make(size_t{}))> {
  std::vector<std::future<decltype(make(size_t{}))>> others;
  for (size_t i = 1; i < count; ++i) {
    others.push_back(std::async(std::launch::async | std::launch::deferred, make, i));
  }
  std::vector<decltype(make(size_t{}))> all;
  all.reserve(count);
  if (count > 0) all.push_back(make(size_t{0}));
  for (auto& other : others) all.push_back(other.get());
  return all;
}

}  // namespace vq
