//! The servant of the capture: operations give their first argument back; the small numbers one
//! more, the boolean its opposite, the long longs their sum.

use std::sync::atomic::{AtomicI32, Ordering};

use zorb::poa::PoaPolicies;
use zorb::{
    Abstract, CompletionStatus, MinorCode, ObjectRef, Orb, SystemException, SystemExceptionKind,
    Value, ValueBase,
};
use zorb_types::Any;
use zorb_wire_tests::capture::vec::test::{OpBadError, OpEmptyError};
use zorb_wire_tests::capture::vec::*;

/// What the captured servers did.
#[derive(Debug)]
struct Echo {
    level: AtomicI32,
    own: std::sync::OnceLock<Test>,
}

impl TestServant for Echo {
    fn ping(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn fire(&self, _: i32) {}

    fn name(&self) -> zorb::Result<String> {
        Ok("vectors".to_owned())
    }

    fn level(&self) -> zorb::Result<i32> {
        Ok(self.level.load(Ordering::Relaxed))
    }

    fn set_level(&self, value: i32) -> zorb::Result<()> {
        self.level.store(value, Ordering::Relaxed);
        Ok(())
    }

    fn op_octet(&self, a: u8, b: u8) -> zorb::Result<(u8, u8, u8)> {
        Ok((a.wrapping_add(1), a, b))
    }

    fn op_boolean(&self, a: bool) -> zorb::Result<bool> {
        Ok(!a)
    }

    fn op_char(&self, a: char) -> zorb::Result<char> {
        Ok(a)
    }

    fn op_wchar(&self, a: char) -> zorb::Result<char> {
        Ok(a)
    }

    fn op_short(&self, a: i16, b: i16) -> zorb::Result<(i16, i16, i16)> {
        Ok((a.wrapping_add(1), a, b))
    }

    fn op_long(&self, a: i32, b: i32) -> zorb::Result<(i32, i32, i32)> {
        Ok((a.wrapping_add(1), a, b))
    }

    fn op_longlong(&self, a: i64, b: u64) -> zorb::Result<i64> {
        Ok(a.wrapping_add_unsigned(b))
    }

    fn op_float(&self, a: f32) -> zorb::Result<f32> {
        Ok(a)
    }

    fn op_double(&self, _: u8, a: f64) -> zorb::Result<f64> {
        Ok(a)
    }

    fn op_string(&self, a: &str, b: &str) -> zorb::Result<(String, String, String)> {
        Ok((a.to_owned(), a.to_owned(), b.to_owned()))
    }

    fn op_wstring(&self, a: &str) -> zorb::Result<String> {
        Ok(a.to_owned())
    }

    fn op_bstring(&self, a: &str) -> zorb::Result<ShortString> {
        Ok(a.to_owned())
    }

    fn op_enum(&self, a: Color) -> zorb::Result<Color> {
        Ok(a)
    }

    fn op_prims(&self, a: &Prims) -> zorb::Result<Prims> {
        Ok(*a)
    }

    fn op_person(&self, a: &Person) -> zorb::Result<Person> {
        Ok(a.clone())
    }

    fn op_union(&self, a: &U) -> zorb::Result<U> {
        Ok(a.clone())
    }

    fn op_union_enum(&self, a: &Ue) -> zorb::Result<Ue> {
        Ok(a.clone())
    }

    fn op_union_bool(&self, a: &Ub) -> zorb::Result<Ub> {
        Ok(*a)
    }

    fn op_octets(&self, a: &[u8]) -> zorb::Result<OctetSeq> {
        Ok(a.to_vec())
    }

    fn op_longs(&self, a: &[i32]) -> zorb::Result<LongSeq> {
        Ok(a.to_vec())
    }

    fn op_doubles(&self, a: &[f64]) -> zorb::Result<DoubleSeq> {
        Ok(a.to_vec())
    }

    fn op_strings(&self, a: &[String]) -> zorb::Result<StringSeq> {
        Ok(a.to_vec())
    }

    fn op_persons(&self, a: &[Person]) -> zorb::Result<PersonSeq> {
        Ok(a.to_vec())
    }

    fn op_shorts4(&self, a: &[i16]) -> zorb::Result<BoundedShortSeq> {
        Ok(a.to_vec())
    }

    fn op_nested(&self, a: &[LongSeq]) -> zorb::Result<LongSeqSeq> {
        Ok(a.to_vec())
    }

    fn op_matrix(&self, a: &Matrix) -> zorb::Result<Matrix> {
        Ok(*a)
    }

    fn op_node(&self, a: &Node) -> zorb::Result<Node> {
        Ok(a.clone())
    }

    fn op_any(&self, a: &Any) -> zorb::Result<Any> {
        Ok(a.clone())
    }

    fn op_anys(&self, a: &[Any]) -> zorb::Result<AnySeq> {
        Ok(a.to_vec())
    }

    fn op_self(&self) -> zorb::Result<Option<Test>> {
        Ok(self.own.get().cloned())
    }

    fn op_object(&self, a: Option<&ObjectRef>) -> zorb::Result<Option<ObjectRef>> {
        Ok(a.cloned())
    }

    fn op_leaf(&self, a: Option<&Leaf>) -> zorb::Result<Option<Leaf>> {
        Ok(a.cloned())
    }

    fn op_bad(&self, why: &str) -> zorb::Result<(), OpBadError> {
        Err(Bad { why: why.to_owned(), code: 42 }.into())
    }

    fn op_empty(&self) -> zorb::Result<(), OpEmptyError> {
        Err(Empty.into())
    }

    fn op_sysex(&self) -> zorb::Result<()> {
        let kind = SystemExceptionKind::BadParam;
        Err(SystemException::new(kind, MinorCode::omg(1), CompletionStatus::Yes))
    }

    fn op_forward(&self) -> zorb::Result<()> {
        Ok(())
    }

    fn op_strbox(&self, a: Option<&Value<StrBox>>) -> zorb::Result<Option<Value<StrBox>>> {
        Ok(a.cloned())
    }

    fn op_longbox(&self, a: Option<&Value<LongBox>>) -> zorb::Result<Option<Value<LongBox>>> {
        Ok(a.cloned())
    }

    fn op_base(
        &self,
        a: Option<&Value<Base>>,
        _: Option<&Value<Base>>,
    ) -> zorb::Result<Option<Value<Base>>> {
        Ok(a.cloned())
    }

    fn op_list(&self, a: Option<&Value<ListNode>>) -> zorb::Result<Option<Value<ListNode>>> {
        Ok(a.cloned())
    }

    fn op_abstract(
        &self,
        a: Option<&Abstract<Describable>>,
    ) -> zorb::Result<Option<Abstract<Describable>>> {
        Ok(a.cloned())
    }

    fn op_value(&self, a: Option<&Value<ValueBase>>) -> zorb::Result<Option<Value<ValueBase>>> {
        Ok(a.cloned())
    }

    fn op_callback(&self, _: Option<&Callback>, _: i32) -> zorb::Result<()> {
        Ok(())
    }
}

/// A running server.
pub(crate) struct Server {
    orb: Orb,
    /// Where it listens: host and port.
    pub(crate) address: (String, u16),
}

impl Server {
    /// Starts it; it may allow octets behind the last argument, which some recorded requests have.
    pub(crate) fn start(allows_extra_octets: bool) -> Result<Self, Box<dyn std::error::Error>> {
        Self::start_with(allows_extra_octets, |_| ())
    }

