// swift-format-ignore-file
// A stand-in for Network, see Tests/AppleStandIns/README.md. Nothing here runs.
public import AppleFoundation

public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

public struct NWPath: Equatable, Sendable {
    public enum Status: Equatable, Sendable { case satisfied, unsatisfied, requiresConnection }

    public var status: Status { fatalError() }
    public var isConstrained: Bool { fatalError() }
    public var isExpensive: Bool { fatalError() }
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { fatalError() }
}

public final class NWPathMonitor: Sendable {
    public init() { fatalError() }
    public init(requiredInterfaceType: NWInterface.InterfaceType) { fatalError() }
    public var currentPath: NWPath { fatalError() }
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { fatalError() }
        set { fatalError() }
    }
    @preconcurrency public func start(queue: DispatchQueue) { fatalError() }
    public func cancel() { fatalError() }
}

extension NWPathMonitor: AsyncSequence {
    public typealias Element = NWPath
    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async -> NWPath? { fatalError() }
    }
    public func makeAsyncIterator() -> Iterator { fatalError() }
}
