//! Checks of object references, inheritance and callbacks.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use zorb::{Error, Interface, MinorCode, ObjectRef, SystemException};

use super::state::ONEWAY_LIMIT;
use super::{Checked, Run, fail, present, require, same};
use crate::interop::callback::AnswerError;
use crate::interop::refs::AskError;
use crate::interop::right::RightOperationError;
use crate::interop::{
    Base, Basics, Bottom, Callback, CallbackServant, Left, MaybeBase, Pinned, Reason, Refs,
    Refused, Right, Tagged, Versioned,
};

/// Echoes references of one type: nil and not nil in each place.
fn echo<T: Interface + PartialEq + std::fmt::Debug>(
    run: &mut Run<'_>,
    name: &str,
    one: &T,
    echo: impl Fn(Option<&T>, Option<&T>) -> zorb::Result<(Option<T>, Option<T>, Option<T>)>,
) {
    let values = [None, Some(one.clone()), Some(one.clone()), None];
    run.echo(name, &values, |a, b| echo(a.as_ref(), b.as_ref()));
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let refs = &present(run.suite.reference_tests()?)?;
    let base = &present(refs.make("base", "base one")?)?;
    let bottom_as_base = &present(refs.make("bottom", "bottom one")?)?;
    let bottom: &Bottom = &present(bottom_as_base.as_object().narrow()?)?;
    echo(run, "refs/object", base.as_object(), |a, b| refs.echo_object(a, b));
    echo(run, "refs/base", base, |a, b| refs.echo_base(a, b));
    echo(run, "refs/derived_as_base", bottom_as_base, |a, b| refs.echo_base(a, b));
    echo(run, "refs/derived", bottom, |a, b| refs.echo_bottom(a, b));
    let bases = vec![Some(base.clone()), None, Some(Base::from(bottom.clone()))];
    run.echo("refs/sequence", &[vec![], bases], |a, b| refs.echo_bases(a, b));
    let objects = vec![None, Some(base.as_object().clone())];
    run.echo("refs/sequence_of_objects", &[vec![], objects], |a, b| refs.echo_objects(a, b));
    let tagged = [
        Tagged { tag: "tagged".into(), target: Some(base.clone()) },
        Tagged { tag: String::new(), target: None },
    ];
    run.echo("refs/struct", &tagged, |a, b| refs.echo_tagged(a, b));
    let maybe = [
        MaybeBase::Target(Some(base.clone())),
        MaybeBase::Target(None),
        MaybeBase::Unset { label: false },
    ];
    run.echo("refs/union", &maybe, |a, b| refs.echo_maybe_base(a, b));
    run.check("refs/call_through_server", || {
        same("call_base", refs.call_base(Some(base), "x")?.as_str(), "base one.base:x")?;
        same("call_base of nil", refs.call_base(None, "x")?.as_str(), "nil")?;
        let all = [Some(base.clone()), None, refs.make("bottom", "b")?];
        same("call_all", refs.call_all(&all, "y")?.as_str(), "base one.base:y,nil,b.base:y")
    });
    run.check("refs/nil_result", || require(refs.make("none", "x")?.is_none(), "not nil"));
    let orb = run.orb;
    run.check("refs/stringify", || {
        let again: Base = orb.resolve(&refs.stringify(Some(base.as_object()))?)?;
        same("name", again.name()?.as_str(), "base one")?;
        let nil = orb.string_to_object(&refs.stringify(None)?)?;
        require(nil.is_none(), "nil is not nil")
    });
    check_inheritance(run, refs)
}

