// All scores of a context, by name and frame.
#pragma once

#include <bitset>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/metric.h"
#include "engine/libvmaf/interface.h"

namespace vq::libvmaf {

// The order of names in reports. First come scores that features find in a frame and those that callers bring
// (kFound), then those that need later frames and are in reports only once no more frames are read (kLate),
// and last those that models make of both (kPredicted).
enum class ScoreOrder { kFound, kLate, kPredicted };

// The values of frames, any of which may be missing.
class SparseValues {
 public:
  // Stores a value. Returns false if the frame has one already, which stays.
  bool put(unsigned index, double value);
  std::optional<double> find(unsigned index) const;
  bool empty() const { return pages_.empty(); }
  // Appends the numbers of the frames that have a value, in order.
  void add_indices(std::vector<unsigned>& indices) const;

 private:
  static constexpr unsigned kPageSize = 256;
  struct Page {
    std::array<double, kPageSize> values;
    std::bitset<kPageSize> present;
  };
  std::map<unsigned, std::unique_ptr<Page>> pages_;  // by index / kPageSize
};

// The scores of a context as reports have them.
struct StoredScores {
  struct Column {
    std::string name;            // the one in reports
    const SparseValues* values;  // valid during look_at()
  };
  std::vector<Column> columns;
  std::vector<std::pair<std::string, double>> aggregates;
  double seconds = 0;  // between the first score and the last
};

// Its members may be called from any thread.
class ScoreStore {
 public:
  // Gives a name its place in reports, unless it has one.
  void reserve(const std::string& name, ScoreOrder order);
  // Stores a score. Returns false if the frame has one of this name already, which stays.
  bool put(const std::string& name, ScoreOrder order, unsigned index, double value);
  std::optional<double> find(const std::string& name, unsigned index) const;
  // Finds a score as find() does, but not a late one before show_late().
  std::optional<double> find_shown(const std::string& name, unsigned index) const;
  void put_aggregate(const std::string& name, double value);

  // Makes late scores part of reports from now on. Returns them, frame by frame.
  struct Score {
    std::string name;
    unsigned index = 0;
    double value = 0;
  };
  std::vector<Score> show_late();

  // Calls look(scores) while no score changes.
  template <typename Function>
  void look_at(Function look) const {
    const std::lock_guard lock(mutex_);
    look(stored());
  }

 private:
  struct Column {
    std::string name;
    ScoreOrder order = ScoreOrder::kFound;
    SparseValues values;
  };
  Column& column_of(const std::string& name, ScoreOrder order);
  const Column* find_column(const std::string& name) const;
  StoredScores stored() const;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Column>> columns_;  // as they came
  std::unordered_map<std::string, Column*> by_name_;
  std::vector<std::pair<std::string, double>> aggregates_;
  bool shows_late_ = false;
  std::optional<std::chrono::steady_clock::time_point> first_, last_;
};

// The two names that a score has: the one that functions take, and the one in reports.

// The name under which a metric's scores are stored. For a metric without a suffix of options it is the
// reference's full name, if there is one.
std::string stored_name(const std::string& metric);

// The name in reports of scores that are stored under this name.
std::string reported_name(const std::string& stored);

// Statistics of the frames that count, which are added one by one. If the first frame does not count, minimum
// and maximum start at 0, as in the reference.
class Pool {
 public:
  explicit Pool(const Averaging& mean) : mean_(mean) {}

  void add(double score, bool is_first) {
    if (is_first || score < sums_.min) sums_.min = score;
    if (is_first || score > sums_.max) sums_.max = score;
    sums_.mean += is_averaged() ? mean_.of_score(score) : score;
    sums_.harmonic_mean += 1 / (score + 1);
    last_ = score;
    ++count_;
  }

  // The four statistics that libvmaf's reports have.
  PooledScores statistics() const {
    const auto count = static_cast<double>(count_);
    return {
        .min = sums_.min, .max = sums_.max, .mean = mean(), .harmonic_mean = count / sums_.harmonic_mean - 1};
  }

  // The statistic of a VmafPoolingMethod; nothing for any other number.
  std::optional<double> pooled(int method) const {
    if (method < VMAF_POOL_METHOD_MIN || method > VMAF_POOL_METHOD_HARMONIC_MEAN) return std::nullopt;
    const PooledScores all = statistics();
    return std::array{all.min, all.max, all.mean, all.harmonic_mean}[method - VMAF_POOL_METHOD_MIN];
  }

 private:
  bool is_averaged() const { return mean_.of_score != nullptr; }
  double mean() const {
    const double mean = sums_.mean / static_cast<double>(count_);
    if (!is_averaged()) return mean;
    return count_ == 1 ? last_ : mean_.to_score(mean);
  }

  const Averaging mean_;
  double last_ = 0;
  PooledScores sums_;  // has sums of scores and of inverses in place of the means
  uint64_t count_ = 0;
};

}  // namespace vq::libvmaf
