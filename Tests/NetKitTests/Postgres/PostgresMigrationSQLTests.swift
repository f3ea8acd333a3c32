import Foundation
import NetKit
import Testing

@testable import NetKitPostgres

struct PostgresMigrationSQLTests {
    /// Nothing to do would be the wrong answer: no text of this process begins there.
    @Test(arguments: [-1, Schema.latestVersion + 1])
    func namesTheVersionsThatItKnows(version: Int) {
        let error = #expect(throws: NetKitError.self) { try Postgres.migrationSQL(from: version) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("Version \(version) of the schema") == true)
        #expect(error?.message.hasSuffix("to \(Schema.latestVersion).") == true)
    }

    @Test func hasATransactionForEachVersionThatFollows() throws {
        for version in 0...Schema.latestVersion {
            let sql = try Postgres.migrationSQL(from: version)
            let count = sql.components(separatedBy: "BEGIN;\n").count - 1
            #expect(count == Schema.latestVersion - version)
        }
    }
}
