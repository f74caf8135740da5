# Sourced after setup.sh: builds, from Debian's sources below build/sources, the libraries of which Debian has no package for Windows, and
# those that an archive brings along. A library is built anew if its version or its switches have changed.

library_packages="dpkg-dev libcli11-dev libffmpeg-nvenc-dev libvulkan-dev meson nasm nlohmann-json3-dev"

# FFmpeg under the LGPL: what reads videos and pictures, the decoders of GPUs, and what writes pictures and overlay videos.
ffmpeg_switches=(--disable-autodetect --enable-zlib --enable-libdav1d --enable-ffnvcodec --enable-cuda --enable-nvdec
  --disable-programs --disable-doc --disable-debug --disable-network --enable-shared --disable-static
  --disable-avdevice --disable-avfilter --disable-swscale --disable-swresample --disable-postproc
  --disable-encoders --disable-decoders --disable-muxers --disable-bsfs --disable-protocols
  --enable-protocol=file,pipe --enable-encoder=ffv1,mpeg4,png --enable-muxer=matroska,mp4)
ffmpeg_linux=(--arch=x86_64 --target-os=linux "--cc=ccache gcc")
ffmpeg_windows=(--arch=x86_64 --target-os=mingw32 --enable-cross-compile --cross-prefix=x86_64-w64-mingw32- --pkg-config=pkg-config
  "--cc=ccache x86_64-w64-mingw32-gcc-posix" --enable-w32threads --enable-d3d11va --enable-dxva2 --extra-ldflags=-static)
dav1d_switches=(--buildtype=release --default-library=static --libdir=lib -Db_staticpic=true
  -Denable_tools=false -Denable_tests=false -Denable_examples=false)
freetype_switches=(-DFT_REQUIRE_ZLIB=ON -DFT_DISABLE_BZIP2=ON -DFT_DISABLE_PNG=ON -DFT_DISABLE_HARFBUZZ=ON -DFT_DISABLE_BROTLI=ON)
highway_switches=(-DBUILD_TESTING=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF)

library_sources="dav1d ffmpeg freetype highway libseccomp musl zlib"

# apt-get with a state of its own, which knows sources as well.
source_apt_get() {
  apt-get -qq -o Dir::State="$PWD/apt" -o Dir::Cache="$PWD/apt" -o Dir::Etc::SourceList="$PWD/apt/sources.list" \
    -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User="$(id -un)" "$@"
}

fetch_library_sources() (
  [ "$(cat build/sources/complete 2>/dev/null)" != "$library_sources" ] || return 0
  say "fetching the sources of libraries"
  rm -rf build/sources
  mkdir -p build/sources/apt/lists/partial build/sources/apt/archives/partial
  cd build/sources
  apt-get indextargets --format '$(LABEL) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$1 == "Debian" { for (i = 1; i <= 2; i++) print (i == 1 ? "deb" : "deb-src"), $2, $3, $4 }' | sort -u >apt/sources.list
  source_apt_get update
  # shellcheck disable=SC2086
  source_apt_get source $library_sources >/dev/null
  rm -rf apt
  echo "$library_sources" >complete
)

# The decoders of pictures: those before the heading of audio.
video_decoders() {
  sed -n '/^\/\* audio codecs \*\//q; s/^extern const FFCodec ff_\(.*\)_decoder;.*/\1/p' "$1/libavcodec/allcodecs.c" | tr '\n' ,
}

# with_cmake SOURCE [argument...]
with_cmake() {
  cmake -G Ninja -S "$1" -B . -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
    -DCMAKE_INSTALL_PREFIX="$root" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    "${toolchain[@]}" "${@:2}" && ninja install
}

# library NAME SOURCE COMMAND [argument...]: runs the command in a folder of its own, unless the library was built so.
library() {
  [ "$(cat "$top/$1.built" 2>/dev/null)" != "$(basename "$2") ${*:3}" ] || return 0
  say "$system: building $1"
  rm -rf "${top:?}/$1" "$top/$1.built"
  mkdir -p "$top/$1"
  (cd "$top/$1" && "${@:3}") >"$top/$1.log" 2>&1 || { tail -n 30 "$top/$1.log" >&2; return 1; }
  rm -rf "${top:?}/$1"
  echo "$(basename "$2") ${*:3}" >"$top/$1.built"
}

