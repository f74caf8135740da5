#include "engine/analysis/pair_watch.h"

#include <cmath>

namespace vq {
namespace {

using Cells = std::array<double, kSignatureCells>;

// All constants were chosen with half of the pairs of docs/pair_study.py.

constexpr int kSparedShare = 8;  // one of this number of cells may differ: a logo, subtitles
// Levels of 8-bit video that details must have, in the mean of both and in the one that has less. At the
// lowest rates nothing is left of fewer; a copy that is recognised is one all the same.
constexpr double kLeastDetail = 6.5, kLeastDetailOfCopy = 3, kLeastDetailOfOne = 1.5;
constexpr size_t kLeastFramesOfCopy = 12;
constexpr double kLeastMotion = 1;  // levels
// Pictures are other ones if all three likenesses are lower.
constexpr double kLeastPlain = 0.84, kLeastFine = 0.48, kLeastMoving = 0.48, kLeastPlainOfMoving = 0.2;
constexpr size_t kLeastPaired = 12;  // frames of a segment that have a counterpart with a shift
constexpr double kPlainlyAlike = 0.97, kPlainlyFine = 0.9;
// A mirrored or negative copy is that much more alike than the picture itself.
constexpr double kCopyPlain = 0.85, kCopyFine = 0.75, kCopyLess = 0.4;
constexpr size_t kSegment = 24;          // frames that have one shift
constexpr double kPlainlyBetter = 0.02;  // another shift than none, in likeness
// One video shows something and the other hardly anything.
constexpr double kShownContrast = 12, kShownDetail = 8, kBlankShare = 1.0 / 8;
constexpr double kMostAreBlank = 0.75;
// One place at two moments: motion has this many levels, and this many times those that move and those that
// differ in the still half of the cells.
constexpr double kPlainMotion = 3, kLeastStillness = 2, kLeastSameness = 4;
constexpr double kLeastStillError = 0.25;  // levels, by rounding
constexpr size_t kLeastCellsOfMoment = 32;
// An outer row or column of cells is a bar, or half a bar, if it has so much of the light of its neighbour.
constexpr double kBarShare = 0.6;
constexpr double kBlackLevel = 16;
constexpr double kDarkLine = 1;  // mean level above black of a line of cells in a bar
constexpr int kLeastSide = 3;    // cells that are left

using Pairs = std::span<const PicturePairSignatures>;

// The cells within bars that both videos have: they are alike whatever is shown.
struct Grid {
  int left = 0, top = 0, right = kSignatureSide, bottom = kSignatureSide;

  int width() const { return right - left; }
  int height() const { return bottom - top; }
  size_t cells() const { return static_cast<size_t>(width() * height()); }
};

Grid grid_of(Pairs pairs) {
  std::array<Cells, 2> light = {};
  for (const PicturePairSignatures& pair : pairs) {
    for (size_t i = 0; i < kSignatureCells; ++i) {
      light[0][i] += std::max(0.0, pair.reference.levels[i] / 16.0 - kBlackLevel);
      light[1][i] += std::max(0.0, pair.distorted.levels[i] / 16.0 - kBlackLevel);
    }
  }
  // The light of both along a line of cells that begins with this one.
  const auto light_of = [&](int first, int step) {
    std::array<double, 2> sums = {};
    for (size_t v = 0; v < sums.size(); ++v) {
      for (int k = 0; k < kSignatureSide; ++k) sums[v] += light[v][static_cast<size_t>(first + k * step)];
    }
    return sums;
  };
  const double dark = kDarkLine * kSignatureSide * static_cast<double>(pairs.size());
  const auto is_dark = [&](const std::array<double, 2>& line) { return std::max(line[0], line[1]) < dark; };
  // The lines that are left, from either end; `across` leads from one line to the next, `along` along it.
  const auto lit_lines = [&](int across, int along) {
    int first = 0, end = kSignatureSide;
    while (first < end && is_dark(light_of(first * across, along))) ++first;
    while (end > first && is_dark(light_of((end - 1) * across, along))) --end;
    if (end - first <= kLeastSide) return std::pair(0, kSignatureSide);
    const auto is_half = [&](int outer, int inner) {
      const auto a = light_of(outer * across, along), b = light_of(inner * across, along);
      return a[0] <= kBarShare * b[0] && a[1] <= kBarShare * b[1];
    };
    if (is_half(first, first + 1)) ++first;
    if (end - first > kLeastSide && is_half(end - 1, end - 2)) --end;
    return std::pair(first, end);
  };
  const auto [top, bottom] = lit_lines(kSignatureSide, 1);
  const auto [left, right] = lit_lines(1, kSignatureSide);
  return {left, top, right, bottom};
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / static_cast<double>(a.size());
}

// A thumbnail in levels of 8-bit video without its mean, and without what its rows and columns have in
// common, as skies, bars and vignettes have.
struct Thumbnail {
  Cells plain_cells = {}, fine_cells = {};
  size_t cells = 0;
  double contrast = 0, detail = 0;  // standard deviations

