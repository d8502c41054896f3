// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Valuetypes of every kind, and abstract interfaces.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod shapes {
    /// The IDL struct `Shapes::Colour`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Colour {
        /// The member `red`.
        pub red: u8,
        /// The member `green`.
        pub green: u8,
        /// The member `blue`.
        pub blue: u8,
    }
    ::zorb::codegen::structure!(Colour, "IDL:Shapes/Colour:1.0", "Colour", {
        red: u8 = "red", green: u8 = "green", blue: u8 = "blue",
    });

    /// The IDL exception `Shapes::Degenerate`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Degenerate {
        /// The member `why`.
        pub why: String,
    }
    ::zorb::codegen::exception!(Degenerate, "IDL:Shapes/Degenerate:1.0", "Degenerate", {
        why: String = "why",
    });

    /// A reference to an object of the IDL interface `Shapes::Named`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Named(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Named(::zorb::ObjectRef), "IDL:Shapes/Named:1.0", "Named", []);
    impl Named {
        /// The operation `label`.
        pub fn label(&self) -> ::zorb::Result<String> {
            ::zorb::codegen::invoke!(self, label, [], [String])
        }
    }

    /// Implement this to serve `Shapes::Named`.
    pub trait NamedServant: Send + Sync + 'static {
        /// The operation `label`.
        fn label(&self) -> ::zorb::Result<String>;
    }
    ::zorb::codegen::skeleton!(Named, NamedServant, { 0 "label" label() [result: String] });
    impl NamedServant for Named {
        fn label(&self) -> ::zorb::Result<String> {
            self.label()
        }
    }
    ::zorb::codegen::with_operations!(abstract Named, NamedServant);

    /// A reference to an object of the IDL interface `Shapes::Tag`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Tag(Named);
    ::zorb::codegen::interface!(Tag(Named), "IDL:Shapes/Tag:1.0", "Tag", [Named]);
    impl Tag {
        /// The operation `label`.
        pub fn label(&self) -> ::zorb::Result<String> {
            self.0.label()
        }

        /// The attribute `text`.
        pub fn text(&self) -> ::zorb::Result<String> {
            ::zorb::codegen::invoke!(self, text "_get_text", [], [String])
        }

        /// Sets the attribute `text`.
        pub fn set_text(&self, value: &str) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, set_text "_set_text", [String => value], [])
        }
    }

    /// Implement this to serve `Shapes::Tag`.
    pub trait TagServant: NamedServant {
        /// The attribute `text`.
        fn text(&self) -> ::zorb::Result<String>;

        /// Sets the attribute `text`.
        fn set_text(&self, value: &str) -> ::zorb::Result<()>;
    }
    ::zorb::codegen::skeleton!(Tag, TagServant, {
        0 "_get_text" text() [value: String],
        1 "_set_text" set_text(value: String => &value) [],
    } inherited {
        2..=2 in Named ["label"],
    });

    /// A reference to an object of the IDL interface `Shapes::Movable`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Movable(::zorb::ObjectRef);
    ::zorb::codegen::interface!(
        Movable(::zorb::ObjectRef),
        "IDL:Shapes/Movable:1.0",
        "Movable",
        []
    );
    impl Movable {
        /// The operation `move_by`.
        pub fn move_by(&self, dx: i32, dy: i32) -> ::zorb::Result<(), movable::MoveByError> {
            ::zorb::codegen::invoke!(self, move_by, [i32 => &dx, i32 => &dy], [])
        }
    }

    /// Implement this to serve `Shapes::Movable`.
    pub trait MovableServant: Send + Sync + 'static {
        /// The operation `move_by`.
        fn move_by(&self, dx: i32, dy: i32) -> ::zorb::Result<(), movable::MoveByError>;
    }
    ::zorb::codegen::skeleton!(Movable, MovableServant, {
        0 "move_by" move_by(dx: i32 => dx, dy: i32 => dy) [],
    });

    /// What belongs to the interface `Shapes::Movable`.
    pub mod movable {
        ::zorb::codegen::raises!(MoveByError, "Shapes::Movable::move_by", {
            Degenerate(super::Degenerate),
        });
    }

    /// The IDL valuetype `Shapes::Measured`.
    #[derive(Clone, Copy, Debug)]
    pub enum Measured {}
    ::zorb::codegen::abstract_valuetype!(Measured, "IDL:Shapes/Measured:1.0", "Measured", []);

    /// What can be done with a `Shapes::Measured`: implement it for the state of the value.
    pub trait MeasuredOperations: Send + Sync + 'static {
        /// The operation `area`.
        fn area(&self) -> ::zorb::Result<f64>;
    }
    ::zorb::codegen::with_operations!(Measured, MeasuredOperations);

    /// The IDL valuetype `Shapes::Coloured`.
    #[derive(Clone, Copy, Debug)]
    pub enum Coloured {}
    ::zorb::codegen::abstract_valuetype!(
        Coloured, "IDL:Shapes/Coloured:1.0", "Coloured", [Measured]
    );

    /// What can be done with a `Shapes::Coloured`: implement it for the state of the value.
    pub trait ColouredOperations: MeasuredOperations {
        /// The attribute `paint`.
        fn paint(&self) -> ::zorb::Result<Colour>;
    }
    ::zorb::codegen::with_operations!(Coloured, ColouredOperations);

    /// The IDL valuetype `Shapes::Plain`.
    #[derive(Clone, Copy, Debug)]
    pub enum Plain {}
    ::zorb::codegen::abstract_valuetype!(Plain, "IDL:Shapes/Plain:1.0", "Plain", []);

    /// The IDL valuetype `Shapes::Point`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Point {
        /// The member `x`.
        pub x: i32,
        /// The member `y`.
        pub y: i32,
    }
    ::zorb::codegen::valuetype!(Point, "IDL:Shapes/Point:1.0", "Point", [Plain], {
        x: i32 = "x" Public, y: i32 = "y" Public,
    });

    /// The IDL typedef `Shapes::Position`.
    pub type Position = Point;
    ::zorb::codegen::typedef!(
        PositionAlias,
        "IDL:Shapes/Position:1.0",
        "Position",
        ::zorb::Value<Point>
    );

    /// The IDL valuetype `Shapes::Nothing`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Nothing;
    ::zorb::codegen::valuetype!(Nothing, "IDL:Shapes/Nothing:1.0", "Nothing", [], {});

    /// The IDL value box `Shapes::Text`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Text(pub String);
    ::zorb::codegen::value_box!(Text, "IDL:Shapes/Text:1.0", "Text", ::zorb::codegen::WString);

    /// The IDL value box `Shapes::Palette`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Palette(pub Vec<Colour>);
    ::zorb::codegen::value_box!(Palette, "IDL:Shapes/Palette:1.0", "Palette", Vec<Colour>);

    /// The IDL value box `Shapes::Numbers`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Numbers(pub Vec<f64>);
    ::zorb::codegen::value_box!(
        Numbers, "IDL:Shapes/Numbers:1.0", "Numbers", ::zorb::codegen::Bounded<Vec<f64>, 4>
    );

    /// The IDL value box `Shapes::Limits`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Limits(pub limits::Range);
    ::zorb::codegen::value_box!(Limits, "IDL:Shapes/Limits:1.0", "Limits", limits::Range);

    /// What is defined inside `Shapes::Limits`.
    pub mod limits {
        /// The IDL struct `Shapes::Limits::Range`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Range {
            /// The member `low`.
            pub low: i32,
            /// The member `high`.
            pub high: i32,
        }
        ::zorb::codegen::structure!(Range, "IDL:Shapes/Limits/Range:1.0", "Range", {
            low: i32 = "low", high: i32 = "high",
        });
    }

    /// A shape somewhere.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Shape {
        /// The member `id`.
        pub id: String,
        /// Where its middle is.
        pub centre: Option<::zorb::Value<Position>>,
    }
    ::zorb::codegen::valuetype!(Shape, "IDL:Shapes/Shape:1.0", "Shape", [Named, Measured], operations [Shape as ShapeOperations, Named as NamedServant, Measured as MeasuredOperations], {
        id: String = "id" Public, centre: PositionAlias = "centre" Private,
    });

    /// What can be done with a `Shapes::Shape`: implement it for the state of the value.
    pub trait ShapeOperations: MeasuredOperations + NamedServant {
        /// The operation `covers`.
        fn covers(
            &self,
            p: Option<&::zorb::Value<Point>>,
        ) -> ::zorb::Result<bool, shape::CoversError>;
    }
    ::zorb::codegen::with_operations!(Shape, ShapeOperations);

    /// The ways to make a `Shapes::Shape`: implement it for the state of the value.
    pub trait ShapeFactory: Sized {
        /// The initialiser `at`.
        fn at(
            id: &str,
            centre: Option<&::zorb::Value<Position>>,
        ) -> ::zorb::Result<::zorb::Value<Self>, shape::AtError>;
    }

    /// What belongs to the valuetype `Shapes::Shape`.
    pub mod shape {
        /// The IDL const `Shapes::Shape::MAX`.
        pub const MAX: i32 = 7;
        ::zorb::codegen::raises!(local CoversError, "Shapes::Shape::covers", {
            Degenerate(super::Degenerate),
        });
        ::zorb::codegen::raises!(local AtError, "Shapes::Shape::at", {
            Degenerate(super::Degenerate),
        });
    }

    /// The IDL valuetype `Shapes::Circle`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Circle {
        /// Its state as a `Shape`.
        pub base: Shape,
        /// The member `radius`.
        pub radius: f64,
        /// The private member `filling`.
        pub filling: Colour,
    }
    ::zorb::codegen::valuetype!(Circle: Shape, "IDL:Shapes/Circle:1.0", "Circle", truncatable to [Shape], [Movable, Coloured, Shape, Named, Measured], operations [Circle as CircleOperations, Coloured as ColouredOperations, Shape as ShapeOperations, Named as NamedServant, Measured as MeasuredOperations], {
        radius: f64 = "radius" Public, filling: Colour = "filling" Private,
    });

    /// What can be done with a `Shapes::Circle`: implement it for the state of the value.
    pub trait CircleOperations: ShapeOperations + ColouredOperations + MovableServant {}
    ::zorb::codegen::with_operations!(Circle, CircleOperations);

    /// The ways to make a `Shapes::Circle`: implement it for the state of the value.
    pub trait CircleFactory: Sized {
        /// The initialiser `unit`.
        fn unit() -> ::zorb::Result<::zorb::Value<Self>>;

        /// The initialiser `of_radius`.
        fn of_radius(radius: f64) -> ::zorb::Result<::zorb::Value<Self>>;
    }

    /// The IDL valuetype `Shapes::Ring`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Ring {
        /// Its state as a `Circle`.
        pub base: Circle,
        /// The member `hole`.
        pub hole: f64,
    }
    ::zorb::codegen::valuetype!(Ring: Circle, "IDL:Shapes/Ring:1.0", "Ring", truncatable to [Circle, Shape], [Circle, Movable, Coloured, Shape, Named, Measured], operations [Ring as RingOperations, Circle as CircleOperations, Coloured as ColouredOperations, Shape as ShapeOperations, Named as NamedServant, Measured as MeasuredOperations], {
        hole: f64 = "hole" Public,
    });

    /// What can be done with a `Shapes::Ring`: implement it for the state of the value.
    pub trait RingOperations: CircleOperations {}
    ::zorb::codegen::with_operations!(Ring, RingOperations);

    /// The IDL valuetype `Shapes::Dot`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Dot {
        /// Its state as a `Shape`.
        pub base: Shape,
    }
    ::zorb::codegen::valuetype!(Dot: Shape, "IDL:Shapes/Dot:1.0", "Dot", [Shape, Named, Measured], operations [Dot as DotOperations, Shape as ShapeOperations, Named as NamedServant, Measured as MeasuredOperations], {
    });

    /// What can be done with a `Shapes::Dot`: implement it for the state of the value.
    pub trait DotOperations: ShapeOperations {}
    ::zorb::codegen::with_operations!(Dot, DotOperations);

    /// The IDL valuetype `Shapes::Secret`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Secret {
        /// The private member `key`.
        pub key: u8,
        /// The member `data`.
        pub data: Vec<u8>,
    }
    ::zorb::codegen::valuetype!(Secret, "IDL:Shapes/Secret:1.0", "Secret", custom state, [], {
        key: u8 = "key" Private, data: ::zorb::codegen::Octets = "data" Public,
    });

    /// The IDL valuetype `Shapes::Node`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Node {
        /// The member `value`.
        pub value: i32,
        /// The member `next`.
        pub next: Option<::zorb::Value<Node>>,
        /// The member `other`.
        pub other: Option<::zorb::Value<Node>>,
    }
    ::zorb::codegen::valuetype!(Node, "IDL:Shapes/Node:1.0", "Node", [], {
        value: i32 = "value" Public, next: ::zorb::Value<Node> = "next" Public,
        other: ::zorb::Value<Node> = "other" Public,
    });

    /// The IDL valuetype `Shapes::Tree`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Tree {
        /// The member `name`.
        pub name: String,
        /// The member `branches`.
        pub branches: Trees,
        /// The member `note`.
        pub note: ::zorb::codegen::Any,
        /// The member `colours`.
        pub colours: Option<::zorb::Value<Palette>>,
    }
    ::zorb::codegen::valuetype!(Tree, "IDL:Shapes/Tree:1.0", "Tree", [], {
        name: String = "name" Public, branches: TreesAlias = "branches" Public,
        note: ::zorb::codegen::Any = "note" Public,
        colours: ::zorb::Value<Palette> = "colours" Public,
    });

    /// The IDL typedef `Shapes::Trees`.
    pub type Trees = Vec<Option<::zorb::Value<Tree>>>;
    ::zorb::codegen::typedef!(
        TreesAlias,
        "IDL:Shapes/Trees:1.0",
        "Trees",
        Vec<::zorb::Value<Tree>>
    );

    /// The IDL struct `Shapes::Pair`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Pair {
        /// The member `one`.
        pub one: Option<::zorb::Value<Node>>,
        /// The member `two`.
        pub two: Option<::zorb::Value<Node>>,
        /// The member `label`.
        pub label: Option<::zorb::Abstract<Named>>,
    }
    ::zorb::codegen::structure!(Pair, "IDL:Shapes/Pair:1.0", "Pair", {
        one: ::zorb::Value<Node> = "one", two: ::zorb::Value<Node> = "two",
        label: ::zorb::Abstract<Named> = "label",
    });

    /// The IDL typedef `Shapes::Pairs`.
    pub type Pairs = Vec<Pair>;
    ::zorb::codegen::typedef!(PairsAlias, "IDL:Shapes/Pairs:1.0", "Pairs", Vec<Pair>);

    /// The IDL union `Shapes::Choice`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Choice {
        /// The member `at`.
        At(Option<::zorb::Value<Point>>),
        /// The member `words`.
        Words(Option<::zorb::Value<Text>>),
        /// The member `some`.
        Some {
            /// The discriminator.
            label: i16,
            /// The value.
            value: Option<::zorb::Abstract<Named>>,
        },
        /// No member: the discriminator names none.
        Unset {
            /// The discriminator.
            label: i16,
        },
    }
    ::zorb::codegen::union!(Choice, "IDL:Shapes/Choice:1.0", "Choice", i16, {
        At(::zorb::Value<Point> = 1) "at",
        Words(::zorb::Value<Text> = 2) "words",
        Some { ::zorb::Abstract<Named> = [3] [4] } "some",
    } empty Unset);

    /// The IDL exception `Shapes::Lost`.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Lost {
        /// The member `last`.
        pub last: Option<::zorb::Value<Node>>,
        /// The member `cause`.
        pub cause: Option<::zorb::Value<::zorb::ValueBase>>,
    }
    ::zorb::codegen::exception!(Lost, "IDL:Shapes/Lost:1.0", "Lost", {
        last: ::zorb::Value<Node> = "last", cause: ::zorb::Value<::zorb::ValueBase> = "cause",
    });

    /// A reference to an object of the IDL interface `Shapes::Board`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Board(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Board(::zorb::ObjectRef), "IDL:Shapes/Board:1.0", "Board", []);
    impl Board {
        /// The attribute `root`.
        pub fn root(&self) -> ::zorb::Result<Option<::zorb::Value<Node>>> {
            ::zorb::codegen::invoke!(self, root "_get_root", [], [::zorb::Value<Node>])
        }

        /// Sets the attribute `root`.
        pub fn set_root(&self, value: Option<&::zorb::Value<Node>>) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(
                self,
                set_root "_set_root",
                [::zorb::codegen::HandleArgument<::zorb::Value<Node>> => value],
                []
            )
        }

        /// The operation `echo_points`.
        pub fn echo_points(
            &self,
            a: Option<&::zorb::Value<Point>>,
            b: Option<&::zorb::Value<Point>>,
        ) -> ::zorb::Result<
            (
                Option<::zorb::Value<Point>>,
                Option<::zorb::Value<Point>>,
                Option<::zorb::Value<Point>>,
            ),
        > {
            ::zorb::codegen::invoke!(
                self,
                echo_points,
                [::zorb::codegen::HandleArgument<::zorb::Value<Point>> => a, ::zorb::codegen::HandleArgument<::zorb::Value<Point>> => b],
                [::zorb::Value<Point>, ::zorb::Value<Point>, ::zorb::Value<Point>]
            )
        }

        /// The operation `echo_nodes`.
        pub fn echo_nodes(
            &self,
            a: Option<&::zorb::Value<Node>>,
            b: Option<&::zorb::Value<Node>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Node>>, board::EchoNodesError> {
            ::zorb::codegen::invoke!(
                self,
                echo_nodes,
                [::zorb::codegen::HandleArgument<::zorb::Value<Node>> => a, ::zorb::codegen::HandleArgument<::zorb::Value<Node>> => b],
                [::zorb::Value<Node>]
            )
        }

        /// The operation `echo_shape`.
        pub fn echo_shape(
            &self,
            s: Option<&::zorb::Value<Shape>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Shape>>> {
            ::zorb::codegen::invoke!(
                self,
                echo_shape,
                [::zorb::codegen::HandleArgument<::zorb::Value<Shape>> => s],
                [::zorb::Value<Shape>]
            )
        }

        /// The operation `echo_measured`.
        pub fn echo_measured(
            &self,
            m: Option<&::zorb::Value<Measured>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Measured>>> {
            ::zorb::codegen::invoke!(
                self,
                echo_measured,
                [::zorb::codegen::HandleArgument<::zorb::Value<Measured>> => m],
                [::zorb::Value<Measured>]
            )
        }

        /// The operation `echo_secret`.
        pub fn echo_secret(
            &self,
            s: Option<&::zorb::Value<Secret>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Secret>>> {
            ::zorb::codegen::invoke!(
                self,
                echo_secret,
                [::zorb::codegen::HandleArgument<::zorb::Value<Secret>> => s],
                [::zorb::Value<Secret>]
            )
        }

        /// The operation `echo_tree`.
        pub fn echo_tree(
            &self,
            t: Option<&::zorb::Value<Tree>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Tree>>> {
            ::zorb::codegen::invoke!(
                self,
                echo_tree,
                [::zorb::codegen::HandleArgument<::zorb::Value<Tree>> => t],
                [::zorb::Value<Tree>]
            )
        }

        /// The operation `echo_text`.
        pub fn echo_text(
            &self,
            t: Option<&::zorb::Value<Text>>,
            n: Option<&::zorb::Value<Numbers>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Text>>> {
            ::zorb::codegen::invoke!(
                self,
                echo_text,
                [::zorb::codegen::HandleArgument<::zorb::Value<Text>> => t, ::zorb::codegen::HandleArgument<::zorb::Value<Numbers>> => n],
                [::zorb::Value<Text>]
            )
        }

        /// The operation `echo_pairs`.
        pub fn echo_pairs(&self, p: &[Pair]) -> ::zorb::Result<Pairs> {
            ::zorb::codegen::invoke!(self, echo_pairs, [Vec<Pair> => p], [Vec<Pair>])
        }

        /// The operation `echo_choice`.
        pub fn echo_choice(&self, c: &Choice) -> ::zorb::Result<Choice> {
            ::zorb::codegen::invoke!(self, echo_choice, [Choice => c], [Choice])
        }

        /// The operation `echo_named`.
        pub fn echo_named(
            &self,
            n: Option<&::zorb::Abstract<Named>>,
        ) -> ::zorb::Result<Option<::zorb::Abstract<Named>>> {
            ::zorb::codegen::invoke!(
                self,
                echo_named,
                [::zorb::codegen::HandleArgument<::zorb::Abstract<Named>> => n],
                [::zorb::Abstract<Named>]
            )
        }

        /// The operation `whatever`.
        pub fn whatever(
            &self,
            v: Option<&::zorb::Value<::zorb::ValueBase>>,
        ) -> ::zorb::Result<Option<::zorb::Value<::zorb::ValueBase>>> {
            ::zorb::codegen::invoke!(
                self,
                whatever,
                [::zorb::codegen::HandleArgument<::zorb::Value<::zorb::ValueBase>> => v],
                [::zorb::Value<::zorb::ValueBase>]
            )
        }

        /// The operation `wrapped`.
        pub fn wrapped(&self, a: &::zorb::codegen::Any) -> ::zorb::Result<::zorb::codegen::Any> {
            ::zorb::codegen::invoke!(
                self,
                wrapped,
                [::zorb::codegen::Any => a],
                [::zorb::codegen::Any]
            )
        }

        /// The operation `notify`.
        pub fn notify(&self, p: Option<&::zorb::Value<Point>>) -> ::zorb::Result<()> {
            ::zorb::codegen::oneway!(
                self,
                notify,
                [::zorb::codegen::HandleArgument<::zorb::Value<Point>> => p]
            )
        }
    }

    /// Implement this to serve `Shapes::Board`.
    pub trait BoardServant: Send + Sync + 'static {
        /// The attribute `root`.
        fn root(&self) -> ::zorb::Result<Option<::zorb::Value<Node>>>;

        /// Sets the attribute `root`.
        fn set_root(&self, value: Option<&::zorb::Value<Node>>) -> ::zorb::Result<()>;

        /// The operation `echo_points`.
        fn echo_points(
            &self,
            a: Option<&::zorb::Value<Point>>,
            b: Option<&::zorb::Value<Point>>,
        ) -> ::zorb::Result<
            (
                Option<::zorb::Value<Point>>,
                Option<::zorb::Value<Point>>,
                Option<::zorb::Value<Point>>,
            ),
        >;

        /// The operation `echo_nodes`.
        fn echo_nodes(
            &self,
            a: Option<&::zorb::Value<Node>>,
            b: Option<&::zorb::Value<Node>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Node>>, board::EchoNodesError>;

        /// The operation `echo_shape`.
        fn echo_shape(
            &self,
            s: Option<&::zorb::Value<Shape>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Shape>>>;

        /// The operation `echo_measured`.
        fn echo_measured(
            &self,
            m: Option<&::zorb::Value<Measured>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Measured>>>;

        /// The operation `echo_secret`.
        fn echo_secret(
            &self,
            s: Option<&::zorb::Value<Secret>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Secret>>>;

        /// The operation `echo_tree`.
        fn echo_tree(
            &self,
            t: Option<&::zorb::Value<Tree>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Tree>>>;

        /// The operation `echo_text`.
        fn echo_text(
            &self,
            t: Option<&::zorb::Value<Text>>,
            n: Option<&::zorb::Value<Numbers>>,
        ) -> ::zorb::Result<Option<::zorb::Value<Text>>>;

        /// The operation `echo_pairs`.
        fn echo_pairs(&self, p: &[Pair]) -> ::zorb::Result<Pairs>;

        /// The operation `echo_choice`.
        fn echo_choice(&self, c: &Choice) -> ::zorb::Result<Choice>;

        /// The operation `echo_named`.
        fn echo_named(
            &self,
            n: Option<&::zorb::Abstract<Named>>,
        ) -> ::zorb::Result<Option<::zorb::Abstract<Named>>>;

        /// The operation `whatever`.
        fn whatever(
            &self,
            v: Option<&::zorb::Value<::zorb::ValueBase>>,
        ) -> ::zorb::Result<Option<::zorb::Value<::zorb::ValueBase>>>;

        /// The operation `wrapped`.
        fn wrapped(&self, a: &::zorb::codegen::Any) -> ::zorb::Result<::zorb::codegen::Any>;

        /// The operation `notify`.
        fn notify(&self, p: Option<&::zorb::Value<Point>>);
    }
    ::zorb::codegen::skeleton!(Board, BoardServant, {
        0 "_get_root" root() [value: ::zorb::Value<Node>],
        1 "_set_root" set_root(value: ::zorb::Value<Node> => value.as_ref()) [],
        2 "echo_points" echo_points(a: ::zorb::Value<Point> => a.as_ref(), b: ::zorb::Value<Point> => b.as_ref())
            [result: ::zorb::Value<Point>, b_after: ::zorb::Value<Point>, c: ::zorb::Value<Point>],
        3 "echo_nodes" echo_nodes(a: ::zorb::Value<Node> => a.as_ref(), b: ::zorb::Value<Node> => b.as_ref())
            [result: ::zorb::Value<Node>],
        4 "echo_shape" echo_shape(s: ::zorb::Value<Shape> => s.as_ref())
            [result: ::zorb::Value<Shape>],
        5 "echo_measured" echo_measured(m: ::zorb::Value<Measured> => m.as_ref())
            [result: ::zorb::Value<Measured>],
        6 "echo_secret" echo_secret(s: ::zorb::Value<Secret> => s.as_ref())
            [result: ::zorb::Value<Secret>],
        7 "echo_tree" echo_tree(t: ::zorb::Value<Tree> => t.as_ref()) [result: ::zorb::Value<Tree>],
        8 "echo_text" echo_text(t: ::zorb::Value<Text> => t.as_ref(), n: ::zorb::Value<Numbers> => n.as_ref())
            [result: ::zorb::Value<Text>],
        9 "echo_pairs" echo_pairs(p: Vec<Pair> => &p) [result: Vec<Pair>],
        10 "echo_choice" echo_choice(c: Choice => &c) [result: Choice],
        11 "echo_named" echo_named(n: ::zorb::Abstract<Named> => n.as_ref())
            [result: ::zorb::Abstract<Named>],
        12 "whatever" whatever(v: ::zorb::Value<::zorb::ValueBase> => v.as_ref())
            [result: ::zorb::Value<::zorb::ValueBase>],
        13 "wrapped" wrapped(a: ::zorb::codegen::Any => &a) [result: ::zorb::codegen::Any],
        14 "notify" notify(p: ::zorb::Value<Point> => p.as_ref()) oneway,
    });

    /// What belongs to the interface `Shapes::Board`.
    pub mod board {
        ::zorb::codegen::raises!(EchoNodesError, "Shapes::Board::echo_nodes", {
            Lost(super::Lost),
        });
    }
}
