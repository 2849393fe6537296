/// At least one processor, applied in order. It is an object, so that keys that contain it are small.
package final class ProcessingChain: Sendable {
    package let processors: [any ImageProcessing]
    /// The identity of all processors, valid in this process.
    private let identity: ProcessorIdentity
    var hash: UInt64 { identity.hash }

    /// Returns nil if there are no processors.
    package init?(_ processors: [any ImageProcessing]) {
        guard !processors.isEmpty else { return nil }
        var identity = ProcessorIdentity()
        processors.identify(in: &identity)
        self.identity = identity
        // Stored last, so that the array is moved instead of copied.
        self.processors = processors
    }

    /// The chain of all processors but the last; nil if the last one's input is the decoded image.
    var input: ProcessingChain? { ProcessingChain(Array(processors.dropLast())) }

    /// Returns the other chain, followed by this one.
    func after(_ first: ProcessingChain?) -> ProcessingChain {
        guard let first else { return self }
        return ProcessingChain(first.processors + processors) ?? self
    }

    package func validate() throws(ImageLoaderError) {
        for processor in processors {
            try processor.validate()
            if processor is any AsyncImageProcessing, processor.animations == .eachFrame {
                throw .invalidProcessor(processor.name, parameter: "animations", value: "eachFrame")
            }
        }
    }

    /// Distinguishes the chain from others in all processes that run the same program. Other processes produce the same
    /// text only if ``isFoundAgain``.
    var text: String { processors.map(\.described.text).joined(separator: " | ") }

    /// Whether other processes produce the same text. False if the type of a processor is private or local, because it
    /// then has no lasting name.
    var isFoundAgain: Bool { processors.allSatisfy(\.described.isFoundAgain) }
}

extension ProcessingChain: Hashable {
    package static func == (one: ProcessingChain, other: ProcessingChain) -> Bool {
        one === other || one.hash == other.hash && one.identity.isSame(as: other.identity)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension [any ImageProcessing] {
    // Separate from the initializer, which owns the array and would copy each element.
    @inline(never) fileprivate func identify(in identity: inout ProcessorIdentity) {
        for index in indices { self[index].identifyWithType(in: &identity) }
    }
}

extension ImageProcessing {
    // A function of the protocol, because each use of an existential value copies it.
    func identifyWithType(in identity: inout ProcessorIdentity) {
        identity.add(dynamicType)
        identify(in: &identity)
    }

    /// The dynamic type of the value. It can differ from `Self` only for objects, and finding it takes longer than
    /// adding two parameters, so values without references skip this.
    private var dynamicType: any ImageProcessing.Type { _isPOD(Self.self) ? Self.self : type(of: self) }

    /// The type and the parameters.
    fileprivate var described: (text: String, isFoundAgain: Bool) {
        var identity = ProcessorIdentity(forDisk: true)
        let name = identity.name(of: dynamicType)
        identify(in: &identity)
        let parameters = identity.words.map { String($0, radix: 16) }.joined(separator: ".")
        return (name + " " + parameters, !identity.isOfProcess)
    }
}
