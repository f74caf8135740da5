// Support vectors that would take more memory than any model needs.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "engine/models/svr.h"

namespace vq::model {
namespace {

// Vectors of 64 numbers, of which the text has but the last.
std::string vectors(int count) {
  std::string text =
      "svm_type nu_svr\nkernel_type rbf\ngamma 1\ntotal_sv " + std::to_string(count) + "\nrho 0\nSV\n";
  for (int i = 0; i < count; ++i) text += "1 64:1\n";
  return text;
}

TEST(SvrLimits, ASmallTextDoesNotTakeMuchMemory) {
  constexpr int kMost = (1 << 23) / 64;
  EXPECT_EQ(Svr::parse(vectors(1000)).inputs(), 64U);
  try {
    Svr::parse(vectors(kMost + 1));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
  }
}

}  // namespace
}  // namespace vq::model
