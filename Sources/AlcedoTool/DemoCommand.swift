struct DemoCommand { var console: Console; func run() async -> Int32 { 0 } }
