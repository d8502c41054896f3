//! Default servants and servant managers.

mod activator;
mod changing;
mod current;
mod default;
mod locator;

use zorb_core::Orb;

use crate::support::{Echo, client};

/// A view of the object of `echo` from its own ORB, and one from another ORB, which lives as long as the view is used.
fn views(echo: &Echo) -> (Orb, [Echo; 2]) {
    let (orb, there) = client(echo);
    (orb, [echo.clone(), there])
}
