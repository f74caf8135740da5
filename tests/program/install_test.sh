#!/bin/sh
# Installs into a folder of its own by ./install, and uses what is there: install_test.sh SOURCE_FOLDER
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix"
unset LD_LIBRARY_PATH

fail() {
  echo "install_test: $*" >&2
  exit 1
}

(cd "$work" && "$source/install" "a prefix" >log 2>&1) || { cat "$work/log"; fail "it does not install"; }
grep -qxF "installed: $prefix/bin/cambi" "$work/log" || fail "it does not say where"
"$prefix/bin/cambi" "$source/testdata/clips/sky_640x360_8b.mp4" -q -o "$work/report.json" || fail "the program does not run"
grep -q '"pooled_metrics"' "$work/report.json" || fail "it writes no report"
[ "$("$prefix/bin/vmaf" --version 2>&1)" = "$("$prefix/bin/cambi" --version)" ] || fail "there is no vmaf beside it"
"$prefix/bin/cambi-bench" --help >"$work/help" || fail "the benchmark does not run"
cat >"$work/user.c" <<'END'
#include <cambi/cambi.h>
#include <stdio.h>
int main(void) { return puts(cambi_version()) < 0; }
END
pkgconfig=$(dirname "$(find "$prefix/lib" -name cambi.pc)")
cc "$work/user.c" -o "$work/user" -I "$prefix/include" -L "$pkgconfig/.." -Wl,-rpath,"$pkgconfig/.." -lcambi || fail "nothing links with the library"
[ "cambi $("$work/user")" = "$("$prefix/bin/cambi" --version)" ] || fail "the library has another version"
"$source/install" /dev/null >"$work/log" 2>&1 && fail "it installs into a device"
grep -q '/dev/null' "$work/log" || fail "it does not say what fails"
echo "install_test: $(find "$prefix" -type f | wc -l) files"
