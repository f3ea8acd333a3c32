import Foundation

/// The texts about the network in one language.
///
/// ```swift
/// var texts = NetworkTexts.spanish
/// texts.disconnected = "Estás sin conexión"
/// let state = await NetworkState(networkMonitor: monitor, offlineQueue: queue, texts: texts)
/// ```
public struct NetworkTexts: Sendable {
    /// The text for a missing link.
    public var disconnected: String
    /// The text for a link over which no target can be reached.
    public var unreachable: String
    /// The text for a network that requires a login.
    public var requiresLogin: String
    /// A closure that returns the text for a number of entries that are being sent, which is at least 1.
    public var syncing: @Sendable (Int) -> String

    /// Creates the texts of a language.
    public init(
        disconnected: String,
        unreachable: String,
        requiresLogin: String,
        syncing: @escaping @Sendable (Int) -> String
    ) {
        self.disconnected = disconnected
        self.unreachable = unreachable
        self.requiresLogin = requiresLogin
        self.syncing = syncing
    }

    /// The English texts.
    public static let english = NetworkTexts(
        disconnected: "No connection. Changes will be sent when you are back online.",
        unreachable: "The server cannot be reached. Changes will be sent when it can.",
        requiresLogin: "This network requires you to log in.",
        syncing: { $0 == 1 ? "Sending 1 change…" : "Sending \($0) changes…" }
    )

    /// The Spanish texts.
    public static let spanish = NetworkTexts(
        disconnected: "Sin conexión. Los cambios se enviarán cuando vuelva.",
        unreachable: "No se puede contactar con el servidor. Los cambios se enviarán cuando responda.",
        requiresLogin: "Esta red pide que inicies sesión.",
        syncing: { $0 == 1 ? "Enviando 1 cambio…" : "Enviando \($0) cambios…" }
    )

    /// Returns the texts in the first language that is available, or the English texts.
    public static func preferred(_ languages: [String] = Locale.preferredLanguages) -> NetworkTexts {
        for language in languages {
            switch language.lowercased().prefix(while: { $0.isLetter }) {
            case "es": return .spanish
            case "en": return .english
            default: continue
            }
        }
        return .english
    }

    /// Returns the text for a status, or `nil` if there is a network.
    public func banner(for status: NetworkStatus) -> String? {
        switch status.condition {
        case .connected: nil
        case .requiresLogin: requiresLogin
        case .unreachable: unreachable
        default: disconnected
        }
    }
}
