// A stand-in for availability, see Tests/AppleStandIns/README.md. Nothing here runs.
//
// What Swift's own library has only on systems newer than those that the package is for. Imported into every file, it
// hides the library's declarations, and warnings are errors.

extension Array {
    @available(*, deprecated, message: "needs macOS 26 and iOS 26; ContiguousArray's doesn't")
    public var span: Span<Element> { @_lifetime(borrow self) get { fatalError() } }
    @available(*, deprecated, message: "needs macOS 26 and iOS 26; ContiguousArray's doesn't")
    public var mutableSpan: MutableSpan<Element> { @_lifetime(&self) mutating get { fatalError() } }
}
