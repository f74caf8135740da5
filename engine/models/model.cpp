#include "engine/models/model.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/text.h"

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

namespace {

// More than any model has, and few enough that nothing goes out of memory.
constexpr long long kMostVectors = 1'000'000, kMostInputs = 64;
constexpr size_t kMostNumbers = size_t{1} << 23;  // of all vectors

Error svr_fault(const std::string& what) {
  return Error(ErrorKind::kInput, "the support vectors: " + what);
}

double number(std::string_view text) {
  double value = 0;
  if (!parse_real(text, value)) throw svr_fault(words("\"{}\" is not a number", printable(text)));
  return value;
}

// Takes the text up to a stop character off its front, and the stop with it.
std::string_view take(std::string_view& text, char stop) {
  const size_t end = std::min(text.find(stop), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

struct Head {
  std::optional<double> gamma, rho;
  long long vectors = -1;
  bool is_nu_svr = false, is_radial = false;
};

void read_line(Head& head, std::string_view line) {
  const std::string_view key = take(line, ' ');
  const auto demand = [&](std::string_view wanted) {
    if (line == wanted) return true;
    throw svr_fault(words("{} is \"{}\"; only {} is known", key, printable(line), wanted));
  };
  if (key == "svm_type") {
    head.is_nu_svr = demand("nu_svr");
  } else if (key == "kernel_type") {
    head.is_radial = demand("rbf");
  } else if (key == "nr_class") {
    demand("2");
  } else if (key == "gamma") {
    head.gamma = number(line);
  } else if (key == "rho") {
    head.rho = number(line);
  } else if (key == "total_sv") {
    if (!parse_int(line, head.vectors) || head.vectors < 1 || head.vectors > kMostVectors) {
      throw svr_fault(words("total_sv is \"{}\"; allowed: 1..{}", printable(line), kMostVectors));
    }
  } else {
    throw svr_fault(words("\"{}\" is no line of their head", printable(key)));
  }
}

// Takes it, with the line that ends it, off the front of the text.
Head read_head(std::string_view& text) {
  Head head;
  while (!text.empty()) {
    const std::string_view line = trimmed(take(text, '\n'));
    if (line != "SV") {
      read_line(head, line);
      continue;
    }
    const char* const missing = !head.is_nu_svr    ? "svm_type"
                                : !head.is_radial  ? "kernel_type"
                                : !head.gamma      ? "gamma"
                                : !head.rho        ? "rho"
                                : head.vectors < 0 ? "total_sv"
                                                   : nullptr;
    if (missing == nullptr) return head;
    throw svr_fault(std::string(missing) + " is missing");
  }
  throw svr_fault("the line SV is missing");
}

struct Row {
  double coefficient = 0;
  std::vector<double> values = {};
};

// "coefficient index:value ..."
Row read_row(std::string_view line) {
  Row row{.coefficient = number(take(line, ' '))};
  while (!line.empty()) {
    const std::string_view node = take(line, ' ');
    const size_t colon = node.find(':');
    long long index = 0;
    if (colon == std::string_view::npos || !parse_int(node.substr(0, colon), index) || index < 1 ||
        index > kMostInputs) {
      throw svr_fault(words("\"{}\" is no INDEX:VALUE", printable(node)));
    }
    if (static_cast<size_t>(index) <= row.values.size())
      throw svr_fault("the indices of a line do not ascend");
    row.values.resize(static_cast<size_t>(index));
    row.values.back() = number(node.substr(colon + 1));
  }
  return row;
}

}  // namespace

Svr Svr::parse(std::string_view text) {
  const Head head = read_head(text);
  std::vector<Row> rows;
  Svr svr;
  svr.gamma_ = *head.gamma;
  svr.rho_ = *head.rho;
  while (static_cast<long long>(rows.size()) < head.vectors) {
    if (text.empty()) {
      throw svr_fault(words("there are {} of {}", rows.size(), head.vectors));
    }
    rows.push_back(read_row(trimmed(take(text, '\n'))));
    svr.inputs_ = std::max(svr.inputs_, rows.back().values.size());
    if (rows.size() * svr.inputs_ > kMostNumbers)
      throw svr_fault(words("they have more than {} numbers", kMostNumbers));
  }
  if (!trimmed(text).empty()) throw svr_fault(words("there are more than {}", head.vectors));
  for (Row& row : rows) {
    svr.coefficients_.push_back(row.coefficient);
    row.values.resize(svr.inputs_);
    svr.vectors_.insert(svr.vectors_.end(), row.values.begin(), row.values.end());
  }
  return svr;
}

double Svr::predict(std::span<const double> x) const {
  double sum = 0;
  for (size_t i = 0; i < coefficients_.size(); ++i) {
    const std::span<const double> vector = std::span(vectors_).subspan(i * inputs_, inputs_);
    double distance = 0;
    for (size_t k = 0; k < std::max(x.size(), inputs_); ++k) {
      const double difference = (k < x.size() ? x[k] : 0.0) - (k < inputs_ ? vector[k] : 0.0);
      distance += difference * difference;
    }
    sum += coefficients_[i] * std::exp(-gamma_ * distance);
  }
  return sum - rho_;
}

}  // namespace vq::model
