//! Checks of basic types, strings and wide strings.

use zorb::SystemExceptionKind::{BadParam, DataConversion, InvObjref, Marshal};

use super::{Checked, Run, present, same};
use crate::interop::values;
use crate::samples;

macro_rules! integers {
    ($run:ident, $name:literal, $type:ty, $call:expr) => {
        let values = [0, 1, <$type>::MIN, <$type>::MAX, 0x0123_4567_89ab_cdef_u64 as $type];
        $run.echo($name, &values, $call);
    };
}

/// Floating-point values are compared bit by bit.
macro_rules! reals {
    ($run:ident, $name:literal, $type:ty, $basics:ident.$operation:ident) => {
        let values = [
            0.0,
            -0.0,
            1.5,
            -1e30,
            <$type>::MAX,
            <$type>::MIN,
            <$type>::MIN_POSITIVE,
            <$type>::from_bits(1),
            <$type>::INFINITY,
            <$type>::NEG_INFINITY,
            <$type>::NAN,
        ];
        $run.echo($name, &values.map(<$type>::to_bits), |a, b| {
            let call = $basics.$operation(<$type>::from_bits(*a), <$type>::from_bits(*b));
            call.map(|(result, b, c)| (result.to_bits(), b.to_bits(), c.to_bits()))
        });
    };
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let basics = &present(run.suite.basic_types()?)?;
    run.echo("basics/boolean", &[true, false], |a, b| basics.echo_boolean(*a, *b));
    let letters = ['a', '\0', '~', '\n', '\x7f'];
    run.echo("basics/char", &letters, |a, b| basics.echo_char(*a, *b));
    run.echo("basics/octet", &[0, 1, 127, 128, 255], |a, b| basics.echo_octet(*a, *b));
    integers!(run, "basics/short", i16, |a, b| basics.echo_short(*a, *b));
    integers!(run, "basics/ushort", u16, |a, b| basics.echo_ushort(*a, *b));
    integers!(run, "basics/long", i32, |a, b| basics.echo_long(*a, *b));
    integers!(run, "basics/ulong", u32, |a, b| basics.echo_ulong(*a, *b));
    integers!(run, "basics/longlong", i64, |a, b| basics.echo_longlong(*a, *b));
    integers!(run, "basics/ulonglong", u64, |a, b| basics.echo_ulonglong(*a, *b));
    reals!(run, "basics/float", f32, basics.echo_float);
    reals!(run, "basics/double", f64, basics.echo_double);
    run.echo("basics/typedef", &[7, -7], |a, b| basics.echo_count(*a, *b));
    run.check("basics/nothing", || Ok(basics.nothing()?));
    run.check("basics/mixed", || {
        same("the results", &basics.mixed(7, -3, "abcde", true)?, &(42, 10.5, 3, 5, false))
    });
    // In UTF-8 a single char holds ASCII alone, in Latin-1 all of its letters.
    if !run.code_sets {
        run.echo("basics/char_latin1", &['ü', 'ÿ'], |a, b| basics.echo_char(*a, *b));
    }
    run.refused("basics/char_beyond_code_set", &[DataConversion], || basics.echo_char('東', 'a'));
    Ok(())
}

pub(super) fn check_texts(run: &mut Run<'_>) -> Checked {
    let texts = &present(run.suite.text_types()?)?;
    let echo = |a: &String, b: &String| texts.echo_string(a, b);
    let plain = ["", "a", "plain ASCII ~!@#", &"x".repeat(300)].map(String::from);
    run.echo("texts/string", &plain, echo);
    run.echo("texts/string_latin1", &["Zürich", "é"].map(String::from), echo);
    let wide = [samples::TEXT, "Ж€", "é"].map(String::from);
    if run.code_sets {
        run.echo("texts/string_utf8", &wide, echo);
        run.echo("texts/string_beyond_bmp", &["😀 beyond the BMP".to_owned()], echo);
    } else {
        run.refused("texts/string_beyond_latin1", &[DataConversion], || echo(&wide[0], &wide[2]));
    }
    run.echo("texts/bounded", &["", "twelve chars"].map(String::from), |a, b| {
        texts.echo_short_name(a, b)
    });
    run.refused("texts/bound_exceeded", &[Marshal, BadParam], || {
        texts.echo_short_name("thirteen char", "")
    });
    run.refused("texts/nul_inside", &[Marshal, BadParam], || texts.echo_string("a\0b", ""));
    run.echo("texts/alias", &["alias", ""].map(String::from), |a, b| texts.echo_alias(a, b));
    run.check("texts/repeat", || {
        same("three times ab", texts.repeat("ab", 3)?.as_str(), "ababab")?;
        same("no times ab", texts.repeat("ab", 0)?.as_str(), "")
    });
    Ok(())
}

pub(super) fn check_wides(run: &mut Run<'_>) -> Checked {
    let wides = &present(run.suite.wide_types()?)?;
    if !run.code_sets {
        // The standard: MARSHAL in GIOP 1.0, INV_OBJREF where a reference names no code sets.
        let kind = if run.minor == 0 { Marshal } else { InvObjref };
        run.refused("wides/not_negotiated", &[kind], || wides.echo_wchar('a', 'b'));
        return Ok(());
    }
    let letters = ['a', 'é', 'カ', '東', '\u{fffd}', '\0'];
    run.echo("wides/wchar", &letters, |a, b| wides.echo_wchar(*a, *b));
    let echo = |a: &String, b: &String| wides.echo_wstring(a, b);
    let plain = ["", "a", "Zürich", "東京", &"カ".repeat(300)].map(String::from);
    run.echo("wides/wstring", &plain, echo);
    run.echo("wides/wstring_beyond_bmp", &["😀x", "\u{10ffff}"].map(String::from), echo);
    run.echo("wides/bounded", &[String::new(), "京".repeat(8)], |a, b| {
        wides.echo_short_wide(a, b)
    });
    let words = ["first", "", "東京"].map(String::from).to_vec();
    run.echo("wides/sequence", &[words, vec![]], |a, b| wides.echo_wide_seq(a, b));
    run.check("wides/constants", || {
        same("katakana", &wides.katakana()?, &values::KATAKANA)?;
        same("greeting", wides.greeting()?.as_str(), values::WGREETING)
    });
    Ok(())
}
