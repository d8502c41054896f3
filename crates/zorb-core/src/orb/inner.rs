//! One ORB: the state of its parts, and what joins them.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;
use zorb_base::buffers::show_allocator_a_large_block;
use zorb_base::error::{Error, Phase};
use zorb_base::options::Options;
use zorb_base::orb_core::OrbCore;
use zorb_cdr::Wire;
use zorb_giop::Ior;
use zorb_invocation::client::ClientCore;
use zorb_invocation::loan;
use zorb_invocation::object::ObjectRef;
use zorb_os::lock::{Condition, Lock};
use zorb_poa::{Adapters, KeyParts};
use zorb_serving::ServerCore;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::extensions::AdapterPolicies;
use super::initial::initial_reference;
use super::local::Locals;
use super::poa::Poa;

/// Something that another crate has made of an ORB.
pub(super) type Attached = Box<dyn Any + Send + Sync>;

/// The parts of one ORB.
pub(crate) struct OrbInner {
    pub(crate) core: Arc<OrbCore>,
    pub(super) adapters: Arc<Adapters>,
    pub(crate) client: Arc<ClientCore>,
    pub(crate) server: Arc<ServerCore>,
    pub(super) adapter_policies: ArcSwapOption<AdapterPolicies>,
    /// Made when it is first asked for, with the policies that the ORB has then.
    root_poa: OnceLock<Poa>,
    pub(super) initial: Lock<HashMap<String, ObjectRef>>,
    /// What other crates have made of this ORB.
    pub(super) attached: Lock<Vec<Attached>>,
    /// Initial references to local objects.
    pub(super) locals: Locals,
    pub(super) ended: Lock<()>,
    pub(super) ending: Condition,
}

impl OrbInner {
    pub(super) fn new(options: Options) -> Arc<Self> {
        show_allocator_a_large_block();
        let core = OrbCore::new(options);
        core.extend(|known| {
            let factory = Arc::new(loan::interceptor);
            known.interceptors.server.add("zorb::BufferStrategy", factory);
        });
        let adapters = Arc::new(Adapters::new(&core));
        let client = ClientCore::new(&core, &adapters);
        let server = ServerCore::new(&core, &adapters, Box::new(Arc::clone(&client)));
        let inner = Arc::new(Self {
            core,
            adapters,
            client,
            server,
            adapter_policies: ArcSwapOption::empty(),
            root_poa: OnceLock::new(),
            initial: Lock::default(),
            attached: Lock::default(),
            locals: Locals::default(),
            ended: Lock::default(),
            ending: Condition::new(),
        });
        let orb = Arc::downgrade(&inner);
        inner.adapters.set_interface_lookup(Box::new(move |type_id| match orb.upgrade() {
            Some(orb) => orb.interface(type_id),
            None => Err(no_repository()),
        }));
        inner
    }

    pub(super) fn root_poa(self: &Arc<Self>) -> &Poa {
        self.root_poa.get_or_init(|| Poa::root(self))
    }

    /// The root adapter, if it has been asked for.
    pub(super) fn known_root_poa(&self) -> Option<&Poa> {
        self.root_poa.get()
    }

    /// Looks an interface up in the repository that is the initial reference `InterfaceRepository`.
    #[cold]
    fn interface(self: &Arc<Self>, type_id: &str) -> Result<Ior, SystemException> {
        let repository =
            initial_reference(self, "InterfaceRepository", 0).map_err(|_| no_repository())?;
        let definition = repository.invoke::<Ior, SystemException>(
            "lookup_id",
            |writer| writer.write_latin1(type_id),
            Ior::read,
        )?;
        if definition.is_nil() {
            let no = CompletionStatus::No;
            return Err(SystemException::intf_repos(minor::intf_repos::NO_ENTRY, no));
        }
        Ok(definition)
    }

    pub(super) fn publish(&self, key: &str, object: &ObjectRef) -> Result<(), Error> {
        let refused =
            |why: &str| Err(Error::new(Phase::Application, format!("publishing {key:?}: {why}")));
        if key.is_empty() || !matches!(KeyParts::parse(key.as_bytes()), KeyParts::Name(_)) {
            return refused("the key is not usable");
        }
        if !self.adapters.publish(key.as_bytes(), object.ior()) {
            return refused("the key is taken");
        }
        Ok(())
    }
}

fn no_repository() -> SystemException {
    SystemException::intf_repos(minor::intf_repos::NOT_AVAILABLE, CompletionStatus::No)
}
