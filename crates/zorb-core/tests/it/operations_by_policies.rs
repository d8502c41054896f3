//! The operations of adapters with every combination of policies, as the standard's chapter has them (CORBA 3.3 part 1,
//! 15.3.8 and 15.3.9). What is expected is computed from its sentences.

use std::sync::Arc;

use zorb_core::poa::{
    AnyServant, IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, ObjectId, Poa, PoaError,
    PoaPolicies, RequestProcessing, ServantActivator, ServantLocator, ServantManagerError,
    ServantRetention, ThreadModel,
};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::support::{Echo, Servant, server};

/// One value of each policy.
#[derive(Clone, Copy, Debug)]
struct Combination {
    thread: ThreadModel,
    lifespan: Lifespan,
    assignment: IdAssignment,
    uniqueness: IdUniqueness,
    activation: ImplicitActivation,
    retention: ServantRetention,
    processing: RequestProcessing,
}

impl Combination {
    fn all() -> Vec<Self> {
        use {IdAssignment as A, IdUniqueness as U, ImplicitActivation as I, Lifespan as L};
        use {RequestProcessing as P, ServantRetention as R, ThreadModel as T};
        let mut all = Vec::new();
        for thread in [T::OrbControlled, T::SingleThread, T::MainThread] {
            for lifespan in [L::Transient, L::Persistent] {
                for assignment in [A::System, A::User] {
                    for uniqueness in [U::Unique, U::Multiple] {
                        for activation in [I::Explicit, I::Implicit] {
                            for retention in [R::Retain, R::NonRetain] {
                                all.extend(
                                    [P::ActiveObjectMapOnly, P::DefaultServant, P::ServantManager]
                                        .map(|processing| Self {
                                            thread,
                                            lifespan,
                                            assignment,
                                            uniqueness,
                                            activation,
                                            retention,
                                            processing,
                                        }),
                                );
                            }
                        }
                    }
                }
            }
        }
        all
    }

    /// The policies, and the names of those that differ from the defaults, in the order in which they are set.
    fn policies(&self) -> (PoaPolicies, Vec<&'static str>) {
        let (mut policies, mut set) = (PoaPolicies::new(), Vec::new());
        let mut add = |name, is_set: bool, change: fn(PoaPolicies) -> PoaPolicies| {
            if is_set {
                policies = change(std::mem::take(&mut policies));
                set.push(name);
            }
        };
        add("thread", self.thread == ThreadModel::SingleThread, PoaPolicies::single_thread);
        add("thread", self.thread == ThreadModel::MainThread, PoaPolicies::main_thread);
        add("lifespan", self.lifespan == Lifespan::Persistent, PoaPolicies::persistent);
        add("assignment", !self.is_system(), PoaPolicies::user_ids);
        add("uniqueness", !self.is_unique(), PoaPolicies::multiple_ids);
        add("activation", self.is_implicit(), PoaPolicies::implicit_activation);
        add("retention", !self.retains(), PoaPolicies::non_retain);
        add("processing", self.is_by_default(), PoaPolicies::default_servant);
        add("processing", self.has_manager(), PoaPolicies::servant_manager);
        (policies, set)
    }

    /// For each rule that the combination violates, the two policies that conflict.
    fn violated(&self) -> Vec<[&'static str; 2]> {
        let mut violated = Vec::new();
        // NON_RETAIN "requires either the USE_DEFAULT_SERVANT or USE_SERVANT_MANAGER policies"; USE_ACTIVE_OBJECT_MAP_ONLY
        // "requires RETAIN".
        if !self.retains() && !self.is_by_default() && !self.has_manager() {
            violated.push(["retention", "processing"]);
        }
        // USE_DEFAULT_SERVANT "requires the MULTIPLE_ID policy".
        if self.is_by_default() && self.is_unique() {
            violated.push(["processing", "uniqueness"]);
        }
        // IMPLICIT_ACTIVATION "also requires SYSTEM_ID and RETAIN policies".
        if self.is_implicit() && !self.is_system() {
            violated.push(["activation", "assignment"]);
        }
        if self.is_implicit() && !self.retains() {
            violated.push(["activation", "retention"]);
        }
        violated
    }

