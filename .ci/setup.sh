# Sourced by ./run and ./check from the top of the repository: what must be installed, and how the build is configured.

# Packages of Debian 12 and 13. What only the tests need is listed apart.
build_packages="g++ cmake ninja-build ccache pkg-config libavformat-dev libavcodec-dev libavutil-dev libcli11-dev
  nlohmann-json3-dev libhwy-dev libffmpeg-nvenc-dev libfreetype-dev fonts-dejavu-core libseccomp-dev libvulkan-dev zlib1g-dev glslang-tools python3"
test_packages="libgtest-dev libgmock-dev clang libclang-rt-dev meson ffmpeg python3 python3-jsonschema man-db file
  dpkg-dev abigail-tools locales zsh mesa-vulkan-drivers vulkan-validationlayers libvulkan1 spirv-cross
  python3-numpy python3-pip python3-setuptools python3-wheel"

# Over 100 MB each, so only for the tests of the pages in real browsers.
browser_packages="chromium chromium-driver firefox-esr poppler-utils"
# For the types of the Python package, its results as DataFrames, and its installation.
python_packages="mypy python3-pandas python3-venv"
# For tests on a cluster, which they start on this machine.
cluster_packages="slurmctld slurmd slurm-client munge"
# The pages' plotting library: a name, a version and what it must contain. Debian does not package it.
uplot_version=1.6.32
uplot_sha256=19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f

# Rules of accessibility that the pages are held against in tests.
axe_version=4.14.1
axe_sha256=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c

# Lets ccache see through precompiled headers.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# What is not in the cache is compiled without being preprocessed first: the compiler says which files it read.
export CCACHE_DEPEND=1

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
  $sudo apt-get update -qq >&2
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || {
    echo "installing failed" >&2
    exit 1
  }
}

# fetch_uplot required|optional: puts the plotting library into build/npm, with npm. Optional: without npm or network the
# build does without pages.
fetch_uplot() {
  is_intact "build/npm/node_modules/uplot/dist/uPlot.iife.min.js" "$uplot_sha256" && return 0
  if [ "$1" = optional ] && ! command -v npm >/dev/null 2>&1; then
    say "no npm, so no HTML pages (apt-get install npm adds them)"
    return 0
  fi
  fetch_with_npm build/npm "uplot@$uplot_version" dist/uPlot.iife.min.js "$uplot_sha256" && return 0
  say "uplot $uplot_version could not be installed, so no HTML pages"
  [ "$1" = optional ]
}

# Puts what the tests of the pages ask about accessibility into build/npm_tests.
fetch_axe() {
  fetch_with_npm build/npm_tests "axe-core@$axe_version" axe.min.js "$axe_sha256" && return 0
  say "axe-core $axe_version could not be installed"
  return 1
}

# fetch_with_npm FOLDER NAME@VERSION FILE SHA256. The folder is the package's own, as npm removes from it what it was not asked
# for.
fetch_with_npm() {
  file=$1/node_modules/${2%@*}/$3
  is_intact "$file" "$4" && return 0
  command -v npm >/dev/null 2>&1 || require_packages npm
  npm install --prefix "$1" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$2" >/dev/null &&
    is_intact "$file" "$4" && return 0
  rm -rf "$1"
  return 1
}

is_intact() {
  [ -f "$1" ] && printf '%s  %s\n' "$2" "$1" | sha256sum --check --status
}

# configure FOLDER [cmake arguments]
configure() {
  folder=$1
  shift
  cmake -G Ninja -S . -B "$folder" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@" >/dev/null
}
