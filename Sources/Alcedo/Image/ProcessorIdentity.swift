/// The parameters of a processor, by which it is told from others of its type.
///
/// What is added is kept apart by its type and length, so that no two lists of parameters have the same identity.
public struct ProcessorIdentity: Sendable, Hashable {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(64) }

    /// Adds a whole number.
    public mutating func add(_ value: Int) { add(1, UInt64(bitPattern: Int64(value))) }

    /// Adds a number. 0 and -0 differ, as do numbers with different bits.
    public mutating func add(_ value: Double) { add(2, value.bitPattern) }

    /// Adds a truth value.
    public mutating func add(_ value: Bool) { bytes.append(value ? 4 : 3) }

    /// Adds a text.
    public mutating func add(_ value: String) {
        var value = value
        add(5, UInt64(value.utf8.count))
        value.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Adds bytes.
    public mutating func add(_ value: some Collection<UInt8>) {
        add(6, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Adds the case of an enumeration.
    public mutating func add<Value: RawRepresentable<String>>(_ value: Value) { add(value.rawValue) }

    /// Adds a value, or that there is none.
    public mutating func add<Value>(_ value: Value?, _ adding: (inout ProcessorIdentity, Value) -> Void) {
        add(value != nil)
        if let value { adding(&self, value) }
    }

    /// Adds the type of a processor, which is the same only in this process.
    mutating func add(_ type: any ImageProcessing.Type) {
        add(7, UInt64(UInt(bitPattern: ObjectIdentifier(type))))
    }

    /// Ends the parameters of a processor.
    mutating func end() { bytes.append(0) }

    private mutating func add(_ tag: UInt8, _ value: UInt64) {
        bytes.append(tag)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