    fn is_system(&self) -> bool {
        self.assignment == IdAssignment::System
    }

    fn is_unique(&self) -> bool {
        self.uniqueness == IdUniqueness::Unique
    }

    fn is_implicit(&self) -> bool {
        self.activation == ImplicitActivation::Implicit
    }

    fn retains(&self) -> bool {
        self.retention == ServantRetention::Retain
    }

    fn is_by_default(&self) -> bool {
        self.processing == RequestProcessing::DefaultServant
    }

    fn has_manager(&self) -> bool {
        self.processing == RequestProcessing::ServantManager
    }

    /// 15.3.9.14, `activate_object`: "requires the SYSTEM_ID and RETAIN policy; if not present, the WrongPolicy exception".
    fn activates(&self) -> Outcome {
        allowed_if(self.is_system() && self.retains())
    }

    /// `activate_object_with_id`: "requires the RETAIN policy"; "if the POA has the SYSTEM_ID policy and it detects that the
    /// Object Id value was not generated by the system or for this POA", `BAD_PARAM`, minor 14.
    fn activates_foreign_id(&self) -> Outcome {
        allowed_if(self.retains()).and(self.knows_foreign_id())
    }

    /// `create_reference`: "requires the SYSTEM_ID policy".
    fn creates_references(&self) -> Outcome {
        allowed_if(self.is_system())
    }

    /// `create_reference_with_id`: `BAD_PARAM` as above; no policy is required.
    fn knows_foreign_id(&self) -> Outcome {
        if self.is_system() { Err(bad_param()) } else { Ok(()) }
    }

    /// `servant_to_id`: "requires the USE_DEFAULT_SERVANT policy or a combination of the RETAIN policy and either the
    /// UNIQUE_ID or IMPLICIT_ACTIVATION policies".
    fn maps_servants_to_ids(&self) -> Outcome {
        allowed_if(self.is_by_default() || self.maps_servants_to_references().is_ok())
    }

    /// `servant_to_reference`: "requires the RETAIN policy and either the UNIQUE_ID or IMPLICIT_ACTIVATION policies".
    fn maps_servants_to_references(&self) -> Outcome {
        allowed_if(self.retains() && (self.is_unique() || self.is_implicit()))
    }

    /// For both: "if the POA has both the RETAIN and the UNIQUE_ID policy and the specified servant is active", its id; "if
    /// the POA has both the RETAIN and the IMPLICIT_ACTIVATION policy and either the POA has the MULTIPLE_ID policy or the
    /// specified servant is not active, the servant is activated"; otherwise `ServantNotActive`.
    fn id_of_servant(&self, is_active: bool) -> Result<ServantsId, PoaError> {
        match () {
            () if self.retains() && self.is_unique() && is_active => Ok(ServantsId::Old),
            () if self.retains() && self.is_implicit() && (!self.is_unique() || !is_active) => {
                Ok(ServantsId::New)
            }
            () => Err(PoaError::ServantNotActive),
        }
    }

    /// `id_to_servant`, `reference_to_servant`: "requires the RETAIN policy or the USE_DEFAULT_SERVANT policy".
    fn finds_servants(&self) -> Outcome {
        allowed_if(self.retains() || self.is_by_default())
    }
}

type Outcome = Result<(), PoaError>;

/// The id that a servant has.
enum ServantsId {
    Old,
    New,
}

fn allowed_if(has_policies: bool) -> Outcome {
    if has_policies { Ok(()) } else { Err(PoaError::WrongPolicy) }
}

fn bad_param() -> PoaError {
    let code = minor::bad_param::INVALID_OBJECT_ID;
    PoaError::System(SystemException::bad_param(code, CompletionStatus::No))
}

/// The expected outcome of an operation with these ids or references, which needs `allowed`.
fn expected<T>(allowed: Outcome, otherwise: Result<T, PoaError>) -> Result<T, PoaError> {
    allowed.and(otherwise)
}

fn any(servant: &Arc<Servant>) -> AnyServant {
    AnyServant::of::<Echo, _>(Arc::clone(servant))
}

