//! Methods of streams around other streams.

/// Implements methods of [`Stream`](crate::Stream) by those of the stream in a field. Those that are not named have their
/// defaults: a stream that changes octets has no [descriptor](crate::Stream::readiness_fd) and lends no
/// [buffers](crate::Stream::loan).
///
/// ```
/// # use std::{io::{self, IoSlice}, net::Shutdown, sync::Arc, time::Duration};
/// use zorb_transport::{Stream, forward_stream};
///
/// /// Sends nothing.
/// #[derive(Debug)]
/// struct Mute {
///     inner: Arc<dyn Stream>,
/// }
///
/// impl Stream for Mute {
///     forward_stream!(
///         inner: recv, set_recv_timeout, set_send_timeout, is_readable, shutdown, peer, local
///     );
///
///     fn send_all(&self, _: &[u8]) -> io::Result<()> {
///         Ok(())
///     }
///
///     fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
///         Ok(())
///     }
///
///     fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
///         Ok(bytes.len())
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_stream {
    ($field:ident: $($method:ident),* $(,)?) => { $($crate::forward_stream!(@ $method $field);)* };
    (@ establish $field:ident) => {
        fn establish(&self) -> ::std::io::Result<()> {
            self.$field.establish()
        }
    };
    (@ is_established $field:ident) => {
        fn is_established(&self) -> bool {
            self.$field.is_established()
        }
    };
    (@ recv $field:ident) => {
        fn recv(&self, buffer: &mut [u8]) -> ::std::io::Result<usize> {
            self.$field.recv(buffer)
        }
    };
    (@ try_recv $field:ident) => {
        fn try_recv(
            &self,
            buffer: &mut [u8],
        ) -> ::std::io::Result<::std::option::Option<usize>> {
            self.$field.try_recv(buffer)
        }
    };
    (@ cheap_polls $field:ident) => {
        fn cheap_polls(&self) -> u32 {
            self.$field.cheap_polls()
        }
    };
    (@ short_read_means_empty $field:ident) => {
        fn short_read_means_empty(&self) -> bool {
            self.$field.short_read_means_empty()
        }
    };
    (@ set_recv_timeout $field:ident) => {
        fn set_recv_timeout(
            &self,
            timeout: ::std::option::Option<::std::time::Duration>,
        ) -> ::std::io::Result<()> {
            self.$field.set_recv_timeout(timeout)
        }
    };
    (@ set_send_timeout $field:ident) => {
        fn set_send_timeout(
            &self,
            timeout: ::std::option::Option<::std::time::Duration>,
        ) -> ::std::io::Result<()> {
            self.$field.set_send_timeout(timeout)
        }
    };
    (@ is_readable $field:ident) => {
        fn is_readable(&self) -> bool {
            self.$field.is_readable()
        }
    };
    (@ shutdown $field:ident) => {
        fn shutdown(&self, how: ::std::net::Shutdown) -> ::std::io::Result<()> {
            self.$field.shutdown(how)
        }
    };
    (@ set_options $field:ident) => {
        fn set_options(&self, options: &$crate::StreamOptions) -> ::std::io::Result<()> {
            self.$field.set_options(options)
        }
    };
    (@ peer $field:ident) => {
        fn peer(&self) -> &str {
            self.$field.peer()
        }
    };
    (@ local $field:ident) => {
        fn local(&self) -> &str {
            self.$field.local()
        }
    };
    (@ loan $field:ident) => {
        fn loan(&self, len: usize) -> ::std::option::Option<$crate::SendBuffer> {
            self.$field.loan(len)
        }
    };
    (@ borrow $field:ident) => {
        fn borrow(&self, len: usize) -> ::std::option::Option<$crate::ReceivedBuffer> {
            self.$field.borrow(len)
        }
    };
    (@ gather_threshold $field:ident) => {
        fn gather_threshold(&self) -> ::std::option::Option<usize> {
            self.$field.gather_threshold()
        }
    };
    (@ peer_identity $field:ident) => {
        fn peer_identity(
            &self,
        ) -> ::std::option::Option<::std::sync::Arc<$crate::PeerIdentity>> {
            self.$field.peer_identity()
        }
    };
    (@ readiness_fd $field:ident) => {
        fn readiness_fd(&self) -> ::std::option::Option<::std::os::fd::BorrowedFd<'_>> {
            self.$field.readiness_fd()
        }
    };
    (@ hangup_fd $field:ident) => {
        fn hangup_fd(&self) -> ::std::option::Option<::std::os::fd::BorrowedFd<'_>> {
            self.$field.hangup_fd()
        }
    };
    (@ notify_of_hangup $field:ident) => {
        fn notify_of_hangup(
            &self,
            notify: ::std::boxed::Box<dyn ::std::ops::FnOnce() + ::std::marker::Send>,
        ) -> bool {
            self.$field.notify_of_hangup(notify)
        }
    };
    (@ is_used_otherwise $field:ident) => {
        fn is_used_otherwise(&self) -> bool {
            self.$field.is_used_otherwise()
        }
    };
    (@ shares_connection $field:ident) => {
        fn shares_connection(&self) -> bool {
            self.$field.shares_connection()
        }
    };
}
