//! Requests with a long part each.

use std::borrow::Cow;

use zorb::Any;
use zorb_cdr::{ByteOrder, CdrWriter, TextCoding, WString, Wire};
use zorb_giop::{
    CodeSetContext, CodeSetId, ComponentTag, GiopVersion, IiopProfile, Ior, MessageWriter,
    ProfileTag, RequestStart, ResponseFlags, ServiceContext, ServiceId, TagGroup, TaggedComponent,
    TargetAddress, UipmcProfile, fragments,
};
use zorb_types::TypeCode;

use super::parts::{any, anys, references, values};
use super::{LONG, MANY};

const ORDER: ByteOrder = ByteOrder::NATIVE;

/// A request without anything long.
pub(super) fn short(key: &[u8]) -> Vec<u8> {
    let target = TargetAddress::Key(key);
    let sets = CodeSetContext { char_data: CodeSetId::UTF_8, wchar_data: CodeSetId::UTF_16 };
    let form = Form { version: GiopVersion::V1_2, response: ResponseFlags::SyncWithTarget };
    request(form, target, "_get_level", &[sets.service_context(ORDER)], |_| {})
}

/// A one-way request with this text.
pub(super) fn note(target: TargetAddress<'_>, text: &str) -> Vec<u8> {
    let form = Form { version: GiopVersion::V1_2, response: ResponseFlags::NoResponse };
    request(form, target, "note", &[], |writer| write::<String>(writer, text))
}

/// The target of requests to a group with this profile.
pub(super) fn group(data: &[u8]) -> TargetAddress<'_> {
    TargetAddress::Profile { tag: ProfileTag::UIPMC, data }
}

/// What the requests of a list have in common.
#[derive(Clone, Copy)]
struct Form {
    version: GiopVersion,
    response: ResponseFlags,
}

