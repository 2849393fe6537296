import Alcedo
import Foundation

/// Error messages for people.
enum ErrorText {
    static func of(_ error: any Error) -> String {
        if let error = error as? ImageLoaderError { return of(error) }
        guard error is CocoaError || error is POSIXError else { return "\(error)" }
        // Foundation describes a failed write only by a number; the underlying system error has the reason.
        let outer = error as NSError
        if outer.domain == NSPOSIXErrorDomain { return of(systemCode: Int32(truncatingIfNeeded: outer.code)) }
        guard let cause = outer.userInfo[NSUnderlyingErrorKey] as? any Error else { return outer.localizedDescription }
        let inner = cause as NSError
        guard inner.domain == NSPOSIXErrorDomain else { return outer.localizedDescription }
        return of(systemCode: Int32(truncatingIfNeeded: inner.code))
    }

    /// Describes an error, without the secrets of URLs, and with the option that helps.
    static func of(_ error: ImageLoaderError) -> String {
        switch error {
        case .invalidURL(let text, let reason):
            "\(ImageLoaderError.invalidURL(ShownText.of(url: text), reason: ShownText.of(reason)))"
        case .limitExceeded(.imagePixels, _, _), .limitExceeded(.bitmapBytes, _, _):
            "\(error); --max-pixels raises the limit"
        default: ShownText.of("\(error)")
        }
    }

    static func of(systemCode code: Int32) -> String { String(cString: strerror(code)) }
}
