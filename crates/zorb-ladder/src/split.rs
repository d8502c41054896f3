//! The engine after steps 3 and 4, `interp3` and `interp4`: code is split for the processor's cache.
//!
//! Step 3 splits the receiver, which has most to do; step 4 the sender. The one function of each direction becomes one for
//! each kind of type, so that a message only fetches the code that it needs, and what is rarely needed is moved out of the
//! way: swapping octets for peers of the other byte order, and errors. A run of numbers in the machine's byte order is then
//! nothing but a copy.

pub(crate) mod receiver;
pub(crate) mod sender;
