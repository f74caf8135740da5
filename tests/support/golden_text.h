// Texts that are reviewed as a whole: what is written, in a file beside the test.
#pragma once

#include <initializer_list>
#include <regex>

#include "core/error.h"
#include "tests/support/paths.h"
#include "tests/support/test.h"

namespace vq::test {

// Fails unless golden/FILE in the folder of tests for this room of the program or the engine has this text;
// `name` is "ROOM/FILE". With CAMBI_UPDATE_GOLDEN=1 in the environment the file is written instead, and the
// test fails all the same: somebody is to read what changed.
inline void expect_golden(const std::string& name, const std::string& text) {
  std::filesystem::path room = testdata("../tests/cli/" + name.substr(0, name.find('/')));
  if (!exists(room)) room = testdata("../tests/engine/" + name.substr(0, name.find('/')));
  const std::filesystem::path path = room / "golden" / name.substr(name.find('/') + 1);
  std::ifstream file(path, std::ios::binary);
  const std::string expected((std::istreambuf_iterator<char>(file)), {});
  if (std::getenv("CAMBI_UPDATE_GOLDEN") != nullptr && expected != text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    ADD_FAILURE() << "wrote " << path;
    return;
  }
  EXPECT_EQ(text, expected) << "differs from " << path << ", which CAMBI_UPDATE_GOLDEN=1 writes anew";
}

// A report in JSON with a line for each member or element of its two outermost levels.
inline std::string in_few_lines(const std::string& json) {
  return std::regex_replace(json, std::regex("\n( {6,}| {4}(?=[}\\]]))"), " ");
}

// Several texts under titles in one file, which is compared at the end of the block.
class GoldenTexts {
 public:
  explicit GoldenTexts(std::string name) : name_(std::move(name)) {}
  ~GoldenTexts() { expect_golden(name_, text_); }
  GoldenTexts& operator=(GoldenTexts&&) = delete;

  void add(std::string_view title, std::string_view text) {
    text_.append("== ").append(title).append("\n").append(text);
    if (!text.ends_with('\n')) text_ += '\n';
  }
  // A line: what was tried, and the message of the error of this kind that it throws.
  void add_refusal(std::string_view what, ErrorKind kind, const std::function<void()>& run) {
    text_.append(printable(what, 200)).append("\n    ");
    try {
      run();
      ADD_FAILURE() << "accepted: " << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      text_.append(error.what());
    }
    text_ += '\n';
  }
  void add_refusals(ErrorKind kind, std::initializer_list<const char*> values,
                    const std::function<void(const char*)>& parse) {
    for (const char* value : values) add_refusal(value, kind, [&] { parse(value); });
  }

 private:
  const std::string name_;
  std::string text_;
};

}  // namespace vq::test
