//! The servant of the suite.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::idl::suite::{
    Listener, Octets, Record, Records, Refused, SubjectServant, Tally, subject,
};

/// Serves `Suite::Subject`.
#[derive(Debug, Default)]
pub(crate) struct Servant {
    noted: Mutex<(Tally, Option<u32>)>,
    open: Mutex<bool>,
    opened: Condvar,
}

impl SubjectServant for Servant {
    fn add(&self, left: i32, right: i32) -> zorb::Result<i32> {
        Ok(left.wrapping_add(right))
    }

    fn mirror(&self, data: &[u8]) -> zorb::Result<Octets> {
        Ok(data.to_vec())
    }

    fn reversed(&self, data: &[Record]) -> zorb::Result<Records> {
        Ok(data.iter().rev().cloned().collect())
    }

    fn letter(&self, given: char) -> zorb::Result<char> {
        Ok(given)
    }

    fn wide_letter(&self, given: char) -> zorb::Result<char> {
        Ok(given)
    }

    fn refuse(&self, why: &str, code: i32) -> zorb::Result<(), subject::RefuseError> {
        Err(Refused { why: why.to_owned(), code }.into())
    }

    fn panic_now(&self) -> zorb::Result<()> {
        panic!("as requested")
    }

    fn note(&self, number: u32, data: &[u8]) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let (tally, last) = &mut *noted;
        tally.in_order = last.map_or(number == 0, |last| tally.in_order && number == last + 1);
        tally.calls += 1;
        tally.octets += data.len() as u64;
        *last = Some(number);
    }

    fn noted(&self) -> zorb::Result<Tally> {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *noted).0)
    }

    fn call_back(&self, whom: Option<&Listener>, value: i32) -> zorb::Result<i32> {
        Ok(whom.expect("a listener").heard(value)? + 1)
    }

    fn wait_at_gate(&self) -> zorb::Result<()> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let _open = self.opened.wait_while(open, |open| !*open);
        Ok(())
    }

    fn open_gate(&self) -> zorb::Result<()> {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
        Ok(())
    }
}
