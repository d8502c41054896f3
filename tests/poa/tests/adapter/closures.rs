//! Servant managers and adapter activators that are made of closures.

use zorb::SystemException;
use zorb::poa::{
    AdapterActivator, AnyServant, Etherealization, ObjectId, Poa, ServantActivator, ServantLocator,
    ServantManagerError,
};

/// A servant activator: `incarnate` and `etherealize`.
pub(crate) struct Activator<I, E>(pub(crate) I, pub(crate) E);

impl<I, E> ServantActivator for Activator<I, E>
where
    I: Fn(&Poa, &ObjectId) -> Result<AnyServant, ServantManagerError> + Send + Sync + 'static,
    E: Fn(&Poa, &ObjectId, AnyServant, Etherealization) + Send + Sync + 'static,
{
    fn incarnate(&self, poa: &Poa, id: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        self.0(poa, id)
    }

    fn etherealize(&self, poa: &Poa, id: &ObjectId, servant: AnyServant, ended: Etherealization) {
        self.1(poa, id, servant, ended);
    }
}

/// A servant locator, whose cookies are numbers: `preinvoke` and `postinvoke`.
pub(crate) struct Locator<B, A>(pub(crate) B, pub(crate) A);

impl<B, A> ServantLocator for Locator<B, A>
where
    B: Fn(&ObjectId, &str) -> Result<(AnyServant, usize), ServantManagerError>
        + Send
        + Sync
        + 'static,
    A: Fn(&ObjectId, &str, AnyServant, usize) -> Result<(), SystemException>
        + Send
        + Sync
        + 'static,
{
    type Cookie = usize;

    fn preinvoke(
        &self,
        _: &Poa,
        id: &ObjectId,
        operation: &str,
    ) -> Result<(AnyServant, usize), ServantManagerError> {
        self.0(id, operation)
    }

    fn postinvoke(
        &self,
        _: &Poa,
        id: &ObjectId,
        operation: &str,
        servant: AnyServant,
        cookie: usize,
    ) -> Result<(), SystemException> {
        self.1(id, operation, servant, cookie)
    }
}

/// An adapter activator: `unknown_adapter`.
pub(crate) struct Creates<C>(pub(crate) C);

impl<C> AdapterActivator for Creates<C>
where
    C: Fn(&Poa, &str) -> Result<bool, SystemException> + Send + Sync + 'static,
{
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        self.0(parent, name)
    }
}
