// swift-format-ignore-file
// A stand-in for Network, see Tests/AppleStandIns/README.md. Nothing here runs.
// network/nwpath
public struct NWPath: Equatable, Sendable {
    public enum Status: Equatable, Sendable { case satisfied, unsatisfied, requiresConnection }

    public var status: Status { fatalError() }
    public var isConstrained: Bool { fatalError() }
    public var isExpensive: Bool { fatalError() }
}

// network/nwpathmonitor
public final class NWPathMonitor: Sendable {
    public init() { fatalError() }
    public func cancel() { fatalError() }
}

extension NWPathMonitor: AsyncSequence {
    public typealias Element = NWPath
    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async -> NWPath? { fatalError() }
    }
    public func makeAsyncIterator() -> Iterator { fatalError() }
}
