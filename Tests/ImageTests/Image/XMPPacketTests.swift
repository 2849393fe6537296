import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct XMPPacketTests {
    private func packet(attributes: String = "", _ elements: String = "") -> XMPPacket {
        XMPPacket(ContiguousArray(XMPFixture.packet(attributes: attributes, elements)).span)
    }

    private func title(_ element: String) -> String? { packet("<dc:title>\(element)</dc:title>")["dc:title"] }

    @Test func properties_areElementsOrAttributes() {
        let found = packet(
            attributes: "tiff:Make='Works' tiff:Model=\"AW-1 'II'\"",
            "<xmp:CreatorTool>1.0</xmp:CreatorTool><xmp:Label>unknown</xmp:Label>")
        #expect(found.values == ["tiff:Make": "Works", "tiff:Model": "AW-1 'II'", "xmp:CreatorTool": "1.0"])
    }

    @Test func lists_areJoined_andTheDefaultLanguageCounts() {
        #expect(title("<rdf:Seq><rdf:li>Ada</rdf:li> <rdf:li>Bob</rdf:li></rdf:Seq>") == "Ada; Bob")
        let languages = [("de", "Vogel"), ("x-default", "Bird"), ("fr", "Oiseau")]
        func alternatives(_ count: Int) -> String {
            languages.prefix(count).map { "<rdf:li xml:lang='\($0)'>\($1)</rdf:li>" }.joined()
        }
        #expect(title("<rdf:Alt>\(alternatives(3))</rdf:Alt>") == "Bird")
        #expect(title("<rdf:Alt>\(alternatives(1))</rdf:Alt>") == "Vogel")
        #expect(title("<rdf:Alt></rdf:Alt>") == nil)
    }

    @Test func prefixes_areThoseThatThePacketDeclares() {
        let text = """
            <r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:dc='http://a/'><r:Description
            xmlns:t='http://purl.org/dc/elements/1.1/'><dc:title>no</dc:title><t:title>yes</t:title>
            <rights xmlns='http://purl.org/dc/elements/1.1/'>free</rights><rights>no</rights></r:Description></r:RDF>
            """
        #expect(XMPPacket(ContiguousArray(text.utf8).span).values == ["dc:title": "yes", "dc:rights": "free"])
    }

    @Test func nestedDescriptions_areOtherResources() {
        let inner = "<rdf:Description><dc:title>part</dc:title></rdf:Description>"
        #expect(packet("<xmp:Ingredients>\(inner)</xmp:Ingredients>").values == [:])
    }

    @Test(arguments: [
        ("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"), ("&#65;&#x42;&#x1F426;", "AB🐦"),
        ("<![CDATA[<b> &amp;]]> c", "<b> &amp; c"), ("a<!-- <b> -->b<?c ?>d", "abd"), (" \n a \n ", "a"),
    ])
    func charactersAndReferences_areResolved(_ text: String, _ expected: String) { #expect(title(text) == expected) }

    @Test(arguments: [
        "&bomb;", "&#0;", "&#xD800;", "&#x110000;", "&#99999999999;", "& b", "&amp", "&#+65;", "&;", "a<b/>c", "",
    ])
    func valuesThatCantBeRead_areLeftOut(_ text: String) {
        #expect(packet("<dc:title>\(text)</dc:title><dc:rights>free</dc:rights>").values == ["dc:rights": "free"])
    }

    @Test func parts_areInOrder() {
        let found = packet(
            """
            <C:Directory><rdf:Seq><rdf:li rdf:parseType='Resource'><C:Item Item:Semantic='Primary' Item:Padding='7'/>
            </rdf:li><rdf:li rdf:parseType='Resource'><C:Item><Item:Semantic>MotionPhoto</Item:Semantic>
            <Item:Length>90</Item:Length></C:Item></rdf:li><rdf:li Item:Length='-5'/></rdf:Seq></C:Directory>
            """)
        #expect(
            found.parts == [
                XMPPacket.Part(semantic: "Primary", padding: 7), XMPPacket.Part(semantic: "MotionPhoto", length: 90),
                XMPPacket.Part(),
            ])
    }

    @Test func placesAndFractions_areRead() {
        var found = ImageMetadata()
        found.fill(
            packet(
                attributes: """
                    exif:GPSLatitude='33,30.5S' exif:GPSLongitude='151,15,36E' exif:GPSAltitude='25/2' \
                    exif:GPSAltitudeRef='1' exif:ExposureTime='1/250' exif:FNumber='1/0' exif:FocalLength='nan'
                    """, "<exif:ISOSpeedRatings><rdf:Seq><rdf:li>100</rdf:li></rdf:Seq></exif:ISOSpeedRatings>"))
        #expect(abs((found.location?.latitude ?? 0) + 33.508_333) < 1e-6)
        #expect(found.location?.longitude == 151.26 && found.location?.altitude == -12.5)
        #expect(found.exposure.time == 0.004 && found.exposure.iso == 100)
        #expect(found.exposure.fNumber == nil && found.exposure.focalLength == nil)
        found.fill(packet(attributes: "exif:ExposureTime='2'"))
        #expect(found.exposure.time == 0.004)
    }

    // MARK: Damage

    @Test func documentTypes_endTheSearch() {
        let entities = (0..<20).map { "<!ENTITY e\($0 + 1) \"&e\($0);&e\($0);&e\($0);\">" }.joined()
        for head in ["<!DOCTYPE x [<!ENTITY e0 'x'>\(entities)]>", "<!DOCTYPE x SYSTEM 'file:///etc/passwd'>"] {
            let bytes = ContiguousArray(head.utf8) + XMPFixture.packet("<dc:title>a&e20;</dc:title>")
            #expect(XMPPacket(bytes.span).values == [:])
        }
    }

    @Test func packetsThatEndEarly_areReadUpToThere() {
        let bytes = XMPFixture.packet("<dc:title>a</dc:title><dc:rights>b</dc:rights>")
        for count in 0...bytes.count {
            let found = XMPPacket(ContiguousArray(bytes.prefix(count)).span).values
            #expect([nil, "a"].contains(found["dc:title"]) && [nil, "b"].contains(found["dc:rights"]))
        }
        #expect(packet("<dc:title>a</dc:title></dc:rights><dc:rights>b</dc:rights>").values == ["dc:title": "a"])
    }

    /// Each would take minutes if the work for one piece depended on the number of those before.
    @Test(arguments: [
        "<a>", "<a/>", "<a b='c'/>", "<", "&amp;", "&", "<a xmlns:b='c'>", "<a xmlns:b='c'/>", "<!-- -->", "<!--",
        "<?a", "<![CDATA[]]>", "<![CDATA[", "<rdf:li>a</rdf:li>", "<C:Directory>", "<a b='", " b='c'",
    ])
    func longRepetitions_takeBoundedTime(_ text: String) {
        for start in ["", "<dc:title>", "<dc:title><rdf:Seq>", "<a"] {
            _ = packet(start + String(repeating: text, count: (1 << 17) / text.utf8.count))
        }
    }

    @Test func longTexts_areLeftOut() {
        #expect(title(String(repeating: "a", count: 1 << 16))?.count == 1 << 16)
        #expect(title(String(repeating: "a", count: 1 << 16 + 1)) == nil)
        #expect(title(String(repeating: "a<!-- -->", count: 1 << 16 + 1)) == nil)
    }

    @Test func deepElements_endTheSearch() {
        let deep = String(repeating: "<a>", count: 100)
        #expect(packet("<dc:rights>b</dc:rights>\(deep)").values == ["dc:rights": "b"])
    }
}
