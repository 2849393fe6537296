/// The verdict on a case.
enum HTTPCacheVerdict: String, Sendable {
    case pass
    case fail
    case optionalFail = "optional_fail"
    case yes
    case no
    /// The exchange wasn't as the case needs it, so that nothing was tested.
    case setupFail = "setup_fail"
    /// A case that this one depends on has another verdict than `pass` and `yes`.
    case dependencyFail = "dependency_fail"
    /// The client sent a request twice.
    case retry
    /// The case doesn't apply.
    case untested

    var isPass: Bool { self == .pass || self == .yes }

    /// The verdict on a case of this kind whose dependencies have passed.
    init(_ kind: HTTPCacheCase.Kind, _ failure: HTTPCacheFailure?) {
        self =
            switch (failure?.kind, kind) {
            case (.retry, _): .retry
            case (.setup, _): .setupFail
            case (nil, .check): .yes
            case (nil, _): .pass
            case (_, .required): .fail
            case (_, .optimal): .optionalFail
            case (_, .check): .no
            }
    }
}

/// The first difference from what a case expects.
struct HTTPCacheFailure: Error, Sendable, Equatable, CustomStringConvertible {
    enum Kind: Sendable {
        /// It says nothing about the cache.
        case setup
        case retry
        case assertion
        /// There was no response.
        case network
    }

    let kind: Kind
    /// Names the request and the difference.
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// The verdict on one case, and the reason unless it has passed.
struct HTTPCacheResult: Sendable {
    let test: HTTPCacheCase
    let verdict: HTTPCacheVerdict
    let message: String?
}
