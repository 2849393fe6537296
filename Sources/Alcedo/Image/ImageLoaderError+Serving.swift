extension ImageLoaderError {
    /// The HTTP status that a service should send to its client when a load ends with this error.
    ///
    /// - 400, 403, 404, 410, 414: The client asked for something that it can't have: an unusable URL, one that the
    ///   ``NetworkPolicy`` refuses, or one that doesn't exist.
    /// - 413, 415, 422: The source can't be served: it exceeds a limit, isn't in a readable format, or is damaged.
    /// - 502, 504: The source's server failed, or took too long.
    /// - 503: This service can't help at the moment. For ``overloaded(allowed:)``, add a field `Retry-After`.
    /// - 500: Something is wrong with the service itself.
    public var serviceStatus: Int {
        switch self {
        case .cancelled, .closed, .overloaded: 503
        case .invalidURL, .unsupportedScheme, .invalidHeader, .invalidProcessor: 400
        case .destinationRefused: 403
        case .fileUnreadable: 404
        case .badStatus(let status): [404, 410].contains(status) ? status : 502
        case .notCached, .timedOut: 504
        case .connectionFailed, .redirectRefused, .malformedResponse, .truncated, .emptyBody: 502
        case .prepareFailed, .authenticationFailed, .sourceFailed: 502
        case .contentTypeRefused, .notAnImage, .unsupportedFormat, .unsupportedImage: 415
        case .corruptImage: 422
        case .limitExceeded(let limit, _, _): limit.serviceStatus
        case .unsupportedConfiguration, .encodingFailed, .processingFailed, .storeFailed, .unsupportedSelection: 500
        }
    }

    /// One English sentence for a service's client. It contains no hosts, addresses, paths, URLs or messages of other
    /// software: these are in ``description``, which is for the service's log.
    public var serviceText: String {
        switch self {
        case .destinationRefused: "This source isn't allowed."
        case .invalidURL, .unsupportedScheme: "The source is no URL that can be loaded."
        case .invalidHeader, .invalidProcessor: "The request has an option that can't be used."
        case .fileUnreadable: "There is no such source."
        case .badStatus(404), .badStatus(410): "The source doesn't exist."
        case .connectionFailed, .redirectRefused, .badStatus, .malformedResponse, .truncated, .emptyBody:
            "The source couldn't be loaded."
        case .prepareFailed, .authenticationFailed, .sourceFailed: "The source couldn't be loaded."
        case .timedOut: "The source took too long."
        case .notCached: "The image is in no cache."
        case .contentTypeRefused, .notAnImage: "The source is no image."
        case .unsupportedFormat, .unsupportedImage: "The source is an image of a kind that can't be read."
        case .corruptImage: "The source is a damaged image."
        case .limitExceeded: "The source exceeds a limit."
        case .cancelled, .closed, .overloaded: "The service is busy."
        case .unsupportedConfiguration, .encodingFailed, .processingFailed: "The image couldn't be made."
        case .storeFailed, .unsupportedSelection: "The service's cache failed."
        }
    }
}

extension ImageLoaderError.Limit {
    fileprivate var serviceStatus: Int {
        switch self {
        case .inputBytes, .imageSide, .imagePixels, .bitmapBytes, .jpegScans, .metadataBytes, .frames, .animationPixels:
            413
        case .requestBytes: 414
        case .headerBytes, .expansion, .redirects: 502
        case .encodedBytes: 500
        }
    }
}
