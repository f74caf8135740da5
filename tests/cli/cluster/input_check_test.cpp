// What of a planned file is looked at again before its shards are scored.
#include "cli/cluster/input_check.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

namespace fs = std::filesystem;

class InputCheck : public testing::Test {
 protected:
  InputCheck() {
    write_file(path_, std::string(kBytes, 'a'));
    planned_ = look_at_file(path_);
  }
  // As `cp --preserve` of another file of the same length would leave it.
  void change(size_t at) const {
    const fs::file_time_type time = fs::last_write_time(path_);
    std::string bytes(kBytes, 'a');
    bytes[at] = 'b';
    write_file(path_, bytes);
    fs::last_write_time(path_, time);
  }
  void refused(std::initializer_list<std::string_view> parts = {}) const {
    vq::test::expect_error(ErrorKind::kInput, parts, [this] { check_unchanged(planned_); });
  }

  static constexpr size_t kBytes = 1 << 20;
  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/a.mkv";
  PlannedFile planned_;
};

TEST_F(InputCheck, TakesAFileThatIsAsItWas) {
  check_unchanged(planned_);
}

// Containers have their index at either end.
TEST_F(InputCheck, LooksAtBothEndsOfAFileWhoseTimeIsTheSame) {
  for (const size_t at : {size_t{0}, size_t{1000}, kBytes - 1000, kBytes - 1}) {
    SCOPED_TRACE(at);
    change(at);
    refused();
  }
}

TEST_F(InputCheck, LooksAtTimeAndLength) {
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::hours(1));
  refused();
  write_file(path_, std::string(kBytes + 1, 'a'));
  refused({"1048577", "1048576"});
}

}  // namespace
}  // namespace vq::cli::test
