#!/bin/sh
# Prints a filter for the suites that test what has changed: the suites in changed test files, and for changed sources
# the suites in the folders with the same name.
# usage: changed.sh [COMMIT]    changes since COMMIT; by default uncommitted ones, or those of the last commit
set -eu
cd "$(dirname "$0")/.."
changed="$(git diff --name-only "${1:-HEAD}" && git ls-files --others --exclude-standard)"
[ -n "$changed" ] || changed="$(git diff --name-only HEAD~1)"

suites() {
    find "$@" -name '*.swift' -exec grep -hoE '(struct|class) [A-Za-z0-9]+Tests\b' {} + 2>/dev/null | cut -d' ' -f2
}

{
    echo ArchitectureTests
    echo "$changed" | while read -r file; do
        room="$(echo "$file" | cut -d/ -f3)"
        case "$file" in
        Tests/*.swift) if [ -e "$file" ]; then suites "$file"; fi ;;
        Sources/Alcedo/*/*) for folder in Tests/*/"$room"; do suites "$folder"; done ;;
        Sources/AlcedoTool/*) suites Tests/AlcedoToolTests ;;
        Sources/AlcedoTestSupport/*) suites Tests/AlcedoTestSupportTests ;;
        Sources/AlcedoUI/*) suites Tests/AlcedoUITests ;;
        Sources/CShims/* | Sources/CCodecLoops/*) suites Tests/ImageTests ;;
        Benchmarks/* | Docs/Benchmarks/*) suites Tests/BenchTests ;;
        Docs/* | README.md) suites Tests/DocTests ;;
        esac
    done
} | sort -u | paste -s -d'|' | sed 's/.*/\\.(&)(\\\/|$)/'
