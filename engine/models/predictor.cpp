#include "engine/models/predictor.h"

#include <algorithm>
#include <cmath>

namespace vq::model {
namespace {

constexpr double kLowPercentile = 2.5, kHighPercentile = 97.5;
constexpr double kStep = 0.01;  // to either side, for the slope of a model's transform

double percentile_of(std::span<const double> sorted, double percent) {
  const double place = percent * static_cast<double>(sorted.size() - 1) / 100.;
  const double left = std::floor(place), right = std::ceil(place);
  const double low = sorted[static_cast<size_t>(left)];
  return left == right ? low : low * (right - place) + sorted[static_cast<size_t>(right)] * (place - left);
}

// What the scores of the bootstrap models, before they were shaped, say together; the first of them shapes
// it.
void add_summary(const Model& first, std::vector<double> scores, std::vector<double>& summary) {
  const auto count = static_cast<double>(scores.size());
  double sum = 0;
  for (const double score : scores) sum += score;
  const double mean = sum / count;
  double squares = 0;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  const double slope = (shape(first, mean + kStep) - shape(first, mean - kStep)) / (2.0 * kStep);
  std::sort(scores.begin(), scores.end());
  summary.push_back(shape(first, mean));
  summary.push_back(std::sqrt(squares / count) * slope);
  summary.push_back(shape(first, percentile_of(scores, kLowPercentile)));
  summary.push_back(shape(first, percentile_of(scores, kHighPercentile)));
}

}  // namespace

FrameScores predict(std::span<const Model> models, std::span<const std::vector<double>> values) {
  FrameScores scores{.score = shape(models[0], regress(models[0], values[0]))};
  if (models.size() < 2) return scores;
  std::vector<const Model*> members;
  for (const Model& member : models.subspan(1)) members.push_back(&member);
  scores.of_collection = predict_collection(members, values.subspan(1));
  return scores;
}

std::vector<double> predict_collection(std::span<const Model* const> models,
                                       std::span<const std::vector<double>> values) {
  std::vector<double> scores, raw;
  for (size_t i = 0; i < models.size(); ++i) {
    raw.push_back(regress(*models[i], values[i]));
    scores.push_back(shape(*models[i], raw.back()));
  }
  add_summary(*models.front(), std::move(raw), scores);
  return scores;
}

}  // namespace vq::model
