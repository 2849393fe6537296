#!/bin/sh
# Prints which share of the lines of Sources/Alcedo the tests have executed, and the files below it.
#
# usage: coverage.sh TEST-PROGRAM PROFILE PERCENT
# Exits with status 1 if the share is below PERCENT. Files for other systems aren't counted, because they have no code
# here.
set -eu
program=$1 profile=$2 required=$3
root=$(cd "$(dirname "$0")/.." && pwd)
tool=$(command -v llvm-cov || echo "$(dirname "$(command -v swift)")/llvm-cov")

# The summary of a file: its name, regions (3 columns), functions (3), lines, missed lines, ...
"$tool" report "$program" -instr-profile="$profile" "$root/Sources/Alcedo" 2>/dev/null |
    awk -v required="$required" '
        /\.swift / {
            lines += $8; missed += $9
            if ($8 > 0 && 100 * ($8 - $9) / $8 < required)
                low[++count] = sprintf("%4d of %4d lines missed  %s", $9, $8, $1)
        }
        END {
            if (lines == 0) { print "The report has no lines."; exit 1 }
            for (i = 1; i <= count; i++) print low[i] | "sort -rn"
            close("sort -rn")
            share = 100 * (lines - missed) / lines
            printf "Executed: %.1f %% of %d lines in Sources/Alcedo. Required: %d %%.\n", share, lines, required
            exit share < required
        }'
