package import Foundation

// Processing of the decoded image.

extension ImageRequest {
    /// The processors applied to the decoded image, in order, after the loader's own. Default: none.
    ///
    /// Each result is cached under the processors that made it and their parameters. Requests that begin with the same
    /// processors share the results of these while they are being loaded. With ``targetSize``, the image is scaled
    /// before it is processed. Previews aren't processed.
    public var processors: [any ImageProcessing] {
        get { processing?.processors ?? [] }
        set {
            let chain = ProcessingChain(newValue)
            switch choices {
            case .none, .processors: choices = chain.map { .processors($0) } ?? .none
            case .options: change(chain)
            }
        }
    }

    /// A separate function, so that a request without other options takes fewer instructions.
    @inline(never) private mutating func change(_ chain: ProcessingChain?) { change { $0.processing = chain } }

    /// The number of image pixels per point of the screen, for ``DecodedImage/scale`` and for processors.
    ///
    /// The pixels don't change. Default: ``ImageScale/factor(_:)`` of 1.
    public var scale: ImageScale {
        get { box?.values.scale ?? .factor(1) }
        set { change { $0.scale = newValue } }
    }

    var processing: ProcessingChain? {
        switch choices {
        case .none: nil
        case .processors(let chain): chain
        case .options(let box): box.values.processing
        }
    }

    /// Whether the processors include the loader's own.
    var hasCommonProcessors: Bool { box?.values.asked != nil }

    /// The request for the input of the last of these processors.
    ///
    /// - Parameter chain: The processors of the request and its loader.
    func forInput(of chain: ProcessingChain) -> ImageRequest {
        var request = self
        request.change {
            if $0.asked == nil { $0.asked = .some($0.processing) }
            $0.processing = chain.input
        }
        return request
    }
}

/// The number of image pixels per point of the screen.
public enum ImageScale: Sendable, Hashable {
    /// A number of pixels in each dimension; greater than 0.
    case factor(Double)
    /// The factor in the URL's last component: 2 for `name@2x.png`, and 1 without such a suffix.
    case fromName

    func validate() throws(ImageLoaderError) {
        guard case .factor(let factor) = self, !(factor > 0 && factor.isFinite) else { return }
        throw .unsupportedConfiguration("a scale of \(factor)")
    }
}

extension URL {
    /// The number from 1 to 9 in a suffix of the name such as "@2x"; nil without one.
    package var scaleInName: Double? {
        let name = deletingPathExtension().lastPathComponent.utf8.suffix(3)
        guard name.count == 3, name.first == UInt8(ascii: "@"), name.last == UInt8(ascii: "x"),
            let digit = name.dropFirst().first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit)
        else { return nil }
        return Double(digit - UInt8(ascii: "0"))
    }
}
