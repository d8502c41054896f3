//! The checks of the naming service.

use std::collections::BTreeSet;
use std::fmt::Debug;

use zorb::{Error, Interface as _, ObjectRef, Orb, Phase, SystemExceptionKind};
use zorb_interop_tests::interop::Suite;
use zorb_naming::cos_naming::naming_context::{
    AlreadyBound, BindError, BindNewContextError, DestroyError, InvalidName, NotEmpty, NotFound,
    NotFoundReason, ResolveError, UnbindError,
};
use zorb_naming::cos_naming::{BindingList, BindingType, NameComponent, NamingContext};
use zorb_naming::{name, name_to_string};

use super::World;
use crate::peers::{self, Peer};
use crate::process::{LIMIT, Process};

pub(super) type Checked = Result<(), Error>;
pub(super) type Check = (&'static str, fn(&World) -> Checked);

pub(super) const ALL: &[Check] = &[
    ("bind_and_resolve", bind_and_resolve),
    ("rebind", rebind),
    ("contexts", contexts),
    ("list", list),
    ("list_with_iterator", list_with_iterator),
    ("unbind", unbind),
    ("destroy", destroy),
    ("not_found", not_found),
    ("invalid_name", invalid_name),
    ("special_characters", special_characters),
    ("extended_interface", extended_interface),
    ("corbaname", corbaname),
    ("corbaname_not_found", corbaname_not_found),
    ("initial_reference", initial_reference),
    ("default_initial_reference", default_initial_reference),
    ("bound_by_nameclt", bound_by_nameclt),
];

/// Checks of Zorb's naming service by the tools of others.
pub(super) const OF_ZORB: &[Check] =
    &[("nameclt_messages", nameclt_messages), ("nameclt_advanced", nameclt_advanced)];

type PeerCheck = (&'static str, fn(&World, Peer) -> Checked);

/// Checks with a peer's client and server.
pub(super) const WITH_PEERS: &[PeerCheck] =
    &[("resolved_by", resolved_by), ("object_of", object_of)];

fn fail<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(Phase::Application, what))
}

pub(super) fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Checked {
    if found == expected {
        return Ok(());
    }
    fail(format!("{what} is {found:?}, not {expected:?}"))
}

pub(super) fn present<T>(reference: Option<T>) -> Result<T, Error> {
    reference.map_or_else(|| fail("the reference is nil"), Ok)
}

impl World {
    pub(super) fn object(&self) -> &ObjectRef {
        self.suite.as_object()
    }

    /// A new context in the root.
    pub(super) fn context(&self, of: &str) -> Result<NamingContext, Error> {
        present(self.root.bind_new_context(&name(of)?)?)
    }

    /// That the object is the one of this test, by a call to it.
    pub(super) fn is_ours(&self, object: &ObjectRef) -> Checked {
        let suite: Suite = present(object.narrow()?)?;
        same("its peer", suite.peer()?.as_str(), "Zorb")
    }

    /// What nameclt prints, which has to end well.
    fn nameclt(&self, words: &[&str]) -> Result<String, Error> {
        let said = self.service.nameclt(words).or_else(fail)?;
        if said.well { Ok(said.text) } else { fail(format!("nameclt {words:?}: {}", said.text)) }
    }
}

fn bind_and_resolve(world: &World) -> Checked {
    let object = world.object();
    world.root.bind(&name("suite.object")?, Some(object))?;
    world.is_ours(&present(world.root.resolve(&name("suite.object")?)?)?)?;
    let again = world.root.bind(&name("suite.object")?, Some(object));
    same("binding it again", again, Err(BindError::AlreadyBound(AlreadyBound)))?;
    // The tool finds it too, and what it prints is the same object.
    let printed = world.nameclt(&["resolve", "suite.object"])?;
    world.is_ours(world.orb.resolve::<Suite>(printed.trim())?.as_object())
}

fn rebind(world: &World) -> Checked {
    let bound = name("changing")?;
    world.root.rebind(&bound, Some(world.root.as_object()))?;
    world.root.rebind(&bound, Some(world.object()))?;
    world.is_ours(&present(world.root.resolve(&bound)?)?)?;
    // Nil is a value like any other here.
    world.root.rebind(&bound, None)?;
    same("the reference is nil", world.root.resolve(&bound)?.is_none(), true)
}

