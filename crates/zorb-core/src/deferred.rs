//! Servants that answer later: asynchronous method handling (AMH).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use zorb_base::raises::Raises;
use zorb_cdr::{CdrResult, CdrWriter};
use zorb_poa::DeferredReply;
use zorb_types::SystemException;

/// Writes the results of an operation.
type WriteResults<T> = fn(&mut CdrWriter<'_>, &T) -> CdrResult<()>;

/// The answer that a servant owes to a request: AMH's response handler. `T` and `E` are those of the
/// [`Result`](crate::Result) that the servant's method would otherwise return.
///
/// It can be sent from any thread, after the method has returned, and in any order. Sending neither waits for the client
/// nor fails: if the client has gone, or has cancelled the request, the answer is discarded. Until it is sent, the
/// request counts as running: [`Orb::shutdown`](crate::Orb::shutdown) with `wait`, the destruction of the adapter and the
/// deactivation of the object wait for it.
///
/// If it is dropped instead, the client gets `TRANSIENT`, minor `REPLY_DROPPED`, completed MAYBE; or `UNKNOWN`, minor
/// `SERVANT_PANICKED`, if that happens in a panic.
///
/// ```text
/// fn say_hello(&self, name: &str, response: Response<String>) {
///     let greeting = format!("Hello {name}!");
///     self.pool.execute(move || response.send(Ok(greeting)));
/// }
/// ```
#[doc(alias = "ResponseHandler")]
#[must_use = "dropping it answers the client with TRANSIENT"]
pub struct Response<T, E = SystemException> {
    reply: DeferredReply,
    /// `None` for an operation without results.
    write: Option<WriteResults<T>>,
    error: std::marker::PhantomData<fn(E)>,
}

impl<T, E: Raises> Response<T, E> {
    /// The response of an operation with results.
    #[doc(hidden)]
    pub fn new(reply: DeferredReply, write: WriteResults<T>) -> Self {
        Self { reply, write: Some(write), error: std::marker::PhantomData }
    }

    /// Replies with the results of the operation, or with the exception that it raises. Results that have no encoding are
    /// answered with `MARSHAL` or a similar exception, completed YES.
    pub fn send(self, outcome: Result<T, E>) {
        match self.write {
            Some(write) => self.reply.send(outcome, write),
            None => self.reply.send_without_results(outcome.map(drop)),
        }
    }

    /// Replies with an exception, which may be a user exception of the operation or a system exception.
    pub fn raise(self, exception: impl Into<E>) {
        self.send(Err(exception.into()));
    }
}

impl<E: Raises> Response<(), E> {
    /// The response of an operation without results.
    #[doc(hidden)]
    pub fn without_results(reply: DeferredReply) -> Self {
        Self { reply, write: None, error: std::marker::PhantomData }
    }
}

impl<T, E> fmt::Debug for Response<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("reply", &self.reply).finish_non_exhaustive()
    }
}

/// A servant that answers later: it implements the deferred servant trait of an interface, such as
/// `GreeterDeferredServant`, which the IDL compiler generates on request.
///
/// ```text
/// let greeter: Greeter = orb.root_poa().activate(DeferredServant::new(MyGreeter))?;
/// ```
pub struct DeferredServant<S>(Arc<S>);

impl<S> DeferredServant<S> {
    /// The servant for [`Poa::activate`](crate::poa::Poa::activate).
    pub fn new(servant: S) -> Self {
        Self::shared(Arc::new(servant))
    }

    /// The same for a servant that the program shares.
    pub fn shared(servant: Arc<S>) -> Self {
        Self(servant)
    }

    /// What the program implements.
    pub fn servant(&self) -> &Arc<S> {
        &self.0
    }
}

impl<S> fmt::Debug for DeferredServant<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeferredServant").finish_non_exhaustive()
    }
}

/// A request that a servant with asynchronous methods serves: a future that ends when it is answered.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A servant with asynchronous methods: it implements the asynchronous servant trait of an interface, such as
/// `GreeterAsyncServant`, which the IDL compiler generates on request. Its requests run on an executor of the program's
/// choice.
///
/// ```text
/// let tokio = tokio::runtime::Handle::current();
/// let servant = AsyncServant::new(MyGreeter, move |task| drop(tokio.spawn(task)));
/// let greeter: Greeter = orb.root_poa().activate(servant)?;
/// ```
pub struct AsyncServant<S> {
    servant: Arc<S>,
    spawn: Box<dyn Fn(Task) + Send + Sync>,
}

impl<S> AsyncServant<S> {
    /// The servant for [`Poa::activate`](crate::poa::Poa::activate). `spawn` passes a request to the executor, and must
    /// return at once. If the executor drops a request, its client gets `TRANSIENT`, minor `REPLY_DROPPED`.
    pub fn new(servant: S, spawn: impl Fn(Task) + Send + Sync + 'static) -> Self {
        Self::shared(Arc::new(servant), spawn)
    }

    /// The same for a servant that the program shares.
    pub fn shared(servant: Arc<S>, spawn: impl Fn(Task) + Send + Sync + 'static) -> Self {
        Self { servant, spawn: Box::new(spawn) }
    }

    /// What the program implements.
    pub fn servant(&self) -> &Arc<S> {
        &self.servant
    }

    /// Lets the executor run a method, and send its outcome.
    #[doc(hidden)]
    pub fn run<T, E>(
        &self,
        response: Response<T, E>,
        method: impl Future<Output = Result<T, E>> + Send + 'static,
    ) where
        T: 'static,
        E: Raises,
    {
        (self.spawn)(Box::pin(async move { response.send(method.await) }));
    }

    /// Lets the executor run the method of a one-way operation, whose request ends with it.
    #[doc(hidden)]
    pub fn run_one_way(
        &self,
        request: DeferredReply,
        method: impl Future<Output = ()> + Send + 'static,
    ) {
        (self.spawn)(Box::pin(async move {
            method.await;
            request.send_without_results::<SystemException>(Ok(()));
        }));
    }
}

impl<S> fmt::Debug for AsyncServant<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncServant").finish_non_exhaustive()
    }
}
