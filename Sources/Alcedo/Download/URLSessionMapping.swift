import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ResponseHead {
    init(_ response: HTTPURLResponse, fallbackURL: URL) {
        let fields = response.allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return (name, value)
        }
        let headers = HTTPHeaders(fields.sorted { $0.name < $1.name })
        // The announced length is that of the coded body, and next to a transfer coding it means nothing.
        let isPlain = (headers["Content-Encoding"] ?? "identity") == "identity" && headers["Transfer-Encoding"] == nil
        let length = Int(response.expectedContentLength)
        self.init(
            status: response.statusCode, url: response.url ?? fallbackURL, headers: headers,
            expectedBytes: isPlain && length >= 0 ? length : nil)
    }
}

extension ImageLoaderError {
    /// Most failures are the same unknown code on Linux, so curl's text decides where the code does not.
    init(sessionError error: any Error, of sink: ResponseSink) {
        guard let error = error as? URLError else {
            self = .connectionFailed(.other, detail: "\(error)")
            return
        }
        let text = error.localizedDescription
        func mentions(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        self =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut(.idle)
            case .badURL: .invalidURL(error.failingURL?.absoluteString ?? "", reason: text)
            case .cannotFindHost, .dnsLookupFailed: .connectionFailed(.hostNotFound, detail: text)
            case .cannotConnectToHost: .connectionFailed(.refused, detail: text)
            case .networkConnectionLost: .connectionFailed(.lost, detail: text)
            // The scheme was checked before: on Linux this is a response that is not HTTP.
            case .badServerResponse, .cannotParseResponse, .unsupportedURL: .malformedResponse(text)
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
                .connectionFailed(.insecure, detail: text)
            default:
                if mentions("transfer closed") {
                    .truncated(received: sink.received, expected: sink.expected)
                } else if mentions("SSL", "certificate", "TLS") {
                    .connectionFailed(.insecure, detail: text)
                } else if mentions("header", "chunk", "Content-Length", "ncoding", "HTTP") {
                    .malformedResponse(text)
                } else {
                    .connectionFailed(.other, detail: text)
                }
            }
    }
}
