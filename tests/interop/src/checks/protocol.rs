//! Checks below the level of IDL: pseudo operations, wrong operations and keys, corbaloc.

use std::fmt::Write as _;

use zorb::SystemExceptionKind::{BadOperation, ObjectNotExist};
use zorb::giop::{ComponentTag, IiopProfile, ProfileTag, SslSecTrans};
use zorb::{Error, Interface as _, ObjectRef, SystemException};

use super::{Checked, Run, fail, present, raised, require, same};
use crate::interop::{Basics, Suite};

/// The first IIOP profile of a reference.
fn profile(object: &ObjectRef) -> Result<IiopProfile, Error> {
    let mut profiles = object.ior().profiles.iter();
    match profiles.find(|profile| profile.tag == ProfileTag::INTERNET_IOP) {
        Some(found) => IiopProfile::decode(&found.data)
            .map_or_else(|error| fail(format!("a malformed profile: {error}")), Ok),
        None => fail("no IIOP profile"),
    }
}

/// Whether the reference names code sets: those of GIOP 1.0 cannot.
pub(super) fn has_code_sets(suite: &Suite) -> bool {
    profile(suite.as_object()).is_ok_and(|profile| {
        let mut tags = profile.components.iter().map(|component| component.tag);
        tags.any(|tag| tag == ComponentTag::CODE_SETS)
    })
}

fn corbaloc(profile: &IiopProfile) -> String {
    // A server that is reached over TLS alone has no plain port.
    let secure = profile.components_of::<SslSecTrans>().next();
    let (protocol, port) = match secure {
        Some(tls) if profile.port == 0 => ("ssliop", tls.port),
        _ => ("iiop", profile.port),
    };
    let (minor, host) = (profile.version.minor(), &profile.host);
    let mut text = format!("corbaloc:{protocol}:1.{minor}@{host}:{port}/");
    for octet in &profile.object_key {
        let _ = write!(text, "%{octet:02x}");
    }
    text
}

/// Calls an operation without arguments and results.
fn call(object: &ObjectRef, operation: &'static str) -> Result<(), SystemException> {
    object.invoke(operation, |_| Ok(()), |_| Ok(()))
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let (orb, suite) = (run.orb, run.suite.as_object());
    let basics = &present(run.suite.basic_types()?)?;
    let (texts, minor) = (present(run.suite.text_types()?)?, run.minor);
    run.check("protocol/version", || {
        same("the profile's GIOP version", &profile(suite)?.version.minor(), &minor)
    });
    if minor > 0 {
        run.check("protocol/code_sets", || {
            require(has_code_sets(run.suite), "the profile names no code sets")
        });
    }
    run.check("protocol/is_a", || {
        require(suite.is_a(Suite::REPOSITORY_ID)?, "Suite")?;
        require(suite.is_a("IDL:omg.org/CORBA/Object:1.0")?, "Object")?;
        require(!suite.is_a(Basics::REPOSITORY_ID)?, "Basics")
    });
    run.check("protocol/non_existent", || same("_non_existent", &suite.non_existent()?, &false));
    run.check("protocol/locate", || same("locate", &suite.locate()?, &true));
    run.check("protocol/same_object", || {
        let again = present(run.suite.basic_types()?)?;
        require(*basics == again, "the same object is not equivalent to itself")?;
        require(
            !basics.as_object().is_equivalent(texts.as_object()),
            "different objects are equivalent",
        )
    });
    run.check("protocol/corbaloc", || {
        let again: Suite = orb.resolve(&corbaloc(&profile(suite)?))?;
        same("peer", &again.peer()?, &run.suite.peer()?)
    });
    run.check("protocol/bad_operation", || {
        raised(call(basics.as_object(), "no_such_operation"), BadOperation)?;
        Ok(basics.nothing()?)
    });
    run.check("protocol/repository_id", || {
        same("the id", suite.repository_id()?.as_str(), Suite::REPOSITORY_ID)
    });
    for (name, foreign) in [("protocol/unknown_key", false), ("protocol/foreign_key", true)] {
        run.check(name, || {
            let mut profile = profile(basics.as_object())?;
            if foreign {
                profile.object_key = b"no such key".to_vec();
            } else if let Some(last) = profile.object_key.last_mut() {
                *last ^= 0x5a;
            }
            let stranger = present(orb.string_to_object(&corbaloc(&profile))?)?;
            raised(call(&stranger, "nothing"), ObjectNotExist)?;
            same("_non_existent", &stranger.non_existent()?, &true)?;
            same("locate", &stranger.locate()?, &false)?;
            Ok(basics.nothing()?)
        });
    }
    Ok(())
}