fn contexts(world: &World) -> Checked {
    let outer = world.context("demo.ctx")?;
    let inner = present(world.root.bind_new_context(&name("demo.ctx/inner.ctx")?)?)?;
    inner.bind(&name("deep.object")?, Some(world.object()))?;
    let path = name("demo.ctx/inner.ctx/deep.object")?;
    world.is_ours(&present(world.root.resolve(&path)?)?)?;
    world.is_ours(&present(outer.resolve(&name("inner.ctx/deep.object")?)?)?)?;
    let again = world.root.bind_new_context(&name("demo.ctx")?).map(|_| ());
    same("making it again", again, Err(BindNewContextError::AlreadyBound(AlreadyBound)))?;
    // A context of one's own, bound under two names.
    let free = present(world.root.new_context()?)?;
    outer.bind_context(&name("first.ctx")?, Some(&free))?;
    outer.rebind_context(&name("second.ctx")?, Some(&free))?;
    free.bind(&name("shared.object")?, Some(world.object()))?;
    let path = name("demo.ctx/second.ctx/shared.object")?;
    world.is_ours(&present(world.root.resolve(&path)?)?)?;
    let listed = world.nameclt(&["list", "demo.ctx"])?;
    let lines: BTreeSet<&str> = listed.lines().map(str::trim).collect();
    same("nameclt's list", lines, ["first.ctx/", "inner.ctx/", "second.ctx/"].into())
}

/// The names and types of bindings.
fn shown(bindings: &BindingList) -> BTreeSet<(String, BindingType)> {
    let show =
        |it: &zorb_naming::cos_naming::Binding| (name_to_string(&it.binding_name), it.binding_type);
    bindings.iter().map(show).collect()
}

fn list(world: &World) -> Checked {
    let context = world.context("listed.ctx")?;
    context.bind(&name("one.object")?, Some(world.object()))?;
    context.bind_new_context(&name("two.ctx")?)?;
    let (bindings, iterator) = context.list(10)?;
    let expected = [
        ("one.object".to_owned(), BindingType::Nobject),
        ("two.ctx".to_owned(), BindingType::Ncontext),
    ];
    same("the list", shown(&bindings), expected.into())?;
    same("there is an iterator", iterator.is_some(), false)
}

fn list_with_iterator(world: &World) -> Checked {
    let context = world.context("many.ctx")?;
    let expected: BTreeSet<String> = (0..10).map(|number| format!("{number}.object")).collect();
    for bound in &expected {
        context.bind(&name(bound)?, Some(world.object()))?;
    }
    let (bindings, iterator) = context.list(3)?;
    let iterator = present(iterator)?;
    let mut found: Vec<_> = shown(&bindings).into_iter().map(|(name, _)| name).collect();
    same("the list's length", found.len(), 3)?;
    let (more, one) = iterator.next_one()?;
    same("there is one more", more, true)?;
    found.push(name_to_string(&one.binding_name));
    loop {
        let (more, bindings) = iterator.next_n(4)?;
        found.extend(shown(&bindings).into_iter().map(|(name, _)| name));
        if !more {
            break;
        }
    }
    same("how many there are", found.len(), 10)?;
    same("the names", found.into_iter().collect(), expected)?;
    iterator.destroy()?;
    same("the iterator is gone", iterator.as_object().non_existent()?, true)
}

fn unbind(world: &World) -> Checked {
    let context = world.context("fleeting.ctx")?;
    context.bind(&name("x.object")?, Some(world.object()))?;
    context.unbind(&name("x.object")?)?;
    let missing = NotFound { why: NotFoundReason::MissingNode, rest_of_name: name("x.object")? };
    let again = context.unbind(&name("x.object")?);
    same("unbinding it again", again, Err(UnbindError::NotFound(missing.clone())))?;
    let resolved = context.resolve(&name("x.object")?);
    same("resolving it", resolved, Err(ResolveError::NotFound(missing)))?;
    let said = world.service.nameclt(&["resolve", "fleeting.ctx/x.object"]).or_else(fail)?;
    same("nameclt finds it", said.well, false)?;
    if said.text.contains("NotFound") { Ok(()) } else { fail(said.text) }
}

fn destroy(world: &World) -> Checked {
    let context = world.context("doomed.ctx")?;
    context.bind(&name("x")?, Some(world.object()))?;
    same("while it holds a name", context.destroy(), Err(DestroyError::NotEmpty(NotEmpty)))?;
    context.unbind(&name("x")?)?;
    world.root.unbind(&name("doomed.ctx")?)?;
    context.destroy()?;
    match context.resolve(&name("x")?) {
        Err(ResolveError::System(gone)) => {
            same("what is left", gone.kind, SystemExceptionKind::ObjectNotExist)
        }
        other => fail(format!("the context is still there: {other:?}")),
    }
}

fn not_found(world: &World) -> Checked {
    let context = world.context("partly.ctx")?;
    context.bind(&name("leaf.object")?, Some(world.object()))?;
    for (path, why, rest) in [
        ("partly.ctx/missing/x", NotFoundReason::MissingNode, "missing/x"),
        ("partly.ctx/leaf.object/x", NotFoundReason::NotContext, "leaf.object/x"),
        ("partly.ctx/leaf", NotFoundReason::MissingNode, "leaf"),
    ] {
        let expected = NotFound { why, rest_of_name: name(rest)? };
        let found = world.root.resolve(&name(path)?);
        same(path, found, Err(ResolveError::NotFound(expected)))?;
    }
    Ok(())
}

