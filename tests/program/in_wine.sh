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
  # The keys on a terminal, which Wine makes an event of Windows' console.
  'Keys/CtrlCTest.*'
)
left_out=(
)

printf '#!/bin/sh\nexec wine "%s" "$@"\n' "$program" >"$scratch/cambi"
chmod +x "$scratch/cambi"
# The server and its services stay while the tests run: each program would start them otherwise, and whoever reads what a program
# writes would wait for the services that it started.
wineserver -p60 </dev/null >/dev/null 2>&1
# A fresh prefix is a Windows 7.
wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f </dev/null >/dev/null 2>&1
join() { local IFS=:; echo "$*"; }
CAMBI_TESTED_PROGRAM=$scratch/cambi "$tests" --gtest_brief=1 --gtest_filter="$(join "${chosen[@]}")-$(join "${left_out[@]}")"
