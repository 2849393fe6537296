extension ImageRequest {
    /// Throws if it is known in advance that the request can't be loaded.
    package func validate() throws(ImageLoaderError) {
        if let size = targetSize, size.width < 1 || size.height < 1 {
            throw .unsupportedConfiguration("a target size of \(size) pixels")
        }
        if let region, region.x < 0 || region.y < 0 || region.size.width < 1 || region.size.height < 1 {
            throw .unsupportedConfiguration("a region of \(region)")
        }
        if !cropAnchor.isValid { throw .unsupportedConfiguration("a crop with \(cropAnchor.text)") }
        if let deadline, deadline <= .zero { throw .unsupportedConfiguration("a deadline of \(deadline)") }
        try transfer?.validate()
        try variant.processing?.validate()
        try scale.validate()
        if let cacheKey, !ResourceKey.isCacheKey(cacheKey) {
            throw .unsupportedConfiguration("the cache key \(cacheKey.debugDescription)")
        }
        if (credentials ?? url?.credentials)?.user.utf8.contains(UInt8(ascii: ":")) == true {
            throw .unsupportedConfiguration("a colon in the user name, where Basic authentication ends it")
        }
        if case .url(let url) = source { try url.validate() }
    }
}

extension ParsedURL {
    /// Throws unless this is a URL that can be loaded.
    func validate() throws(ImageLoaderError) {
        guard scheme == .unusable else { return }
        do throws(URLFault) {
            _ = try ParsedURL(text)
        } catch {
            throw ImageLoaderError(error, of: text)
        }
    }

    /// Throws unless this is an http or https URL.
    func requireWeb() throws(ImageLoaderError) {
        try validate()
        if !isWeb { throw .unsupportedScheme(scheme.rawValue) }
    }
}

extension ImageLoaderError {
    /// - Parameter text: The URL that can't be loaded.
    init(_ fault: URLFault, of text: String) {
        self =
            switch fault {
            case .scheme(let name): .unsupportedScheme(name)
            case .text(let reason): .invalidURL(text, reason: reason)
            }
    }
}
