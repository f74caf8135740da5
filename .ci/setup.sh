# Sourced by ./run and ./check from the top of the repository: what must be installed, and how the build is configured.

# Debian 12's packages. What only the tests need is listed apart.
build_packages="g++ cmake ninja-build ccache pkg-config libavformat-dev libavcodec-dev libavutil-dev libcli11-dev
  nlohmann-json3-dev libhwy-dev libvulkan-dev glslang-tools"
test_packages="libgtest-dev libgmock-dev clang meson ffmpeg python3 python3-jsonschema
  mesa-vulkan-drivers vulkan-validationlayers libvulkan1"

say() { printf '== %s\n' "$*"; }

# Installs those of the packages that are missing, or lists them and stops where that is not possible.
require_packages() {
  missing=""
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
      sudo="sudo"
    else
      printf 'These packages are missing, and installing them needs root:\n  apt-get install%s\n' "$missing" >&2
      exit 1
    fi
  fi
  say "installing:$missing"
  $sudo apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# configure FOLDER [cmake arguments]: once; ninja configures again by itself where the build files changed.
configure() {
  folder=$1
  shift
  [ -f "$folder/build.ninja" ] || cmake -G Ninja -S . -B "$folder" "$@" >/dev/null
}
