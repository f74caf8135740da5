// Support vectors: an example to check by hand, and texts that are none.
#include "engine/models/svr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "tests/support/golden_text.h"

namespace vq::model {
namespace {

const std::string kHead =
    "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -1.5\nSV\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Svr, IsTheSumOverTheVectorsLessRho) {
  const Svr svr = Svr::parse(kHead + "2 1:1 2:3 \n-4 2:1 \n");
  EXPECT_EQ(svr.inputs(), 2U);
  // Squared distances 0 and 1 + 4.
  const double x[] = {1, 3};
  EXPECT_EQ(svr.predict(x), 2 * std::exp(0.0) + -4 * std::exp(-0.5 * 5) - -1.5);
}

TEST(Svr, AnAbsentIndexIsZeroOnEitherSide) {
  const Svr svr = Svr::parse(kHead + "1 2:2 \n1 1:1 \n");
  const double three[] = {0, 2, 3}, one[] = {1};
  EXPECT_EQ(svr.predict(three), std::exp(-0.5 * 9) + std::exp(-0.5 * 14) + 1.5);
  EXPECT_EQ(svr.predict(one), std::exp(-0.5 * 5) + std::exp(-0.5 * 0.0) + 1.5);
}

TEST(Svr, LinesOfTheHeadStandInAnyOrder) {
  const Svr svr = Svr::parse("rho 2\ntotal_sv 1\ngamma 1\nkernel_type rbf\nsvm_type nu_svr\nSV\r\n3 1:0\r\n");
  const double x[] = {0};
  EXPECT_EQ(svr.predict(x), 1);
}

TEST(Svr, SaysWhatIsWrong) {
  const std::string good = kHead + "2 1:1 2:3 \n-4 2:1 \n";
  Svr::parse(good);
  vq::test::GoldenTexts golden("models/svr_refusals.txt");
  golden.add_refusals(ErrorKind::kInput, {""}, Svr::parse);
  const std::pair<const char*, const char*> changes[] = {{"nu_svr", "c_svc"},
                                                         {"rbf", "linear"},
                                                         {"gamma 0.5\n", ""},
                                                         {"rho -1.5\n", ""},
                                                         {"total_sv 2\n", ""},
                                                         {"total_sv 2", "total_sv 3"},
                                                         {"total_sv 2", "total_sv 1"},
                                                         {"total_sv 2", "total_sv 99999999999"},
                                                         {"gamma 0.5", "gamma nan"},
                                                         {"1:1 2:3", "2:1 1:3"},
                                                         {"1:1", "0:1"},
                                                         {"1:1", "65:1"},
                                                         {"1:1", "1;1"}};
  for (const auto& change : changes) {
    golden.add_refusal(std::string(change.first) + " -> " + change.second, ErrorKind::kInput,
                       [&] { Svr::parse(replaced(good, change.first, change.second)); });
  }
}

}  // namespace
}  // namespace vq::model
