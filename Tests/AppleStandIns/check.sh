#!/bin/sh
# Type-checks the code for Apple's systems, on any system, against the stand-ins in this folder; see README.md.
#
#   check.sh [swift]              checks everything but most tests
#   check.sh --self-test [swift]  then breaks copies of the sources, and fails unless each break is found
#   check.sh --tests [swift]      checks the other tests, too, and breaks one of them
#   check.sh --symbols [swift]    writes the public symbols of the views, for their reference pages
#   check.sh --availability [swift]  compares uses of Swift's own modules with the oldest systems of the package
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."

mode=
case "${1:-}" in
--*)
    mode=$1
    shift
    ;;
esac
swift=${1:-swift}
stand_ins=$PWD/Tests/AppleStandIns
# Each mode has its own folder, so that several can run.
case $mode in
--tests | --availability | --symbols) build=$PWD/.build/apple-check$mode ;;
*) build=$PWD/.build/apple-check ;;
esac
sources=$build/sources
failed=$build/failed
. "$stand_ins/tests.sh"
. "$stand_ins/availability.sh"
plugins=$("$swift" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/host/plugins

# In the order of their imports. Those of a pass are seen by that pass only.
common="Availability ObjectiveC Security AppleTypes AppleSystem Darwin AppleFoundation CryptoKit CoreGraphics ImageIO QuartzCore os Network Photos"
ios="UIKit MapKit SwiftUI PhotosUI WidgetKit"
macos="AppKit MapKit SwiftUI PhotosUI"
targets="Alcedo AlcedoTestSupport AlcedoTool AlcedoUI"

# As the package sets them.
strict="-parse-as-library -swift-version 6 -warnings-as-errors
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility -enable-upcoming-feature NonisolatedNonsendingByDefault"
package="-package-name alcedo"
# In every file, whether it has an import or not.
availability="-import-module Availability"
traits="-D JPEG -D PNG -D GIF -D BMP -D WebP -D ColorProfiles -D Curl"

compile() { "$swift" -frontend "$@" -plugin-path "$plugins" $compiler_options; }
compiler_options=

# The Swift files of folders.
files() { find "$@" -name '*.swift' | sort; }

# Writes down that a step failed, with its messages, which name the files of the repository.
step() {
    name=$1
    shift
    if ! "$@" > "$build/$name.log" 2>&1; then
        sed "s|$sources/||g; s|$build/||g" "$build/$name.log" >&2
        echo "apple-check: $name failed" >&2
        : > "$failed"
    fi
}

# Copies the sources as Apple's systems would see them: conditions for Linux are false, and Foundation is the stand-in
# of another name, because the toolchain has a module of that name.
copy_sources() {
    rm -rf "$sources" "$build/broken"
    mkdir -p "$sources/Sources" "$sources/Examples" "$sources/Tests" "$sources/Benchmarks"
    for target in $targets; do cp -R "Sources/$target" "$sources/Sources/"; done
    cp -R Examples/Apple "$sources/Examples/"
    cp -R Tests/AlcedoUITests Tests/Clients/App "$sources/Tests/"
    cp -R Benchmarks/bench "$sources/Benchmarks/"
    rewrite "$sources"
    call_stand_ins "$sources/Benchmarks"
    # The benchmarks are for macOS.
    files "$sources/Benchmarks" | xargs sed -i 's/os(macOS)/canImport(Swift)/g'
}

rewrite() {
    files "$@" | xargs sed -i -E '
        s/os\(Linux\)/os(Windows)/g
        s/canImport\((Glibc|Musl|FoundationNetworking|FoundationXML)\)/canImport(Missing)/g
        s/import Foundation$/import AppleFoundation/
        s/\bFoundation\./AppleFoundation./g'
}

# Functions whose calls with literals fit Glibc's, too.
call_stand_ins() { files "$@" | xargs sed -i -E 's/(^|[^.A-Za-z_])(chmod|mkdir|opendir)\(/\1apple_\2(/g'; }

build_stand_ins() {
    for module in $common; do stand_in "$module" "$build/common" -I "$build/common"; done
    for module in $ios; do stand_in "$module" "$build/ios" -I "$build/common" -I "$build/ios"; done
    for module in $macos; do stand_in "$module" "$build/macos" -I "$build/common" -I "$build/macos"; done
    # App extensions have no application, and no program on tvOS can start another one. What is deprecated can be used
    # by what is deprecated, too.
    vary extension "$ios" 's/open class var shared: UIApplication/@available(*, deprecated) &/' -I "$build/common"
    vary tvos "$common" 's/^\(@discardableResult \)\{0,1\}public func posix_spawn/@available(*, unavailable) &/'
}

# Builds stand-ins that a sed command has changed.
vary() {
    variant=$1
    modules=$2
    change=$3
    shift 3
    rm -rf "$build/$variant-sources"
    mkdir "$build/$variant-sources"
    for module in $modules; do cp -R "$stand_ins/$module" "$build/$variant-sources/"; done
    files "$build/$variant-sources" | xargs sed -i "$change"
    ( stand_ins=$build/$variant-sources
      for module in $modules; do stand_in "$module" "$build/$variant" "$@" -I "$build/$variant"; done )
}

stand_in() {
    module=$1
    folder=$2
    shift 2
    compile -emit-module -parse-as-library -swift-version 6 -enable-upcoming-feature MemberImportVisibility \
        -enable-experimental-feature Lifetimes -module-name "$module" "$@" "$stand_ins/$module"/*.swift -o "$folder/$module.swiftmodule"
}

# Checks a target, bodies included.
check() {
    target=$1
    folder=$2
    shift 2
    compile -typecheck $strict $availability $package -module-name "$target" "$@" $(files "$folder")
}

# Makes a target's module for those that import it.
declare_module() {
    target=$1
    folder=$2
    output=$3
    shift 3
    compile -emit-module -experimental-skip-all-function-bodies $strict $package -module-name "$target" "$@" \
        $(files "$folder") -o "$output/$target.swiftmodule"
}

# Compiles the given files of a target until the optimizer would begin, where what depends on the flow is found:
# initialization, and what is sent between isolations.
compile_some() {
    target=$1
    folder=$2
    list=$3
    shift 3
    primary=$(sed 's|.*|-primary-file & -o /dev/null|' "$list")
    compile -emit-sil $strict $availability $package -module-name "$target" "$@" $primary $(files "$folder" | grep -vxFf "$list")
}

# The conditions that name a module of Apple's, as file:line.
conditional="Sources Examples Benchmarks Tests/AlcedoUITests"
apple_conditions='^ *#(if|elseif) .*canImport'
list_conditions() {
    find $conditional -name '*.swift' -exec grep -nE "$apple_conditions" {} + |
        grep -E '[ (]canImport\(' | grep -vE 'canImport\((Glibc|Musl|FoundationNetworking|FoundationXML)\)' |
        cut -d : -f 1,2 | sort
}

# Which of them hold in a pass: in one more copy each is followed by a warning, which the compiler reports if it gets
# there.
mark_conditions() {
    rm -rf "$build/marked"
    mkdir "$build/marked"
    number=0
    cut -d : -f 1 "$build/conditions" | uniq | while read -r file; do
        number=$((number + 1))
        awk -v name="$file" '
            { print }
            /^ *#(if|elseif) .*canImport/ { printf "#warning(\"holds %s:%d\")\n", name, NR }
        ' "$sources/$file" > "$build/marked/$number.swift"
    done
}
holding_conditions() {
    compile -resolve-imports -swift-version 6 -parse-as-library "$@" "$build"/marked/*.swift 2>&1 |
        sed -n 's/.*warning: holds //p'
}

# Everything is a module for iOS or for macOS, or the same for both.
in_common="-I $build/common -I Sources/CResampling/include"
in_ios="-I $build/common -I $build/ios -I Sources/CResampling/include"
in_macos="-I $build/common -I $build/macos -I Sources/CResampling/include"
in_extension="-I $build/common -I $build/extension -I Sources/CResampling/include"
in_tvos="-I $build/tvos -I $build/common -I Sources/CResampling/include"

check_library() {
    # Its bodies take as long as all the rest, which needs no more than its declarations.
    step Alcedo check Alcedo "$sources/Sources/Alcedo" $in_common $traits &
    step Alcedo-declarations declare_module Alcedo "$sources/Sources/Alcedo" "$build/common" $in_common $traits
    check_flow
    step AlcedoTestSupport check AlcedoTestSupport "$sources/Sources/AlcedoTestSupport" $in_common $traits
    step AlcedoTestSupport-declarations \
        declare_module AlcedoTestSupport "$sources/Sources/AlcedoTestSupport" "$build/common" $in_common $traits
    step AlcedoTool check AlcedoTool "$sources/Sources/AlcedoTool" $in_common $traits
    check_viewer
    check_bench
    check_extension
    check_tvos
    for pass in ios macos; do
        check_views $pass
        check_sample $pass
    done
    check_app
}

check_flow() {
    grep -rlE "$apple_conditions" "$sources/Sources/Alcedo" > "$build/list"
    step Alcedo-flow compile_some Alcedo "$sources/Sources/Alcedo" "$build/list" $in_common $traits
    # Some conditions hold without traits only.
    grep -rlE "$apple_conditions.*&& [A-Z]" "$sources/Sources/Alcedo" > "$build/list"
    step Alcedo-without-traits compile_some Alcedo "$sources/Sources/Alcedo" "$build/list" $in_common
}

# The terminal's viewer is an example of a view: it sees only what is public, as a program of somebody else's does.
check_viewer() {
    files "$sources/Sources/AlcedoTool/View" > "$build/list"
    package="-package-name viewer"
    step AlcedoTool-view compile_some AlcedoTool "$sources/Sources/AlcedoTool" "$build/list" $in_common $traits
    package="-package-name alcedo"
}

check_bench() {
    modules=
    for module in CAllocationCounter CCodecLoops CGif; do
        modules="$modules module $module { umbrella \"$PWD/Benchmarks/$module/include\" export * }"
    done
    echo "$modules" > "$build/bench/module.modulemap"
    step bench check bench "$sources/Benchmarks/bench" -I "$build/bench" $in_common $traits
}

# An app extension is linked to the views in whole, so whatever it can't use must say so.
check_extension() {
    cp -R "$sources/Sources/AlcedoUI" "$build/extension-sources/"
    files "$build/extension-sources/AlcedoUI" |
        xargs sed -i 's/@available(iOSApplicationExtension, unavailable)/@available(*, deprecated)/'
    step AlcedoUI-extension check AlcedoUI "$build/extension-sources/AlcedoUI" $in_extension
    rm -r "$build/extension-sources/AlcedoUI"
}

check_tvos() {
    cp -R "$sources/Sources/AlcedoTestSupport" "$build/tvos-sources/"
    files "$build/tvos-sources/AlcedoTestSupport" | xargs sed -i 's/os(tvOS)/canImport(Swift)/g'
    step AlcedoTestSupport-tvos check AlcedoTestSupport "$build/tvos-sources/AlcedoTestSupport" $in_tvos $traits
    rm -r "$build/tvos-sources/AlcedoTestSupport"
}

# The views and the sample in one of the passes.
check_views() {
    [ $1 = ios ] && modules=$in_ios || modules=$in_macos
    files "$sources/Sources/AlcedoUI" > "$build/list"
    step AlcedoUI-$1 compile_some AlcedoUI "$sources/Sources/AlcedoUI" "$build/list" $modules
}

check_sample() {
    [ $1 = ios ] && modules=$in_ios || modules=$in_macos
    step AlcedoUI-$1-declarations declare_module AlcedoUI "$sources/Sources/AlcedoUI" "$build/$1" $modules
    files "$sources/Examples/Apple" > "$build/list"
    # A program of somebody else's: it sees what is public.
    package="-package-name sample"
    step Sample-$1 compile_some Sample "$sources/Examples/Apple" "$build/list" $modules
    package="-package-name alcedo"
    files "$sources/Tests/AlcedoUITests" > "$build/list"
    step AlcedoUITests-$1 compile_some AlcedoUITests "$sources/Tests/AlcedoUITests" "$build/list" $modules
}

# The app that depends on the package by its URL, and its widget.
check_app() {
    package="-package-name app"
    step App check Client "$sources/Tests/App/Client" $in_ios
    step App-widget check Widget "$sources/Tests/App/Widget" $in_ios
    package="-package-name alcedo"
}

check_conditions() {
    list_conditions > "$build/conditions"
    mark_conditions
    holding_conditions $in_ios | sort > "$build/holding-without-traits"
    { holding_conditions $in_ios $traits; holding_conditions $in_macos $traits; cat "$build/holding-without-traits"; } |
        sort -u > "$build/holding"
    check_formats
    comm -23 "$build/conditions" "$build/holding" > "$build/unchecked"
    [ -s "$build/unchecked" ] || return 0
    echo "apple-check: these conditions hold in no pass, so what follows them wasn't checked:" >&2
    sed 's/^/  /' "$build/unchecked" >&2
    : > "$failed"
}

# What needs no library on Linux is there on Apple's systems, whatever the traits.
check_formats() {
    grep -rnE '^#if .*\b(GIF|BMP)\b' Sources | cut -d : -f 1,2 | sort > "$build/formats"
    comm -23 "$build/formats" "$build/holding-without-traits" > "$build/missing"
    [ -s "$build/missing" ] || return 0
    echo "apple-check: without traits these conditions don't hold, so GIF or BMP isn't there:" >&2
    sed 's/^/  /' "$build/missing" >&2
    : > "$failed"
}

# Replaces a word in a copied file, and expects that the steps of a function fail.
breaks() {
    file=$1
    word=$2
    other=$3
    shift 3
    cp "$sources/$file" "$build/saved"
    sed "s/$word/$other/" "$build/saved" > "$sources/$file"
    if cmp -s "$build/saved" "$sources/$file"; then
        echo "apple-check: $file has no $word to replace, so nothing was broken" >&2
        exit 1
    fi
    rm -f "$failed"
    "$@" > "$build/broken.log" 2>&1
    cp "$build/saved" "$sources/$file"
    if [ ! -e "$failed" ]; then
        echo "apple-check: $other in $file wasn't noticed" >&2
        exit 1
    fi
    rm -f "$failed"
}

check_unpacker() {
    echo "$sources/Sources/Alcedo/Decode/GIFUnpacker.swift" > "$build/list"
    step Alcedo-unpacker compile_some Alcedo "$sources/Sources/Alcedo" "$build/list" $in_common $traits
}

check_images() {
    printf '%s\n' "$sources/Sources/Alcedo/Image/SystemImage+CoreGraphics.swift" \
        "$sources/Sources/Alcedo/Decode/ImageIO/ImageIOFile.swift" > "$build/list"
    step Alcedo-images compile_some Alcedo "$sources/Sources/Alcedo" "$build/list" $in_common $traits
}

# Calls a function that breaks copies.
test_itself() {
    cp -R "$sources" "$build/broken"
    sources=$build/broken
    failed=$build/broken-failed
    "$1"
}

# Each kind of mistake that the check is there to find.
test_sources() {
    ui=Sources/AlcedoUI
    # A name and an argument that don't exist.
    breaks Sources/Alcedo/Encode/ImageIOEncoding.swift CGImageDestinationFinalize CGImageDestinationFinish check_flow
    breaks $ui/Binding/ImageTransition.swift transitionCrossDissolve transitionDissolve check_views ios
    breaks $ui/AppKit/NSButton+Alcedo.swift alternateImage otherImage check_views macos
    # An optional as if it were none.
    breaks Sources/Alcedo/Decode/ImageIO/ImageIOFile.swift 'guard let image, ' 'guard ' check_images
    breaks $ui/SwiftUI/Image+Alcedo.swift 'guard let cgImage = image.cgImage else { return nil }' \
        'let cgImage = image.cgImage' check_views macos
    # The main actor's from outside of it.
    breaks $ui/System/AppLifecycle.swift '@MainActor public init' 'public init' check_views ios
    # What several threads use.
    breaks Sources/Alcedo/Image/SystemImage+CoreGraphics.swift 'class SharedPixels: Sendable' 'class SharedPixels' \
        check_images
    # What isn't public, for the sample.
    breaks $ui/SwiftUI/AnimatedRemoteImage.swift 'public init(' 'init(' check_sample macos
    # A modifier that doesn't exist, in the app.
    breaks Tests/App/Client/ClientApp.swift imageLabel pictureLabel check_app
    # What only this package sees, for the viewer.
    breaks Sources/AlcedoTool/View/PictureHashes.swift image.thumbHash 'image.withScale(1).thumbHash' check_viewer
    # What app extensions, tvOS and older systems don't have.
    breaks $ui/System/AppLifecycle.swift '@available(iOSApplicationExtension, unavailable)' '' check_extension
    breaks Sources/AlcedoTestSupport/Server/ChildProcess.swift 'os(tvOS)' 'os(watchOS)' check_tvos
    breaks Sources/Alcedo/Decode/GIFUnpacker.swift ContiguousArray Array check_unpacker
    breaks $ui/System/NetworkWatcher.swift 'Task { ' 'Task.immediate { ' check_views ios
    # A call of macOS without an argument.
    breaks Benchmarks/bench/Platform/Platform+Apple.swift 'PROC_PIDTASKINFO, 0' PROC_PIDTASKINFO check_bench
    # A framework without a stand-in.
    breaks $ui/System/NetworkWatcher.swift 'canImport(Network)' 'canImport(Networks)' check_conditions
}

mkdir -p "$build/common" "$build/ios" "$build/macos" "$build/extension" "$build/tvos" "$build/bench"
rm -f "$failed"
copy_sources
case $mode in
--availability)
    availability=
    copy_resources
    build_stand_ins
    allow_new
    check_availability
    ;;
--symbols)
    # The views' public symbols, for their reference pages.
    build_stand_ins
    step Alcedo-declarations declare_module Alcedo "$sources/Sources/Alcedo" "$build/common" $in_common $traits
    rm -rf "$build/symbols"
    mkdir "$build/symbols"
    step AlcedoUI-symbols declare_module AlcedoUI "$sources/Sources/AlcedoUI" "$build/symbols" $in_ios \
        -emit-symbol-graph -emit-symbol-graph-dir "$build/symbols" -symbol-graph-minimum-access-level public
    [ ! -e "$failed" ] || exit 1
    exit
    ;;
*)
    build_stand_ins
    check_library
    ;;
esac
if [ "$mode" = --tests ]; then
    copy_tests
    check_tests
fi
check_conditions
if [ ! -e "$failed" ]; then
    case $mode in
    --self-test) ( test_itself test_sources ) || { wait; exit 1; } ;;
    --tests) ( test_itself test_tests ) || { wait; exit 1; } ;;
    --availability) ( test_itself test_availability ) || { wait; exit 1; } ;;
    esac
fi
wait
[ ! -e "$failed" ] || exit 1
count() { wc -l | tr -d ' '; }
echo "apple-check: $(count < "$build/conditions") conditions hold," \
    "and $(cut -d : -f 1 "$build/conditions" | uniq | count) files behind them type-check"
[ -z "$mode" ] || echo "apple-check: each mistake made on purpose was found"