    /// Starts it after `set_up`.
    pub(crate) fn start_with(
        allows_extra_octets: bool,
        set_up: impl FnOnce(&Orb),
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
        let orb = builder.allow_extra_octets(allows_extra_octets).build()?;
        set_up(&orb);
        orb.register_value::<Derived>();
        orb.register_value::<Derived2>();
        orb.register_value::<DescVal>();
        let policies = PoaPolicies::new().persistent().user_ids().multiple_ids();
        let adapter = orb.root_poa().create("w", policies)?;
        let servant =
            std::sync::Arc::new(Echo { level: AtomicI32::new(0), own: std::sync::OnceLock::new() });
        // The lengths make each key as long as a captured one, but for a multiple of 8: then what
        // follows a key in a message stays where it was, as far as alignment sees it.
        let test: Test = adapter.activate_shared_with_id("three", &servant)?;
        let _: Test = adapter.activate_shared_with_id("twelve", &servant)?;
        let profile = zorb::Interface::as_object(&test).ior().iiop_profiles().next();
        let profile = profile.ok_or("a reference without an IIOP profile")?;
        servant.own.set(test).map_err(|_| "set twice")?;
        Ok(Self { orb, address: (profile.host, profile.port) })
    }

    /// The key of this server's object in place of the captured one; `None` for other objects.
    pub(crate) fn key_for(captured: &[u8]) -> Option<&'static [u8]> {
        match captured {
            b"vec" => Some(b"Z\x02\x00\x02w\0three"),
            b"vecsrv/P/vec" => Some(b"Z\x02\x00\x02w\0twelve"),
            _ => None,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A failed shutdown leaves a thread that ends with the test.
        let _ = self.orb.shutdown(true);
    }
}
