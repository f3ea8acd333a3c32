/// The identity of the call whose request is handed over, such as by a repository to an offline queue.
enum HandedOver {
    @TaskLocal static var identity: RequestIdentity?
}
