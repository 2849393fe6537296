#!/bin/sh
# Runs the fuzzer on each of the targets: FUZZ_SECONDS for each. It begins with its own files and those of the folders
# in ALCEDO_CORPUS.
# What it found on its way is kept for the next run, and an input that breaks something in `found`.
set -eu
program=$1
work=$2
corpora=$(echo "${ALCEDO_CORPUS:-}" | tr : ' ')
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:quarantine_size_mb=32}"
# Larger files are slow, and have nothing that smaller ones have not.
most=40000

mkdir -p "$work/found"
ALCEDO_FUZZ_SEEDS="$work/seeds" "$program"
failed=""
# The formats of traits that are off by default, where these are built.
others=""
case ",${ALCEDO_FUZZ_TRAITS:-}," in *,HEIC,*) others="$others heic" ;; esac
case ",${ALCEDO_FUZZ_TRAITS:-}," in *,TIFF,*) others="$others tiff" ;; esac
case ",${ALCEDO_FUZZ_TRAITS:-}," in *,JPEGXL,*) others="$others jxl" ;; esac
for target in ${FUZZ_TARGETS:-jpeg png apng gif webp avif bmp ico$others preview metadata}; do
    mkdir -p "$work/$target" "$work/seeds/$target"
    case $target in
        preview) formats="jpeg png webp jxl" ;;
        metadata) formats="metadata jpeg png webp heic avif tiff jxl" ;;
        png) formats="png apng cgbi" ;;
        *) formats=$target ;;
    esac
    for corpus in $corpora; do
        for format in $formats; do
            [ ! -d "$corpus/images/$format" ] ||
                find "$corpus/images/$format" -type f -size "-${most}c" -exec cp {} "$work/seeds/$target/" \;
        done
    done
    echo "== $target, ${FUZZ_SECONDS:-300} s"
    # A single block of 64 MB is out of all proportion to the limits of the run.
    ALCEDO_FUZZ_TARGET=$target "$program" "$work/$target" "$work/seeds/$target" \
        -max_total_time="${FUZZ_SECONDS:-300}" -max_len=$most -timeout=60 -report_slow_units=60 -rss_limit_mb=1024 -malloc_limit_mb=64 \
        -artifact_prefix="$work/found/$target-" -print_final_stats=1 >"$work/$target.log" 2>&1 || failed="$failed $target"
    grep -E 'INITED|DONE|ERROR: |SUMMARY|Test unit written|executed_units|peak_rss' "$work/$target.log" || true
done
[ -z "$failed" ] || { echo "found something:$failed; see $work/found and $work/<target>.log" >&2; exit 1; }
