import Alcedo

/// The parsed options of `alcedo load`.
struct LoadOptions: Equatable {
    /// URLs and paths.
    var texts: [String]
    var outputDirectory: String?
    var overwrites: Bool
    /// Whether servers may choose the names of saved files.
    var usesRemoteNames: Bool
    /// The size that images are scaled down to.
    var size: PixelSize?
    /// The part of an image that is kept; nil to scale it as a whole.
    var crop: CropAnchor?
    /// The part of an image that is loaded; nil for the whole image.
    var region: PixelRectangle?
    /// The name of the format in which images are saved; nil for each image's own format.
    var format: String?
    var encoding: EncodingOptions
    var sheetFile: OutputFile?
    var timeline: TimelineFile?
    var printsJSON: Bool
    var isQuiet: Bool
    var cache: CacheAccess
    var network: NetworkOptions
    var decoding: DecodeOptions

    init(_ arguments: [String]) throws(UsageError) {
        let given = try Arguments(CommandTable.load, arguments)
        texts = given.operands
        if texts.isEmpty { throw given.refusal("no URL") }
        outputDirectory = given.value("--output")
        overwrites = given.has("--force")
        usesRemoteNames = given.has("--remote-names")
        size = try given.size("--resize")
        crop = try Self.crop(given)
        region = try given.region("--region")
        format = given.value("--format")
        encoding = try EncodingOptions(given)
        sheetFile = OutputFile("--sheet", given)
        timeline = try TimelineFile(given)
        if let sheetFile, let timeline, sheetFile.isSame(as: timeline.file) {
            throw given.refusal("--sheet and --timeline name the same file: \(sheetFile.path)")
        }
        printsJSON = given.has("--json")
        isQuiet = try given.isQuiet()
        cache = try CacheAccess(given)
        network = try NetworkOptions(given)
        decoding = try DecodeOptions(given)
        if crop != nil, size == nil { throw given.refusal("--crop needs --resize") }
        if format != nil, outputDirectory == nil { throw given.refusal("--format needs --output") }
        if usesRemoteNames {
            if outputDirectory == nil { throw given.refusal("--remote-names needs --output") }
            // A server must not choose the file to overwrite.
            if overwrites { throw given.refusal("--remote-names and --force can't be used together") }
        }
        try given.requireOutput("--output", "--sheet", "--timeline")
    }

    /// Whether images are scaled down or cropped.
    var reducesImages: Bool { size != nil || region != nil }

    /// Whether the ending of a saved file is that of the original's name, and not of its format.
    var keepsEndings: Bool { format == nil && !reducesImages }

    private static func crop(_ given: Arguments) throws(UsageError) -> CropAnchor? {
        guard let name = given.value("--crop") else { return nil }
        if name == "attention" { return .attention }
        guard let place = PixelAnchor(rawValue: name) else {
            throw given.refusal("--crop must be attention, or a place such as center: \(name)")
        }
        return .place(place)
    }
}
