//! Checks of keywords as names, macros and constants.

use super::{Checked, Run, present, same};
use crate::interop::names::{Enum, Keywords};
use crate::interop::{ConstantReport, macros};
use crate::shapes::Colour;

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let names = &present(run.suite.name_tests()?)?;
    let keywords = Keywords {
        r#type: 1,
        r#match: 2,
        self_: 3,
        r#impl: 4,
        crate_: 5,
        r#struct: 6,
        attribute: 7,
        class: 8,
        package: 9,
        operator: 10,
    };
    run.echo("names/struct", &[keywords, Keywords::default()], |a, b| names.echo_keywords(a, b));
    let words = [Enum::Fn, Enum::Loop, Enum::Union, Enum::New];
    run.echo("names/enum", &words, |a, b| names.echo_enum(*a, *b));
    run.check("names/operations", || {
        same("match", &names.r#match(1, 2, 3)?, &123)?;
        same("interface", &names.interface(41)?, &42)?;
        same("use", &names.r#use(5)?, &(6, 10))
    });
    run.check("names/attributes", || {
        same("mod", &names.r#mod()?, &7)?;
        names.set_oneway(11)?;
        same("oneway", &names.oneway()?, &11)?;
        Ok(names.set_oneway(0)?)
    });

    let of_macros = &present(run.suite.macro_tests()?)?;
    run.echo("macros/echo", &[1, -1], |a, b| of_macros.echo_number(*a, *b));
    run.echo("macros/echo_words", &["a", ""].map(String::from), |a, b| of_macros.echo_words(a, b));
    run.check("macros/values", || {
        same("add", &of_macros.add(40, 2)?, &42)?;
        same("doubled", &of_macros.doubled_value()?, &10)?;
        same("DOUBLED", &macros::DOUBLED, &10)?;
        same("quoted", of_macros.quoted_value()?.as_str(), "plain words")
    });

    let constants = &present(run.suite.constant_tests()?)?;
    run.check("constants/report", || {
        let expected = ConstantReport {
            small: 1,
            usmall: 65535,
            product: 42,
            shifted: 1039,
            quotient: -3,
            remainder: -2,
            masked: 15,
            toggled: 0x5b,
            halved: 128,
            all_bits: u32::MAX,
            distance: -5_000_000_000,
            longest: 9_000_000_000_000_000_000,
            ratio: 2.75,
            tiny: 2.5e-30,
            part: 0.75,
            letter: 'Z',
            newline: '\n',
            quote: '\'',
            hexed: 'A',
            octal: 'B',
            yes: true,
            byte: 255,
            greeting: "Hello, world\t\"quoted\" AB back\\slash".into(),
            favourite: Colour::Green,
            total: 1054,
        };
        same("the report", &constants.report()?, &expected)
    });
    Ok(())
}
