#!/bin/sh
# Uses an archive for Linux in an empty folder that has the C library alone, as root: archive_test.sh ARCHIVE CLIPS REPORT
# REPORT is what another build wrote of the bundled pair, with --precision max; the archive's must hold the same.
set -eu
# What is mounted goes with the process that mounted it.
[ -n "${is_alone:-}" ] || is_alone=yes exec unshare --mount --propagation private "$0" "$@"
archive=$1
clips=$2
expected=$3
work=$(mktemp -d)
trap 'umount -q "$work/root/proc" || true; rm -rf --one-file-system "$work"' EXIT
root=$work/root

fail() {
  echo "archive_test: $*" >&2
  exit 1
}

mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root/clips" "$root/opt"
tar -xf "$archive" -C "$root/opt"
top=/opt/$(ls "$root/opt")
for file in "$root$top"/bin/cambi "$root$top"/bin/cambi-bench $(find "$root$top/lib" -name 'lib*.so.*' -type f); do
  ldd "$file" >"$work/needed" || fail "$file is for another system"
  ! grep "not found" "$work/needed" || fail "$file does not find what it needs"
  grep -o '/[^ ]*' "$work/needed" | grep -v "^$root" | sort -u >"$work/found" || true
  ! grep -Ev '/(ld-linux-x86-64|libc|libm|libdl|librt|libpthread)\.so\.[0-9]$' "$work/found" || fail "$file needs more than the C library"
  # shellcheck disable=SC2046
  cp -L --parents $(cat "$work/found") "$root"
done
cp "$clips"/sky_640x360_8b*.mp4 "$root/clips"
cp "$expected" "$root/expected.json"

in_root() {
  chroot "$root" "$@"
}
mount -t proc proc "$root/proc"  # without it no program finds its own folder
cp -a /dev/null /dev/urandom "$root/dev"
in_root "$top/bin/cambi" -r /clips/sky_640x360_8b_ref.mp4 -d /clips/sky_640x360_8b.mp4 --backend cpu --precision max -q -o /report.json \
  --html /page.html --heatmaps /heat || fail "it does not score"
in_root "$top/bin/cambi" diff --places 17 /expected.json /report.json || fail "the scores differ"
grep -q '</html>' "$root/page.html" || fail "it writes no page"
in_root "$top/bin/cambi" info /clips/sky_640x360_8b.mp4 | grep -q h264 || fail "it does not describe a video"
echo "archive_test: $(basename "$archive") needs $(find "$root" -xdev -name '*.so.*' ! -path "*$top*" -printf '%f ')"
