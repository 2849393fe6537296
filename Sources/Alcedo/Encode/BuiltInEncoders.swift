// The defaults of ``AutomaticEncoder``: the most suitable encoders of this build; nil where there is none.

#if canImport(ImageIO) || os(Linux) && JPEG
let builtInOpaqueEncoder: (any ImageEncoding)? = JPEGEncoder()
#else
let builtInOpaqueEncoder: (any ImageEncoding)? = builtInTransparentEncoder
#endif

#if os(Linux) && WebP
let builtInTransparentEncoder: (any ImageEncoding)? = WebPEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = WebPEncoder()
#elseif os(Linux) && PNG
let builtInTransparentEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = PNGEncoder()
#elseif canImport(ImageIO) && GIF
let builtInTransparentEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = GIFEncoder()
#elseif canImport(ImageIO)
let builtInTransparentEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = nil
#elseif GIF
let builtInTransparentEncoder: (any ImageEncoding)? = GIFEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = GIFEncoder()
#else
let builtInTransparentEncoder: (any ImageEncoding)? = nil
let builtInAnimationEncoder: (any AnimationEncoding)? = nil
#endif
