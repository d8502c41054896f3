//! Methods of systems around other systems.

/// Implements methods of [`Os`](crate::Os) by those of the system in a field.
///
/// ```
/// use std::time::Duration;
///
/// use zorb_nano::{Os, forward_os};
///
/// /// Counts how often it waits.
/// struct Counting<O> {
///     os: O,
///     waits: u32,
/// }
///
/// impl<O: Os> Os for Counting<O> {
///     forward_os!(os: now, priority, connect, listen, port, accept, read, read_within, write, close);
///
///     fn poll(
///         &mut self,
///         interests: &mut [zorb_nano::Interest],
///         timeout: Option<Duration>,
///     ) -> Result<(), zorb_nano::OsError> {
///         self.waits += 1;
///         self.os.poll(interests, timeout)
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_os {
    ($field:ident: $($method:ident),* $(,)?) => { $($crate::forward_os!(@ $method $field);)* };
    (@ now $field:ident) => {
        fn now(&mut self) -> ::core::time::Duration {
            self.$field.now()
        }
    };
    (@ priority $field:ident) => {
        fn priority(&mut self) -> ::core::option::Option<i16> {
            self.$field.priority()
        }
    };
    (@ connect $field:ident) => {
        $crate::forward_os!(@ by_address connect -> $crate::Socket, $field);
    };
    (@ listen $field:ident) => {
        $crate::forward_os!(@ by_address listen -> $crate::Socket, $field);
    };
    (@ by_address $method:ident -> $result:ty, $field:ident) => {
        fn $method(
            &mut self,
            address: $crate::Address,
        ) -> ::core::result::Result<$result, $crate::OsError> {
            self.$field.$method(address)
        }
    };
    (@ port $field:ident) => {
        fn port(
            &mut self,
            listener: $crate::Socket,
        ) -> ::core::result::Result<u16, $crate::OsError> {
            self.$field.port(listener)
        }
    };
    (@ accept $field:ident) => {
        fn accept(
            &mut self,
            listener: $crate::Socket,
        ) -> ::core::result::Result<$crate::Socket, $crate::OsError> {
            self.$field.accept(listener)
        }
    };
    (@ read $field:ident) => {
        fn read(
            &mut self,
            connection: $crate::Socket,
            space: &mut [u8],
        ) -> ::core::result::Result<usize, $crate::OsError> {
            self.$field.read(connection, space)
        }
    };
    (@ read_within $field:ident) => {
        fn read_within(
            &mut self,
            connection: $crate::Socket,
            space: &mut [u8],
            timeout: ::core::time::Duration,
        ) -> ::core::result::Result<usize, $crate::OsError> {
            self.$field.read_within(connection, space, timeout)
        }
    };
    (@ write $field:ident) => {
        fn write(
            &mut self,
            connection: $crate::Socket,
            octets: &[u8],
        ) -> ::core::result::Result<usize, $crate::OsError> {
            self.$field.write(connection, octets)
        }
    };
    (@ close $field:ident) => {
        fn close(&mut self, socket: $crate::Socket) {
            self.$field.close(socket);
        }
    };
    (@ poll $field:ident) => {
        fn poll(
            &mut self,
            interests: &mut [$crate::Interest],
            timeout: ::core::option::Option<::core::time::Duration>,
        ) -> ::core::result::Result<(), $crate::OsError> {
            self.$field.poll(interests, timeout)
        }
    };
}
