#include "cli/bench/host_bandwidth.h"

#include <cstring>
#include <vector>

#include "cli/system/progress.h"
#include "core/median.h"

namespace vq::cli {
namespace {

// More than most caches hold, over all threads.
constexpr size_t kBytes = size_t{128} << 20;
constexpr int kRuns = 5;

// What each thread copies from and to.
struct Memory {
  std::vector<char> from, to;
};

template <typename Task>
void on_each(WorkerPool& pool, std::vector<Memory>& memory, Task task) {
  std::vector<std::future<void>> done;
  for (Memory& own : memory)
    done.push_back(pool.submit(std::packaged_task<void()>([&own, &task] { task(own); })));
  for (std::future<void>& one : done) one.get();
}

}  // namespace

double host_bandwidth(WorkerPool& pool) {
  std::vector<Memory> memory(static_cast<size_t>(pool.size()));
  const size_t each = kBytes / memory.size();
  on_each(pool, memory, [&](Memory& own) {
    own.from.assign(each, 1);
    own.to.assign(each, 2);
  });
  std::vector<double> rates;
  for (int i = 0; i < kRuns; ++i) {
    const double start = seconds_now();
    on_each(pool, memory, [&](Memory& own) { std::memcpy(own.to.data(), own.from.data(), each); });
    rates.push_back(2.0 * static_cast<double>(each * memory.size()) / (seconds_now() - start));
  }
  return median(rates);
}

}  // namespace vq::cli
