# The part of check.sh that compares what the code uses of Swift's own modules with the oldest systems of the package,
# with `check.sh --availability`.
#
# The toolchain has the interfaces of these modules as text, with the versions of Apple's systems that have each
# declaration. In copies, what is too new becomes deprecated, and warnings are errors. The compiler builds the modules
# of the copies once, which takes a minute. Foundation's modules have no such text.

# The version that Package.swift sets for a system: oldest macOS.
oldest() { sed -n "s/^ *platforms:.*\.$1(\.v\([0-9]*\)).*/\1/p" Package.swift; }

# Copies the compiler's resources, as links, but for the interfaces. The steps after this one use them.
copy_resources() {
    original=$("$swift" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    resources=$build/resources
    rm -rf "$resources"
    cp -Rs "$original" "$resources"
    for module in Swift _Concurrency Synchronization Observation _StringProcessing RegexBuilder; do
        folder=linux/$module.swiftmodule
        rm -r "$resources/$folder"
        mkdir "$resources/$folder"
        for interface in "$original/$folder"/*.swiftinterface; do
            case $interface in
            *.private.swiftinterface) ;;
            *) deprecate_new "$interface" > "$resources/$folder/${interface##*/}" ;;
            esac
        done
    done
    for module in Swift _Concurrency; do
        grep -qs 'message: "needs macOS' "$resources/linux/$module.swiftmodule"/* && continue
        echo "apple-check: the interface of $module in $original names no system that is too new" >&2
        exit 1
    done
    # The compiler doesn't notice that an interface among its resources has changed.
    cache=$build/modules-$(cat "$resources"/linux/*.swiftmodule/*.swiftinterface | cksum | cut -d ' ' -f 1)
    [ -d "$cache" ] || rm -rf "$build"/modules-*
    compiler_options="-resource-dir $resources -module-cache-path $cache"
}

# A conformance becomes unavailable, so that calls that don't need it are resolved without it, as on the old systems.
deprecate_new() {
    awk -v macos="$(oldest macOS)" -v ios="$(oldest iOS)" '
        {
            rest = $0
            line = ""
            kind = "deprecated"
            if (rest ~ /^@available\([^)]*\)$/ && (getline following) > 0) {
                if (following ~ /^extension [A-Za-z._]+ : / && following !~ /Copyable|Sendable/) kind = "unavailable"
                rest = rest "\n" following
            }
            while (match(rest, /@available\(macOS [^)]*\)/)) {
                mark = substr(rest, RSTART, RLENGTH)
                line = line substr(rest, 1, RSTART - 1)
                rest = substr(rest, RSTART + RLENGTH)
                split(mark, names, /macOS |iOS /)
                if (names[2] + 0 > macos || names[3] + 0 > ios) {
                    split(names[2], versions, /,/)
                    mark = "@available(*, " kind ", message: \"needs macOS " versions[1] "\")"
                }
                line = line mark
            }
            print line rest
        }' "$1"
}

# What has the versions in its own declaration may use what is as new.
allow_new() { files "$sources" | xargs sed -i 's/@available(macOS [0-9][^)]*)/@available(*, deprecated)/'; }

check_availability() {
    step Alcedo check Alcedo "$sources/Sources/Alcedo" $in_common $traits &
    step Alcedo-declarations declare_module Alcedo "$sources/Sources/Alcedo" "$build/common" $in_common $traits
    step AlcedoTestSupport check AlcedoTestSupport "$sources/Sources/AlcedoTestSupport" $in_common $traits
    step AlcedoTestSupport-declarations \
        declare_module AlcedoTestSupport "$sources/Sources/AlcedoTestSupport" "$build/common" $in_common $traits
    step AlcedoTool check AlcedoTool "$sources/Sources/AlcedoTool" $in_common $traits
    for pass in ios macos; do
        check_views $pass
        check_sample $pass
    done
    wait
}

# Declarations of Swift's library and of its concurrency.
test_availability() {
    breaks Sources/Alcedo/Decode/GIFUnpacker.swift ContiguousArray Array check_unpacker
    breaks Sources/AlcedoUI/System/NetworkWatcher.swift 'Task { ' 'Task.immediate { ' check_views ios
}
