#!/bin/sh
# Runs golden_on_device.sh on a device as bad as Vulkan allows, by each of 20 seeds in another way:
# golden_on_bad_device.sh LAYER PROGRAM ROOT GOLDEN.
set -eu
layer=$1
shift
layers=$(mktemp -d)
trap 'rm -rf "$layers"' EXIT
cat > "$layers/failing.json" <<END
{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_CAMBI_failing", "type": "GLOBAL", "library_path": "$layer",
"api_version": "1.3.0", "implementation_version": "1", "description": "computes badly"}}
END
export VK_LAYER_PATH="$layers" VK_INSTANCE_LAYERS=VK_LAYER_CAMBI_failing
for seed in $(seq 20); do
  CAMBI_VULKAN_FLOATS=legal:$seed "$(dirname "$0")/golden_on_device.sh" "$@" --backends vulkan --most 130000 --part $((seed % 2))/2
done
