// swift-format-ignore-file
// A stand-in for Darwin, see Tests/AppleStandIns/README.md. Nothing here runs.
@_exported import AppleSystem
