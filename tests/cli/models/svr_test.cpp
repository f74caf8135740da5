// Support vectors: an example to check by hand, and texts that are none.
#include "cli/models/svr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.h"

namespace vq::model {
namespace {

using ::testing::HasSubstr;

const std::string kHead = "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -1.5\nSV\n";

std::string svr_fault(const std::string& text) {
  try {
    Svr::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "none";
}

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
  EXPECT_EQ(svr_fault(good), "none");
  EXPECT_THAT(svr_fault(""), HasSubstr("the line SV is missing"));
  EXPECT_THAT(svr_fault(replaced(good, "nu_svr", "c_svc")), HasSubstr("svm_type is \"c_svc\"; only nu_svr is known"));
  EXPECT_THAT(svr_fault(replaced(good, "rbf", "linear")), HasSubstr("kernel_type is \"linear\""));
  EXPECT_THAT(svr_fault(replaced(good, "gamma 0.5\n", "")), HasSubstr("gamma is missing"));
  EXPECT_THAT(svr_fault(replaced(good, "rho -1.5\n", "")), HasSubstr("rho is missing"));
  EXPECT_THAT(svr_fault(replaced(good, "total_sv 2\n", "")), HasSubstr("total_sv is missing"));
  EXPECT_THAT(svr_fault(replaced(good, "total_sv 2", "total_sv 3")), HasSubstr("there are 2 of 3"));
  EXPECT_THAT(svr_fault(replaced(good, "total_sv 2", "total_sv 1")), HasSubstr("more than 1"));
  EXPECT_THAT(svr_fault(replaced(good, "total_sv 2", "total_sv 99999999999")), HasSubstr("allowed: 1..1000000"));
  EXPECT_THAT(svr_fault(replaced(good, "gamma 0.5", "gamma nan")), HasSubstr("\"nan\" is not a number"));
  EXPECT_THAT(svr_fault(replaced(good, "1:1 2:3", "2:1 1:3")), HasSubstr("do not ascend"));
  EXPECT_THAT(svr_fault(replaced(good, "1:1", "0:1")), HasSubstr("\"0:1\" is no INDEX:VALUE"));
  EXPECT_THAT(svr_fault(replaced(good, "1:1", "65:1")), HasSubstr("\"65:1\" is no INDEX:VALUE"));
  EXPECT_THAT(svr_fault(replaced(good, "1:1", "1;1")), HasSubstr("\"1;1\" is no INDEX:VALUE"));
}

}  // namespace
}  // namespace vq::model
