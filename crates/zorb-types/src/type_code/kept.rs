//! TypeCodes keep what is derived from them, so that it is derived once.

use alloc::sync::Arc;
use core::any::Any;

use super::TypeCode;
use super::derived::Derived;
use super::node::Repr;

impl TypeCode {
    /// What was derived from the type and [kept](Self::keep) with it.
    #[doc(hidden)]
    #[must_use]
    pub fn derived<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.derivations()?.find(self.view().key())
    }

    /// Keeps what was derived from the type for later calls of [`derived`](Self::derived). It must not own this
    /// TypeCode, or neither of them would ever be freed.
    #[doc(hidden)]
    pub fn keep<T: Any + Send + Sync>(&self, derived: &Arc<T>) {
        if let Some(derivations) = self.derivations() {
            derivations.add(self.view().key(), Arc::clone(derived) as _);
        }
    }

    /// Whether the type keeps what is derived from it: a type of this program, or one that is made at run time and not
    /// recursive. A received type keeps nothing: its octets limit its memory.
    #[doc(hidden)]
    #[must_use]
    pub fn keeps_derived(&self) -> bool {
        self.derivations().is_some()
    }

    fn derivations(&self) -> Option<&Derived> {
        match &self.0 {
            Repr::Static(_) => Derived::of_static_type(self.view().key()),
            Repr::Shared(arena, _) => arena.derived.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, Wire};

    use super::*;
    use crate::{TcKind, Typed, ValueMember, ValueModifier, Visibility};

    fn kept(type_code: &TypeCode) -> bool {
        type_code.keep(&Arc::new(7_u8));
        type_code.keep(&Arc::new(9_u16));
        let found = (type_code.derived::<u8>(), type_code.derived::<u16>());
        let both = (found.0.as_deref(), found.1.as_deref());
        assert!(matches!(both, (Some(7), Some(9)) | (None, None)));
        assert_eq!(type_code.derived::<u32>(), None);
        assert_eq!(both.0.is_some(), type_code.keeps_derived());
        both.0.is_some()
    }

    #[test]
    fn types_that_are_not_recursive_and_not_received_keep_what_is_derived_from_them() {
        let long = TypeCode::plain(TcKind::Long);
        let pair = [("a", long), ("b", String::type_code())];
        let pair = TypeCode::structure("IDL:Pair:1.0", "Pair", &pair).unwrap();
        assert!(kept(&pair) && kept(&<Vec<f32>>::type_code()));
        let again = TypeCode::sequence(&pair, 0).unwrap().content_type().unwrap();
        assert_eq!(again.derived::<u8>().as_deref(), Some(&7));
        assert_eq!(pair.compact().unwrap().derived::<u8>(), None, "another TypeCode");

        let inner = TypeCode::recursive("IDL:List:1.0").unwrap();
        assert!(!kept(&inner));
        let rest = TypeCode::sequence(&inner, 0).unwrap();
        let list = TypeCode::structure("IDL:List:1.0", "List", &[("rest", rest)]).unwrap();
        let value = ValueMember {
            name: "next",
            type_code: &TypeCode::recursive("IDL:Link:1.0").unwrap(),
            visibility: Visibility::Public,
        };
        let modifier = ValueModifier::None;
        let link = TypeCode::value("IDL:Link:1.0", "Link", modifier, None, &[value]).unwrap();
        assert!(!kept(&list) && !kept(&link));

        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
        <TypeCode as Wire>::write(&pair, &mut writer).unwrap();
        let mut reader = CdrReader::new(&octets, ByteOrder::NATIVE);
        let received = <TypeCode as Wire>::read(&mut reader).unwrap();
        assert_eq!(received, pair);
        assert!(!kept(&received));
    }

    #[test]
    fn of_two_values_of_a_kind_the_first_is_kept() {
        let sequence = TypeCode::sequence(&TypeCode::plain(TcKind::Short), 3).unwrap();
        let (first, other, second) = (Arc::new(5_u64), Arc::new(7_u8), Arc::new(6_u64));
        sequence.keep(&first);
        sequence.keep(&other);
        sequence.keep(&second);
        assert_eq!(sequence.derived::<u64>().as_deref(), Some(&5));
        assert_eq!(sequence.derived::<u8>().as_deref(), Some(&7));
        assert_eq!([&first, &second].map(Arc::strong_count), [2, 1]);
    }

    #[test]
    fn what_is_kept_is_freed_with_the_type() {
        let value = Arc::new(5_u64);
        let sequence = TypeCode::sequence(&TypeCode::plain(TcKind::Long), 3).unwrap();
        sequence.keep(&value);
        assert_eq!(Arc::strong_count(&value), 2);
        drop(sequence);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