fn invalid_name(world: &World) -> Checked {
    let found = world.root.resolve(&[]);
    same("the empty name", found, Err(ResolveError::InvalidName(InvalidName)))
}

fn special_characters(world: &World) -> Checked {
    let context = world.context("special.ctx")?;
    let component = |id: &str, kind: &str| NameComponent { id: id.into(), kind: kind.into() };
    let special = [component(r"a.b/c\d", "e.f"), component("", "kind only"), component("", "")];
    for component in special {
        let bound = vec![component];
        context.bind(&bound, Some(world.object()))?;
        world.is_ours(&present(context.resolve(&bound)?)?)?;
        let text = name_to_string(&bound);
        same("read back", name(&text)?, bound.clone())?;
        same("omniNames spells it", world.root.to_string(&bound)?, text)?;
    }
    same("how many there are", context.list(10)?.0.len(), 3)
}

fn extended_interface(world: &World) -> Checked {
    let context = world.context("extended.ctx")?;
    context.bind(&name("x.object")?, Some(world.object()))?;
    let text = "extended.ctx/x.object";
    world.is_ours(&present(world.root.resolve_str(text)?)?)?;
    same("to_name", world.root.to_name(text)?, name(text)?)?;
    same("to_string", world.root.to_string(&name(text)?)?, text.to_owned())?;
    let url = world.root.to_url(&format!(":{}", world.service.address()), text)?;
    world.is_ours(world.orb.resolve::<Suite>(&url)?.as_object())
}

fn corbaname(world: &World) -> Checked {
    let context = world.context("url.ctx")?;
    context.bind(&name("x.object")?, Some(world.object()))?;
    let address = world.service.address();
    for url in [
        format!("corbaname::{address}#url.ctx/x.object"),
        format!("corbaname:iiop:1.2@{address}/NameService#url.ctx/x.object"),
        format!("corbaname::1.1@{address}#url.ctx/x%2eobject"),
    ] {
        world.is_ours(world.orb.resolve::<Suite>(&url)?.as_object())?;
    }
    // Contexts are objects too, and without a name it is the root.
    let found: NamingContext = world.orb.resolve(&format!("corbaname::{address}#url.ctx"))?;
    world.is_ours(&present(found.resolve(&name("x.object")?)?)?)?;
    let root: NamingContext = world.orb.resolve(&format!("corbaname::{address}"))?;
    world.is_ours(&present(root.resolve(&name("url.ctx/x.object")?)?)?)
}

fn corbaname_not_found(world: &World) -> Checked {
    let url = format!("corbaname::{}#no/such.name", world.service.address());
    match world.orb.resolve::<Suite>(&url) {
        Ok(_) => fail("it was found"),
        Err(error) if format!("{error:?}").contains("does not know the name") => Ok(()),
        Err(error) => Err(error),
    }
}

/// Another program's ORB, with these arguments.
pub(super) fn other_orb(arguments: [String; 2]) -> Result<Orb, Error> {
    Orb::builder().without_environment().arguments(&mut arguments.to_vec()).build()
}

fn initial_reference(world: &World) -> Checked {
    let context = world.context("initial.ctx")?;
    context.bind(&name("x.object")?, Some(world.object()))?;
    let initial = format!("NameService={}", world.service.root());
    let orb = other_orb(["-ORBInitRef".into(), initial])?;
    let root: NamingContext = orb.initial_reference("NameService")?;
    world.is_ours(&present(root.resolve(&name("initial.ctx/x.object")?)?)?)?;
    world.is_ours(orb.resolve::<Suite>("corbaname:rir:#initial.ctx/x.object")?.as_object())?;
    orb.shutdown(true)
}

fn default_initial_reference(world: &World) -> Checked {
    let prefix = format!("corbaloc::{}", world.service.address());
    let orb = other_orb(["-ORBDefaultInitRef".into(), prefix])?;
    let root: NamingContext = orb.initial_reference("NameService")?;
    same("the root is the same", root.list(0)?.1.is_some(), true)?;
    orb.shutdown(true)
}

fn bound_by_nameclt(world: &World) -> Checked {
    world.nameclt(&["bind_new_context", "tool.ctx"])?;
    let ior = world.object().to_ior_string();
    world.nameclt(&["bind", "tool.ctx/x.object", &ior])?;
    world.is_ours(&present(world.root.resolve(&name("tool.ctx/x.object")?)?)?)?;
    world.root.unbind(&name("tool.ctx/x.object")?)?;
    same("nameclt's list", world.nameclt(&["list", "tool.ctx"])?.trim(), "")
}

