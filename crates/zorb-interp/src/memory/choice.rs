//! Unions: enums with payloads. Rust does not define where an enum stores its payload.

use zorb_cdr::Wire;

use super::release::drop_at;
use super::table::{Kind, LabelSpace, Payload, Structure, Table, Tabled, Union};

/// A union: an enum with a variant for each member. Generated code implements it by [`union_choice!`](crate::union_choice).
///
/// # Safety
/// `UNION` is made of the type itself. The variant at each position has a payload of the type at that position of
/// `MEMBERS`: [`payload`](Self::payload) returns the position of the value's variant and the address of its payload, and
/// [`build`](Self::build) takes one of that type.
pub unsafe trait Choice: Sized {
    /// The IDL type of the discriminator.
    type Discriminator: Tabled<Value: Copy>;
    /// The types of the payloads.
    const MEMBERS: &'static [Payload];
    /// What the engine knows of the union.
    const UNION: &'static Union;

    /// The discriminator.
    fn label(&self) -> Label<Self>;

    /// The position of the member that a discriminator selects.
    fn select(label: &Label<Self>) -> usize;

    /// The position of the variant, and where its payload is.
    fn payload(&self) -> (usize, *const u8);

    /// The value with this discriminator and payload; `None` if there is no such position.
    ///
    /// # Safety
    /// At `payload` is a value of the type at this position of `MEMBERS`, which is not used again.
    unsafe fn build(label: Label<Self>, position: usize, payload: *const u8) -> Option<Self>;
}

/// The discriminators of a union.
pub type Label<C> = <<C as Choice>::Discriminator as Wire>::Value;

impl Payload {
    /// No payload.
    pub const NONE: Self = {
        static NOTHING: Structure = Structure::new::<()>(&[]);
        Self(Kind::Structure(&NOTHING))
    };

    /// Values of the IDL type `T`.
    #[must_use]
    pub const fn of<T: Tabled>() -> Self {
        Self(T::TABLE.value)
    }

    /// The address of a payload.
    #[must_use]
    pub const fn address<T: Tabled>(value: &T::Value) -> *const u8 {
        core::ptr::from_ref(value).cast()
    }

    /// Takes a payload from an address.
    ///
    /// # Safety
    /// A value of `T` is there, which is not used again.
    #[must_use]
    pub const unsafe fn take<T: Tabled>(from: *const u8) -> T::Value {
        // SAFETY: as the caller guarantees.
        unsafe { from.cast::<T::Value>().read() }
    }
}

impl Union {
    /// The union `T` with its IDL name. Values of recursive unions may be nested to a limited depth.
    ///
    /// # Panics
    /// Discriminators have more than eight octets.
    #[must_use]
    pub const fn new<T: Choice>(name: &'static str, is_recursive: bool) -> Self {
        assert!(size_of::<Label<T>>() <= size_of::<LabelSpace>());
        assert!(align_of::<Label<T>>() <= align_of::<LabelSpace>());
        Self {
            name,
            is_recursive,
            discriminator: T::Discriminator::TABLE.value,
            members: T::MEMBERS,
            select: select::<T>,
            inspect: inspect::<T>,
            build: build::<T>,
            drop: if core::mem::needs_drop::<T>() { Some(drop_at::<T>) } else { None },
        }
    }
}

/// Of a union whose values, also the borrowed ones, are of the type itself.
impl<T> Table<T>
where
    T: Choice + for<'a> Wire<Value = T, Borrowed<'a> = T>,
{
    /// The layout of a union.
    #[must_use]
    pub const fn choice() -> Self {
        Self::of(Kind::Union(T::UNION))
    }
}

/// # Safety
/// A label of `T` is at `label`.
unsafe fn select<T: Choice>(label: *const u8) -> usize {
    // SAFETY: as the caller guarantees.
    T::select(unsafe { &*label.cast() })
}

/// # Safety
/// A `T` is at `from`, and its label may be written to `label`.
unsafe fn inspect<T: Choice>(from: *const u8, label: *mut u8) -> (usize, *const u8) {
    // SAFETY: as the caller guarantees.
    let value = unsafe { &*from.cast::<T>() };
    // SAFETY: as the caller guarantees.
    unsafe { label.cast::<Label<T>>().write(value.label()) };
    value.payload()
}

/// # Safety
/// A payload of the type at this position is at `at`, where a `T` may be written, and a label of `T` at `label`.
unsafe fn build<T: Choice>(at: *mut u8, label: *const u8, position: usize) -> bool {
    // SAFETY: as the caller guarantees.
    let label = unsafe { label.cast::<Label<T>>().read() };
    // SAFETY: as the caller guarantees; the payload is replaced by the value.
    let Some(value) = (unsafe { T::build(label, position, at) }) else { return false };
    // SAFETY: as the caller guarantees.
    unsafe { at.cast::<T>().write(value) };
    true
}
