//! Initial references: the names that a program starts from.

use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_invocation::object::ObjectRef;

use super::inner::OrbInner;
use super::resolve;

/// Looks `name` up; `depth` counts URLs that lead to further names.
pub(super) fn initial_reference(
    orb: &Arc<OrbInner>,
    name: &str,
    depth: u32,
) -> Result<ObjectRef, Error> {
    let registered = {
        let initial = orb.initial.lock();
        initial.get(name).cloned()
    };
    if let Some(object) = registered {
        return Ok(object);
    }
    let options = orb.core.options();
    let named = options.init_ref.iter().find(|(known, _)| known == name);
    let prefix = options.default_init_ref.trim_end_matches('/');
    let url = match named {
        Some((_, url)) => url.clone(),
        None if !prefix.is_empty() => format!("{prefix}/{name}"),
        None => {
            let error =
                Error::new(Phase::Resolve, format!("initial reference {name:?} is not known"));
            return Err(match orb.has_local(name) {
                true => error.with_hint("it is a local object: initial_local has it"),
                false => error.with_hint(format!("name it with -ORBInitRef {name}=URL")),
            });
        }
    };
    resolve::string_to_object(orb, &url, depth + 1)?
        .ok_or_else(|| Error::new(Phase::Resolve, format!("initial reference {name:?} is nil")))
}

pub(super) fn register(orb: &OrbInner, name: &str, object: &ObjectRef) -> Result<(), Error> {
    let mut initial = orb.initial.lock();
    if name.is_empty() || initial.contains_key(name) || orb.has_local(name) {
        return Err(Error::new(
            Phase::Application,
            format!("initial reference {name:?}: the name is empty or taken"),
        ));
    }
    initial.insert(name.to_owned(), object.clone());
    Ok(())
}