# The libraries for Linux find each other side by side.
build_ffmpeg() {
  "$@" --prefix="$root" && LD_RUN_PATH="\$ORIGIN" make -j "$(nproc)" && make install
}

build_dav1d() {
  meson setup . "$@" --prefix="$root" && ninja install
}

build_zlib() {
  cp -r "$1/." . && CC="ccache gcc" CFLAGS="-O2 -fPIC" ./configure --static --prefix="$root" && make install
}

# build_math MUSL OURS: libscoremath.a. musl's own header includes some that Windows lacks, and needs nothing of them.
build_math() {
  compiler=(ccache x86_64-w64-mingw32-gcc-posix -O2 -std=gnu99)
  touch endian.h features.h
  for kind in fused plain; do
    switches=(-ffp-contract=off)
    [ "$kind" = plain ] || switches=(-mfma -mavx2 -ffp-contract=fast)
    for name in exp log log2 pow __{exp,log,log2,pow_log}_data __math_{divzero,invalid,oflow,uflow,xflow}; do
      switches+=("-D$name=${name}_$kind")
    done
    for name in {exp,log,log2,pow}{,_data} __math_{divzero,invalid,oflow,uflow,xflow}; do
      "${compiler[@]}" "${switches[@]}" -Dhidden= -I. -I"$1/src/internal" -I"$1/arch/generic" -c "$1/src/math/$name.c" \
        -o "${name}_$kind.o" || return 1
    done
  done
  "${compiler[@]}" -ffp-contract=off -c "$2" -o chosen.o && x86_64-w64-mingw32-ar rcs "$root/lib/libscoremath.a" ./*.o
}

# build_libraries linux|windows: makes build/SYSTEM/root.
build_libraries() (
  system=$1 top=$PWD/build/$1 root=$PWD/build/$1/root sources=$PWD/build/sources
  fetch_library_sources
  mkdir -p "$root/include" "$root/share/cmake"
  toolchain=() cross=()
  export PKG_CONFIG_LIBDIR=$root/lib/pkgconfig
  if [ "$system" = windows ]; then
    toolchain=(--toolchain "$PWD/.ci/windows.cmake")
    cross=(--cross-file "$PWD/.ci/windows.ini")
    # Headers are the same everywhere; with their times, else all is compiled again. The compiler's own zlib is found where it comes
    # before that of a DLL.
    cp -rp /usr/include/{CLI,nlohmann,vulkan,vk_video,ffnvcodec} /usr/x86_64-w64-mingw32/include/z{lib,conf}.h "$root/include"
    cp -r /usr/share/cmake/{CLI11,nlohmann_json} "$root/share/cmake"
    mkdir -p "$root/lib/pkgconfig"
    cp /usr/x86_64-w64-mingw32/lib/libz.a "$root/lib"
    sed "s|/usr/x86_64-w64-mingw32|$root|" /usr/x86_64-w64-mingw32/lib/pkgconfig/zlib.pc >"$root/lib/pkgconfig/zlib.pc"
    sed "s|^prefix=.*|prefix=$root|" /usr/share/pkgconfig/ffnvcodec.pc >"$root/lib/pkgconfig/ffnvcodec.pc"
    library math "$sources"/musl-* build_math "$sources"/musl-* "$PWD/.ci/windows_math.c"
    library googletest /usr/src/googletest with_cmake /usr/src/googletest
  else
    library zlib "$sources"/zlib-* build_zlib "$sources"/zlib-*
    PKG_CONFIG_LIBDIR=$PKG_CONFIG_LIBDIR:/usr/share/pkgconfig
  fi
  library highway "$sources"/highway-* with_cmake "$sources"/highway-* "${highway_switches[@]}"
  library freetype "$sources"/freetype-* with_cmake "$sources"/freetype-* "${freetype_switches[@]}" \
    -DZLIB_LIBRARY="$root/lib/libz.a" -DZLIB_INCLUDE_DIR="$root/include"
  library dav1d "$sources"/dav1d-* build_dav1d "$sources"/dav1d-* "${cross[@]}" "${dav1d_switches[@]}"
  local -n switches_here=ffmpeg_$system
  library ffmpeg "$sources"/ffmpeg-* build_ffmpeg "$sources"/ffmpeg-*/configure "${ffmpeg_switches[@]}" "${switches_here[@]}" \
    "--enable-decoder=$(video_decoders "$sources"/ffmpeg-*)av1,libdav1d"
)
