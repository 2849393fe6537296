#!/bin/sh
# Measures the server with photos from a local nginx, and kills it under load. Needs nginx, wrk and python3.
# usage: bench.sh FOLDER-OF-JPEGS [cold] [full-size] [warm] [kill]    (all parts by default)
# Each part takes SECONDS_PER_PART, 20 by default, and `kill` takes KILL_SECONDS, 300 by default.
set -eu
folder="$(cd "$(dirname "$0")" && pwd)"
build="${BUILD:-$folder/.build}"
swift build -c release --package-path "$folder" --scratch-path "$build" >&2
exec python3 "$folder/bench.py" "$build/release" "$@"
