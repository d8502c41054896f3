//! The same object by other ways, where policies have calls go them.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use zorb_types::{CompletionStatus, SystemException, minor};

use super::{ObjectRef, Shared};
use crate::policy::Shape;

/// The most other ways that one reference is called by. Each is kept with its reference.
const MAX_VARIANTS: usize = 64;

/// A list that only grows, and is read without a lock.
#[derive(Default)]
pub(crate) struct Variants(OnceLock<Box<Variant>>);

struct Variant {
    object: ObjectRef,
    next: Variants,
}

impl ObjectRef {
    /// The reference by which a call of the calling thread is to go: this one, or what the policies of
    /// thread and ORB make of it, with the policies that this one has.
    pub(crate) fn as_wanted(&self) -> Result<Cow<'_, Self>, SystemException> {
        let wanted = Shape::wanted(self);
        if self.is_shaped(&wanted) {
            return Ok(Cow::Borrowed(self));
        }
        let variant = self.variant(&wanted).ok_or_else(|| {
            let code = minor::imp_limit::TOO_MANY_WAYS;
            SystemException::imp_limit(code, CompletionStatus::No)
        })?;
        Ok(match &self.overrides {
            None => Cow::Borrowed(variant),
            overrides => Cow::Owned(Self { overrides: overrides.clone(), ..variant.clone() }),
        })
    }

    /// The reference to the same object that policies of its own give this shape.
    pub(crate) fn shaped(&self, shape: &Shape) -> Self {
        if self.is_shaped(shape) {
            return self.clone();
        }
        // Who has connections of its own shares them with nobody.
        let known = if shape.is_private() { None } else { self.variant(shape) };
        known.cloned().unwrap_or_else(|| self.another(shape))
    }

    fn is_shaped(&self, wanted: &Shape) -> bool {
        match self.shared.shape() {
            Some(shape) => shape.shape().is_as(wanted),
            None => wanted.is_as(&Shape::default()),
        }
    }

    fn another(&self, shape: &Shape) -> Self {
        let shape = (*shape != Shape::default()).then(|| Arc::new(shape.clone().numbered()) as _);
        let shared = Arc::new(Shared::new(self.core(), self.ior().clone(), shape));
        Self { shared, overrides: None, collocation: self.collocation }
    }

    /// The reference of this shape among those that this one keeps; `None` when there are too many.
    fn variant(&self, wanted: &Shape) -> Option<&Self> {
        let mut place = &self.shared.variants.0;
        for _ in 0..MAX_VARIANTS {
            let known = place.get_or_init(|| {
                Box::new(Variant { object: self.another(wanted), next: Variants::default() })
            });
            if known.object.is_shaped(wanted) {
                return Some(&known.object);
            }
            place = &known.next.0;
        }
        None
    }
}
