//! Servers that an implementation repository starts, and forwards clients to (option `UseImr`).
//!
//! References to persistent objects contain the repository's address instead of the server's. When the server serves, it
//! tells the repository the names of its persistent adapters below the root, and an object of its own, whose reference
//! contains its address. The repository forwards requests to that address, with the object keys that they have.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use zorb_base::error::{Error, Phase, Result};
use zorb_base::upcall_thread::about_to_block;
use zorb_cdr::{CdrWriter, Wire as _};
use zorb_giop::{GiopVersion, Ior, TaggedComponent, TaggedProfile};
use zorb_invocation::interface::Interface as _;
use zorb_invocation::object::ObjectRef;
use zorb_poa::{KeyParts, Lifespan, PoaPolicies};
use zorb_types::{SystemException, SystemExceptionKind};

use super::handle::Orb;
use super::inner::OrbInner;
use super::poa::Poa;
use super::registration::Registration;
use super::resolve::initial_reference;
use crate::codegen;

/// The initial reference of the repository.
const REPOSITORY: &str = "ImplRepoService";
/// The name of the adapter of the server's object.
const ADAPTER: &str = "zorb::ServerObject";
/// How long a call to the repository may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How long the calls that report the shutdown may take together.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// What the log says if it fails.
const CANNOT_TELL: &str = "cannot tell the implementation repository of the end";

/// `ImplementationRepository::Administration` of TAO: the operations for servers.
struct Administration(ObjectRef);

impl Administration {
    fn server_is_running(&self, name: &str, partial: &str, server: &Ior) -> Result<()> {
        let arguments = |writer: &mut CdrWriter<'_>| {
            String::write(name, writer)?;
            String::write(partial, writer)?;
            Ior::write(server, writer)
        };
        self.0.invoke::<(), SystemException>("server_is_running", arguments, |_| Ok(()))
    }

    fn server_is_shutting_down(&self, name: &str) -> Result<()> {
        let arguments = |writer: &mut CdrWriter<'_>| String::write(name, writer);
        self.0.invoke::<(), SystemException>("server_is_shutting_down", arguments, |_| Ok(()))
    }
}

/// `ImplementationRepository::ServerObject` of TAO: a server, as the repository sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ServerObject(ObjectRef);

codegen::interface!(
    ServerObject(ObjectRef),
    "IDL:ImplementationRepository/ServerObject:1.0",
    "ServerObject",
    []
);

/// A servant of [`ServerObject`].
pub(super) trait ServerObjectServant: Send + Sync + 'static {
    /// Does nothing: the server is alive.
    fn ping(&self) -> Result<()>;
    /// Ends the server.
    fn shutdown(&self);
}

codegen::skeleton!(ServerObject, ServerObjectServant, {
    0 "ping" ping() [],
    1 "shutdown" shutdown() oneway,
});

/// The servant.
struct Server(Weak<OrbInner>);

impl ServerObjectServant for Server {
    fn ping(&self) -> Result<()> {
        Ok(())
    }

    fn shutdown(&self) {
        if let Some(orb) = self.0.upgrade()
            && let Err(error) = orb.shutdown(false)
        {
            tracing::warn!(%error, "cannot shut down as the implementation repository asks");
        }
    }
}

impl OrbInner {
    /// The profiles of the object with this key in a reference: the repository's if it is an object of a persistent
    /// adapter, otherwise its `own` ones.
    ///
    /// # Errors
    /// The initial reference of the repository cannot be resolved, or has no profile of a known protocol.
    #[cold]
    pub(super) fn in_repository(
        self: &Arc<Self>,
        key: &[u8],
        components: &[TaggedComponent],
        own: Vec<TaggedProfile>,
    ) -> Result<Vec<TaggedProfile>, Error> {
        if !matches!(KeyParts::parse(key), KeyParts::Persistent { .. }) {
            return Ok(own);
        }
        let repository = self.repository()?;
        let failed = || Error::new(Phase::Resolve, REPOSITORY);
        let ior = repository.ior();
        let mut profiles = Vec::new();
        for profile in &ior.profiles {
            if let Some(Ok((protocol, resolved))) = self.core.protocols().resolve(ior, profile) {
                let version = GiopVersion::HIGHEST;
                let profile =
                    protocol.encode_profile(&resolved.endpoints, version, key, components);
                profiles.push(profile.map_err(|error| failed().with_source(error))?);
            }
        }
        match profiles.is_empty() {
            true => Err(failed().with_source("it has no address that the ORB understands")),
            false => Ok(profiles),
        }
    }

