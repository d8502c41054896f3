//! The conventions of TAO: how its clients name the naming service, and the calls that its tools make.
//!
//! TAO itself is not needed: these are the URLs, options and files of its documentation, and the operations of `tao_nslist`,
//! `tao_nsadd` and `tao_nsdel` in their order.

use zorb::{Error, Interface as _, ObjectRef};
use zorb_naming::cos_naming::naming_context::{AlreadyBound, BindError};
use zorb_naming::cos_naming::{BindingList, BindingType, NamingContext, NamingContextExt};
use zorb_naming::{name, name_to_string};

use super::World;
use super::checks::{Check, Checked, other_orb, present, same};

pub(super) const ALL: &[Check] =
    &[("references_of_tao", references), ("calls_of_the_tools_of_tao", tools)];

/// How many bindings `tao_nslist` asks for at once.
const CHUNK: u32 = 100;

/// `corbaloc:iiop:`, `-ORBInitRef`, `-ORBDefaultInitRef`, and the file that a service writes.
fn references(world: &World) -> Checked {
    let context = world.context("tao_references")?;
    context.bind(&name("x")?, Some(world.object()))?;
    let found = |root: &NamingContext| -> Checked {
        world.is_ours(&present(root.resolve(&name("tao_references/x")?)?)?)
    };
    let address = world.service.address();
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("naming.ior");
    std::fs::write(&file, format!("{}\n", world.root.to_ior_string()))?;
    for url in [
        format!("corbaloc:iiop:{address}/NameService"),
        format!("corbaloc:iiop:1.2@{address}/NameService"),
        format!("corbaloc::{address}/NameService"),
        format!("file://{}", file.display()),
    ] {
        found(&world.orb.resolve(&url)?)?;
        let orb = other_orb(["-ORBInitRef".to_owned(), format!("NameService={url}")])?;
        found(&orb.initial_reference("NameService")?)?;
        orb.shutdown(true)?;
    }
    for prefix in [format!("corbaloc:iiop:{address}"), format!("corbaloc:iiop:{address}/")] {
        let orb = other_orb(["-ORBDefaultInitRef".to_owned(), prefix])?;
        found(&orb.initial_reference("NameService")?)?;
        orb.shutdown(true)?;
    }
    let url = format!("corbaname:iiop:{address}#tao_references/x");
    world.is_ours(&world.orb.resolve(&url)?)
}

/// `tao_nsadd`, `tao_nslist` and `tao_nsdel`.
fn tools(world: &World) -> Checked {
    let root: ObjectRef = world.orb.resolve(&world.service.root())?;
    let root: NamingContextExt = present(root.narrow()?)?;
    // tao_nsadd --newcontext, then --name, and again with --rebind.
    root.bind_new_context(&root.to_name("tao_tools")?)?;
    for number in 0..250 {
        let bound = root.to_name(&format!("tao_tools/n{number}.kind"))?;
        root.bind(&bound, Some(world.object()))?;
    }
    let bound = root.to_name("tao_tools/n0.kind")?;
    let again = root.bind(&bound, Some(world.object()));
    same("binding it again", again, Err(BindError::AlreadyBound(AlreadyBound)))?;
    root.rebind(&bound, Some(world.object()))?;
    // tao_nslist.
    let listed = list(world, &root.clone().into())?;
    same("it is listed", listed.contains(&"tao_tools/".to_owned()), true)?;
    same("the names below it", listed.iter().filter(|it| it.ends_with(".kind")).count(), 250)?;
    // tao_nsdel --name for objects, then with --destroy.
    for number in 0..250 {
        root.unbind(&root.to_name(&format!("tao_tools/n{number}.kind"))?)?;
    }
    let bound = root.to_name("tao_tools")?;
    let context: NamingContext = present(present(root.resolve(&bound)?)?.narrow()?)?;
    root.unbind(&bound)?;
    context.destroy()?;
    let listed = list(world, &root.clone().into())?;
    same("it is gone", listed.contains(&"tao_tools/".to_owned()), false)
}

/// The names of a context, and those of the contexts in it that these tools have made.
fn list(world: &World, context: &NamingContext) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    let (first, iterator) = context.list(CHUNK)?;
    show(world, context, &first, &mut lines)?;
    if let Some(iterator) = iterator {
        loop {
            let (more, next) = iterator.next_n(CHUNK)?;
            show(world, context, &next, &mut lines)?;
            if !more {
                break;
            }
        }
        iterator.destroy()?;
    }
    Ok(lines)
}

/// Each binding is resolved, and contexts are narrowed and listed.
fn show(
    world: &World,
    context: &NamingContext,
    bindings: &BindingList,
    lines: &mut Vec<String>,
) -> Checked {
    for binding in bindings {
        let text = name_to_string(&binding.binding_name);
        let bound = context.resolve(&binding.binding_name)?;
        match binding.binding_type {
            BindingType::Ncontext => {
                lines.push(format!("{text}/"));
                // Others contain themselves.
                if text.starts_with("tao_") {
                    let inner: NamingContext = present(present(bound)?.narrow()?)?;
                    lines.extend(list(world, &inner)?);
                }
            }
            BindingType::Nobject => lines.push(text),
        }
    }
    Ok(())
}
