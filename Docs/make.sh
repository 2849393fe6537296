#!/bin/sh
# Makes the reference pages of the library, its views and its test kit into .build/docs. Warnings, such as links that
# lead nowhere, are errors.
#
# The public symbols are read from the ordinary build. From these and the articles, docc makes one archive for each
# module, and one site with a root page of all.
set -eu
cd "$(dirname "$0")/.."

swift=${1:-swift}
build=$PWD/.build/docs-build
pages=$PWD/.build/docs

if [ "$(uname)" = Darwin ]; then
    docc="xcrun docc"
elif [ -x "$(dirname "$(command -v "$swift")")/docc" ]; then
    docc=$(dirname "$(command -v "$swift")")/docc
else
    docc=docc
fi

rm -rf "$build" "$pages"
"$swift" build ${BUILD_OPTIONS-} --quiet --target AlcedoTestSupport
products=$("$swift" build ${BUILD_OPTIONS-} --show-bin-path)
triple=$("$swift" -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
set -- -target "$triple" -I "$products/Modules"
[ "$(uname)" != Darwin ] || set -- "$@" -sdk "$(xcrun --show-sdk-path)"
for map in Sources/C*/module.modulemap Sources/C*/include/module.modulemap "$products"/C*.build/module.modulemap; do
    set -- "$@" -Xcc "-fmodule-map-file=$map"
done

# The pages of a module, in an archive of their own.
make_archive() {
    module=$1
    shift
    mkdir -p "$build/$module.symbols"
    "$swift" symbolgraph-extract "$@" -module-name "$module" -output-dir "$build/$module.symbols" \
        -minimum-access-level public -skip-synthesized-members -skip-inherited-docs
    convert_archive
}

convert_archive() {
    $docc convert "Docs/$module.docc" \
        --additional-symbol-graph-dir "$build/$module.symbols" \
        --fallback-display-name "$module" --fallback-bundle-identifier "alcedo.$module" \
        --transform-for-static-hosting \
        --warnings-as-errors \
        --output-path "$build/$module.doccarchive"
}

make_archive Alcedo "$@"
make_archive AlcedoTestSupport "$@"
# Elsewhere, the views of Apple's systems are empty, and their symbols are read with stand-ins for those systems.
if [ "$(uname)" = Darwin ]; then
    "$swift" build ${BUILD_OPTIONS-} --quiet --target AlcedoUI
    make_archive AlcedoUI "$@"
else
    sh Tests/AppleStandIns/check.sh --symbols "$swift"
    mkdir "$build/AlcedoUI.symbols"
    cp .build/apple-check--symbols/symbols/AlcedoUI*.symbols.json "$build/AlcedoUI.symbols/"
    module=AlcedoUI
    convert_archive
fi

$docc merge "$build/Alcedo.doccarchive" "$build/AlcedoUI.doccarchive" "$build/AlcedoTestSupport.doccarchive" \
    --synthesized-landing-page-name Alcedo --output-path "$pages"

# The page at the root has no contents of its own.
cat >"$pages/index.html" <<'END'
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=documentation/alcedo/">
<title>Alcedo</title>
<a href="documentation/alcedo/">Alcedo</a>
</html>
END

echo "The pages are in $pages. They need a web server:"
echo "  python3 -m http.server --directory .build/docs"
echo "and then http://localhost:8000/"
