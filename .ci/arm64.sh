# Sourced by ./check after setup.sh: what it needs to build for aarch64 and to run that in an emulator. The
# libraries come from Debian's arm64 packages, unpacked below build/arm64, so that the system needs no second
# architecture.

arm64_packages="g++-aarch64-linux-gnu qemu-user"
arm64_libraries="libc6-dev libhwy-dev libgtest-dev libgmock-dev libavformat-dev libavcodec-dev libavutil-dev
  libcli11-dev nlohmann-json3-dev libfreetype-dev libvulkan-dev zlib1g-dev"

# apt-get with a state of its own, in which arm64 is the only architecture and nothing is installed.
arm64_apt_get() {
  apt-get -qq -o Dir::State="$PWD/build/arm64/apt" -o Dir::State::status=/dev/null \
    -o Dir::Cache="$PWD/build/arm64/apt" -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
    -o APT::Sandbox::User="$(id -un)" "$@"
}

# Makes build/arm64/root, about 300 MB.
unpack_arm64_libraries() {
  [ ! -f build/arm64/complete ] || return 0
  say "arm64: fetching libraries"
  rm -rf build/arm64
  mkdir -p build/arm64/apt/lists/partial build/arm64/apt/archives/partial build/arm64/root/usr/lib
  ln -s usr/lib build/arm64/root/lib
  arm64_apt_get update
  # shellcheck disable=SC2086
  arm64_apt_get install --download-only --no-install-recommends -y $arm64_libraries >/dev/null
  for package in build/arm64/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
      tar -x --keep-directory-symlink --exclude=./usr/share/doc --exclude=./usr/share/locale -C build/arm64/root
  done
  rm -rf build/arm64/apt
  touch build/arm64/complete
}

# In an emulator: CPU PROGRAM [argument...]
emulator=(qemu-aarch64 -L build/arm64/root -cpu)

# emulated INSTRUCTION_SETS CPU: all unit tests on a CPU that must turn out to have these instruction sets, best first. Not the
# paces of backends: they measure for as long as takes a CPU milliseconds and the emulator minutes.
emulated() {
  part "arm64, $1: testing"
  "${emulator[@]}" "$2" build/arm64/release/cambi features | grep -q ": $1\$" || { echo "qemu shows another CPU" >&2; return 1; }
  GTEST_FILTER="-BackendPace.*" sharded "${emulator[@]}" "$2" build/arm64/release/unit_tests
}
