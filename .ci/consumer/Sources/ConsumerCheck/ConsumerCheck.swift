import NetKit

/// Uses NetKit as a service and an app do, and reports whether each result is right.
@main
struct ConsumerCheck {
    static func main() async {
        let checks = Checks()
        do {
            try await ServiceChecks(checks: checks).run()
            try await FileChecks(checks: checks).run()
            try await AppChecks(checks: checks).run()
        } catch {
            checks.fail("a check threw", "\(error)")
        }
        print("\(checks.count) checks passed")
    }
}
