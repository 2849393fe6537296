import Foundation

/// The blocks of metadata in a file, as they are stored there.
///
/// Each block is a part of the file's bytes, or of a copy. Blocks longer than ``DecodeLimits/metadataBytes`` are left
/// out.
struct MetadataBlocks {
    /// A TIFF file, which may be the image itself.
    var exif: Data?
    var xmp: Data?
    /// The rest of XMP that didn't fit into one segment of a JPEG.
    var extendedXMP: Data?
    /// Records of IPTC-IIM.
    var iptc: Data?

    /// The properties of both parts of the XMP.
    var packet: XMPPacket {
        var packet = xmp.map { XMPPacket($0.span) } ?? XMPPacket()
        if let extendedXMP { packet.merge(XMPPacket(extendedXMP.span)) }
        return packet
    }
}

extension ImageMetadata {
    /// Reads all blocks. If several contain the same value, EXIF takes precedence over XMP, and XMP over IPTC-IIM.
    init(_ blocks: MetadataBlocks, _ packet: XMPPacket) {
        self.init()
        if let exif = blocks.exif { fill(exif: exif.span) }
        fill(packet)
        if let iptc = blocks.iptc { fill(iptc: iptc.span) }
    }
}
