//! Checks of decimal numbers and `long double`.

use zorb::codegen::Fixed;
use zorb::{Any, LongDouble};

use super::{Checked, Run, fail, present, same};
use crate::interop::data::{Amount, Bill, Exact, Measured, Price};
use crate::interop::decimals::PayError;
use crate::interop::{Decimals, RATE, TooDear};
use crate::samples;

const fn price(cents: i128) -> Price {
    Fixed::constant(cents)
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let decimals = &present(run.suite.decimal_types()?)?;
    // All digits are used: there are peers that send less than all of them else.
    let prices = [12345, -12345, 99999, -99999].map(price);
    run.echo("decimals/price", &prices, |a, b| decimals.echo_price(*a, *b));
    let even = [samples::EXACT, Fixed::constant(9_999_999_999)];
    run.echo("decimals/even_digits", &even, |a, b| decimals.echo_exact(*a, *b));
    let digits = [0, 9, -9].map(Fixed::constant);
    run.echo("decimals/digit", &digits, |a, b| decimals.echo_digit(*a, *b));
    let fractions = [123_456, -999_999].map(Fixed::constant);
    run.echo("decimals/fraction", &fractions, |a, b| decimals.echo_fraction(*a, *b));
    let widest = [samples::WIDEST, -samples::WIDEST];
    run.echo("decimals/widest", &widest, |a, b| decimals.echo_widest(*a, *b));
    let finest = [samples::FINEST, -samples::FINEST];
    run.echo("decimals/finest", &finest, |a, b| decimals.echo_finest(*a, *b));
    check_leading_zeros(run, decimals);
    run.echo("decimals/sequence", &[prices.to_vec(), vec![]], |a, b| decimals.echo_prices(a, b));
    let pairs = [[samples::EXACT, -samples::EXACT], [-samples::EXACT; 2]];
    run.echo("decimals/array", &pairs, |a, b| decimals.echo_exact_pair(a, b));
    let other = Bill { parts: vec![], ..samples::bill() };
    run.echo("decimals/struct", &[samples::bill(), other], |a, b| decimals.echo_bill(a, b));
    let amounts = [samples::AMOUNT, Amount::Rough(0.5)];
    run.echo("decimals/union", &amounts, |a, b| decimals.echo_amount(a, b));
    run.check("decimals/arithmetic", || {
        let product = decimals.multiply(price(99999), price(-99999))?;
        same("999.99 * -999.99", &product, &Exact::constant(-9_999_800_001))
    });
    run.check("decimals/constant", || {
        same("the constant", &decimals.rate()?.value(), &RATE.value())
    });
    run.check("decimals/exception", || {
        decimals.pay(price(10000))?;
        match decimals.pay(price(10001)) {
            Err(PayError::TooDear(TooDear { limit })) => same("the limit", &limit, &price(10000)),
            Err(error) => Err(error.into()),
            Ok(()) => fail("nothing was raised"),
        }
    });
    Ok(())
}

fn check_leading_zeros(run: &mut Run<'_>, decimals: &Decimals) {
    let small = [0, 1, -1, 150].map(price);
    run.echo("decimals/zeros_price", &small, |a, b| decimals.echo_price(*a, *b));
    let even = [0, 1, -10001].map(Fixed::constant);
    run.echo("decimals/zeros_even_digits", &even, |a, b| decimals.echo_exact(*a, *b));
    let fractions = [0, 1, -99].map(Fixed::constant);
    run.echo("decimals/zeros_fraction", &fractions, |a, b| decimals.echo_fraction(*a, *b));
    let widest = [0, 1, -12345].map(Fixed::constant);
    run.echo("decimals/zeros_widest", &widest, |a, b| decimals.echo_widest(*a, *b));
    let finest = [0, 1, -12345].map(Fixed::constant);
    run.echo("decimals/zeros_finest", &finest, |a, b| decimals.echo_finest(*a, *b));
}

/// Numbers that differ from each other in the lowest bit alone are the reason for the type.
pub(super) fn check_long_doubles(run: &mut Run<'_>) -> Checked {
    let numbers = &present(run.suite.long_double_types()?)?;
    run.check("long_doubles/widen", || {
        for value in [1.5, -0.0, 1e300, -2.5e-10] {
            same(
                "the widened",
                &numbers.widen(value)?.to_bits(),
                &LongDouble::from(value).to_bits(),
            )?;
        }
        Ok(())
    });
    run.check("long_doubles/narrow", || {
        for value in [1.5_f64, -0.0, 1e300, -2.5e-10] {
            same("the narrowed", &numbers.narrow(value.into())?.to_bits(), &value.to_bits())?;
        }
        Ok(())
    });
    let fine = samples::measured().value;
    run.check("long_doubles/echo", || {
        let (result, b, c) = numbers.echo_long_double(fine, 1.5.into())?;
        same("the result", &[result, b, c], &[fine, fine, 1.5.into()])
    });
    let plain = Measured { lead: 3, value: (-1.5).into(), last: 4 };
    run.check("long_doubles/struct", || {
        let (result, b, c) = numbers.echo_measured(&samples::measured(), &plain)?;
        same("the result", &result, &samples::measured())?;
        same("the inout parameter", &b, &samples::measured())?;
        same("the out parameter", &c, &plain)
    });
    run.check("long_doubles/sequence", || {
        let (result, _, c) = numbers.echo_long_doubles(&[fine, 1.5.into()], &[])?;
        same("the result", &result, &vec![fine, 1.5.into()])?;
        same("the out parameter", &c, &vec![])
    });
    let anys = &present(run.suite.any_tests()?)?;
    run.check("long_doubles/any", || {
        let value = Any::new::<LongDouble>(&fine).unwrap_or_default();
        let (result, _, _) = anys.echo_any(&value, &Any::default())?;
        same("the result", &result.get::<LongDouble>(), &Some(fine))
    });
    Ok(())
}
