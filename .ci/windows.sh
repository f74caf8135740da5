# Sourced by ./check and .ci/archive after setup.sh: what it takes to build for Windows, and to run that in Wine.

. .ci/libraries.sh
windows_packages="$library_packages g++-mingw-w64-x86-64-posix googletest libz-mingw-w64-dev wine wine64 xauth xvfb"
windows_top=$PWD/build/windows
export WINEPREFIX="$windows_top/wine" WINEARCH=win64 WINEDEBUG=-all
# Without a screen Wine has no Vulkan, and takes long to say so.
export WINEDLLOVERRIDES=vulkan-1=

# in_wine PROGRAM [argument...]: says nothing but what the program says.
in_wine() {
  wine "$@" 2>"$windows_top/wine.log" || {
    cat "$windows_top/wine.log" >&2
    return 1
  }
}
