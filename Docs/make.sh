#!/bin/sh
# Makes the reference pages of the library and its test kit into .build/docs. Warnings, such as links that lead nowhere,
# are errors.
#
# The compiler writes down the public symbols of both modules while it builds them. From these and the articles, docc
# makes one archive for each module, and one site with a root page of the two. The build has a folder of its own, so the
# ordinary one remains as it is.
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
    "$swift" build --quiet --target AlcedoTestSupport --scratch-path "$build" \
        -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$symbols" \
        -Xswiftc -symbol-graph-minimum-access-level -Xswiftc public \
        -Xswiftc -symbol-graph-skip-synthesized-members
}

make_symbols
if [ ! -f "$symbols/Alcedo.symbols.json" ] || [ ! -f "$symbols/AlcedoTestSupport.symbols.json" ]; then
    # The files are written when the modules are compiled, and they were compiled before.
    rm -rf "$build"
    make_symbols
fi

# The pages of a module, in an archive of their own.
make_archive() {
    rm -rf "$build/$1.symbols" "$build/$1.doccarchive"
    mkdir "$build/$1.symbols"
    cp "$symbols/$1.symbols.json" "$build/$1.symbols"
    $docc convert "Docs/$1.docc" \
        --additional-symbol-graph-dir "$build/$1.symbols" \
        --fallback-display-name "$1" --fallback-bundle-identifier "alcedo.$1" \
        --transform-for-static-hosting \
        --warnings-as-errors \
        --output-path "$build/$1.doccarchive"
}

make_archive Alcedo
make_archive AlcedoTestSupport

rm -rf "$pages"
$docc merge "$build/Alcedo.doccarchive" "$build/AlcedoTestSupport.doccarchive" \
    --synthesized-landing-page-name Alcedo --output-path "$pages"

echo "The pages are in $pages. They need a web server:"
echo "  python3 -m http.server --directory .build/docs"
echo "and then http://localhost:8000/documentation"
