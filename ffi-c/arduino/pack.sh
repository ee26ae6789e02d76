#!/bin/sh
# Makes an Arduino library with the static library for one processor.
#
#   pack.sh FOLDER RUST-TARGET PROCESSOR
#
# PROCESSOR is the build.mcu of the board, such as cortex-m0plus. Further words
# go to cargo. Unverified on hardware.
set -eu
if [ $# -lt 3 ]; then
    echo "usage: $0 FOLDER RUST-TARGET PROCESSOR [WORDS OF CARGO]..." >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
target=$2
processor=$3
shift 3
mkdir -p "$folder/src/$processor"
folder=$(cd "$folder" && pwd)
build=${AGENTMOTE_CARGO_FOLDER:-"$folder/build"}
cargo build --release --locked --manifest-path "$here/../library/Cargo.toml" \
    --config "$here/../library/.cargo/config.toml" \
    --target "$target" --target-dir "$build" "$@"
cp "$here/library.properties" "$folder/"
cp "$here/../../include/agentmote.h" "$folder/src/"
cp "$build/$target/release/libagentmote.a" "$folder/src/$processor/"
rm -rf "$folder/build"
