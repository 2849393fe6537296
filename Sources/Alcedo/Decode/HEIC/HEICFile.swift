#if os(Linux) && HEIC
import CHeif
import Foundation

/// A file opened with libheif, which reads the file's bytes while this value exists.
struct HEICFile: ~Copyable {
    private let context: OpaquePointer

    private init(_ context: OpaquePointer) { self.context = context }

    deinit { heif_context_free(context) }

    /// - Parameter bytes: Must outlive the file.
    static func open(_ bytes: UnsafeRawBufferPointer) throws(ImageLoaderError) -> HEICFile {
        guard let context = heif_context_alloc() else { throw noMemory }
        let file = HEICFile(context)
        // Tiles are decoded one after another, because a loader already decodes several images in parallel.
        heif_context_set_max_decoding_threads(context, 0)
        heif_context_set_maximum_image_size_limit(context, 65_535)
        try check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
        return file
    }

    private static var noMemory: ImageLoaderError { .limitExceeded(.bitmapBytes, value: 0, allowed: 0) }

    /// Decodes the primary image or one of its thumbnails, without cropping or turning it.
    func decode(_ picture: HEIFPicture, primary: Int) throws(ImageLoaderError) -> HEICPixels {
        var whole: OpaquePointer?
        try Self.check(heif_context_get_primary_image_handle(context, &whole))
        defer { heif_image_handle_release(whole) }
        guard picture.item != primary else { return try pixels(of: whole, picture) }
        var thumbnail: OpaquePointer?
        try Self.check(heif_image_handle_get_thumbnail(whole, UInt32(clamping: picture.item), &thumbnail))
        defer { heif_image_handle_release(thumbnail) }
        return try pixels(of: thumbnail, picture)
    }

    private func pixels(
        of handle: OpaquePointer?, _ picture: HEIFPicture
    ) throws(ImageLoaderError) -> HEICPixels {
        guard let options = heif_decoding_options_alloc() else { throw Self.noMemory }
        defer { heif_decoding_options_free(options) }
        options.pointee.ignore_transformations = 1
        options.pointee.strict_decoding = 1
        let isDeep = picture.bitsPerSample > 8
        var image: OpaquePointer?
        try Self.check(
            heif_decode_image(
                handle, &image, heif_colorspace_RGB,
                isDeep ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA, options))
        guard let image else { throw .corruptImage(.heic, reason: "no pixels") }
        let pixels = HEICPixels(image)
        guard pixels.size == picture.storedSize else {
            throw .corruptImage(.heic, reason: "\(pixels.size) pixels instead of \(picture.storedSize)")
        }
        return pixels
    }

    private static func check(_ error: heif_error) throws(ImageLoaderError) {
        guard error.code != heif_error_Ok else { return }
        let words = error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)"
        switch error.code {
        case heif_error_Memory_allocation_error: throw noMemory
        case heif_error_Unsupported_feature, heif_error_Unsupported_filetype, heif_error_Plugin_loading_error:
            throw .unsupportedImage(.heic, reason: words)
        default:
            let isCut = error.subcode == heif_suberror_End_of_data
            throw .corruptImage(.heic, reason: isCut ? "ends too early" : words)
        }
    }
}
#endif
