import Alcedo
import AlcedoTestSupport
import Foundation

extension ScriptedDataLoader.Call {
    /// Answers with a whole body.
    func answer(_ body: Data, _ headers: HTTPHeaders = [:]) {
        respond(headers: headers, expectedBytes: body.count)
        send(body)
        finish()
    }

    /// Answers without a body.
    func answer(status: Int, _ headers: HTTPHeaders = [:]) {
        respond(status: status, headers: headers)
        finish()
    }
}
