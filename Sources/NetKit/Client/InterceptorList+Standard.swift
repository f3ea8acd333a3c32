extension InterceptorList {
    /// The interceptors of a client by default: retry of what may be repeated, three attempts, with a budget of its own.
    ///
    /// Each use makes a new list, so that two clients share nothing.
    public static var standard: InterceptorList { [RetryInterceptor()] }
}