struct Manager;

impl ServantActivator for Manager {
    fn incarnate(&self, _: &Poa, _: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        Ok(any(&Arc::default()))
    }
}

impl ServantLocator for Manager {
    type Cookie = ();

    fn preinvoke(
        &self,
        _: &Poa,
        _: &ObjectId,
        _: &str,
    ) -> Result<(AnyServant, ()), ServantManagerError> {
        Ok((any(&Arc::default()), ()))
    }
}

/// Calls `check` with an adapter for each legal combination.
fn for_all_legal(check: impl Fn(&Combination, &Poa)) {
    let (orb, _) = server();
    let legal: Vec<_> =
        Combination::all().into_iter().filter(|one| one.violated().is_empty()).collect();
    assert_eq!(legal.len(), 126);
    for combination in legal {
        let poa = orb.root_poa().create("one", combination.policies().0);
        let poa = poa.unwrap_or_else(|refused| panic!("{combination:?}: {refused}"));
        check(&combination, &poa);
        poa.destroy();
    }
}

#[test]
fn combinations_that_the_standard_does_not_allow_are_refused_with_an_index() {
    let (orb, _) = server();
    for combination in Combination::all() {
        let (policies, set) = combination.policies();
        let created = orb.root_poa().create("one", policies);
        let violated = combination.violated();
        match created {
            Ok(poa) => {
                assert!(violated.is_empty(), "{combination:?}");
                poa.destroy();
            }
            Err(PoaError::InvalidPolicy { index: Some(index), .. }) => {
                let named = set[usize::from(index)];
                let is_in_a_rule = violated.iter().any(|rule| rule.contains(&named));
                assert!(is_in_a_rule, "{combination:?}: {named}");
            }
            Err(other) => panic!("{combination:?}: {other:?}"),
        }
    }
}

#[test]
fn ids_and_references_are_created_and_activated_as_the_policies_allow() {
    for_all_legal(|has, poa| {
        let one = Arc::<Servant>::default();
        let same = |outcome: Result<Echo, PoaError>, wanted: Outcome, what: &str| {
            assert_eq!(outcome.map(drop), wanted, "{what}: {has:?}");
        };
        same(poa.create_reference(), has.creates_references(), "create_reference");
        let with_id = |id: &str| poa.create_reference_with_id(id);
        same(with_id("foreign"), has.knows_foreign_id(), "create_reference_with_id");
        // An id of the form of another adapter's.
        let system = |id: Result<Echo, PoaError>| id.ok().map(|echo| poa.id_of(&echo).unwrap());
        if let Some(id) = system(poa.create_reference()) {
            same(poa.create_reference_with_id(id.clone()), Ok(()), "with a system id");
            let activated = poa.activate_shared_with_id(id, &Arc::<Servant>::default());
            same(activated, allowed_if(has.retains()), "activate with a system id");
        }
        same(poa.activate(Servant::default()), has.activates(), "activate_object");
        let foreign = poa.activate_shared_with_id("foreign", &one);
        same(foreign, has.activates_foreign_id(), "activate_object_with_id");
        if has.activates_foreign_id().is_ok() {
            let again = poa.activate_with_id("foreign", Servant::default());
            same(again, Err(PoaError::ObjectAlreadyActive), "an active id");
            let unique = Err(PoaError::ServantAlreadyActive);
            let second = poa.activate_shared_with_id("second", &one);
            same(second, if has.is_unique() { unique } else { Ok(()) }, "an active servant");
        }
        let absent = expected(allowed_if(has.retains()), Err(PoaError::ObjectNotActive));
        assert_eq!(poa.deactivate(&"absent".into()), absent, "{has:?}");
    });
}

