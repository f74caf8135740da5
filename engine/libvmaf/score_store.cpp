#include "engine/libvmaf/score_store.h"

#include "feature/feature.h"

namespace vq::libvmaf {

bool SparseValues::put(unsigned index, double value) {
  auto page = pages_.find(index / kPageSize);
  if (page == pages_.end()) page = pages_.emplace(index / kPageSize, std::make_unique<Page>()).first;
  const unsigned place = index % kPageSize;
  if (page->second->present[place]) return false;
  page->second->present[place] = true;
  page->second->values[place] = value;
  return true;
}

std::optional<double> SparseValues::find(unsigned index) const {
  const auto page = pages_.find(index / kPageSize);
  if (page == pages_.end() || !page->second->present[index % kPageSize]) return std::nullopt;
  return page->second->values[index % kPageSize];
}

void SparseValues::add_indices(std::vector<unsigned>& indices) const {
  for (const auto& [number, page] : pages_) {
    for (unsigned place = 0; place < kPageSize; ++place) {
      if (page->present[place]) indices.push_back(number * kPageSize + place);
    }
  }
}

ScoreStore::Column& ScoreStore::column_of(const std::string& name, ScoreOrder order) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return *known->second;
  auto column = std::make_unique<Column>();
  column->name = name;
  // Behind the end all stand as they come.
  column->order = shows_late_ ? ScoreOrder::kPredicted : order;
  columns_.push_back(std::move(column));
  by_name_[name] = columns_.back().get();
  return *columns_.back();
}

const ScoreStore::Column* ScoreStore::find_column(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void ScoreStore::reserve(const std::string& name, ScoreOrder order) {
  const std::lock_guard lock(mutex_);
  column_of(name, order);
}

bool ScoreStore::put(const std::string& name, ScoreOrder order, unsigned index, double value) {
  const std::lock_guard lock(mutex_);
  if (!column_of(name, order).values.put(index, value)) return false;
  last_ = std::chrono::steady_clock::now();
  if (!first_) first_ = last_;
  return true;
}

std::optional<double> ScoreStore::find(const std::string& name, unsigned index) const {
  const std::lock_guard lock(mutex_);
  const Column* const column = find_column(name);
  return column == nullptr ? std::nullopt : column->values.find(index);
}

std::optional<double> ScoreStore::find_shown(const std::string& name, unsigned index) const {
  const std::lock_guard lock(mutex_);
  const Column* const column = find_column(name);
  if (column == nullptr || (column->order == ScoreOrder::kLate && !shows_late_)) return std::nullopt;
  return column->values.find(index);
}

void ScoreStore::put_aggregate(const std::string& name, double value) {
  const std::lock_guard lock(mutex_);
  aggregates_.emplace_back(name, value);
}

std::vector<ScoreStore::Score> ScoreStore::show_late() {
  const std::lock_guard lock(mutex_);
  shows_late_ = true;
  std::vector<Score> scores;
  for (const auto& column : columns_) {
    if (column->order != ScoreOrder::kLate) continue;
    std::vector<unsigned> indices;
    column->values.add_indices(indices);
    for (const unsigned index : indices) scores.push_back({column->name, index, *column->values.find(index)});
  }
  std::ranges::stable_sort(scores, {}, &Score::index);
  return scores;
}

StoredScores ScoreStore::stored() const {
  StoredScores stored{.columns = {}, .aggregates = aggregates_};
  if (first_) stored.seconds = std::chrono::duration<double>(*last_ - *first_).count();
  for (const ScoreOrder order : {ScoreOrder::kFound, ScoreOrder::kLate, ScoreOrder::kPredicted}) {
    if (order == ScoreOrder::kLate && !shows_late_) continue;
    for (const auto& column : columns_) {
      if (column->order == order && !column->values.empty())
        stored.columns.push_back({reported_name(column->name), &column->values});
    }
  }
  return stored;
}

constexpr size_t kLongest = 255;

using Names = std::map<std::string_view, std::string_view>;

static Names make_names(bool by_full_name) {
  Names names;
  for (const FeatureInfo* info : features()) {
    for (const MetricInfo& metric : info->metrics) {
      if (metric.full_name.empty()) continue;
      names[by_full_name ? metric.full_name : metric.name] = by_full_name ? metric.name : metric.full_name;
    }
  }
  return names;
}

static std::string other_name(const Names& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : std::string(found->second);
}

std::string stored_name(const std::string& metric) {
  static const Names kFullNames = make_names(false);
  return other_name(kFullNames, metric).substr(0, kLongest);
}

std::string reported_name(const std::string& stored) {
  static const Names kReported = make_names(true);
  return other_name(kReported, stored);
}

}  // namespace vq::libvmaf
