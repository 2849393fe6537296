#!/bin/sh
# Builds an app with a widget that depends on this repository by its URL, as Xcode builds it, and runs its UI test in a
# simulator. Takes what is committed. Needs a Mac with Xcode; no Mac has run it yet.
# usage: app-by-url.sh [DESTINATION]
set -eu
unset ALCEDO_STRICT ALCEDO_ONLY_TESTS
clients="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

git clone --quiet "$clients/../.." "$work/Alcedo"
revision="$(git -C "$work/Alcedo" rev-parse HEAD)"
# On hosted machines, the commit may be on no branch, and Xcode fetches branches.
git -C "$work/Alcedo" checkout --quiet -B client
cp -R "$work/Alcedo/Tests/Clients/App" "$work/App"
project="$work/App/Client.xcodeproj"
sed "s|https://example.com/Alcedo|file://$work/Alcedo|; s|0000000000000000000000000000000000000000|$revision|" \
    "$work/Alcedo/Tests/Clients/App/Client.xcodeproj/project.pbxproj" >"$project/project.pbxproj"
xcodebuild test -project "$project" -scheme Client -destination "${1:-platform=iOS Simulator,name=iPhone 17}" \
    -derivedDataPath "$work/derived" -scmProvider system
