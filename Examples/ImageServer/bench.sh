#!/bin/sh
# Measures the server with photos from a local nginx, and kills it under load. Needs nginx, wrk and python3.
# usage: bench.sh FOLDER-OF-JPEGS [cold] [full-size] [warm] [kill]    (all parts by default)
# PAGE=FILE writes the tables to a page, such as Docs/Benchmarks/image-server.md.
# Each part takes SECONDS_PER_PART, 20 by default, and `kill` takes KILL_SECONDS, 300 by default.
#
# To compare cold requests with other services, in turn, set THUMBOR to the program `thumbor`, PYVIPS_PYTHON to a Python
# that has pyvips and aiohttp, and ROUNDS to an odd number of turns:
#   python3 -m venv peers && peers/bin/pip install thumbor pyvips aiohttp
#   THUMBOR=peers/bin/thumbor PYVIPS_PYTHON=peers/bin/python ROUNDS=5 SECONDS_PER_PART=50 bench.sh FOLDER cold
set -eu
folder="$(cd "$(dirname "$0")" && pwd)"
build="${BUILD:-$folder/.build}"
swift build -c release --package-path "$folder" --scratch-path "$build" >&2
exec python3 "$folder/bench.py" "$build/release" "$@"
