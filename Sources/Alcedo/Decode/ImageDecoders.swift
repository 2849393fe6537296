package import Foundation

/// stub until the codecs land
public enum ImageDecoders {
    public static var builtIn: [any ImageDecoding] { [] }
    package static func choose(from: [any ImageDecoding], for data: Data) throws(ImageLoaderError) -> any ImageDecoding
    {
        throw .notAnImage(found: "?")
    }
}
