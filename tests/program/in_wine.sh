#!/bin/bash
# in_wine.sh TESTS PROGRAM: tests of the program for Windows, in Wine. They run on Linux and start it by a script, so that there is one set of
# tests for all systems. FFmpeg's DLLs lie beside PROGRAM.
set -euo pipefail
tests=$1
program=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

chosen=(
  # The figures of the reference implementations, on the CPU.
  'Quick/Golden.*'
  # Names, text and bytes, files that are the same or replaced, and pipes.
  'SystemsTest.*'
  # Ctrl-C, which is what Wine makes of the signal.
  'Signals/InterruptTest.OnceKeepsWhatWasScored/INT_*'
)
left_out=(
)

printf '#!/bin/sh\nexec wine "%s" "$@"\n' "$program" >"$scratch/cambi"
chmod +x "$scratch/cambi"
# A fresh prefix is a Windows 7. The server stays while the tests run: each program would start one otherwise.
wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null
wineserver -p60
join() { local IFS=:; echo "$*"; }
CAMBI_TESTED_PROGRAM=$scratch/cambi "$tests" --gtest_brief=1 --gtest_filter="$(join "${chosen[@]}")-$(join "${left_out[@]}")"
