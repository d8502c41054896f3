//! The methods of object references and servants.

use zorb_idl::DefId;
use zorb_idl::model::Export;

/// Identifies a method: an operation, or the getter or setter of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MethodKey {
    /// The interface or valuetype that declares it.
    pub(crate) interface: DefId,
    /// Its index among the exports of that interface; the initializers of a valuetype come after them.
    pub(crate) export: usize,
    /// Whether it is a setter.
    pub(crate) set: bool,
}

/// A method of an interface, declared or inherited.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) key: MethodKey,
    /// Its name in the reference type. For an interface's own methods also in the servant trait.
    pub(crate) name: String,
}

/// The methods for the exports of `id`: key, IDL name of the method, `raises` list.
pub(super) fn raising(id: DefId, exports: &[Export]) -> Vec<(MethodKey, String, &[DefId])> {
    let mut list: Vec<(MethodKey, String, &[DefId])> = Vec::new();
    for (export, item) in exports.iter().enumerate() {
        let key = MethodKey { interface: id, export, set: false };
        match item {
            Export::Operation(item) => list.push((key, item.name.clone(), &item.raises)),
            Export::Attribute(item) => {
                list.push((key, item.name.clone(), &item.get_raises));
                if !item.readonly {
                    let key = MethodKey { set: true, ..key };
                    list.push((key, format!("set_{}", item.name), &item.set_raises));
                }
            }
            Export::Definition(_) => {}
        }
    }
    list
}
