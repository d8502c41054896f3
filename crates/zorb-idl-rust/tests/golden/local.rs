// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// What stays in the process, and contexts.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod inside {
    /// The IDL native `Inside::Handle`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Handle(pub ::zorb::codegen::Native);
    ::zorb::codegen::local_error!(Handle, "Inside::Handle");

    /// The IDL native `Inside::Failure`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Failure(pub ::zorb::codegen::Native);
    ::zorb::codegen::local_error!(Failure, "Inside::Failure");

    /// The IDL exception `Inside::Lost`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Lost {
        /// The member `what`.
        pub what: String,
    }
    ::zorb::codegen::exception!(Lost, "IDL:Inside/Lost:1.0", "Lost", { what: String = "what" });

    /// A reference to an object of the IDL interface `Inside::Remote`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Remote(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Remote(::zorb::ObjectRef), "IDL:Inside/Remote:1.0", "Remote", []);
    impl Remote {
        /// The operation `count`.
        pub fn count(&self) -> ::zorb::Result<i32> {
            ::zorb::codegen::invoke!(self, count, [], [i32])
        }
    }

    /// Implement this to serve `Inside::Remote`.
    pub trait RemoteServant: Send + Sync + 'static {
        /// The operation `count`.
        fn count(&self) -> ::zorb::Result<i32>;
    }
    ::zorb::codegen::skeleton!(Remote, RemoteServant, { 0 "count" count() [result: i32] });

    /// The local IDL interface `Inside::Cache`.
    pub trait Cache: Send + Sync + 'static {
        /// The attribute `size`.
        fn size(&self) -> ::zorb::Result<i32>;

        /// The operation `look_up`.
        fn look_up(
            &self,
            name: &str,
            h: &Handle,
        ) -> ::zorb::Result<cache::Data, cache::LookUpError>;

        /// The operation `parent`.
        fn parent(&self) -> ::zorb::Result<Option<::std::sync::Arc<dyn Cache>>>;

        /// The operation `join`.
        fn join(&self, other: Option<&::std::sync::Arc<dyn Cache>>) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::local!(Cache, "Cache");

    /// What belongs to the interface `Inside::Cache`.
    pub mod cache {
        /// The IDL typedef `Inside::Cache::Data`.
        pub type Data = Vec<u8>;
        ::zorb::codegen::typedef!(
            DataAlias,
            "IDL:Inside/Cache/Data:1.0",
            "Data",
            ::zorb::codegen::Octets
        );
        ::zorb::codegen::raises!(local LookUpError, "Inside::Cache::look_up", {
            Lost(super::Lost), Failure(super::Failure),
        });
    }

    /// The IDL typedef `Inside::Store`.
    pub type Store = dyn Cache;

    /// The local IDL interface `Inside::Special`.
    pub trait Special: Cache + RemoteServant {
        /// The operation `flush`.
        fn flush(&self) -> ::zorb::Result<Handle>;
    }
    ::zorb::codegen::local!(Special, "Special");

    /// The IDL struct `Inside::Entry`.
    #[derive(Clone, Debug, Default)]
    pub struct Entry {
        /// The member `name`.
        pub name: String,
        /// The member `where`.
        pub r#where: Option<::std::sync::Arc<dyn Cache>>,
        /// The member `all`.
        pub all: Vec<Option<::std::sync::Arc<Store>>>,
    }

    /// The IDL exception `Inside::Stuck`.
    #[derive(Clone, Debug, Default)]
    pub struct Stuck {
        /// The member `held`.
        pub held: Entry,
    }
    ::zorb::codegen::local_error!(Stuck, "Inside::Stuck");

    /// The IDL union `Inside::Place`.
    #[derive(Clone, Debug)]
    pub enum Place {
        /// The member `near`.
        Near(Option<::std::sync::Arc<dyn Cache>>),
        /// No member: the discriminator names none.
        Unset {
            /// The discriminator.
            label: bool,
        },
    }

    /// The local IDL interface `Inside::Index`.
    pub trait Index: Send + Sync + 'static {
        /// The attribute `last`.
        fn last(&self) -> ::zorb::Result<Entry>;

        /// Sets the attribute `last`.
        fn set_last(&self, value: &Entry) -> ::zorb::Result<()>;

        /// The operation `find`.
        fn find(&self, e: &Entry) -> ::zorb::Result<Place, index::FindError>;
    }
    ::zorb::codegen::local!(Index, "Index");

    /// What belongs to the interface `Inside::Index`.
    pub mod index {
        ::zorb::codegen::raises!(local FindError, "Inside::Index::find", { Stuck(super::Stuck) });
    }

    /// A reference to an object of the IDL interface `Inside::Worker`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Worker(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Worker(::zorb::ObjectRef), "IDL:Inside/Worker:1.0", "Worker", []);
    impl Worker {
        /// The operation `work`.
        pub fn work(
            &self,
            amount: i32,
            context: &::zorb::Context,
        ) -> ::zorb::Result<String, worker::WorkError> {
            let context = &context.only(&["USER", "LC_*"]);
            ::zorb::codegen::invoke!(
                self,
                work,
                [i32 => &amount, ::zorb::Context => context],
                [String]
            )
        }

        /// The operation `hint`.
        pub fn hint(&self, context: &::zorb::Context) -> ::zorb::Result<()> {
            let context = &context.only(&["LANG"]);
            ::zorb::codegen::oneway!(self, hint, [::zorb::Context => context])
        }
    }

    /// Implement this to serve `Inside::Worker`.
    pub trait WorkerServant: Send + Sync + 'static {
        /// The operation `work`.
        fn work(
            &self,
            amount: i32,
            context: &::zorb::Context,
        ) -> ::zorb::Result<String, worker::WorkError>;

        /// The operation `hint`.
        fn hint(&self, context: &::zorb::Context);
    }
    ::zorb::codegen::skeleton!(Worker, WorkerServant, {
        0 "work" work(amount: i32 => amount, context: ::zorb::Context => &context) [result: String],
        1 "hint" hint(context: ::zorb::Context => &context) oneway,
    });

    /// What belongs to the interface `Inside::Worker`.
    pub mod worker {
        ::zorb::codegen::raises!(WorkError, "Inside::Worker::work", { Lost(super::Lost) });
    }
}
