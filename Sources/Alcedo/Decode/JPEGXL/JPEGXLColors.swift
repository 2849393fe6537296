#if os(Linux) && JPEGXL
import CJxl
import Foundation

/// The colors of the decoded pixels.
struct JPEGXLColors {
    /// The ICC profile; nil for sRGB, and for HDR.
    private(set) var profile: Data?
    private(set) var toneMapping: ToneMapping?

    init() {}

    /// - Parameter decoder: A decoder that has just read the colors of its file.
    init(_ decoder: OpaquePointer, _ info: JxlBasicInfo, _ limits: DecodeLimits) throws(ImageLoaderError) {
        var encoding = JxlColorEncoding()
        // Colors coded in the format's own color space and described by a profile can be converted to any others.
        if info.uses_original_profile == 0, alcedo_jxl_get_colors(decoder, 1, &encoding) == 0 {
            var plain = Self.sRGB(isGray: info.num_color_channels == 1)
            JxlDecoderSetPreferredColorProfile(decoder, &plain)
        }
        if alcedo_jxl_get_colors(decoder, 0, &encoding) != 0 {
            toneMapping = Self.toneMapping(encoding)
            if toneMapping != nil || Self.isSRGB(encoding) { return }
        }
        let count = alcedo_jxl_profile_size(decoder)
        guard count > 0 else { return }
        try limits.check(metadataBytes: count)
        var bytes = [UInt8](repeating: 0, count: count)
        guard alcedo_jxl_get_profile(decoder, &bytes, count) != 0 else { return }
        profile = Data(bytes).profile(of: info.num_color_channels == 1 ? [.gray, .rgb] : [.rgb])
    }

    private static func sRGB(isGray: Bool) -> JxlColorEncoding {
        var encoding = JxlColorEncoding()
        encoding.color_space = isGray ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB
        encoding.white_point = JXL_WHITE_POINT_D65
        encoding.primaries = JXL_PRIMARIES_SRGB
        encoding.transfer_function = JXL_TRANSFER_FUNCTION_SRGB
        encoding.rendering_intent = JXL_RENDERING_INTENT_RELATIVE
        return encoding
    }

    private static func isSRGB(_ encoding: JxlColorEncoding) -> Bool {
        let isGray = encoding.color_space == JXL_COLOR_SPACE_GRAY
        return (isGray || encoding.color_space == JXL_COLOR_SPACE_RGB && encoding.primaries == JXL_PRIMARIES_SRGB)
            && encoding.white_point == JXL_WHITE_POINT_D65 && encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB
    }

    /// The tone mapping; nil unless the colors are PQ or HLG.
    private static func toneMapping(_ encoding: JxlColorEncoding) -> ToneMapping? {
        guard [JXL_TRANSFER_FUNCTION_PQ, JXL_TRANSFER_FUNCTION_HLG].contains(encoding.transfer_function) else {
            return nil
        }
        // The numbers are those of ITU-T H.273, except that the white point of P3 is a separate number.
        var primaries = UInt8(clamping: encoding.primaries.rawValue)
        if encoding.primaries == JXL_PRIMARIES_P3, encoding.white_point == JXL_WHITE_POINT_D65 { primaries = 12 }
        if encoding.primaries == JXL_PRIMARIES_CUSTOM { primaries = 9 }
        if encoding.color_space == JXL_COLOR_SPACE_GRAY { primaries = 1 }
        let transfer = UInt8(clamping: encoding.transfer_function.rawValue)
        return ColorDescription(primaries: primaries, transfer: transfer)?.toneMapping
    }
}
#endif
