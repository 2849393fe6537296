# The part of check.sh that type-checks all tests, with `check.sh --tests`. It takes some minutes, because the macros of
# Swift Testing do.

test_targets="ImageTests CacheTests DownloadTests LoaderTests ChaosTests AlcedoTestSupportTests AlcedoToolTests
    ConformanceTests DocTests IsolationTests"

copy_tests() {
    for target in TestFixtures Clients $test_targets; do
        cp -R "Tests/$target" "$sources/Tests/"
        conditional="$conditional Tests/$target"
    done
    rewrite "$sources/Tests"
    call_stand_ins "$sources/Tests"
}

# A few at a time. What the tests of the library import is testable, in a folder before that of the other modules.
check_tests() {
    mkdir -p "$build/testable"
    in_tests="-I $build/testable $in_common"
    # Some tests are marked as for newer systems.
    availability=
    declare_testable Alcedo Sources
    declare_testable AlcedoTestSupport Sources
    declare_testable AlcedoTool Sources
    declare_testable TestFixtures Tests
    check_test LoaderTests &
    { check_test TestFixtures; check_test ChaosTests; check_test DocTests; check_test AlcedoToolTests; } &
    check_test CacheTests
    check_test DownloadTests
    check_test ImageTests
    for target in AlcedoTestSupportTests ConformanceTests IsolationTests; do check_test $target; done
    check_clients
    wait
}

declare_testable() {
    step $1-testable declare_module $1 "$sources/$2/$1" "$build/testable" $in_tests $traits -enable-testing
}

check_test() { step $1 check $1 "$sources/Tests/$1" $in_tests $traits; }

# Programs of somebody else's, in other modes of the language.
check_clients() {
    clients=$sources/Tests/Clients
    package="-package-name client"
    step ExtensionTests check ExtensionTests "$clients/Extensions" $in_common $traits
    step MainActorClientTests check MainActorClientTests "$clients/MainActor" $in_common -default-isolation MainActor
    strict="-parse-as-library -swift-version 5 -warnings-as-errors"
    step Swift5ClientTests check Swift5ClientTests "$clients/Swift5" $in_common
}

# A decoder that only Linux has.
test_tests() {
    breaks Tests/ChaosTests/ChaosCaller.swift ImageDecoders.builtIn 'PNGDecoder()' check_test ChaosTests
}
