//! Values that are set while a function runs.

pub use crate::sys::scoped::{Borrowing, Scoped};

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::{Borrowing, Scoped};

    struct Number;

    impl Borrowing for Number {
        type Value<'a> = &'a i32;

        fn shorten<'s, 'l: 's>(value: &'s &'l i32) -> &'s &'s i32 {
            value
        }
    }

    #[test]
    fn the_previous_value_is_restored_also_after_a_panic() {
        thread_local! {
            static KEY: Scoped<Number> = const { Scoped::new() };
        }
        let current = || Scoped::with(&KEY, |value| value.map(|value| **value));
        Scoped::set(&KEY, &1, || {
            let panicking = || Scoped::set(&KEY, &2, || panic!("with {:?}", current()));
            let payload = catch_unwind(AssertUnwindSafe(panicking)).unwrap_err();
            assert_eq!(payload.downcast_ref::<String>().unwrap(), "with Some(2)");
            assert_eq!(current(), Some(1));
        });
        assert_eq!(current(), None);
    }

    #[test]
    fn all_values_are_asked_from_the_innermost_on() {
        thread_local! {
            static KEY: Scoped<Number> = const { Scoped::new() };
        }
        let asked = |wanted: i32| {
            let mut asked = Vec::new();
            let found = Scoped::any(&KEY, |value| {
                asked.push(**value);
                **value == wanted
            });
            (found, asked)
        };
        assert_eq!(asked(1), (false, vec![]));
        Scoped::set(&KEY, &1, || {
            Scoped::set(&KEY, &2, || {
                assert_eq!(asked(0), (false, vec![2, 1]));
                assert_eq!(asked(1), (true, vec![2, 1]));
                assert_eq!(asked(2), (true, vec![2]));
            });
            assert_eq!(asked(2), (false, vec![1]));
        });
    }
}