fn request(
    Form { version, response }: Form,
    target: TargetAddress<'_>,
    operation: &str,
    service_contexts: &[ServiceContext<'_>],
    body: impl FnOnce(&mut CdrWriter<'_>),
) -> Vec<u8> {
    let mut octets = Vec::new();
    let start = RequestStart { request_id: 2, response, target, operation, service_contexts };
    let mut message = MessageWriter::request(&mut octets, version, ORDER, &start).unwrap();
    let text = match version {
        GiopVersion::V1_2 => TextCoding::UNICODE,
        _ => TextCoding::default(),
    };
    body(&mut message.body(text));
    message.finish().unwrap();
    octets
}

fn locate(version: GiopVersion, target: &TargetAddress<'_>) -> Vec<u8> {
    let mut octets = Vec::new();
    let message = MessageWriter::locate_request(&mut octets, version, ORDER, 2, target);
    message.and_then(MessageWriter::finish).unwrap();
    octets
}

fn write<T: Wire>(writer: &mut CdrWriter<'_>, value: &T::View) {
    T::write(value, writer).unwrap();
}

/// A list of requests with their names.
struct Requests<'a> {
    form: Form,
    key: &'a [u8],
    /// The object, or the group.
    target: TargetAddress<'a>,
    all: Vec<(String, Vec<u8>)>,
}

impl Requests<'_> {
    fn add(&mut self, name: &str, octets: Vec<u8>) {
        self.all.push((format!("{:?} {name}", self.form.version), octets));
    }

    /// Adds a request to the object.
    fn call(&mut self, name: &str, operation: &str, body: impl FnOnce(&mut CdrWriter<'_>)) {
        let octets = request(self.form, self.target.clone(), operation, &[], body);
        self.add(name, octets);
    }

    /// Adds a request and a LocateRequest to this target.
    fn to(&mut self, name: &str, target: &TargetAddress<'_>) {
        self.add(name, request(self.form, target.clone(), "add", &[], |_| {}));
        if self.form.response == ResponseFlags::NoResponse {
            return;
        }
        self.add(&format!("locate {name}"), locate(self.form.version, target));
    }

    fn operations(&mut self) {
        let (long, wide) = ("a".repeat(LONG), "\u{e4}".repeat(LONG));
        self.call("operation", &long, |_| {});
        self.call("Latin-1 operation", &wide, |_| {});
        self.call("pseudo-operation", &format!("_{long}"), |_| {});
    }

    /// Keys of adapters and objects that do not exist, and of objects that servant managers provide.
    fn keys(&mut self) {
        let rest = [b'a'; LONG];
        let of_adapter = |name: u8| [b"Z\x02\0\x02", &[name, 0][..], &rest].concat();
        let keys = [
            ("adapter", [b"Z\x02\x80\x00", &rest[..]].concat()),
            ("name", rest.to_vec()),
            ("transient object", [&self.key[..10], &rest].concat()),
            ("object of a default servant", of_adapter(b'D')),
            ("object of a locator", of_adapter(b'L')),
            ("object of an activator", of_adapter(b'A')),
        ];
        for (name, object_key) in keys {
            self.to(name, &TargetAddress::Key(&object_key));
            if self.form.version == GiopVersion::V1_2 {
                let (version, host, port, components) =
                    (self.form.version, "h".to_owned(), 1, Vec::new());
                let profile = IiopProfile { version, host, port, object_key, components };
                let data = &profile.encode(ORDER).unwrap().data;
                let target = TargetAddress::Profile { tag: ProfileTag(0), data };
                self.to(&format!("{name} in a profile"), &target);
            }
        }
    }

    /// Service contexts of these ids. Their data begin with a number, which is small or large.
    fn contexts(&mut self, ids: impl Iterator<Item = u32>) {
        for (id, fill) in ids.flat_map(|id| [(id, 0), (id, 1)]) {
            let mut data = vec![fill; LONG];
            data[..4].copy_from_slice(&[ORDER.flag(), 0, 0, 0]);
            data[4..8].copy_from_slice(&(10 + 1000 * u32::from(fill)).to_ne_bytes());
            let contexts = [ServiceContext::new(ServiceId(id), data)];
            self.with(&format!("context {id}, {fill}"), &contexts);
        }
        let many = vec![ServiceContext::new(ServiceId(999), vec![1; 100]); 1000];
        self.with("contexts", &many);
    }

    fn with(&mut self, name: &str, contexts: &[ServiceContext<'_>]) {
        let target = self.target.clone();
        self.add(name, request(self.form, target, "_get_level", contexts, |_| {}));
    }

    fn arguments(&mut self) {
        let (long, wide) = ("a".repeat(LONG), "\u{e4}".repeat(LONG));
        self.call("_is_a", "_is_a", |writer| write::<String>(writer, &long));
        self.call("text", "back_text", |writer| {
            write::<String>(writer, &long);
            write::<String>(writer, "b");
        });
        self.call("Latin-1 text", "back_text", |writer| {
            write::<String>(writer, &wide);
            write::<String>(writer, "b");
        });
        self.call("wide text", "back_wide", |writer| {
            write::<WString>(writer, &wide);
            writer.write_wchar('w').unwrap();
        });
        self.call("octets", "back_octets", |writer| write::<Vec<u8>>(writer, &[1; LONG]));
        self.call("strings", "back_strings", |writer| {
            write::<Vec<String>>(writer, &vec!["text".to_owned(); MANY]);
            write::<Vec<i16>>(writer, &[]);
            (0..6).for_each(|_| writer.write_i32(1));
        });
        self.call("node", "back_node", |writer| {
            write::<String>(writer, &long);
            writer.write_u32(2);
            writer.write_u32(0);
        });
    }

    fn anys(&mut self) {
        for (name, value) in anys() {
            self.call(&format!("any with {name}"), "back_anything", |writer| {
                write::<Any>(writer, &value);
                write::<Vec<Any>>(writer, &[any::<i32>(&1), value.clone()]);
            });
        }
        for (name, code, octets) in values() {
            self.call(&format!("any of {name}"), "back_anything", |writer| {
                TypeCode::write(&code, writer).unwrap();
                writer.align(4);
                writer.put(&octets);
                writer.align(4);
                write::<Vec<Any>>(writer, &[]);
            });
        }
    }

    fn references(&mut self) {
        let object = TypeCode::interface("IDL:omg.org/CORBA/Object:1.0", "Object").unwrap();
        for (name, ior) in references(self.key) {
            for operation in ["back_object", "back_echo"] {
                self.call(&format!("{operation} with {name}"), operation, |writer| {
                    Ior::write(&ior, writer).unwrap();
                });
            }
            self.call(&format!("any with {name}"), "back_anything", |writer| {
                TypeCode::write(&object, writer).unwrap();
                Ior::write(&ior, writer).unwrap();
                write::<Vec<Any>>(writer, &[]);
            });
            let target = TargetAddress::Reference { selected: 0, ior: Cow::Borrowed(&ior) };
            self.to(&format!("reference with {name}"), &target);
        }
    }

    fn fragments(&mut self) {
        let whole =
            request(self.form, TargetAddress::Key(self.key), "back_octets", &[], |writer| {
                write::<Vec<u8>>(writer, &[1; 4 * LONG]);
            });
        for most in [64, 6400] {
            let pieces =
                fragments(&whole, most).map(|piece| [piece.header(), piece.payload].concat());
            self.add(&format!("fragments of {most}"), pieces.collect::<Vec<_>>().concat());
        }
    }
}

/// Requests of all kinds with their names; `key` is that of an object.
pub(super) fn all(key: &[u8], response: ResponseFlags) -> Vec<(String, Vec<u8>)> {
    let form = Form { version: GiopVersion::V1_0, response };
    let mut requests = Requests { form, key, target: TargetAddress::Key(key), all: Vec::new() };
    requests.operations();
    requests.keys();
    requests.contexts([1, 5, 999].into_iter());
    requests.form.version = GiopVersion::V1_1;
    requests.operations();
    requests.fragments();
    requests.form.version = GiopVersion::V1_2;
    requests.operations();
    requests.keys();
    requests.contexts((0..17).chain([0x5a52_4206, 0x5a52_4207, 0x5a6f_0000, 999]));
    requests.arguments();
    requests.anys();
    requests.references();
    requests.fragments();
    requests.all
}

/// One-way requests to a group with their names; `profile` is that of the group.
pub(super) fn to_group(profile: &[u8]) -> Vec<(String, Vec<u8>)> {
    let form = Form { version: GiopVersion::V1_2, response: ResponseFlags::NoResponse };
    let mut requests = Requests { form, key: b"", target: group(profile), all: Vec::new() };
    requests.operations();
    requests.contexts((0..17).chain([0x5a52_4206, 0x5a52_4207, 0x5a6f_0000, 999]));
    requests.arguments();
    requests.anys();
    let long = || "a".repeat(LONG);
    let short = UipmcProfile::decode(profile).unwrap();
    let component = TaggedComponent { tag: ComponentTag(77), data: vec![1; LONG] };
    let other = TagGroup { domain: long(), id: 1, reference_version: 0 };
    let other = TaggedComponent::with_body(&other, ORDER).unwrap();
    let profiles = [
        ("address", UipmcProfile { address: long(), ..short.clone() }),
        (
            "component",
            UipmcProfile {
                components: [&short.components[..], &[component]].concat(),
                ..short.clone()
            },
        ),
        ("group", UipmcProfile { components: vec![other], ..short }),
    ];
    for (name, profile) in profiles {
        let data = &profile.encode(ORDER).unwrap().data;
        requests.add(
            name,
            request(form, group(data), "note", &[], |writer| write::<String>(writer, "")),
        );
    }
    requests.all
}
