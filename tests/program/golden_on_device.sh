#!/bin/sh
# Runs golden_on_device over the clips: golden_on_device.sh PROGRAM ROOT GOLDEN [its flags]. If BAD_DEVICE is the path of the layer
# failing_vulkan, it runs 20 times on a device as bad as Vulkan allows, by each seed in another way, with half of the cases.
set -eu
program=$1
root=$2
golden=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=$(echo " $*" | sed -n 's/.* \(--most [0-9]*\).*/\1/p')
[ "$golden" = cambi ] || flags="$flags --chroma"
cd "$root/testdata"
clips=$(grep -Eo '[a-z0-9_]+[.](mp4|mkv|webm)' "golden/$golden.json" | sort -u | sed 's,^,clips/,')
# shellcheck disable=SC2086
samples=$("$root/tests/program/decode_luma.sh" $flags "$folder" $clips)
run() {
  # shellcheck disable=SC2086
  "$program" "$@" "golden/$golden.json" $samples
}
if [ -z "${BAD_DEVICE:-}" ]; then
  run "$@"
  exit
fi
cat > "$folder/failing.json" <<END
{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_CAMBI_failing", "type": "GLOBAL", "library_path": "$BAD_DEVICE",
"api_version": "1.3.0", "implementation_version": "1", "description": "computes badly"}}
END
export VK_LAYER_PATH="$folder" VK_INSTANCE_LAYERS=VK_LAYER_CAMBI_failing
for seed in $(seq 20); do
  export CAMBI_VULKAN_FLOATS="legal:$seed"
  run "$@" --part $((seed % 2))/2
done
