import Alcedo
import Foundation

/// What is run with each input.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, apng, gif, webp, avif, bmp, ico, preview, metadata
    #if HEIC
    case heic
    #endif
    #if TIFF
    case tiff
    #endif
    #if JPEGXL
    case jxl
    #endif

    /// The one that ALCEDO_FUZZ_TARGET names.
    static let current: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["ALCEDO_FUZZ_TARGET"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            print("ALCEDO_FUZZ_TARGET is \"\(name)\", and should be one of \(allCases.map(\.rawValue))")
            exit(1)
        }
        return target
    }()

    func run(_ input: Data) {
        switch self {
        case .jpeg: DecoderRun(JPEGDecoder()).run(input)
        case .png: DecoderRun(PNGDecoder()).run(PNGRepair.mended(input, renumbering: false))
        case .apng: DecoderRun(PNGDecoder()).run(PNGRepair.mended(input, renumbering: true))
        case .gif: DecoderRun(GIFDecoder()).run(input)
        case .webp: DecoderRun(WebPDecoder()).run(input)
        case .avif: DecoderRun(AVIFDecoder()).run(input)
        case .bmp: DecoderRun(BMPDecoder()).run(input)
        case .ico: DecoderRun(ICODecoder()).run(input)
        #if HEIC
        case .heic: DecoderRun(HEICDecoder()).run(input)
        #endif
        #if TIFF
        case .tiff: DecoderRun(TIFFDecoder()).run(input)
        #endif
        #if JPEGXL
        case .jxl: DecoderRun(JPEGXLDecoder()).run(input)
        #endif
        case .preview: PreviewRun.run(input)
        case .metadata: MetadataRun.run(input)
        }
    }
}
