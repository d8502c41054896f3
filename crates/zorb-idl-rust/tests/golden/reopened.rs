// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// The IDL module `Common`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod common {
    /// The IDL struct `Common::Stamp`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Stamp {
        /// The member `micros`.
        pub micros: u64,
    }
    ::zorb::codegen::structure!(Stamp, "IDL:Common/Stamp:1.0", "Stamp", { micros: u64 = "micros" });

    /// The IDL exception `Common::Late`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Late {
        /// The member `due`.
        pub due: Stamp,
    }
    ::zorb::codegen::exception!(Late, "IDL:Common/Late:1.0", "Late", { due: Stamp = "due" });

    /// A reference to an object of the IDL interface `Common::Clock`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Clock(::zorb::ObjectRef);
    ::zorb::codegen::interface!(Clock(::zorb::ObjectRef), "IDL:Common/Clock:1.0", "Clock", []);
    impl Clock {
        /// The operation `now`.
        pub fn now(&self) -> ::zorb::Result<Stamp, clock::NowError> {
            ::zorb::codegen::invoke!(self, now, [], [Stamp])
        }
    }

    /// Implement this to serve `Common::Clock`.
    pub trait ClockServant: Send + Sync + 'static {
        /// The operation `now`.
        fn now(&self) -> ::zorb::Result<Stamp, clock::NowError>;
    }
    ::zorb::codegen::skeleton!(Clock, ClockServant, { 0 "now" now() [result: Stamp] });

    /// What belongs to the interface `Common::Clock`.
    pub mod clock {
        ::zorb::codegen::raises!(NowError, "Common::Clock::now", { Late(super::Late) });
    }
}

/// A module in two parts, the second after another.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod first {
    /// The IDL struct `First::A`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct A {
        /// The member `at`.
        pub at: super::common::Stamp,
    }
    ::zorb::codegen::structure!(A, "IDL:First/A:1.0", "A", { at: super::common::Stamp = "at" });

    /// The IDL typedef `First::Bs`.
    pub type Bs = Vec<super::second::B>;
    ::zorb::codegen::typedef!(BsAlias, "IDL:First/Bs:1.0", "Bs", Vec<super::second::B>);

    /// The IDL module `First::Deep`.
    pub mod deep {
        /// The IDL struct `First::Deep::C`.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct C {
            /// The member `bs`.
            pub bs: super::Bs,
            /// The member `timer`.
            pub timer: Option<super::super::second::Timer>,
        }
        ::zorb::codegen::structure!(C, "IDL:First/Deep/C:1.0", "C", {
            bs: super::BsAlias = "bs",
            timer: ::zorb::codegen::Ref<super::super::second::Timer> = "timer",
        });
    }
}

/// The IDL module `Second`.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod second {
    /// The IDL struct `Second::B`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct B {
        /// The member `a`.
        pub a: super::first::A,
    }
    ::zorb::codegen::structure!(B, "IDL:Second/B:1.0", "B", { a: super::first::A = "a" });

    /// A reference to an object of the IDL interface `Second::Timer`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Timer(super::common::Clock);
    ::zorb::codegen::interface!(
        Timer(super::common::Clock),
        "IDL:Second/Timer:1.0",
        "Timer",
        [super::common::Clock]
    );
    impl Timer {
        /// The operation `now`.
        pub fn now(&self) -> ::zorb::Result<super::common::Stamp, super::common::clock::NowError> {
            self.0.now()
        }

        /// The operation `wait`.
        pub fn wait(
            &self,
            by: Option<&super::common::Clock>,
        ) -> ::zorb::Result<(), timer::WaitError> {
            ::zorb::codegen::invoke!(
                self,
                wait,
                [::zorb::codegen::RefArgument<super::common::Clock> => by],
                []
            )
        }
    }

    /// Implement this to serve `Second::Timer`.
    pub trait TimerServant: super::common::ClockServant {
        /// The operation `wait`.
        fn wait(&self, by: Option<&super::common::Clock>) -> ::zorb::Result<(), timer::WaitError>;
    }
    ::zorb::codegen::skeleton!(Timer, TimerServant, {
        0 "wait" wait(by: ::zorb::codegen::Ref<super::common::Clock> => by.as_ref()) [],
    } inherited {
        1..=1 in super::common::Clock ["now"],
    });

    /// What belongs to the interface `Second::Timer`.
    pub mod timer {
        ::zorb::codegen::raises!(WaitError, "Second::Timer::wait", {
            Late(super::super::common::Late),
        });
    }
}
