// swift-format-ignore-file
// A stand-in for Foundation, under this name because the toolchain has one of that name, see
// Tests/AppleStandIns/README.md. Nothing here runs.
@_exported import AppleSystem
