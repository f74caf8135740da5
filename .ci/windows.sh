# Sourced by ./check after setup.sh: what it needs to build the libraries for Windows and to run their tests in
# Wine. Debian has no packages of what they are built with, so that is built from its sources, below build/windows.

windows_packages="g++-mingw-w64-x86-64-posix wine wine64 googletest dpkg-dev"
windows_top=$PWD/build/windows

# apt-get with a state of its own, which knows sources as well.
windows_apt_get() {
  apt-get -qq -o Dir::State="$windows_top/apt" -o Dir::Cache="$windows_top/apt" \
    -o Dir::Etc::SourceList="$windows_top/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Sandbox::User="$(id -un)" "$@"
}

# build_for_windows NAME SOURCE [cmake arguments]: installs it below build/windows/root.
build_for_windows() {
  name=$1
  source=$2
  shift 2
  cmake -G Ninja -S "$source" -B "$windows_top/$name" --toolchain "$PWD/.ci/windows.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_INSTALL_PREFIX="$windows_top/root" -DBUILD_SHARED_LIBS=OFF "$@" >/dev/null
  ninja -C "$windows_top/$name" install >/dev/null
}

# Makes build/windows/root.
build_windows_libraries() {
  [ ! -f "$windows_top/complete" ] || return 0
  say "windows: building libraries"
  rm -rf "$windows_top"
  mkdir -p "$windows_top/apt/lists/partial" "$windows_top/apt/archives/partial" "$windows_top/root"
  apt-get indextargets --format '$(LABEL) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$1 == "Debian" { for (i = 1; i <= 2; i++) print (i == 1 ? "deb" : "deb-src"), $2, $3, $4 }' |
    sort -u >"$windows_top/apt/sources.list"
  windows_apt_get update
  (
    cd "$windows_top"
    windows_apt_get source highway >/dev/null
    windows_apt_get download nlohmann-json3-dev
    dpkg-deb --fsys-tarfile nlohmann-json3-dev_*.deb |
      tar -x --strip-components=2 -C root ./usr/include ./usr/share/cmake
  )
  build_for_windows highway "$(echo "$windows_top"/highway-*/)" -DBUILD_TESTING=OFF -DHWY_ENABLE_EXAMPLES=OFF \
    -DHWY_ENABLE_CONTRIB=OFF
  build_for_windows googletest /usr/src/googletest
  rm -rf "$windows_top/apt"
  touch "$windows_top/complete"
}

# in_wine PROGRAM [argument...]: says nothing but what the program says.
in_wine() {
  WINEPREFIX="$windows_top/wine" WINEARCH=win64 WINEDEBUG=-all wine "$@" 2>"$windows_top/wine.log" || {
    cat "$windows_top/wine.log" >&2
    return 1
  }
}
