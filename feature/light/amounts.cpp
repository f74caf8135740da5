#include "feature/light/amounts.h"

namespace vq::light {

void Amounts::add(std::span<const uint32_t> row) {
  for (const uint32_t amount : row) {
    ++bins[amount_bin(amount)];
    sum += amount;
    most = std::max(most, amount);
    above_unit += amount > kAmountUnit ? 1 : 0;
  }
  samples += row.size();
}

double Amounts::mean() const {
  return static_cast<double>(sum) / static_cast<double>(samples) / kAmountUnit;
}

void add_tallies(const Amounts& amounts, std::vector<double>& tallies) {
  tallies.insert(tallies.end(), amounts.bins.begin(), amounts.bins.end());
}

}  // namespace vq::light
