#include "engine/models/model.h"

namespace vq::model {
namespace {

// Undoes the rescaling for both, in these steps, as the reference does: values so small that they vanish in
// it are none.
void take_chroma_from_luma(const Model& model, std::span<double> x) {
  const auto& [factor, luma, chroma] = *model.chroma_from_luma;
  const auto raw = [&](size_t k) {
    return model.rescales ? (x[k] - model.intercepts[k + 1]) / model.slopes[k + 1] : x[k];
  };
  if (raw(chroma) != 0.0) return;
  const double value = -factor * raw(luma) + factor;
  x[chroma] = model.rescales ? model.slopes[chroma + 1] * value + model.intercepts[chroma + 1] : value;
}

// The outer lines go on; where two lines meet the later one counts.
double between_knots(std::span<const std::pair<double, double>> knots, double x) {
  size_t line = 0;
  while (line + 2 < knots.size() && x >= knots[line + 1].first) ++line;
  const auto& [x0, y0] = knots[line];
  const auto& [x1, y1] = knots[line + 1];
  if (y0 == y1) return y0;
  if (x0 == 0) return (y1 - y0) / x1 * x + y0;
  const double slope = (y1 - y0) / (x1 - x0);
  return slope * x + (y0 - x0 * slope);
}

double transformed(const Transform& transform, double x) {
  double y = x;
  if (transform.p0 || transform.p1 || transform.p2) {
    y = 0;
    if (transform.p0) y += *transform.p0;
    if (transform.p1) y += *transform.p1 * x;
    if (transform.p2) y += *transform.p2 * x * x;
  }
  if (!transform.knots.empty()) y = between_knots(transform.knots, y);
  if (transform.at_most_input && y > x) y = x;
  if (transform.at_least_input && y < x) y = x;
  return y;
}

}  // namespace

double regress(const Model& model, std::span<const double> values) {
  std::vector<double> x(values.begin(), values.end());
  if (model.rescales) {
    for (size_t k = 0; k < x.size(); ++k) x[k] = model.slopes[k + 1] * x[k] + model.intercepts[k + 1];
  }
  if (model.chroma_from_luma) take_chroma_from_luma(model, x);
  const double y = model.svr.predict(x);
  return model.rescales ? (y - model.intercepts[0]) / model.slopes[0] : y;
}

double shape(const Model& model, double score) {
  double y = score;
  if (model.transform && model.transform->is_enabled) y = transformed(*model.transform, y);
  if (!model.clip) return y;
  if (y < model.clip->first) y = model.clip->first;
  if (y > model.clip->second) y = model.clip->second;
  return y;
}

}  // namespace vq::model
