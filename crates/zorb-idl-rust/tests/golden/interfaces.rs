// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Interfaces: inheritance, references, attributes, nested definitions.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod graph {
    /// A node of a graph.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Node(Named);
    ::zorb::codegen::interface!(Node(Named), "IDL:Graph/Node:1.0", "Node", [Named]);
    impl Node {
        /// The attribute `name`.
        pub fn name(&self) -> ::zorb::Result<String> {
            self.0.name()
        }

        /// Sets the attribute `name`.
        pub fn set_name(&self, value: &str) -> ::zorb::Result<()> {
            self.0.set_name(value)
        }

        /// The attribute `current`.
        pub fn current(&self) -> ::zorb::Result<node::State> {
            ::zorb::codegen::invoke!(self, current "_get_current", [], [node::State])
        }

        /// The attribute `neighbours`.
        pub fn neighbours(&self) -> ::zorb::Result<Nodes> {
            ::zorb::codegen::invoke!(
                self,
                neighbours "_get_neighbours",
                [],
                [Vec<::zorb::codegen::Ref<Node>>]
            )
        }

        /// The attribute `parent`.
        pub fn parent(&self) -> ::zorb::Result<Option<Node>> {
            ::zorb::codegen::invoke!(self, parent "_get_parent", [], [::zorb::codegen::Ref<Node>])
        }

        /// Sets the attribute `parent`.
        pub fn set_parent(&self, value: Option<&Node>) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(
                self,
                set_parent "_set_parent",
                [::zorb::codegen::RefArgument<Node> => value],
                []
            )
        }

        /// The operation `find`.
        pub fn find(
            &self,
            name: &str,
        ) -> ::zorb::Result<(Option<Node>, Option<Node>), node::FindError> {
            ::zorb::codegen::invoke!(
                self,
                find,
                [String => name],
                [::zorb::codegen::Ref<Node>, ::zorb::codegen::Ref<Node>]
            )
        }

        /// The operation `swap`.
        pub fn swap(
            &self,
            other: Option<&Node>,
            opaque: Option<&::zorb::ObjectRef>,
        ) -> ::zorb::Result<(Option<Node>, Option<::zorb::ObjectRef>)> {
            ::zorb::codegen::invoke!(
                self,
                swap,
                [::zorb::codegen::RefArgument<Node> => other, ::zorb::codegen::RefArgument<::zorb::ObjectRef> => opaque],
                [::zorb::codegen::Ref<Node>, ::zorb::codegen::Ref<::zorb::ObjectRef>]
            )
        }

        /// The operation `link`.
        pub fn link(
            &self,
            others: &[Option<Node>],
            watcher: Option<&Observer>,
        ) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(
                self,
                link,
                [Vec<::zorb::codegen::Ref<Node>> => others, ::zorb::codegen::RefArgument<Observer> => watcher],
                []
            )
        }
    }

    /// Implement this to serve `Graph::Node`.
    pub trait NodeServant: NamedServant {
        /// The attribute `current`.
        fn current(&self) -> ::zorb::Result<node::State>;

        /// The attribute `neighbours`.
        fn neighbours(&self) -> ::zorb::Result<Nodes>;

        /// The attribute `parent`.
        fn parent(&self) -> ::zorb::Result<Option<Node>>;

        /// Sets the attribute `parent`.
        fn set_parent(&self, value: Option<&Node>) -> ::zorb::Result<()>;

        /// The operation `find`.
        fn find(&self, name: &str) -> ::zorb::Result<(Option<Node>, Option<Node>), node::FindError>;

        /// The operation `swap`.
        fn swap(
            &self,
            other: Option<&Node>,
            opaque: Option<&::zorb::ObjectRef>,
        ) -> ::zorb::Result<(Option<Node>, Option<::zorb::ObjectRef>)>;

        /// The operation `link`.
        fn link(&self, others: &[Option<Node>], watcher: Option<&Observer>) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(Node, NodeServant, {
        0 "_get_current" current() [value: node::State],
        1 "_get_neighbours" neighbours() [value: Vec<::zorb::codegen::Ref<Node>>],
        2 "_get_parent" parent() [value: ::zorb::codegen::Ref<Node>],
        3 "_set_parent" set_parent(value: ::zorb::codegen::Ref<Node> => value.as_ref()) [],
        4 "find" find(name: String => &name)
            [result: ::zorb::codegen::Ref<Node>, nearest: ::zorb::codegen::Ref<Node>],
        5 "swap" swap(other: ::zorb::codegen::Ref<Node> => other.as_ref(), opaque: ::zorb::codegen::Ref<::zorb::ObjectRef> => opaque.as_ref())
            [other_after: ::zorb::codegen::Ref<Node>, opaque_after: ::zorb::codegen::Ref<::zorb::ObjectRef>],
        6 "link" link(others: Vec<::zorb::codegen::Ref<Node>> => &others, watcher: ::zorb::codegen::Ref<Observer> => watcher.as_ref())
            [],
    } inherited {
        7..=8 in Named ["_get_name", "_set_name"],
    });

    /// What belongs to the interface `Graph::Node`.
    pub mod node {
        /// The IDL enum `Graph::Node::State`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum State {
            /// The value `IDLE`.
            Idle,
            /// The value `BUSY`.
            Busy,
        }
        ::zorb::codegen::enumeration!(State, "IDL:Graph/Node/State:1.0", "State", {
            Idle = "IDLE", Busy = "BUSY",
        });
        ::zorb::codegen::raises!(FindError, "Graph::Node::find", { NotFound(super::NotFound) });
    }

    /// The IDL typedef `Graph::Nodes`.
    pub type Nodes = Vec<Option<Node>>;
    ::zorb::codegen::typedef!(
        NodesAlias,
        "IDL:Graph/Nodes:1.0",
        "Nodes",
        Vec<::zorb::codegen::Ref<Node>>
    );

    /// The IDL exception `Graph::NotFound`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct NotFound {
        /// The member `name`.
        pub name: String,
    }
    ::zorb::codegen::exception!(NotFound, "IDL:Graph/NotFound:1.0", "NotFound", {
        name: String = "name",
    });

    /// The IDL exception `Graph::Broken`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Broken;
    ::zorb::codegen::exception!(Broken, "IDL:Graph/Broken:1.0", "Broken", {});

    /// A reference to an object of the IDL interface `Graph::Named`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Named(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Named(::zorb::ObjectRef), "IDL:Graph/Named:1.0", "Named", []);
    impl Named {
        /// The attribute `name`.
        pub fn name(&self) -> ::zorb::Result<String> {
            ::zorb::codegen::invoke!(self, name "_get_name", [], [String])
        }

        /// Sets the attribute `name`.
        pub fn set_name(&self, value: &str) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, set_name "_set_name", [String => value], [])
        }
    }

    /// Implement this to serve `Graph::Named`.
    pub trait NamedServant: Send + Sync + 'static {
        /// The attribute `name`.
        fn name(&self) -> ::zorb::Result<String>;

        /// Sets the attribute `name`.
        fn set_name(&self, value: &str) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(Named, NamedServant, {
        0 "_get_name" name() [value: String],
        1 "_set_name" set_name(value: String => &value) [],
    });

    /// A reference to an object of the IDL interface `Graph::Observer`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Observer(::zorb::ObjectRef);
    ::zorb::codegen::interface!(
        Observer(::zorb::ObjectRef),
        "IDL:Graph/Observer:1.0",
        "Observer",
        []
    );
    impl Observer {
        /// The operation `changed`.
        pub fn changed(&self, source: Option<&Node>) -> ::zorb::Result<()> {
            ::zorb::codegen::oneway!(self, changed, [::zorb::codegen::RefArgument<Node> => source])
        }
    }

    /// Implement this to serve `Graph::Observer`.
    pub trait ObserverServant: Send + Sync + 'static {
        /// The operation `changed`.
        fn changed(&self, source: Option<&Node>);
    }
    ::zorb::codegen::skeleton!(Observer, ObserverServant, {
        0 "changed" changed(source: ::zorb::codegen::Ref<Node> => source.as_ref()) oneway,
    });

    /// A reference to an object of the IDL interface `Graph::Counter`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Counter(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Counter(::zorb::ObjectRef), "IDL:Graph/Counter:1.0", "Counter", []);
    impl Counter {
        /// The attribute `count`.
        pub fn count(&self) -> ::zorb::Result<i64, counter::CountError> {
            ::zorb::codegen::invoke!(self, count "_get_count", [], [i64])
        }

        /// Sets the attribute `count`.
        pub fn set_count(&self, value: i64) -> ::zorb::Result<(), counter::SetCountError> {
            ::zorb::codegen::invoke!(self, set_count "_set_count", [i64 => &value], [])
        }

        /// The operation `reset`.
        pub fn reset(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, reset, [], [])
        }
    }

    /// Implement this to serve `Graph::Counter`.
    pub trait CounterServant: Send + Sync + 'static {
        /// The attribute `count`.
        fn count(&self) -> ::zorb::Result<i64, counter::CountError>;

        /// Sets the attribute `count`.
        fn set_count(&self, value: i64) -> ::zorb::Result<(), counter::SetCountError>;

        /// The operation `reset`.
        fn reset(&self) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(Counter, CounterServant, {
        0 "_get_count" count() [value: i64],
        1 "_set_count" set_count(value: i64 => value) [],
        2 "reset" reset() [],
    });

    /// What belongs to the interface `Graph::Counter`.
    pub mod counter {
        ::zorb::codegen::raises!(CountError, "Graph::Counter::count", { Broken(super::Broken) });
        ::zorb::codegen::raises!(SetCountError, "Graph::Counter::count", {
            Broken(super::Broken), NotFound(super::NotFound),
        });
    }

    /// Three bases, two of which share one.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Everything(Node);
    ::zorb::codegen::interface!(
        Everything(Node),
        "IDL:Graph/Everything:1.0",
        "Everything",
        [Observer, Counter, Node, Named]
    );
    impl Everything {
        /// The attribute `name`.
        pub fn name(&self) -> ::zorb::Result<String> {
            self.0.name()
        }

        /// Sets the attribute `name`.
        pub fn set_name(&self, value: &str) -> ::zorb::Result<()> {
            self.0.set_name(value)
        }

        /// The attribute `current`.
        pub fn current(&self) -> ::zorb::Result<node::State> {
            self.0.current()
        }

        /// The attribute `neighbours`.
        pub fn neighbours(&self) -> ::zorb::Result<Nodes> {
            self.0.neighbours()
        }

        /// The attribute `parent`.
        pub fn parent(&self) -> ::zorb::Result<Option<Node>> {
            self.0.parent()
        }

        /// Sets the attribute `parent`.
        pub fn set_parent(&self, value: Option<&Node>) -> ::zorb::Result<()> {
            self.0.set_parent(value)
        }

        /// The operation `find`.
        pub fn find(
            &self,
            name: &str,
        ) -> ::zorb::Result<(Option<Node>, Option<Node>), node::FindError> {
            self.0.find(name)
        }

        /// The operation `swap`.
        pub fn swap(
            &self,
            other: Option<&Node>,
            opaque: Option<&::zorb::ObjectRef>,
        ) -> ::zorb::Result<(Option<Node>, Option<::zorb::ObjectRef>)> {
            self.0.swap(other, opaque)
        }

        /// The operation `link`.
        pub fn link(
            &self,
            others: &[Option<Node>],
            watcher: Option<&Observer>,
        ) -> ::zorb::Result<()> {
            self.0.link(others, watcher)
        }

        /// The attribute `count`.
        pub fn count(&self) -> ::zorb::Result<i64, counter::CountError> {
            ::zorb::codegen::invoke!(self as Counter, count "_get_count", [], [i64])
        }

        /// Sets the attribute `count`.
        pub fn set_count(&self, value: i64) -> ::zorb::Result<(), counter::SetCountError> {
            ::zorb::codegen::invoke!(self as Counter, set_count "_set_count", [i64 => &value], [])
        }

        /// The operation `reset`.
        pub fn reset(&self) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self as Counter, reset, [], [])
        }

        /// The operation `changed`.
        pub fn changed(&self, source: Option<&Node>) -> ::zorb::Result<()> {
            ::zorb::codegen::oneway!(
                self as Observer,
                changed,
                [::zorb::codegen::RefArgument<Node> => source]
            )
        }

        /// The operation `as_named`.
        pub fn as_named(&self) -> ::zorb::Result<Option<Named>> {
            ::zorb::codegen::invoke!(self, as_named, [], [::zorb::codegen::Ref<Named>])
        }
    }

    /// Implement this to serve `Graph::Everything`.
    pub trait EverythingServant: NodeServant + CounterServant + ObserverServant {
        /// The operation `as_named`.
        fn as_named(&self) -> ::zorb::Result<Option<Named>>;
    }
    ::zorb::codegen::skeleton!(Everything, EverythingServant, {
        0 "as_named" as_named() [result: ::zorb::codegen::Ref<Named>],
    } inherited {
        1..=2 in Named ["_get_name", "_set_name"],
        3..=9 in Node ["_get_current", "_get_neighbours", "_get_parent", "_set_parent", "find", "swap", "link"],
        10..=12 in Counter ["_get_count", "_set_count", "reset"],
        13..=13 in Observer ["changed"],
    });

    /// A reference to an object of the IDL interface `Graph::Marker`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Marker(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Marker(::zorb::ObjectRef), "IDL:Graph/Marker:1.0", "Marker", []);

    /// Implement this to serve `Graph::Marker`.
    pub trait MarkerServant: Send + Sync + 'static {}
    ::zorb::codegen::skeleton!(Marker, MarkerServant, {});

    /// A reference to an object of the IDL interface `Graph::Marked`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Marked(Marker);
    ::zorb::codegen::interface!(Marked(Marker), "IDL:Graph/Marked:1.0", "Marked", [Marker]);

    /// Implement this to serve `Graph::Marked`.
    pub trait MarkedServant: MarkerServant {}
    ::zorb::codegen::skeleton!(Marked, MarkedServant, {});
}
