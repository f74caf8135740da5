// Every fuzz target on every file of its corpus. Files of past crashes stay there.
#include "tests/fuzz/target.h"
#include "tests/support/paths.h"
#include "tests/support/test.h"

namespace vq::fuzz {
namespace {

class FuzzReplay : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzReplay, NoPromiseIsBroken) {
  const std::filesystem::path folder = std::filesystem::path(testdata("fuzz")) / GetParam().name;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
    // A broken promise aborts: this line says in which file.
    SCOPED_TRACE(entry.path().string());
    GetParam().run({reinterpret_cast<const uint8_t*>(content.data()), content.size()});
    ++files;
  }
  EXPECT_GE(files, 5U);
  GetParam().run({});
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay, ::testing::ValuesIn(targets()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace vq::fuzz
