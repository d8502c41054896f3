//! Servants for object references, inheritance, callbacks and any.

use std::sync::atomic::{AtomicI32, Ordering};

use zorb::{Any, CompletionStatus, MinorCode, ObjectRef, SystemException};

use super::World;
use crate::interop::refs::{AskAllError, AskError};
use crate::interop::right::RightOperationError;
use crate::interop::{
    AnysServant, Base, BaseSeq, BaseServant, Bottom, BottomServant, Callback, Left, LeftServant,
    MaybeBase, ObjectSeq, Pinned, PinnedServant, Reason, Refs, RefsServant, Right, RightServant,
    Tagged, Versioned, VersionedServant,
};
use crate::samples;

/// Serves all interfaces of the diamond.
struct Member {
    name: String,
    weight: AtomicI32,
}

impl Member {
    fn answer(&self, operation: &str, text: &str) -> String {
        format!("{}.{operation}:{text}", self.name)
    }
}

impl BaseServant for Member {
    fn name(&self) -> zorb::Result<String> {
        Ok(self.name.clone())
    }

    fn base_operation(&self, text: &str) -> zorb::Result<String> {
        Ok(self.answer("base", text))
    }
}

impl LeftServant for Member {
    fn weight(&self) -> zorb::Result<i32> {
        Ok(self.weight.load(Ordering::Relaxed))
    }

    fn set_weight(&self, value: i32) -> zorb::Result<()> {
        self.weight.store(value, Ordering::Relaxed);
        Ok(())
    }

    fn left_operation(&self, text: &str) -> zorb::Result<String> {
        Ok(self.answer("left", text))
    }
}

impl RightServant for Member {
    fn right_operation(&self, text: &str) -> zorb::Result<String, RightOperationError> {
        if text == "refuse" {
            return Err(Reason { why: "refuse".into(), code: 1 }.into());
        }
        Ok(self.answer("right", text))
    }
}

impl BottomServant for Member {
    fn bottom_operation(&self, text: &str) -> zorb::Result<String> {
        Ok(self.answer("bottom", text))
    }
}

/// Serves the interfaces whose ids a pragma sets.
struct Pins;

impl PinnedServant for Pins {
    fn pinned_operation(&self) -> zorb::Result<i32> {
        Ok(37)
    }
}

impl VersionedServant for Pins {
    fn versioned_operation(&self) -> zorb::Result<i32> {
        Ok(25)
    }
}

/// Takes references and calls through them.
pub(super) struct Referrer {
    world: World,
    pinned: Pinned,
    versioned: Versioned,
}

impl Referrer {
    pub(super) fn new(world: &World) -> zorb::Result<Self> {
        let pinned = world.add("pinned", Pins)?;
        let versioned = world.add("versioned", Pins)?;
        Ok(Self { world: world.clone(), pinned, versioned })
    }

    fn myself(&self) -> zorb::Result<Refs> {
        self.world.reference("refs")
    }
}

/// A reference that must not be nil.
fn present<T>(reference: Option<&T>) -> zorb::Result<&T> {
    reference.ok_or(SystemException::bad_param(MinorCode::NONE, CompletionStatus::No))
}

macro_rules! echo_references {
    ($($operation:ident: $type:ty;)*) => {
        $(fn $operation(
            &self,
            a: Option<&$type>,
            b: Option<&$type>,
        ) -> zorb::Result<(Option<$type>, Option<$type>, Option<$type>)> {
            Ok((a.cloned(), a.cloned(), b.cloned()))
        })*
    };
}

impl RefsServant for Referrer {
    echo_references! {
        echo_object: ObjectRef;
        echo_base: Base;
        echo_bottom: Bottom;
    }

    fn echo_bases(
        &self,
        a: &[Option<Base>],
        b: &[Option<Base>],
    ) -> zorb::Result<(BaseSeq, BaseSeq, BaseSeq)> {
        Ok((a.to_vec(), a.to_vec(), b.to_vec()))
    }

    fn echo_objects(
        &self,
        a: &[Option<ObjectRef>],
        b: &[Option<ObjectRef>],
    ) -> zorb::Result<(ObjectSeq, ObjectSeq, ObjectSeq)> {
        Ok((a.to_vec(), a.to_vec(), b.to_vec()))
    }

