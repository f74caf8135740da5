// What a comparison keeps if one of its files cannot be written.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/bad_input.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

TEST(KeptRanking, TheFilesThatCanBeWrittenAreKeptAsParts) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/r.json", csv = folder.path() + "/r.csv";
  const ProgramResult run = run_program({"compare", clip("static_640x360_8b.mp4"), clip("sky_640x360_8b.mp4"),
                                         "-o", out, "-o", csv, "--html", "/dev/full", "--quiet"});
  EXPECT_EQ(run.code, 5) << run.err;
  for (const std::string& path : {out, csv}) {
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path + ".partial")) << path;
  }
  EXPECT_EQ(nlohmann::json::parse(read_file(out + ".partial")).at("runs").size(), 2U);
}

}  // namespace
}  // namespace vq::cli::test
