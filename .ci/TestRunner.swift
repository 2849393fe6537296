import Testing

@main struct TestRunner {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