fn nameclt_messages(world: &World) -> Checked {
    let ior = world.object().to_ior_string();
    world.nameclt(&["bind_new_context", "messages.ctx"])?;
    world.nameclt(&["bind", "messages.ctx/x.object", &ior])?;
    world.nameclt(&["bind_new_context", "messages.ctx/inner"])?;
    same("the list", world.nameclt(&["list", "messages.ctx"])?.as_str(), "inner/\nx.object")?;
    for (words, expected) in [
        (vec!["bind", "messages.ctx/x.object", &ior], "AlreadyBound"),
        (vec!["bind_new_context", "messages.ctx/inner"], "AlreadyBound"),
        (vec!["resolve", "messages.ctx/y"], "missing node"),
        (vec!["resolve", "messages.ctx/x.object/y"], "not context"),
        (vec!["remove_context", "messages.ctx"], "NotEmpty"),
    ] {
        let said = world.service.nameclt(&words).or_else(fail)?;
        same(&format!("{words:?}: {} ends well", said.text), said.well, false)?;
        same(&said.text, said.text.contains(expected), true)?;
    }
    world.nameclt(&["unbind", "messages.ctx/x.object"])?;
    world.nameclt(&["remove_context", "messages.ctx/inner"])?;
    world.nameclt(&["remove_context", "messages.ctx"])?;
    let missing = world.root.resolve(&name("messages.ctx")?);
    same("it is gone", matches!(missing, Err(ResolveError::NotFound(_))), true)
}

fn nameclt_advanced(world: &World) -> Checked {
    let ior = world.object().to_ior_string();
    let free = world.nameclt(&["-advanced", "new_context"])?;
    let free = free.trim();
    world.nameclt(&["-advanced", "bind_context", "advanced.ctx", free])?;
    world.nameclt(&["-advanced", "rebind", "advanced.ctx/x", &ior])?;
    world.nameclt(&["-advanced", "rebind", "advanced.ctx/x", &ior])?;
    world.nameclt(&[
        "-advanced",
        "rebind_context",
        "advanced.ctx/up",
        &world.root.to_ior_string(),
    ])?;
    world.is_ours(&present(world.root.resolve(&name("advanced.ctx/up/advanced.ctx/x")?)?)?)?;
    same("the list", world.nameclt(&["list", "advanced.ctx"])?.as_str(), "up/\nx")
}

/// JacORB's ContextLister shows the tree, also where it leads back to its root.
pub(super) fn listed_by_jacorb(world: &World) -> Checked {
    let context = world.context("jacorb.ctx")?;
    context.bind(&name("x.object")?, Some(world.object()))?;
    context.bind_context(&name("root.ctx")?, Some(&world.root.clone().into()))?;
    // More than it asks for at once.
    let many = world.context("many_for_jacorb.ctx")?;
    for number in 0..1000 {
        many.bind(&name(&format!("n{number}"))?, Some(world.object()))?;
    }
    let said = world.service.context_lister().or_else(fail)?;
    same(&said.text, said.well, true)?;
    let lines: BTreeSet<&str> = said.text.lines().map(str::trim).collect();
    let expected = ["jacorb.ctx/", "x.object", "root.ctx/", "n0", "n999"];
    let missing: Vec<_> = expected.iter().filter(|line| !lines.contains(**line)).collect();
    same(&said.text, missing, vec![])
}

/// A peer's client finds Zorb's object by its name, and calls it.
fn resolved_by(world: &World, peer: Peer) -> Checked {
    let bound = format!("for_{peer}.object");
    world.root.rebind(&name(&bound)?, Some(world.object()))?;
    let mut command = peers::program(peer, "client");
    command.arg(format!("corbaname::{}#{bound}", world.service.address()));
    command.args(["--only", "basics"]);
    let ended = Process::start("the peer's client", &mut command).and_then(|it| it.end(LIMIT));
    match ended {
        Ok((_, status)) if status.success() => Ok(()),
        Ok((lines, status)) => fail(format!("it ended with {status}: {}", lines.join("\n"))),
        Err(failure) => fail(failure),
    }
}

/// Zorb binds an object of a peer, finds it by its name, and calls it.
fn object_of(world: &World, peer: Peer) -> Checked {
    let folder = tempfile::tempdir()?;
    let started = crate::pairings::start_server(Some(peer), 2, folder.path(), &[]);
    let (process, reference) = started.or_else(fail)?;
    let object: Suite = world.orb.resolve(&reference)?;
    let bound = format!("of_{peer}.object");
    world.root.rebind(&name(&bound)?, Some(object.as_object()))?;
    let url = format!("corbaname::{}#{bound}", world.service.address());
    let found: Suite = world.orb.resolve(&url)?;
    same("its peer", found.peer()?.to_lowercase().as_str(), peer)?;
    process.end_well().or_else(fail)
}
