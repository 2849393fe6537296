#!/bin/sh
# Builds a program that depends on this repository by its URL, as programs do, and not by a path: warnings are
# suppressed in such a dependency, and flags that conflict with that stop the build. Takes what is committed.
# usage: by-url.sh [SWIFT]
set -eu
unset ALCEDO_STRICT ALCEDO_ONLY_TESTS
swift="${1:-swift}"
repository="$(cd "$(dirname "$0")/../.." && pwd)"
work="$(mktemp -d)"
# The package manager leaves locks there, and the compiler directories.
export TMPDIR="$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

git clone --quiet "$repository" "$work/Alcedo"
revision="$(git -C "$work/Alcedo" rev-parse HEAD)"

# usage: write_client NAME ARGUMENTS-OF-THE-DEPENDENCY
write_client() {
    mkdir -p "$work/$1/Sources/Client" "$work/$1/Sources/Swift5"
    cat >"$work/$1/Package.swift" <<END
// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "Client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "file://$work/Alcedo", revision: "$revision"$2)],
    targets: [
        .executableTarget(
            name: "Client", dependencies: ["Swift5", .product(name: "Alcedo", package: "Alcedo")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(
            name: "Swift5", dependencies: [.product(name: "Alcedo", package: "Alcedo")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
)
END
    cat >"$work/$1/Sources/Client/Client.swift" <<'END'
import Alcedo
import Foundation
import Swift5

@main
struct Client {
    static func main() async throws {
        // A GIF of one black pixel. Without the codec the format is still recognized.
        let bytes = "R0lGODlhAQABAIAAAAAAAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
        guard let url = URL(string: "data:image/gif;base64," + bytes) else { return }
        do throws(ImageLoaderError) {
            print(try await makeLoader().image(for: url).size)
        } catch {
            print(error)
        }
    }
}
END
    cat >"$work/$1/Sources/Swift5/Swift5.swift" <<'END'
import Alcedo

public func makeLoader() -> ImageLoader {
    var configuration = ImageLoader.Configuration()
    configuration.disk = nil
    return ImageLoader(configuration)
}
END
}

# usage: build_client NAME BUILD-SYSTEM EXPECTED-OUTPUT
build_client() {
    echo "A client by URL: $1, built with $2"
    "$swift" build --quiet --package-path "$work/$1" --scratch-path "$work/$1-$2" --cache-path "$work/cache" \
        --build-system "$2" --product Client
    binaries="$("$swift" build --package-path "$work/$1" --scratch-path "$work/$1-$2" --cache-path "$work/cache" \
        --build-system "$2" --show-bin-path)"
    output="$("$binaries/Client")"
    case "$output" in
    *"$3"*) ;;
    *)
        echo "The client printed \"$output\", which doesn't contain \"$3\"" >&2
        exit 1
        ;;
    esac
    rm -rf "$work/$1-$2"
}

write_client default ''
write_client plain ', traits: []'
# Each way to build and each set of traits once. Apple's systems have GIF without its trait.
build_client default swiftbuild '1 × 1'
if [ "$(uname)" = Darwin ]; then build_client plain native '1 × 1'; else build_client plain native 'gif'; fi