fn check_inheritance(run: &mut Run<'_>, refs: &Refs) -> Checked {
    let made = &present(refs.make("bottom", "deep")?)?;
    let object = made.as_object();
    run.check("inheritance/through_base", || {
        same("name", made.name()?.as_str(), "deep")?;
        same("base_operation", made.base_operation("x")?.as_str(), "deep.base:x")
    });
    run.check("inheritance/narrow", || {
        let left: Left = present(object.narrow()?)?;
        let right: Right = present(object.narrow()?)?;
        let bottom: Bottom = present(object.narrow()?)?;
        same("left_operation", left.left_operation("l")?.as_str(), "deep.left:l")?;
        same("right_operation", right.right_operation("r")?.as_str(), "deep.right:r")?;
        same("bottom_operation", bottom.bottom_operation("b")?.as_str(), "deep.bottom:b")?;
        same("base_operation", bottom.base_operation("x")?.as_str(), "deep.base:x")?;
        bottom.set_weight(12)?;
        same("weight", &left.weight()?, &12)?;
        let expected = Reason { why: "refuse".into(), code: 1 };
        let error = Right::from(bottom).right_operation("refuse");
        same("refuse", &error, &Err(RightOperationError::Reason(expected)))
    });
    run.check("inheritance/narrow_fails", || {
        let plain = present(refs.make("left", "plain")?)?;
        let plain = plain.as_object();
        require(plain.narrow::<Left>()?.is_some(), "it is a Left")?;
        require(plain.narrow::<Bottom>()?.is_none(), "it is no Bottom")?;
        require(plain.narrow::<Right>()?.is_none(), "it is no Right")?;
        require(plain.narrow::<Basics>()?.is_none(), "it is no Basics")
    });
    run.check("inheritance/is_a", || {
        for name in ["Bottom", "Left", "Right", "Base"] {
            require(object.is_a(&format!("IDL:zorb.test/Interop/{name}:1.0"))?, name)?;
        }
        require(object.is_a("IDL:omg.org/CORBA/Object:1.0")?, "Object")?;
        require(!object.is_a(Basics::REPOSITORY_ID)?, "Basics")?;
        require(!object.is_a("IDL:zorb.test/Interop/Bottom:1.1")?, "another version")?;
        require(!object.is_a("")?, "no id")
    });
    run.check("inheritance/pragma_ids", || {
        let pinned: Pinned = present(refs.pinned_one()?)?;
        let versioned: Versioned = present(refs.versioned_one()?)?;
        same("pinned_operation", &pinned.pinned_operation()?, &37)?;
        same("inherited pinned_operation", &versioned.pinned_operation()?, &37)?;
        same("versioned_operation", &versioned.versioned_operation()?, &25)?;
        same("pinned id", Pinned::REPOSITORY_ID, "IDL:pinned.example/Pinned:3.7")?;
        same("versioned id", Versioned::REPOSITORY_ID, "IDL:zorb.test/Interop/Versioned:2.5")?;
        let versioned = versioned.as_object();
        require(versioned.is_a(Versioned::REPOSITORY_ID)?, "versioned id")?;
        require(versioned.is_a(Pinned::REPOSITORY_ID)?, "base's pinned id")?;
        require(!versioned.is_a("IDL:zorb.test/Interop/Versioned:1.0")?, "default version")
    });
    Ok(())
}

/// The client's callback object.
#[derive(Default)]
struct Caller {
    myself: OnceLock<Callback>,
    /// How many notes came, and their sum.
    notes: Mutex<(i32, i32)>,
    noted: Condvar,
}

impl CallbackServant for Caller {
    fn answer(&self, question: &str) -> zorb::Result<String, AnswerError> {
        if question == "refuse" {
            return Err(Refused { question: question.into() }.into());
        }
        Ok(format!("[{question}]"))
    }

    fn note(&self, number: i32) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        *notes = (notes.0 + 1, notes.1 + number);
        self.noted.notify_all();
    }

    fn bounce(&self, other: Option<&Refs>, depth: i32) -> zorb::Result<i32> {
        if depth <= 0 {
            return Ok(0);
        }
        let nil = SystemException::bad_param(MinorCode::NONE, zorb::CompletionStatus::No);
        Ok(1 + other.ok_or(nil)?.bounce(self.myself.get(), depth - 1)?)
    }
}

pub(super) fn check_callbacks(run: &mut Run<'_>) -> Checked {
    let refs = &present(run.suite.reference_tests()?)?;
    let caller = Arc::new(Caller::default());
    let callback: &Callback = &run.orb.root_poa().activate_shared(&caller)?;
    let _ = caller.myself.set(callback.clone());
    run.check("callbacks/ask", || {
        same("the answer", refs.ask(Some(callback), "why?")?.as_str(), "[why?]")
    });
    run.check("callbacks/exception", || {
        let expected = AskError::Refused(Refused { question: "refuse".into() });
        same("the answer", &refs.ask(Some(callback), "refuse"), &Err(expected))
    });
    run.check("callbacks/sequence", || {
        let targets = vec![Some(callback.clone()); 3];
        same("the answers", refs.ask_all(&targets, "q")?.as_str(), "[q],[q],[q]")
    });
    run.check("callbacks/oneway", || {
        refs.notify(Some(callback), 10)?;
        let notes = caller.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = caller.noted.wait_timeout_while(notes, ONEWAY_LIMIT, |it| it.0 < 10);
        let (notes, _) = waiting.unwrap_or_else(PoisonError::into_inner);
        same("count and sum of the notes", &*notes, &(10, 55))
    });
    run.check("callbacks/nested", || {
        for depth in [0, 1, 7] {
            same("the depth", &refs.bounce(Some(callback), depth)?, &depth)?;
        }
        Ok(())
    });
    run.check("callbacks/echoed", || {
        let (echoed, _, _) = refs.echo_object(Some(callback.as_object()), None)?;
        let again: Callback = present(present(echoed)?.narrow()?)?;
        same("the answer", again.answer("local")?.as_str(), "[local]")
    });
    end(run, callback.as_object())
}

/// Ends the callback object: what is left of it must be gone for the server too.
fn end(run: &mut Run<'_>, callback: &ObjectRef) -> Checked {
    let poa = run.orb.root_poa();
    poa.deactivate(&poa.id_of(callback)?)?;
    let refs = present(run.suite.reference_tests()?)?;
    run.check("callbacks/ended", || {
        let callback: Callback = callback.unchecked_narrow();
        match refs.ask(Some(&callback), "still there?") {
            Err(AskError::System(exception))
                if exception.kind == zorb::SystemExceptionKind::ObjectNotExist =>
            {
                Ok(())
            }
            Err(error) => Err(Error::from(error)),
            Ok(answer) => fail(format!("it answers {answer}")),
        }
    });
    Ok(())
}