  std::span<const double> plain() const { return std::span(plain_cells).first(cells); }
  std::span<const double> fine() const { return std::span(fine_cells).first(cells); }
};

// Whether both show enough to be compared.
bool tell(const Thumbnail& a, const Thumbnail& b, double least = kLeastDetail) {
  return a.detail * b.detail >= least * least && std::min(a.detail, b.detail) >= kLeastDetailOfOne;
}

Thumbnail thumbnail_of(const Signature& signature, const Grid& grid) {
  Thumbnail thumbnail{.cells = grid.cells()};
  std::array<double, kSignatureSide> rows = {}, columns = {};
  double mean = 0;
  size_t i = 0;
  for (int y = grid.top; y < grid.bottom; ++y) {
    for (int x = grid.left; x < grid.right; ++x, ++i) {
      const double level = signature.levels[static_cast<size_t>(y * kSignatureSide + x)] / 16.0;
      thumbnail.plain_cells[i] = level;
      rows[static_cast<size_t>(y)] += level / grid.width();
      columns[static_cast<size_t>(x)] += level / grid.height();
      mean += level / static_cast<double>(thumbnail.cells);
    }
  }
  i = 0;
  for (int y = grid.top; y < grid.bottom; ++y) {
    for (int x = grid.left; x < grid.right; ++x, ++i) {
      const double level = thumbnail.plain_cells[i];
      thumbnail.plain_cells[i] = level - mean;
      thumbnail.fine_cells[i] = level - rows[static_cast<size_t>(y)] - columns[static_cast<size_t>(x)] + mean;
    }
  }
  thumbnail.contrast = std::sqrt(dot(thumbnail.plain(), thumbnail.plain()));
  thumbnail.detail = std::sqrt(dot(thumbnail.fine(), thumbnail.fine()));
  return thumbnail;
}

// Correlation of the cells without those that fit a line worst.
double spared_correlation(std::span<const double> reference, std::span<const double> distorted) {
  const size_t cells = reference.size(), spared = cells / kSparedShare;
  const auto count = static_cast<double>(cells - spared);
  double slope = dot(distorted, reference) / std::max(1e-9, dot(reference, reference));
  std::array<size_t, kSignatureCells> order;
  double xx = 0, xy = 0, yy = 0;
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < cells; ++i) order[i] = i;
    const auto misfit = [&](size_t i) { return std::abs(distorted[i] - slope * reference[i]); };
    std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(spared),
                     order.begin() + static_cast<ptrdiff_t>(cells),
                     [&](size_t a, size_t b) { return misfit(a) > misfit(b); });
    double x = 0, y = 0;
    for (size_t k = spared; k < cells; ++k) {
      x += reference[order[k]] / count;
      y += distorted[order[k]] / count;
    }
    xx = xy = yy = 0;
    for (size_t k = spared; k < cells; ++k) {
      const double a = reference[order[k]] - x, b = distorted[order[k]] - y;
      xx += a * a;
      xy += a * b;
      yy += b * b;
    }
    slope = xy / std::max(1e-9, xx);
  }
  return xy / std::sqrt(std::max(1e-9, xx * yy));
}

using Film = std::vector<Thumbnail>;

// Between 1, the same, and about 0, nothing to do with each other.
struct Likeness {
  double plain = 0, fine = 0;  // of pictures; of what does not change smoothly in them
  double moving = 0;           // of what changes in time
  size_t frames = 0;           // that tell
};

// The same place of the other film. `shifts`: of each segment.
std::optional<size_t> partner(size_t frame, const std::vector<int>& shifts, size_t frames) {
  const int64_t at = static_cast<int64_t>(frame) - shifts[frame / kSegment];
  return at >= 0 && at < static_cast<int64_t>(frames) ? std::optional(static_cast<size_t>(at)) : std::nullopt;
}

using Matches = std::vector<std::pair<const Thumbnail*, const Thumbnail*>>;