    /// The reference to the repository.
    fn repository(self: &Arc<Self>) -> Result<ObjectRef, Error> {
        if let Some(known) = &self.registration.lock().repository {
            return Ok(known.clone());
        }
        let found = initial_reference(self, REPOSITORY, 0).map_err(|error| {
            error.with_hint(
                "UseImr needs the address of the repository: -ORBInitRef ImplRepoService=URL",
            )
        })?;
        self.registration.lock().repository = Some(found.clone());
        Ok(found)
    }

    /// Tells the repository the persistent adapters below the root that it does not know yet: all, or the one of a name.
    /// The failure of another thread's adapter is not that of this one. After a name that the repository refuses, it
    /// registers the remaining ones, unless the repository cannot be reached.
    ///
    /// # Errors
    /// The repository cannot be reached, or does not know a name: the first error.
    #[cold]
    pub(super) fn register_adapters(self: &Arc<Self>, only: Option<&str>) -> Result<(), Error> {
        let Some(root) = self.root.get() else { return Ok(()) };
        about_to_block();
        let _registering = self.registering.lock();
        let children = root.children();
        let persistent =
            children.iter().filter(|child| child.policies().lifespan == Lifespan::Persistent);
        let known = self.registration.lock().names.clone();
        let new: Vec<&str> = persistent
            .map(|child| child.name())
            .filter(|name| only.is_none_or(|only| only == *name))
            .filter(|name| !known.iter().any(|known| known == name))
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let repository = Administration(self.repository()?.with_timeout(TIMEOUT));
        let server = self.server_object()?;
        let partial = self.partial_url(server.ior());
        let mut first_failure = None;
        for name in new {
            if self.registration.lock().has_ended() {
                break;
            }
            if let Err(exception) = repository.server_is_running(name, &partial, server.ior()) {
                let is_unreachable = is_unreachable(exception.kind);
                first_failure.get_or_insert_with(|| {
                    let what = format!("registering {name:?} in the implementation repository");
                    // Its context names the address at which the repository was called.
                    let failure =
                        Error::new(Phase::Application, what).with_source(exception.clone());
                    failure.with_exception(exception)
                });
                if is_unreachable {
                    break;
                }
                continue;
            }
            if !self.registration.lock().add(name) {
                // The ORB shut down meanwhile, and nobody else tells the repository of the end of this adapter.
                if let Err(error) = repository.server_is_shutting_down(name) {
                    tracing::debug!(%error, name, "{CANNOT_TELL}");
                }
                break;
            }
        }
        first_failure.map_or(Ok(()), Err)
    }

    /// The server's object, which the first call activates.
    fn server_object(self: &Arc<Self>) -> Result<ObjectRef, Error> {
        if let Some(known) = &self.registration.lock().server {
            return Ok(known.clone());
        }
        let orb = Orb::from_inner(Arc::clone(self));
        let manager = orb.create_poa_manager();
        manager.activate()?;
        let poa = Poa::root(self).create_with_manager(ADAPTER, PoaPolicies::new(), manager)?;
        let server: ServerObject = poa.activate(Server(Arc::downgrade(self)))?;
        let mut registration = self.registration.lock();
        if !registration.has_ended() {
            registration.server = Some(server.as_object().clone());
        }
        Ok(server.as_object().clone())
    }

    /// The beginning of a `corbaloc:` URL with the first address of a reference, to which an object key can be appended.
    fn partial_url(&self, ior: &Ior) -> String {
        let addresses = ior.profiles.iter().find_map(|profile| {
            let (protocol, resolved) = self.core.protocols().resolve(ior, profile)?.ok()?;
            let address = resolved.endpoints.first()?.address().to_owned();
            Some(format!("corbaloc:{}:1.2@{address}/", protocol.corbaloc_prefix()))
        });
        addresses.unwrap_or_default()
    }

    /// Tells the repository that this server ends, if it knows the server.
    #[cold]
    pub(super) fn unregister_adapters(&self) {
        let Registration { repository, server, names, .. } = self.registration.lock().end();
        drop(server);
        let Some(repository) = repository.filter(|_| !names.is_empty()) else { return };
        let begun = Instant::now();
        for name in names {
            let left = SHUTDOWN_TIMEOUT.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            let repository = Administration(repository.with_timeout(left));
            // It notices the end of the server anyway.
            let told: Result<(), SystemException> = repository.server_is_shutting_down(&name);
            if let Err(error) = told {
                tracing::debug!(%error, name, "{CANNOT_TELL}");
                if is_unreachable(error.kind) {
                    break;
                }
            }
        }
    }
}

/// Whether further calls to the repository would only fail late, too.
fn is_unreachable(kind: SystemExceptionKind) -> bool {
    use SystemExceptionKind::{CommFailure, Timeout, Transient};
    matches!(kind, CommFailure | Timeout | Transient)
}