    fn echo_tagged(&self, a: &Tagged, b: &Tagged) -> zorb::Result<(Tagged, Tagged, Tagged)> {
        Ok((a.clone(), a.clone(), b.clone()))
    }

    fn echo_maybe_base(
        &self,
        a: &MaybeBase,
        b: &MaybeBase,
    ) -> zorb::Result<(MaybeBase, MaybeBase, MaybeBase)> {
        Ok((a.clone(), a.clone(), b.clone()))
    }

    fn make(&self, kind: &str, name: &str) -> zorb::Result<Option<Base>> {
        let member = Member { name: name.into(), weight: AtomicI32::new(0) };
        let id = World::fresh_id(kind);
        let made = match kind {
            "base" => self.world.add(&id, member)?,
            "left" => self.world.add::<_, Left>(&id, member)?.into(),
            "right" => self.world.add::<_, Right>(&id, member)?.into(),
            "bottom" => self.world.add::<_, Bottom>(&id, member)?.into(),
            _ => return Ok(None),
        };
        Ok(Some(made))
    }

    fn call_base(&self, target: Option<&Base>, text: &str) -> zorb::Result<String> {
        match target {
            Some(target) => target.base_operation(text),
            None => Ok("nil".into()),
        }
    }

    fn call_all(&self, targets: &[Option<Base>], text: &str) -> zorb::Result<String> {
        let answers = targets.iter().map(|target| self.call_base(target.as_ref(), text));
        Ok(answers.collect::<zorb::Result<Vec<_>>>()?.join(","))
    }

    fn stringify(&self, target: Option<&ObjectRef>) -> zorb::Result<String> {
        // Nil: an empty type id and no profiles.
        Ok(target
            .map_or_else(|| "IOR:00000000000000010000000000000000".into(), |it| it.to_ior_string()))
    }

    fn ask(&self, target: Option<&Callback>, question: &str) -> zorb::Result<String, AskError> {
        use crate::interop::callback::AnswerError;
        present(target)?.answer(question).map_err(|error| match error {
            AnswerError::Refused(refused) => refused.into(),
            AnswerError::System(exception) => exception.into(),
        })
    }

    fn ask_all(
        &self,
        targets: &[Option<Callback>],
        question: &str,
    ) -> zorb::Result<String, AskAllError> {
        let mut answers = Vec::new();
        for target in targets {
            let answer = self.ask(target.as_ref(), question).map_err(|error| match error {
                AskError::Refused(refused) => AskAllError::from(refused),
                AskError::System(exception) => exception.into(),
            })?;
            answers.push(answer);
        }
        Ok(answers.join(","))
    }

    fn notify(&self, target: Option<&Callback>, count: i32) -> zorb::Result<()> {
        (1..=count).try_for_each(|number| present(target)?.note(number))
    }

    fn bounce(&self, other: Option<&Callback>, depth: i32) -> zorb::Result<i32> {
        if depth <= 0 {
            return Ok(0);
        }
        Ok(1 + present(other)?.bounce(Some(&self.myself()?), depth - 1)?)
    }

    fn pinned_one(&self) -> zorb::Result<Option<Pinned>> {
        Ok(Some(self.pinned.clone()))
    }

    fn versioned_one(&self) -> zorb::Result<Option<Versioned>> {
        Ok(Some(self.versioned.clone()))
    }
}

/// Makes and recognizes anys.
pub(super) struct AnyEcho;

impl AnysServant for AnyEcho {
    fn echo_any(&self, a: &Any, b: &Any) -> zorb::Result<(Any, Any, Any)> {
        Ok((a.clone(), a.clone(), b.clone()))
    }

    fn make(&self, kind: &str) -> zorb::Result<Any> {
        Ok(samples::any_of(kind).unwrap_or_default())
    }

    fn kind_of(&self, value: &Any) -> zorb::Result<String> {
        let kinds = samples::ANY_KINDS.iter();
        let mut found = kinds.filter(|(_, make)| make().is_ok_and(|any| any == *value));
        Ok(found.next().map_or("unknown", |(name, _)| name).into())
    }
}
