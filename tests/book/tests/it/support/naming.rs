//! Enough of a naming service for one name.

use std::collections::HashMap;
use std::sync::Mutex;

use zorb::{CompletionStatus, MinorCode, ObjectRef, SystemException};
use zorb_naming::cos_naming::{
    BindingIterator, BindingList, NameComponent, NamingContext, NamingContextServant,
    naming_context,
};
use zorb_naming::name_to_string;

#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<HashMap<String, Option<ObjectRef>>>);

fn not_here<T, E: From<SystemException>>() -> Result<T, E> {
    Err(SystemException::no_implement(MinorCode::NONE, CompletionStatus::No).into())
}

impl NamingContextServant for Names {
    fn rebind(
        &self,
        n: &[NameComponent],
        obj: Option<&ObjectRef>,
    ) -> zorb::Result<(), naming_context::RebindError> {
        self.0.lock().unwrap().insert(name_to_string(n), obj.cloned());
        Ok(())
    }

    fn resolve(
        &self,
        n: &[NameComponent],
    ) -> zorb::Result<Option<ObjectRef>, naming_context::ResolveError> {
        match self.0.lock().unwrap().get(&name_to_string(n)) {
            Some(object) => Ok(object.clone()),
            None => {
                Err(naming_context::NotFound { rest_of_name: n.to_vec(), ..Default::default() }
                    .into())
            }
        }
    }

    fn bind(
        &self,
        _: &[NameComponent],
        _: Option<&ObjectRef>,
    ) -> zorb::Result<(), naming_context::BindError> {
        not_here()
    }

    fn bind_context(
        &self,
        _: &[NameComponent],
        _: Option<&NamingContext>,
    ) -> zorb::Result<(), naming_context::BindContextError> {
        not_here()
    }

    fn rebind_context(
        &self,
        _: &[NameComponent],
        _: Option<&NamingContext>,
    ) -> zorb::Result<(), naming_context::RebindContextError> {
        not_here()
    }

    fn unbind(&self, _: &[NameComponent]) -> zorb::Result<(), naming_context::UnbindError> {
        not_here()
    }

    fn new_context(&self) -> zorb::Result<Option<NamingContext>> {
        not_here()
    }

    fn bind_new_context(
        &self,
        _: &[NameComponent],
    ) -> zorb::Result<Option<NamingContext>, naming_context::BindNewContextError> {
        not_here()
    }

    fn destroy(&self) -> zorb::Result<(), naming_context::DestroyError> {
        not_here()
    }

    fn list(&self, _: u32) -> zorb::Result<(BindingList, Option<BindingIterator>)> {
        not_here()
    }
}
