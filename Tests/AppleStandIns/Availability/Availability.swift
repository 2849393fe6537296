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

extension String.UTF8View {
    @available(*, deprecated, message: "needs macOS 26 and iOS 26; ContiguousArray's doesn't")
    public var span: Span<UInt8> { @_lifetime(borrow self) get { fatalError() } }
}

extension Substring.UTF8View {
    @available(*, deprecated, message: "needs macOS 26 and iOS 26; ContiguousArray's doesn't")
    public var span: Span<UInt8> { @_lifetime(borrow self) get { fatalError() } }
}

extension Task where Failure == Never {
    @available(*, deprecated, message: "needs macOS 26 and iOS 26")
    @discardableResult
    public static func immediate(
        name: String? = nil, priority: TaskPriority? = nil, executorPreference: (any TaskExecutor)? = nil,
        operation: sending @escaping @isolated(any) () async -> Success
    ) -> Task<Success, Never> { fatalError() }
    @available(*, deprecated, message: "needs macOS 26 and iOS 26")
    @discardableResult
    public static func immediateDetached(
        name: String? = nil, priority: TaskPriority? = nil, executorPreference: (any TaskExecutor)? = nil,
        operation: sending @escaping @isolated(any) () async -> Success
    ) -> Task<Success, Never> { fatalError() }
}

extension Task where Failure == any Error {
    @available(*, deprecated, message: "needs macOS 26 and iOS 26")
    @discardableResult
    public static func immediate(
        name: String? = nil, priority: TaskPriority? = nil, executorPreference: (any TaskExecutor)? = nil,
        operation: sending @escaping @isolated(any) () async throws -> Success
    ) -> Task<Success, any Error> { fatalError() }
    @available(*, deprecated, message: "needs macOS 26 and iOS 26")
    @discardableResult
    public static func immediateDetached(
        name: String? = nil, priority: TaskPriority? = nil, executorPreference: (any TaskExecutor)? = nil,
        operation: sending @escaping @isolated(any) () async throws -> Success
    ) -> Task<Success, any Error> { fatalError() }
}
