#!/bin/sh
# Makes the reference pages of the library into .build/docs. Warnings, such as links that lead nowhere, are errors.
#
# The compiler writes down the public symbols of the module Alcedo while it builds it, and docc makes pages of them and of
# Docs/Alcedo.docc. This build has a folder of its own, so the ordinary one stays as it is.
set -eu
cd "$(dirname "$0")/.."

swift=${1:-swift}
build=$PWD/.build/docs-build
symbols=$build/symbols
pages=$PWD/.build/docs

if [ "$(uname)" = Darwin ]; then
    docc="xcrun docc"
elif [ -x "$(dirname "$(command -v "$swift")")/docc" ]; then
    docc=$(dirname "$(command -v "$swift")")/docc
else
    docc=docc
fi

make_symbols() {
    "$swift" build --quiet --target Alcedo --scratch-path "$build" \
        -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$symbols" \
        -Xswiftc -symbol-graph-minimum-access-level -Xswiftc public \
        -Xswiftc -symbol-graph-skip-synthesized-members
}

make_symbols
if [ ! -f "$symbols/Alcedo.symbols.json" ]; then
    # The file is written when the module is compiled, and it was compiled before.
    rm -rf "$build"
    make_symbols
fi

rm -rf "$pages"
$docc convert Docs/Alcedo.docc \
    --additional-symbol-graph-dir "$symbols" \
    --fallback-display-name Alcedo --fallback-bundle-identifier alcedo.Alcedo \
    --transform-for-static-hosting \
    --warnings-as-errors \
    --output-path "$pages"

echo "The pages are in $pages. They need a web server:"
echo "  python3 -m http.server --directory .build/docs"
echo "and then http://localhost:8000/documentation/alcedo"
