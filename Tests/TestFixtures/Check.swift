import Testing

/// `#expect(value == expected)` for a value that a mutating call returns, which the macro doesn't accept.
func check<Value: Equatable>(
    _ value: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, sourceLocation: sourceLocation)
}

/// `#expect` for the inner loop of a long random test: records a failure, and costs nothing otherwise.
func must(
    _ holds: Bool, _ comment: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
    if !holds { Issue.record(Comment(rawValue: comment()), sourceLocation: sourceLocation) }
}
