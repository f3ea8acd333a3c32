/// An interceptor or a transport that needs no task of its own to be ended: all it waits for ends with the call.
///
/// It waits for nothing, or registers what it waits for with the call's `stopSignal`. A transport keeps the attempt's
/// limit too. Where a whole chain is like that, a call runs in its caller's task, which saves two tasks and two hops
/// between threads.
protocol EndsWithCall {}
