//! Checks of TypeCodes, of anys and wide text inside other types, and of contexts.

use zorb::SystemExceptionKind::{InvObjref, Marshal};
use zorb::{Any, Context, Ref, TypeCode, Typed as _};

use super::anys::needs_code_sets;
use super::{Checked, Run, fail, present, same};
use crate::interop::data::{Described, Person, Sign, Tree, Variant, WideOrNot};
use crate::interop::wide_types::ReadError;
use crate::interop::{Base, Empty, Reason, Unreadable, values};
use crate::samples;

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let types = &present(run.suite.type_tests()?)?;
    let code_sets = run.code_sets;
    for (kind, make) in samples::ANY_KINDS {
        // Types have no text of their own, but a value goes along.
        if needs_code_sets(kind) && !code_sets {
            continue;
        }
        let Ok(value) = make() else { continue };
        run.check(&format!("types/type_{kind}"), || {
            let wanted = value.type_code();
            same("the type made", &types.make_type(kind)?.equivalent(wanted), &true)?;
            same("the type of a value", &types.type_of(&value)?.equivalent(wanted), &true)?;
            let first = samples::first_of_type(wanted).unwrap_or_default();
            same("the kind", types.kind_of_type(wanted)?.as_str(), first)?;
            let (result, b, c) = types.echo_type(wanted, &TypeCode::default())?;
            same("the result", &result, wanted)?;
            same("the inout parameter", &b, wanted)?;
            same("the out parameter", &c, &TypeCode::default())
        });
    }
    run.check("types/compact", || {
        for kind in ["person", "tree", "by_colour", "expression", "node", "persons"] {
            let wanted = samples::any_of(kind).unwrap_or_default().type_code().clone();
            let compact = wanted.compact().or_else(|error| fail(error.to_string()))?;
            let first = samples::first_of_type(&wanted).unwrap_or_default();
            same("the kind", types.kind_of_type(&compact)?.as_str(), first)?;
            let (result, _, _) = types.echo_type(&compact, &TypeCode::default())?;
            same("the result", &result, &compact)?;
        }
        Ok(())
    });
    let list =
        [Person::type_code(), Tree::type_code(), Reason::type_code(), Ref::<Base>::type_code()];
    run.echo("types/sequence", &[list.to_vec(), vec![], vec![Tree::type_code(); 2]], |a, b| {
        types.echo_types(a, b)
    });
    let plain = Described { kind: Empty::type_code(), ..samples::described() };
    run.echo("types/struct", &[samples::described(), plain], |a, b| types.echo_described(a, b));
    let any = samples::property(3).value;
    let variants = [
        samples::variant(),
        Variant::Value(any.clone()),
        Variant::Kind(Tree::type_code()),
        Variant::Text("text".into()),
    ];
    run.echo("types/union", &variants, |a, b| types.echo_variant(a, b));
    let values = ["person", "by_char", "nested", "price"];
    let values: Vec<Any> = values.iter().filter_map(|kind| samples::any_of(kind)).collect();
    run.echo("types/any_sequence", &[values, vec![]], |a, b| types.echo_any_seq(a, b));
    let pairs = [[any.clone(), Any::default()], [Any::default(), any]];
    run.echo("types/any_array", &pairs, |a, b| types.echo_any_pair(a, b));
    let properties = [1, 2].map(samples::property);
    run.echo("types/any_in_struct", &properties, |a, b| types.echo_property(a, b));
    run.echo("types/any_in_structs", &[properties.to_vec(), vec![]], |a, b| {
        types.echo_properties(a, b)
    });
    Ok(())
}

pub(super) fn check_wides(run: &mut Run<'_>) -> Checked {
    let wides = &present(run.suite.wide_text_types()?)?;
    if !run.code_sets {
        // As for a wide string by itself.
        let kind = if run.minor == 0 { Marshal } else { InvObjref };
        let sign = samples::sign();
        run.refused("wide_types/not_negotiated", &[kind], || wides.echo_sign(&sign, &sign));
        return Ok(());
    }
    let empty = Sign { mark: 'a', text: String::new(), rest: vec![], ..samples::sign() };
    run.echo("wide_types/struct", &[samples::sign(), empty], |a, b| wides.echo_sign(a, b));
    let codes = [['a', 'é', 'カ'], ['東', '\0', 'z']];
    run.echo("wide_types/array", &codes, |a, b| wides.echo_wide_code(a, b));
    run.echo("wide_types/sequence", &[vec!['東', 'x'], vec![]], |a, b| wides.echo_wchars(a, b));
    let choices = [WideOrNot::Wide("東京".into()), WideOrNot::Narrow("plain".into())];
    run.echo("wide_types/union", &choices, |a, b| wides.echo_wide_or_not(a, b));
    run.check("wide_types/exception", || {
        wides.read("")?;
        match wides.read("東京") {
            Err(ReadError::Unreadable(Unreadable { what, at })) => {
                same("what", what.as_str(), "東京")?;
                same("at", &at, &values::KATAKANA)
            }
            Err(error) => Err(error.into()),
            Ok(()) => fail("nothing was raised"),
        }
    });
    Ok(())
}

pub(super) fn check_contexts(run: &mut Run<'_>) -> Checked {
    let contexts = &present(run.suite.context_tests()?)?;
    let context =
        Context::new().with("LANG", "de").with("USER_NAME", "ada").with("PASSWORD", "never sent");
    for (name, wanted) in [("LANG", "de"), ("USER_NAME", "ada"), ("PASSWORD", "")] {
        run.check(&format!("contexts/{}", name.to_lowercase()), || {
            same("the property", contexts.property(name, &context)?.as_str(), wanted)
        });
    }
    run.check("contexts/empty", || {
        same("the property", contexts.property("LANG", &Context::new())?.as_str(), "")
    });
    run.check("contexts/next_request", || {
        same("the text", contexts.none("as before")?.as_str(), "as before")
    });
    Ok(())
}
