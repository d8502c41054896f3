//! Checks of exceptions, attributes and oneways.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use zorb::{CompletionStatus, Error, MinorCode, SystemException, SystemExceptionKind};

use super::{Checked, Run, excerpt, fail, present, raised, require, same};
use crate::interop::data::ByLong;
use crate::interop::faults::{DivideError, Nearby, RaiseUserError};
use crate::interop::guarded::{CheckedError, LevelError, SetLevelError};
use crate::interop::{Detailed, Empty, Reason};
use crate::samples;
use crate::shapes::{Colour, Degenerate, Point};

/// Fails the check unless `result` is this exception.
fn same_exception<T: Debug, E: zorb::Raises + PartialEq>(
    result: Result<T, E>,
    expected: impl Into<E>,
) -> Checked {
    match result {
        Ok(value) => fail(format!("nothing was raised, but {}", excerpt(&value))),
        Err(error) => same("the exception", &error, &expected.into()),
    }
}

pub(super) fn check_faults(run: &mut Run<'_>) -> Checked {
    let faults = &present(run.suite.fault_tests()?)?;
    run.check("faults/none", || Ok(faults.raise_user("no such kind")?));
    let mut user = |name: &str, kind: &str, expected: RaiseUserError| {
        run.check(name, || same_exception(faults.raise_user(kind), expected));
    };
    user("faults/empty", "empty", Empty.into());
    user("faults/members", "reason", Reason { why: "because".into(), code: -42 }.into());
    let degenerate = Degenerate { at: Point { x: 3, y: -4 }, why: "flat".into() };
    user("faults/struct_member", "degenerate", degenerate.into());
    let detailed = Detailed {
        who: samples::ada(),
        tint: Colour::Blue,
        numbers: vec![1, 2, 3],
        choice: ByLong::Text("chosen".into()),
    };
    user("faults/rich_members", "detailed", detailed.into());
    user("faults/of_interface", "nearby", Nearby { level: 200, weight: 2.5 }.into());
    run.check("faults/result_or_exception", || {
        same("-17 / 5", &faults.divide(-17, 5)?, &(-3, -2))?;
        let expected = Reason { why: "division by zero".into(), code: 9 };
        same_exception(faults.divide(9, 0), DivideError::Reason(expected))?;
        same("9 / 3", &faults.divide(9, 3)?, &(3, 0))
    });
    for kind in SystemExceptionKind::ALL {
        run.check(&format!("faults/system_{}", kind.name()), || {
            let statuses = [CompletionStatus::Yes, CompletionStatus::No, CompletionStatus::Maybe];
            for (completed, minor) in statuses.into_iter().zip([0, 0x4f4d_0001, u32::MAX]) {
                let result = faults.raise_system(kind.name(), minor, completed as u32);
                same_exception(result, SystemException::new(*kind, MinorCode(minor), completed))?;
            }
            Ok(())
        });
    }
    Ok(())
}