double moving_likeness(const Matches& pairs) {
  Cells a = {}, b = {};
  const size_t cells = pairs.front().first->cells;
  const auto count = static_cast<double>(pairs.size());
  for (const auto& [reference, distorted] : pairs) {
    for (size_t i = 0; i < cells; ++i) {
      a[i] += reference->plain_cells[i] / count;
      b[i] += distorted->plain_cells[i] / count;
    }
  }
  double xx = 0, xy = 0, yy = 0;
  for (const auto& [reference, distorted] : pairs) {
    for (size_t i = 0; i < cells; ++i) {
      const double x = reference->plain_cells[i] - a[i], y = distorted->plain_cells[i] - b[i];
      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
  }
  const double least = count * static_cast<double>(cells) * kLeastMotion * kLeastMotion;
  return xx > least && yy > least ? xy / std::sqrt(xx * yy) : 0;
}

Likeness likeness_of(const Film& reference, const Film& distorted, const std::vector<int>& shifts,
                     double least_detail = kLeastDetail) {
  Matches pairs;
  for (size_t t = 0; t < distorted.size(); ++t) {
    const std::optional<size_t> other = partner(t, shifts, reference.size());
    if (other && tell(reference[*other], distorted[t], least_detail))
      pairs.emplace_back(&reference[*other], &distorted[t]);
  }
  Likeness likeness{.frames = pairs.size()};
  if (pairs.empty()) return likeness;
  for (const auto& [a, b] : pairs) {
    likeness.plain += spared_correlation(a->plain(), b->plain()) / static_cast<double>(pairs.size());
    likeness.fine += spared_correlation(a->fine(), b->fine()) / static_cast<double>(pairs.size());
  }
  likeness.moving = moving_likeness(pairs);
  return likeness;
}

// Mean correlation of a segment with a shift; nothing if too few frames have a counterpart.
std::optional<double> correlation_at(const Film& reference, const Film& distorted, size_t first, int shift) {
  const size_t end = std::min(distorted.size(), first + kSegment);
  double sum = 0;
  size_t count = 0;
  for (size_t t = first; t < end; ++t) {
    const int64_t at = static_cast<int64_t>(t) - shift;
    if (at < 0 || at >= static_cast<int64_t>(reference.size())) continue;
    const Thumbnail &a = reference[static_cast<size_t>(at)], &b = distorted[t];
    if (!tell(a, b)) continue;
    sum += dot(a.plain(), b.plain()) / (a.contrast * b.contrast);
    ++count;
  }
  if (count == 0 || count < std::min(kLeastPaired, end - first)) return std::nullopt;
  return sum / static_cast<double>(count);
}

// For each segment the shift that fits best; none if another is hardly better.
std::vector<int> best_shifts(const Film& reference, const Film& distorted, int window) {
  std::vector<int> shifts;
  for (size_t first = 0; first < distorted.size(); first += kSegment) {
    double best = correlation_at(reference, distorted, first, 0).value_or(-1) + kPlainlyBetter;
    int found = 0;
    for (int shift = -window; shift <= window; ++shift) {
      const std::optional<double> correlation = correlation_at(reference, distorted, first, shift);
      if (!correlation || *correlation <= best) continue;
      best = *correlation;
      found = shift;
    }
    shifts.push_back(found);
  }
  return shifts;
}

// A copy of the film that is changed as the relation says.
Film changed(const Film& film, const Grid& grid, PictureRelation relation) {
  const bool flips_x = relation == PictureRelation::kMirrored || relation == PictureRelation::kTurned;
  const bool flips_y = relation == PictureRelation::kUpsideDown || relation == PictureRelation::kTurned;
  const double sign = relation == PictureRelation::kNegative ? -1 : 1;
  Film copy = film;
  for (size_t t = 0; t < film.size(); ++t) {
    for (size_t i = 0; i < grid.cells(); ++i) {
      const int x = static_cast<int>(i) % grid.width(), y = static_cast<int>(i) / grid.width();
      const auto from = static_cast<size_t>((flips_y ? grid.height() - 1 - y : y) * grid.width() +
                                            (flips_x ? grid.width() - 1 - x : x));
      copy[t].plain_cells[i] = sign * film[t].plain_cells[from];
      copy[t].fine_cells[i] = sign * film[t].fine_cells[from];
    }
  }
  return copy;
}

bool is_alike(const Likeness& likeness) {
  return likeness.plain >= kLeastPlain || likeness.fine >= kLeastFine ||
         (likeness.moving >= kLeastMoving && likeness.plain >= kLeastPlainOfMoving);
}

bool is_copy(const Likeness& changed, const Likeness& as_is) {
  return changed.plain >= kCopyPlain && changed.fine >= kCopyFine &&
         1 - changed.plain < kCopyLess * (1 - as_is.plain) && 1 - changed.fine < kCopyLess * (1 - as_is.fine);
}

// The standard deviation of most cells.
double spared_deviation(std::span<const double> cells) {
  const size_t kept = cells.size() - cells.size() / kSparedShare;
  Cells squares;
  for (size_t i = 0; i < cells.size(); ++i) squares[i] = cells[i] * cells[i];
  std::nth_element(squares.begin(), squares.begin() + static_cast<ptrdiff_t>(kept),
                   squares.begin() + static_cast<ptrdiff_t>(cells.size()));
  double sum = 0;
  for (size_t i = 0; i < kept; ++i) sum += squares[i];
  return std::sqrt(sum / static_cast<double>(kept));
}

// Whether a picture shows something of which the other has nothing: more than a logo, titles or a vignette.
bool shows_more(const Thumbnail& picture, const Thumbnail& other) {
  const double contrast = spared_deviation(picture.plain());
  return contrast >= kShownContrast && spared_deviation(picture.fine()) >= kShownDetail &&
         other.contrast < kBlankShare * contrast;
}

// Whether one of the two shows hardly anything while the other does, nearly always.
bool is_one_blank(const Film& reference, const Film& distorted) {
  size_t blank_references = 0, blank_distorted = 0;
  for (size_t t = 0; t < distorted.size(); ++t) {
    blank_distorted += shows_more(reference[t], distorted[t]) ? 1 : 0;
    blank_references += shows_more(distorted[t], reference[t]) ? 1 : 0;
  }
  return static_cast<double>(std::max(blank_references, blank_distorted)) >=
         kMostAreBlank * static_cast<double>(distorted.size());
}

using Frames = std::vector<Cells>;

// Mean product of these cells of one film and those of another that is late.
double mean_product(const Frames& film, const Frames& late, int shift, std::span<const size_t> cells) {
  const auto frames = static_cast<int>(film.size());
  double sum = 0;
  for (int t = std::max(0, shift); t < std::min(frames, frames + shift); ++t) {
    for (const size_t i : cells)
      sum += film[static_cast<size_t>(t - shift)][i] * late[static_cast<size_t>(t)][i];
  }
  return sum / (static_cast<double>(cells.size()) * (frames - std::abs(shift)));
}

// Whether what stands still is the same while what moves is not, with any shift: one place, and a camera that
// does not move, at two moments. An encode that keeps what stands still so well cannot lose that much of what
// moves.
bool shows_another_moment(const Film& reference, const Film& distorted, int window) {
  const size_t cells = reference.front().cells;
  std::array<Frames, 2> films;
  std::array<Cells, 2> means = {};
  for (size_t t = 0; t < distorted.size(); ++t) {
    const Thumbnail &a = reference[t], &b = distorted[t];
    if (!tell(a, b)) continue;
    const double gain = a.contrast / b.contrast;  // a fade is no motion
    Cells &x = films[0].emplace_back(), &y = films[1].emplace_back();
    for (size_t i = 0; i < cells; ++i) {
      means[0][i] += x[i] = a.plain_cells[i];
      means[1][i] += y[i] = gain * b.plain_cells[i];
    }
  }
  const size_t frames = films[0].size();
  if (cells < kLeastCellsOfMoment || frames < kSegment) return false;
  for (size_t v = 0; v < films.size(); ++v) {
    for (size_t i = 0; i < cells; ++i) means[v][i] /= static_cast<double>(frames);
    for (Cells& frame : films[v]) {
      for (size_t i = 0; i < cells; ++i) frame[i] -= means[v][i];
    }
  }
  // From frame to frame, as noise is no motion.
  const auto motion_of = [&](size_t v, std::span<const size_t> some) {
    return std::max(0.0, mean_product(films[v], films[v], 1, some));
  };
  Cells motions;
  std::array<size_t, kSignatureCells> order;
  for (size_t i = 0; i < cells; ++i) {
    order[i] = i;
    motions[i] = motion_of(0, {&i, 1}) + motion_of(1, {&i, 1});
  }
  std::sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(cells),
            [&](size_t a, size_t b) { return motions[a] < motions[b]; });
  const std::span<const size_t> still(order.data(), cells / 2),
      moving(order.data() + cells - cells / kSparedShare - cells / 4, cells / 4);
  auto errors = mapped(still, [&](size_t i) { return std::abs(means[0][i] - means[1][i]); });
  std::nth_element(errors.begin(), errors.begin() + static_cast<ptrdiff_t>(errors.size() / 2), errors.end());
  const double error = std::max(kLeastStillError, errors[errors.size() / 2]);
  const double x = motion_of(0, moving), y = motion_of(1, moving), motion = std::sqrt(std::min(x, y));
  if (motion < std::max(kPlainMotion, kLeastSameness * error) ||
      motion < kLeastStillness * std::sqrt(motion_of(0, still) + motion_of(1, still)))
    return false;
  const int furthest = std::min(window, static_cast<int>(frames / 2));
  for (int shift = -furthest; shift <= furthest; ++shift) {
    if (mean_product(films[0], films[1], shift, moving) >= kLeastMoving * std::sqrt(x * y)) return false;
  }
  return true;
}

