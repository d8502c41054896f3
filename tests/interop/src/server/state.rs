//! Servants with state or with exceptions: faults, attributes, oneways.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb::{CompletionStatus, MinorCode, SystemException, SystemExceptionKind};

use super::World;
use crate::interop::data::{ByLong, LongSeq, Person, Row};
use crate::interop::faults::{DivideError, Nearby, RaiseUserError};
use crate::interop::guarded::{CheckedError, LevelError, SetLevelError};
use crate::interop::{
    Detailed, Empty, EventsServant, FaultsServant, GuardedServant, Reason, Settings,
    SettingsServant,
};
use crate::samples;
use crate::shapes::{Colour, Degenerate, Point};

/// Raises what it is told to.
pub(super) struct Raiser;

impl FaultsServant for Raiser {
    fn raise_user(&self, kind: &str) -> zorb::Result<(), RaiseUserError> {
        Err(match kind {
            "empty" => Empty.into(),
            "reason" => Reason { why: "because".into(), code: -42 }.into(),
            "degenerate" => Degenerate { at: Point { x: 3, y: -4 }, why: "flat".into() }.into(),
            "detailed" => Detailed {
                who: samples::ada(),
                tint: Colour::Blue,
                numbers: vec![1, 2, 3],
                choice: ByLong::Text("chosen".into()),
            }
            .into(),
            "nearby" => Nearby { level: 200, weight: 2.5 }.into(),
            _ => return Ok(()),
        })
    }

    fn divide(&self, a: i32, b: i32) -> zorb::Result<(i32, i32), DivideError> {
        if b == 0 {
            return Err(Reason { why: "division by zero".into(), code: a }.into());
        }
        Ok((a.wrapping_div(b), a.wrapping_rem(b)))
    }

    fn raise_system(&self, name: &str, minor: u32, completed: u32) -> zorb::Result<()> {
        let completed =
            CompletionStatus::try_from(completed % 3).unwrap_or(CompletionStatus::Maybe);
        Err(match SystemExceptionKind::from_name(name) {
            Some(kind) => SystemException::new(kind, MinorCode(minor), completed),
            None => SystemException::bad_param(MinorCode::NONE, CompletionStatus::No),
        })
    }
}

/// An attribute whose operations raise user exceptions.
#[derive(Default)]
pub(super) struct Guard {
    level: AtomicI32,
}

impl GuardedServant for Guard {
    fn level(&self) -> zorb::Result<i32, LevelError> {
        match self.level.load(Ordering::Relaxed) {
            negative if negative < 0 => Err(Empty.into()),
            level => Ok(level),
        }
    }

    fn set_level(&self, value: i32) -> zorb::Result<(), SetLevelError> {
        match value {
            101.. => return Err(Reason { why: "too high".into(), code: value }.into()),
            13 => return Err(Empty.into()),
            _ => self.level.store(value, Ordering::Relaxed),
        }
        Ok(())
    }

    fn checked(&self) -> zorb::Result<i32, CheckedError> {
        match self.level.load(Ordering::Relaxed) {
            99 => Err(Reason { why: "checked".into(), code: 99 }.into()),
            level => Ok(level),
        }
    }
}

/// An object of attributes.
pub(super) struct Setting {
    world: World,
    id: String,
    label: String,
    values: Mutex<Values>,
}

struct Values {
    reads: u32,
    number: i32,
    title: String,
    motto: String,
    enabled: bool,
    tint: Colour,
    origin: Point,
    owner: Person,
    numbers: LongSeq,
    cells: Row,
    choice: ByLong,
    next: Option<Settings>,
}

impl Setting {
    pub(super) fn new(world: &World, id: &str, label: &str) -> Self {
        let values = Values {
            reads: 0,
            number: 0,
            title: String::new(),
            motto: String::new(),
            enabled: false,
            tint: Colour::Red,
            origin: Point::default(),
            owner: Person::default(),
            numbers: vec![],
            cells: [0; 4],
            choice: ByLong::Text(String::new()),
            next: None,
        };
        let values = Mutex::new(values);
        Self { world: world.clone(), id: id.into(), label: label.into(), values }
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Attributes kept as they are: what is read, and what is written.
macro_rules! attributes {
    ($($name:ident $set:ident: $type:ty = $view:ty;)*) => {
        $(
            fn $name(&self) -> zorb::Result<$type> {
                Ok(self.values().$name.clone())
            }
            fn $set(&self, value: $view) -> zorb::Result<()> {
                self.values().$name = value.to_owned();
                Ok(())
            }
        )*
    };
}

impl SettingsServant for Setting {
    attributes! {
        title set_title: String = &str;
        motto set_motto: String = &str;
        enabled set_enabled: bool = bool;
        tint set_tint: Colour = Colour;
        origin set_origin: Point = &Point;
        owner set_owner: Person = &Person;
        numbers set_numbers: LongSeq = &[i32];
        cells set_cells: Row = &Row;
        choice set_choice: ByLong = &ByLong;
    }

    fn label(&self) -> zorb::Result<String> {
        Ok(self.label.clone())
    }

    fn reads(&self) -> zorb::Result<u32> {
        Ok(self.values().reads)
    }

    fn number(&self) -> zorb::Result<i32> {
        let mut values = self.values();
        values.reads += 1;
        Ok(values.number)
    }

    fn set_number(&self, value: i32) -> zorb::Result<()> {
        self.values().number = value;
        Ok(())
    }

    fn next(&self) -> zorb::Result<Option<Settings>> {
        Ok(self.values().next.clone())
    }

    fn set_next(&self, value: Option<&Settings>) -> zorb::Result<()> {
        self.values().next = value.cloned();
        Ok(())
    }

    fn destroy(&self) -> zorb::Result<()> {
        self.world.remove(&self.id)
    }
}

/// Counts oneways.
#[derive(Default)]
pub(super) struct Log(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    count: u32,
    sum: i64,
    last_text: String,
}

impl Log {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventsServant for Log {
    fn ping(&self) {
        self.seen().count += 1;
    }

    fn post(&self, number: i32, text: &str, numbers: &[i32]) {
        let mut seen = self.seen();
        seen.count += 1;
        seen.sum += numbers.iter().chain([&number]).copied().map(i64::from).sum::<i64>();
        seen.last_text = text.into();
    }

    fn count(&self) -> zorb::Result<u32> {
        Ok(self.seen().count)
    }

    fn sum(&self) -> zorb::Result<i64> {
        Ok(self.seen().sum)
    }

    fn last_text(&self) -> zorb::Result<String> {
        Ok(self.seen().last_text.clone())
    }
}
