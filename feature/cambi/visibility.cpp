#include "feature/cambi/visibility.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"

namespace vq::cambi {
namespace {

// ITU-R BT.1886: L = a * max(V + b, 0)^gamma.
double bt1886(double signal) {
  constexpr double kGamma = 2.4;
  constexpr double kWhite = 300.0, kBlack = 0.01;  // cd/m2, as CAMBI assumes
  static const double white_root = std::pow(kWhite, 1.0 / kGamma);
  static const double black_root = std::pow(kBlack, 1.0 / kGamma);
  static const double a = std::pow(white_root - black_root, kGamma);
  static const double b = black_root / (white_root - black_root);
  return a * std::pow(std::max(signal + b, 0.0), kGamma);
}

// SMPTE ST 2084, equation 4.1, with the standard's constants.
double pq(double signal) {
  constexpr double kM1 = 2610.0 / 16384.0, kM2 = 2523.0 / 4096.0 * 128.0;
  constexpr double kC1 = 3424.0 / 4096.0, kC2 = 2413.0 / 4096.0 * 32.0, kC3 = 2392.0 / 4096.0 * 32.0;
  constexpr double kPeak = 10000.0;  // cd/m2
  const double root = std::pow(signal, 1.0 / kM2);
  return kPeak * std::pow(std::max(root - kC1, 0.0) / (kC2 - kC3 * root), 1.0 / kM1);
}

// ITU-R BT.2100-2, table 5: the inverse of HLG's OETF, then for grey (where scene luminance equals each
// component) its OOTF, Lw * E^gamma.
double hlg(double signal) {
  constexpr double kA = 0.17883277, kB = 1.0 - 4.0 * kA;
  constexpr double kPeak = 1000.0;  // cd/m2; black is 0
  constexpr double kGamma = 1.2;    // BT.2100's for that peak
  static const double c = 0.5 - kA * std::log(4.0 * kA);
  const double scene = signal <= 0.5 ? signal * signal / 3.0 : (std::exp((signal - c) / kA) + kB) / 12.0;
  return kPeak * std::pow(scene, kGamma);
}

}  // namespace

Luminance::Luminance(std::string_view eotf, LumaRange range) : range_(range) {
  if (eotf == "bt1886") {
    eotf_ = bt1886;
  } else if (eotf == "pq") {
    eotf_ = pq;
  } else if (eotf == "hlg") {
    eotf_ = hlg;
  } else {
    throw Error(ErrorKind::kInternal, "no transfer function \"" + std::string(eotf) + "\"");
  }
}

double Luminance::at(int level) const {
  const int clamped = std::clamp(level, range_.foot, range_.head);
  return eotf_(static_cast<double>(clamped - range_.foot) / (range_.head - range_.foot));
}

int last_visible_level(const Luminance& luminance, int contrast, double threshold) {
  const auto visible = [&](int level) {
    const double base = luminance.at(level);
    return luminance.at(level + contrast) - base > threshold * base;
  };
  const int foot = luminance.range().foot;
  const int last = luminance.range().head - contrast - 1;
  if (!visible(foot)) return 0;
  if (!visible(foot + 1)) return foot;
  if (visible(last)) return visible(last + 1) ? 1023 : last;
  int seen = foot, unseen = last;
  while (unseen - seen > 1) {
    const int middle = (seen + unseen) / 2;
    (visible(middle) ? seen : unseen) = middle;
  }
  return seen;
}

int first_level_of(const Luminance& luminance, double nits) {
  const auto [foot, head] = luminance.range();
  for (int level = foot; level <= head; ++level) {
    if (luminance.at(level) >= nits) return level == foot ? 0 : level;
  }
  return head;
}

}  // namespace vq::cambi
