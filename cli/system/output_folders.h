// Folders that outputs are written into.
#pragma once

#include <string>

#include "cli/system/signal_cleanup.h"

namespace vq::cli {

// A folder for outputs, made where it is missing. One that was made goes again, also after a second signal,
// unless it is kept or has something in it.
class OutputFolder {
 public:
  // Throws Error{kOutput}.
  explicit OutputFolder(std::string path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::string& path() const { return path_; }
  void keep() { made_ = false; }
  // Keeps other runs waiting that would choose names in it at the same time, as far as the file system can. Waits
  // for them until a signal asks to stop.
  void lock();
  void unlock();

 private:
  const std::string path_;
  int lock_ = -1;
  bool made_ = false;
  SignalCleanup cleanup_;
};

// A hidden folder in another one, for the temporary files of many outputs. It goes with everything in it.
class HiddenFolder {
 public:
  // Throws Error{kOutput}.
  explicit HiddenFolder(const std::string& where);
  ~HiddenFolder();
  HiddenFolder(const HiddenFolder&) = delete;
  HiddenFolder& operator=(const HiddenFolder&) = delete;

  // The path that the next file in it is to have.
  std::string next_file();

 private:
  std::string path_;
  SignalCleanup cleanup_;
  int files_ = 0;
};

}  // namespace vq::cli
