//! Checks of any: each kind made, understood and echoed by the server.

use zorb::codegen::Ref;
use zorb::{Any, Interface as _, ObjectRef};

use super::{Checked, Run, fail, present, same};
use crate::interop::Base;
use crate::interop::data::{Person, Row};
use crate::samples;

/// Whether a kind's text needs negotiated code sets.
pub(super) fn needs_code_sets(kind: &str) -> bool {
    matches!(kind, "text" | "wchar" | "wstring" | "sign" | "wide_code")
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let anys = &present(run.suite.any_tests()?)?;
    let (person, code_sets) = (samples::any_of("person").unwrap_or_default(), run.code_sets);
    let kinds = samples::ANY_KINDS.iter().filter(|(kind, _)| code_sets || !needs_code_sets(kind));
    for (kind, make) in kinds {
        let Ok(value) = make() else {
            run.check(&format!("anys/new_{kind}"), || fail("it has no encoding"));
            continue;
        };
        run.check(&format!("anys/make_{kind}"), || same("the any", &anys.make(kind)?, &value));
        run.check(&format!("anys/kind_of_{kind}"), || {
            same("the kind", anys.kind_of(&value)?.as_str(), kind)
        });
        run.check(&format!("anys/echo_{kind}"), || {
            let (result, b, c) = anys.echo_any(&value, &person)?;
            same("the result", &result, &value)?;
            same("the inout parameter", &b, &value)?;
            same("the out parameter", &c, &person)
        });
    }
    let orb = run.orb;
    let suite = run.suite;
    run.check("anys/unknown", || {
        let one = Any::new::<i32>(&1).unwrap_or_default();
        same("the kind", anys.kind_of(&one)?.as_str(), "unknown")
    });
    run.check("anys/values", || {
        same("the person", &anys.make("person")?.get::<Person>(), &Some(samples::ada()))?;
        same("the row", &anys.make("row")?.get::<Row>(), &Some([1, 2, 3, 4]))?;
        let inner = anys.make("nested")?.get::<Any>().and_then(|any| any.get::<Any>());
        same("the innermost", &inner.and_then(|any| any.get::<i32>()), &Some(5))
    });
    run.check("anys/reference", || {
        let refs = present(suite.reference_tests()?)?;
        let base = refs.make("left", "inside")?;
        let Ok(value) = Any::new::<Ref<Base>>(&base) else {
            return fail("it has no encoding");
        };
        let (result, nothing, _) = anys.echo_any(&value, &Any::default())?;
        same("the inout parameter", &nothing, &value)?;
        let Some(found) = orb.extract::<Ref<Base>>(&result) else {
            return fail("no Base in the any");
        };
        same("name", present(found)?.name()?.as_str(), "inside")
    });
    run.check("anys/reference_as_object", || {
        let object = suite.as_object().clone();
        let Ok(value) = Any::new::<Ref<ObjectRef>>(&Some(object)) else {
            return fail("it has no encoding");
        };
        let (result, _, _) = anys.echo_any(&value, &Any::default())?;
        let Some(found) = orb.extract::<Ref<ObjectRef>>(&result) else {
            return fail("no Object in the any");
        };
        same("_non_existent", &present(found)?.non_existent()?, &false)
    });
    Ok(())
}
