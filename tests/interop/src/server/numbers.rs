//! Servants of decimal numbers and `long double`.

use zorb::codegen::Fixed;
use zorb::{FixedValue, LongDouble};

use super::data::Echo;
use super::echo::echo;
use crate::interop::decimals::PayError;
use crate::interop::{DecimalsServant, LongDoublesServant, RATE, TooDear, data};

/// What may be paid at once.
const LIMIT: data::Price = Fixed::constant(10_000);

impl DecimalsServant for Echo {
    echo! { value
        echo_price: data::Price;
        echo_exact: data::Exact;
        echo_digit: data::Digit;
        echo_fraction: data::Fraction;
        echo_widest: data::Widest;
        echo_finest: data::Finest;
    }
    echo! { sequence echo_prices: data::Price; }
    echo! { struct
        echo_exact_pair: data::ExactPair;
        echo_bill: data::Bill;
        echo_amount: data::Amount;
    }

    fn multiply(&self, left: data::Price, right: data::Price) -> zorb::Result<data::Exact> {
        let product = left.value().checked_mul(right.value())?;
        Ok(Fixed::try_from(product)?)
    }

    fn pay(&self, sum: data::Price) -> zorb::Result<(), PayError> {
        if sum > LIMIT { Err(TooDear { limit: LIMIT }.into()) } else { Ok(()) }
    }

    fn rate(&self) -> zorb::Result<data::Price> {
        Ok(Fixed::try_from(FixedValue::from(RATE))?)
    }
}

impl LongDoublesServant for Echo {
    echo! { value echo_long_double: LongDouble; }
    echo! { struct echo_measured: data::Measured; }
    echo! { sequence echo_long_doubles: LongDouble; }

    fn widen(&self, value: f64) -> zorb::Result<LongDouble> {
        Ok(value.into())
    }

    fn narrow(&self, value: LongDouble) -> zorb::Result<f64> {
        Ok(value.to_f64())
    }
}