pub(super) fn check_attributes(run: &mut Run<'_>) -> Checked {
    let suite = run.suite;
    let new = |label: &str| -> Result<_, Error> { present(suite.new_settings(label)?) };
    let settings = &new("fresh")?;
    run.check("attributes/initial", || {
        same("label", settings.label()?.as_str(), "fresh")?;
        same("title", settings.title()?.as_str(), "")?;
        same("enabled", &settings.enabled()?, &false)?;
        same("tint", &settings.tint()?, &Colour::Red)?;
        same("numbers", &settings.numbers()?, &vec![])?;
        require(settings.next()?.is_none(), "next is not nil")
    });
    run.check("attributes/readonly", || {
        let before = settings.reads()?;
        settings.number()?;
        settings.number()?;
        same("reads", &settings.reads()?, &(before + 2))
    });
    run.check("attributes/simple", || {
        settings.set_number(-5)?;
        settings.set_title("a title")?;
        settings.set_motto("a motto")?;
        settings.set_enabled(true)?;
        settings.set_tint(Colour::Blue)?;
        same("number", &settings.number()?, &-5)?;
        same("title", settings.title()?.as_str(), "a title")?;
        same("motto", settings.motto()?.as_str(), "a motto")?;
        same("enabled", &settings.enabled()?, &true)?;
        same("tint", &settings.tint()?, &Colour::Blue)
    });
    run.check("attributes/constructed", || {
        let choice = ByLong::Number { label: 1, value: 9 };
        settings.set_origin(&Point { x: 5, y: -6 })?;
        settings.set_owner(&samples::ada())?;
        settings.set_numbers(&[1, 2])?;
        settings.set_cells(&[1, 2, 3, 4])?;
        settings.set_choice(&choice)?;
        same("origin", &settings.origin()?, &Point { x: 5, y: -6 })?;
        same("owner", &settings.owner()?, &samples::ada())?;
        same("numbers", &settings.numbers()?, &vec![1, 2])?;
        same("cells", &settings.cells()?, &[1, 2, 3, 4])?;
        same("choice", &settings.choice()?, &choice)
    });
    run.check("attributes/reference", || {
        let other = new("other")?;
        settings.set_next(Some(&other))?;
        same("next's label", present(settings.next()?)?.label()?.as_str(), "other")?;
        settings.set_next(None)?;
        require(settings.next()?.is_none(), "next is not nil")?;
        Ok(other.destroy()?)
    });
    run.check("attributes/after_destroy", || {
        let doomed = new("doomed")?;
        doomed.destroy()?;
        raised(doomed.number(), SystemExceptionKind::ObjectNotExist)?;
        same("_non_existent", &zorb::ObjectRef::from(doomed).non_existent()?, &true)
    });
    check_guarded(run)
}

fn check_guarded(run: &mut Run<'_>) -> Checked {
    let guarded = &present(run.suite.guarded_attributes()?)?;
    run.check("attributes/guarded", || {
        guarded.set_level(50)?;
        same("level", &guarded.level()?, &50)?;
        same("checked", &guarded.checked()?, &50)
    });
    run.check("attributes/guarded_set_raises", || {
        let expected = Reason { why: "too high".into(), code: 101 };
        same_exception(guarded.set_level(101), SetLevelError::Reason(expected))?;
        same_exception(guarded.set_level(13), SetLevelError::Empty(Empty))
    });
    run.check("attributes/guarded_get_raises", || {
        guarded.set_level(-1)?;
        same_exception(guarded.level(), LevelError::Empty(Empty))?;
        guarded.set_level(99)?;
        let expected = Reason { why: "checked".into(), code: 99 };
        same_exception(guarded.checked(), CheckedError::Reason(expected))
    });
    run.check("attributes/guarded_reset", || Ok(guarded.set_level(0)?));
    Ok(())
}

/// How long a oneway may take to arrive.
pub(super) const ONEWAY_LIMIT: Duration = Duration::from_secs(120);

/// Asks for the effect of a oneway until it shows.
pub(super) fn await_effect(mut arrived: impl FnMut() -> Result<bool, Error>) -> Checked {
    let begun = Instant::now();
    while !arrived()? {
        require(begun.elapsed() < ONEWAY_LIMIT, "the oneway did not arrive")?;
    }
    Ok(())
}

pub(super) fn check_events(run: &mut Run<'_>) -> Checked {
    let events = &present(run.suite.new_events()?)?;
    // A oneway has no reply: its effect is asked for until it shows.
    let wait_for = |expected: u32| {
        await_effect(|| Ok(events.count()? >= expected))?;
        same("count", &events.count()?, &expected)
    };
    run.check("events/oneway", || {
        events.ping()?;
        wait_for(1)
    });
    run.check("events/oneway_arguments", || {
        events.post(1, "posted", &[20, 300])?;
        wait_for(2)?;
        same("sum", &events.sum()?, &321)?;
        same("last_text", events.last_text()?.as_str(), "posted")
    });
    run.check("events/many_oneways", || {
        (0..200).try_for_each(|_| events.ping())?;
        wait_for(202)
    });
    Ok(())
}