#[test]
fn servants_ids_and_references_lead_to_each_other_as_the_policies_allow() {
    let (foreign, _) = server();
    let foreign: Echo = foreign.root_poa().activate(Servant::default()).unwrap();
    for_all_legal(|has, poa| {
        let [active, idle, by_default] = [(); 3].map(|()| Arc::<Servant>::default());
        // The id of a servant, by both operations.
        let maps = |servant: &Arc<Servant>, old: Option<&ObjectId>| {
            let check = |found: Result<ObjectId, PoaError>, allowed: Outcome, what: &str| match (
                found,
                expected(allowed, has.id_of_servant(old.is_some())),
            ) {
                (Ok(id), Ok(ServantsId::Old)) => assert_eq!(Some(&id), old, "{what}: {has:?}"),
                (Ok(id), Ok(ServantsId::New)) => {
                    assert_ne!(Some(&id), old, "{what}: {has:?}");
                    assert_eq!(poa.id_to_servant(&id), Ok(any(servant)), "{what}: {has:?}");
                    poa.deactivate(&id).unwrap();
                }
                (Err(error), Err(wanted)) => assert_eq!(error, wanted, "{what}: {has:?}"),
                (found, _) => panic!("{what}: {has:?}: {found:?}"),
            };
            check(poa.servant_to_id(&any(servant)), has.maps_servants_to_ids(), "servant_to_id");
            let reference = poa.reference_of::<_, Echo>(servant);
            let id = reference.map(|echo| poa.id_of(&echo).unwrap());
            check(id, has.maps_servants_to_references(), "servant_to_reference");
        };
        maps(&idle, None);

        // The default servant, if there is one.
        let no_default = expected(allowed_if(has.is_by_default()), Err(PoaError::NoServant));
        assert_eq!(poa.servant().map(drop), no_default, "{has:?}");
        let inactive: Echo = match has.is_system() {
            true => poa.create_reference().unwrap(),
            false => poa.create_reference_with_id("absent").unwrap(),
        };
        let absent = poa.id_of(&inactive).unwrap();
        let finds = |wanted: Result<AnyServant, PoaError>, id: &ObjectId, reference: &Echo| {
            let wanted = expected(has.finds_servants(), wanted);
            assert_eq!(poa.id_to_servant(id), wanted, "id_to_servant: {has:?}");
            assert_eq!(
                poa.reference_to_servant(reference),
                wanted,
                "reference_to_servant: {has:?}"
            );
        };
        finds(Err(PoaError::ObjectNotActive), &absent, &inactive);
        let set = poa.set_servant(any(&by_default));
        assert_eq!(set, allowed_if(has.is_by_default()), "{has:?}");
        let default = set.map(|()| any(&by_default)).map_err(|_| PoaError::ObjectNotActive);
        finds(default, &absent, &inactive);

        // An active object.
        let retains = allowed_if(has.retains());
        if has.retains() {
            let activated: Echo = match has.is_system() {
                true => poa.activate_shared(&active).unwrap(),
                false => poa.activate_shared_with_id("mine", &active).unwrap(),
            };
            let id = poa.id_of(&activated).unwrap();
            finds(Ok(any(&active)), &id, &activated);
            maps(&active, Some(&id));
            assert_eq!(poa.reference(&id), Ok(activated), "{has:?}");
        }
        let not_active = expected(retains, Err(PoaError::ObjectNotActive));
        assert_eq!(poa.reference::<Echo>(&absent).map(drop), not_active, "{has:?}");

        // References of another adapter.
        assert_eq!(poa.id_of(&foreign), Err(PoaError::WrongAdapter));
        let wrong = expected(has.finds_servants(), Err(PoaError::WrongAdapter));
        assert_eq!(poa.reference_to_servant(&foreign), wrong, "{has:?}");
    });
}

#[test]
fn servant_managers_are_those_that_the_policies_ask_for() {
    for_all_legal(|has, poa| {
        let allowed = allowed_if(has.has_manager());
        let code = minor::obj_adapter::NO_SERVANT_MANAGER;
        let wrong_kind = SystemException::obj_adapter(code, CompletionStatus::No);
        let fits =
            |does: bool| if does { Ok(()) } else { Err(PoaError::System(wrong_kind.clone())) };
        let activator = expected(allowed.clone(), fits(has.retains()));
        assert_eq!(poa.set_servant_activator(Manager), activator, "{has:?}");
        let locator = expected(allowed, fits(!has.retains()));
        assert_eq!(poa.set_servant_locator(Manager), locator, "{has:?}");
    });
}
