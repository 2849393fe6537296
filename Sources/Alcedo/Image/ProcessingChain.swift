/// The processors that make an image, in order; at least one. An object, so that keys that have one are small.
package final class ProcessingChain: Sendable {
    package let processors: [any ImageProcessing]
    /// Of all processors, in this process.
    private let identity: ProcessorIdentity
    let hash: UInt64

    /// Nil for none.
    package init?(_ processors: [any ImageProcessing]) {
        guard !processors.isEmpty else { return nil }
        var identity = ProcessorIdentity()
        // A span, because an array would copy each one.
        let span = processors.span
        for index in span.indices { span[index].identifyWithType(in: &identity) }
        hash = identity.makeHash()
        self.identity = identity
        // Stored last, so that it is moved here.
        self.processors = processors
    }

    /// What the last processor is given; nil if that is the decoded image.
    var input: ProcessingChain? { ProcessingChain(Array(processors.dropLast())) }

    /// This chain after another one.
    func after(_ first: ProcessingChain?) -> ProcessingChain {
        guard let first else { return self }
        return ProcessingChain(first.processors + processors) ?? self
    }

    package func validate() throws(ImageLoaderError) {
        for processor in processors { try processor.validate() }
    }

    /// Distinguishes the chain from others in all processes that run the same program.
    var text: String { processors.map(\.text).joined(separator: " | ") }
}

extension ProcessingChain: Hashable {
    package static func == (one: ProcessingChain, other: ProcessingChain) -> Bool {
        one === other || one.hash == other.hash && one.identity.isSame(as: other.identity)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension ImageProcessing {
    // A function of the protocol, because each use of a value of unknown type copies it.
    fileprivate func identifyWithType(in identity: inout ProcessorIdentity) {
        identity.add(type(of: self))
        identify(in: &identity)
    }

    /// The type and the parameters. The name that the compiler gives a type is unlike that of every other type of the
    /// program, which the name in the source isn't.
    fileprivate var text: String {
        var identity = ProcessorIdentity()
        identify(in: &identity)
        let parameters = identity.words.map { String($0, radix: 16) }.joined(separator: ".")
        return (_mangledTypeName(type(of: self)) ?? String(reflecting: type(of: self))) + " " + parameters
    }
}
