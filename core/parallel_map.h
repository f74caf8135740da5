// Several things made side by side.
#pragma once

#include <cstddef>
#include <future>
#include <vector>

namespace vq {

// What make(0), make(1), ... make(count - 1) give, in order: the first in this thread and each other in one
// of its own, where there is one to be had. All have ended when this returns. Throws what the lowest of them
// threw.
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
