#!/bin/sh
# Makes the Debian package of a build, and the source package, and checks what is in them: package_test.sh BUILD_FOLDER SOURCE_FOLDER
# Its files are unpacked, not installed: a test leaves the system as it is.
set -eu
build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "package_test: $*" >&2
  exit 1
}

(cd "$build" && cpack -G DEB -B "$work" >"$work/log" 2>&1) || { cat "$work/log"; fail "cpack failed"; }
set -- "$work"/cambi_*_"$(dpkg --print-architecture)".deb
[ $# -eq 1 ] && [ -f "$1" ] || fail "no package, or several: $*"
package=$1

list=$(dpkg-deb --contents "$package")
for file in bin/cambi bin/cambi-bench bin/cambi-submit share/man/man1/cambi.1 share/bash-completion/completions/cambi share/doc/cambi/copyright \
  share/doc/cambi/docs/report.md share/doc/cambi/docs/third-party.md; do
  printf '%s\n' "$list" | grep -q " \./usr/$file\$" || fail "$file is missing"
done
printf '%s\n' "$list" | grep -q " \./usr/share/zsh/.*/_cambi\$" || fail "the completion for zsh is missing"
printf '%s\n' "$list" | awk '{ print $1, $2 }' | grep -v '^[d-]rw[x-]r-[x-]r-[x-] root/root$' &&
  fail "wrong owners or permissions"

# Another package may have a program of this name.
printf '%s\n' "$list" | grep -q " \./usr/bin/vmaf" && fail "usr/bin/vmaf would be written over"
dpkg-deb --info "$package" postinst | grep -q 'update-alternatives --install /usr/bin/vmaf vmaf /usr/bin/cambi' || fail "no alternative for vmaf"
dpkg-deb --info "$package" prerm | grep -q 'update-alternatives --remove vmaf /usr/bin/cambi' || fail "the alternative for vmaf stays"

# Everything the program links against comes from a package that is named, and that can be installed.
depends=$(dpkg-deb --field "$package" Depends)
for library in libavcodec libavformat libavutil libc6 libstdc++6; do
  case $depends in
    *"$library"*) ;;
    *) fail "no dependency on $library: $depends" ;;
  esac
done
apt-get --simulate install "$package" >"$work/log" 2>&1 || { cat "$work/log"; fail "it cannot be installed"; }

dpkg-deb --extract "$package" "$work/root"
cambi=$work/root/usr/bin/cambi
[ "$("$cambi" --version)" = "cambi $(dpkg-deb --field "$package" Version)" ] || fail "the version differs"
"$cambi" "$source/testdata/clips/sky_640x360_8b.mp4" -o "$work/report.json" >"$work/summary" || fail "it does not run"
grep -q '"pooled_metrics"' "$work/report.json" || fail "it writes no report"
grep -q '^metric ' "$work/summary" || fail "it prints no summary"
man --local-file --warnings "$work/root/usr/share/man/man1/cambi.1" >"$work/page" 2>"$work/log" || fail "man cannot show the page"
[ ! -s "$work/log" ] || { cat "$work/log"; fail "man warns of the page"; }
bash -n "$work/root/usr/share/bash-completion/completions/cambi" || fail "the completion for bash is no script"

# The library that takes libvmaf's place does so for the whole system, in a package of its own.
set -- "$work"/libvmaf3-cambi_*.deb
[ $# -eq 1 ] && [ -f "$1" ] || fail "no package of the library, or several: $*"
for field in Provides Conflicts Replaces; do
  case $(dpkg-deb --field "$1" "$field") in
    libvmaf3*", libvmaf-dev"*) ;;
    *) fail "$field of the library: $(dpkg-deb --field "$1" "$field")" ;;
  esac
done
dpkg-deb --info "$1" triggers | grep -q ldconfig || fail "nobody is told of the library"
apt-get --simulate install "$1" >"$work/log" 2>&1 || { cat "$work/log"; fail "the library cannot be installed"; }
dpkg-deb --extract "$1" "$work/library"
libraries=$(dirname "$(find "$work/library/usr/lib" -path '*/cambi/*' -prune -o -name libvmaf.so.3 -print)")
python3 -c "import ctypes, sys; ctypes.CDLL(sys.argv[1]).vmaf_version" "$libraries/libvmaf.so.3" || fail "the library cannot be loaded"
for file in include/libvmaf/libvmaf.h share/doc/libvmaf3-cambi/copyright share/doc/libvmaf3-cambi/models.copyright; do
  [ -f "$work/library/usr/$file" ] || fail "$file is missing"
done
[ "$(PKG_CONFIG_SYSROOT_DIR= PKG_CONFIG_LIBDIR=$libraries/pkgconfig pkg-config --variable=includedir libvmaf)" = /usr/include ] ||
  fail "pkg-config does not find the library's headers"
dpkg-deb --contents "$package" | grep -q libvmaf.so && fail "the library is in both packages"

# The source package has what git has and is itself a source tree, without what a build leaves behind.
(cd "$build" && cpack --config CPackSourceConfig.cmake -B "$work" >"$work/log" 2>&1) || { cat "$work/log"; fail "cpack failed on the sources"; }
sources=$work/cambi-$(dpkg-deb --field "$package" Version)
tar --extract --file "$sources.tar.xz" --directory "$work" || fail "no source package"
cmake -S "$sources" -B "$work/again" -DCAMBI_HTML=OFF >"$work/log" 2>&1 || { cat "$work/log"; fail "the source package cannot be configured"; }
if command -v git >/dev/null && git -C "$source" rev-parse >/dev/null 2>&1; then
  git -C "$source" ls-files --cached --others --exclude-standard | grep -v '^\.gitignore$' | LC_ALL=C sort >"$work/tracked"
  (cd "$sources" && find . -type f | cut -c3- | LC_ALL=C sort) >"$work/packed"
  diff "$work/tracked" "$work/packed" || fail "the source package differs from the tree"
fi
echo "package_test: $(basename "$package") holds, depends on $depends"