// Mirrored, turned or negative, as long as no frame is late.
std::optional<PictureRelation> copy_of(const Film& reference, const Film& distorted, const Grid& grid) {
  const std::vector<int> unshifted(distorted.size() / kSegment + 1, 0);
  const Likeness as_is = likeness_of(reference, distorted, unshifted, kLeastDetailOfCopy);
  if (as_is.frames < std::min(kLeastFramesOfCopy, distorted.size()) || as_is.plain >= kPlainlyAlike ||
      as_is.fine >= kPlainlyFine)
    return std::nullopt;
  for (const PictureRelation relation : {PictureRelation::kMirrored, PictureRelation::kUpsideDown,
                                         PictureRelation::kTurned, PictureRelation::kNegative}) {
    const Likeness likeness =
        likeness_of(reference, changed(distorted, grid, relation), unshifted, kLeastDetailOfCopy);
    if (is_copy(likeness, as_is)) return relation;
  }
  return std::nullopt;
}

}  // namespace

PictureRelation relation_of(std::span<const PicturePairSignatures> pairs, int window) {
  const Grid grid = grid_of(pairs);
  Film reference, distorted;
  double correlation = 0;
  size_t telling = 0;
  for (const PicturePairSignatures& pair : pairs) {
    const Thumbnail &a = reference.emplace_back(thumbnail_of(pair.reference, grid)),
                    &b = distorted.emplace_back(thumbnail_of(pair.distorted, grid));
    if (!tell(a, b)) continue;
    correlation += dot(a.plain(), b.plain()) / (a.contrast * b.contrast);
    ++telling;
  }
  const bool most_tell = telling > 0 && 2 * telling >= pairs.size();
  if (most_tell && shows_another_moment(reference, distorted, window)) return PictureRelation::kOther;
  if (most_tell && correlation >= kPlainlyAlike * static_cast<double>(telling))
    return PictureRelation::kAlike;
  if (const std::optional<PictureRelation> copy = copy_of(reference, distorted, grid)) return *copy;
  if (!most_tell) {
    return is_one_blank(reference, distorted) ? PictureRelation::kOther : PictureRelation::kUnknown;
  }
  const std::vector<int> unshifted(distorted.size() / kSegment + 1, 0);
  if (is_alike(likeness_of(reference, distorted, unshifted))) return PictureRelation::kAlike;
  const Likeness shifted = likeness_of(reference, distorted, best_shifts(reference, distorted, window));
  return is_alike(shifted) ? PictureRelation::kAlike : PictureRelation::kOther;
}

