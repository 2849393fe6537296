import Foundation

/// A decoder that can read a file's color profile without its pixels.
protocol ProfileReading {
    func profile(of data: Data, _ header: ImageHeader, _ limits: DecodeLimits) throws(ImageLoaderError) -> Data?
}

/// Decodes the part of a damaged still image that its previews would show if no more bytes arrived.
extension StoredImageDecoding {
    /// Decodes an image, or the part of it that can be decoded if the request asks for that.
    func wholeOrPart(
        of data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        do throws(ImageLoaderError) {
            return try decodeStored(data, header, atLeast: least, request)
        } catch {
            guard case .corruptImage = error, request.damaged == .showWhatIsThere,
                let decoder = self as? any PreviewDecoding
            else { throw error }
            if let part = try decoder.part(of: data, header, request) { return part }
            throw error
        }
    }
}

extension PreviewDecoding {
    /// Decodes the readable part of a damaged image; returns nil if there is none.
    ///
    /// - Throws: ``ImageLoaderError/cancelled``.
    fileprivate func part(
        of data: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage? {
        do throws(ImageLoaderError) {
            var (reader, count) = try read(data, header, request)
            // A reader can't be used after it has met damage, so another one reads the bytes before the damage.
            if count < data.count { (reader, count) = try read(data.prefix(count), header, request) }
            guard let shown = try reader.preview(request.cancellation) else { return nil }
            var image = StoredImage(
                bitmap: shown.bitmap, isOpaque: shown.coverage == 1 && header.hasAlpha == false)
            image.reduction = shown.reduction
            image.profile = try (self as? any ProfileReading)?.profile(of: data, header, request.limits)
            image.isComplete = false
            return image
        } catch {
            if error == .cancelled { throw error }
            return nil
        }
    }

    /// Gives a reader bytes until it can't decode them. Returns the reader and the number of bytes that it could
    /// decode.
    private func read(
        _ data: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> (reader: any PreviewReading, count: Int) {
        let reader = try previewReader(data, header, request)
        // Nothing of the piece that contains the damage is shown.
        let length = min(max(64, data.count / 256), 4_096)
        var count = 0
        while count < data.count {
            try request.cancellation.check()
            let piece = data.dropFirst(count).prefix(length)
            do throws(ImageLoaderError) {
                let bytes = piece.bytes
                try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
                    try reader.append(bytes, request.cancellation)
                }
            } catch {
                guard case .corruptImage = error else { throw error }
                return (reader, count)
            }
            count += piece.count
        }
        return (reader, count)
    }

    /// The memory that ``part(of:_:_:)`` needs; 0 if the limits don't allow it.
    func partBytes(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        guard request.damaged == .showWhatIsThere else { return 0 }
        do throws(ImageLoaderError) { return try previewBytes(header, request) } catch { return 0 }
    }
}