void PictureMatch::add(int64_t frame, const Signature& reference, const Signature& distorted) {
  if (kept_.empty()) first_ = frame;
  last_ = frame;
  kept_.push_back({reference, distorted});
  // A mirrored copy is recognised soon; that nothing is alike takes longer.
  if (stretches_.empty() && kept_.size() == kFirstLook) at_first_look_ = relation_of(kept_, 0);
  if (kept_.size() == kStretch) close();
}

void PictureMatch::close() {
  constexpr int kWindow = 60;
  const auto pairs = static_cast<int64_t>(kept_.size());
  stretches_.push_back({first_, last_, pairs, relation_of(kept_, kWindow)});
  kept_.clear();
}

void PictureMatch::finish() {
  if (!kept_.empty()) close();
}

PictureRelation PictureMatch::relation() const {
  const bool is_certain_copy =
      at_first_look_ != PictureRelation::kAlike && at_first_look_ != PictureRelation::kOther;
  if (stretches_.empty()) return is_certain_copy ? at_first_look_ : PictureRelation::kUnknown;
  std::map<PictureRelation, int64_t> pairs;
  int64_t telling = 0;
  for (const Stretch& stretch : stretches_) {
    if (stretch.relation == PictureRelation::kUnknown) continue;
    pairs[stretch.relation] += stretch.pairs;
    telling += stretch.pairs;
  }
  if (telling == 0) return PictureRelation::kUnknown;
  // The commonest of what is wrong, if more is wrong than not.
  if (2 * pairs[PictureRelation::kAlike] >= telling) return PictureRelation::kAlike;
  pairs.erase(PictureRelation::kAlike);
  return std::ranges::max_element(pairs, [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace vq
