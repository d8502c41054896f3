//! Arguments and results without copies.

use zorb::poa::{Poa, PoaError, PoaPolicies};
use zorb::policy::Policies;
use zorb::{BufferStrategy, Interface as _, Loan, LoanedOctets, SystemException};

pub use film::{Camera, CameraServant, Screen, ScreenServant};

mod film_idl {
    #![allow(unreachable_pub, reason = "generated for crates that export it")]

    zorb::include_idl!("film");
}
use film_idl::film;

/// Shows `count` pictures taken by `camera`.
pub fn show_film(
    screen: &Screen,
    count: u32,
    camera: impl Fn(&mut [u8]),
) -> Result<Vec<u8>, SystemException> {
    let mut brightness = Vec::new();
    let mut picture = screen.loan(640 * 480)?;
    for number in 0..count {
        camera(&mut picture);
        brightness.push(screen.show(&format!("picture {number}"), &picture)?);
    }
    Ok(brightness)
}

/// A screen whose loans do not use shared buffers.
pub fn without_shared_buffers(screen: &Screen) -> Result<Screen, SystemException> {
    screen.with_policies(&Policies::new().with(BufferStrategy::SingleCopy))
}

/// A camera that writes pictures to shared buffers.
#[derive(Debug)]
pub struct GreyCamera;

impl CameraServant for GreyCamera {
    fn shoot(&self, width: u32, height: u32) -> zorb::Result<LoanedOctets> {
        let mut picture = Loan::for_reply(width as usize * height as usize);
        picture.fill(128);
        Ok(picture.into())
    }
}

/// The sum of a picture's brightness.
pub fn light(camera: &Camera) -> Result<u64, SystemException> {
    let picture = camera.shoot(640, 480)?;
    Ok(picture.iter().map(|octet| u64::from(*octet)).sum())
}

/// A POA whose servants' loans do not use shared buffers.
pub fn slow_cameras(root: &Poa) -> Result<Poa, PoaError> {
    root.create("slow cameras", PoaPolicies::new().with(BufferStrategy::SingleCopy))
}

#[cfg(test)]
mod tests {
    use zorb::Orb;

    use super::*;

    struct Mean;

    impl ScreenServant for Mean {
        fn show(&self, title: &str, frame: &[u8]) -> zorb::Result<u8> {
            assert!(title.starts_with("picture "));
            let sum: u64 = frame.iter().map(|octet| u64::from(*octet)).sum();
            Ok((sum / frame.len() as u64) as u8)
        }
    }

    #[test]
    fn a_film_is_shown_over_every_transport() {
        for (url, shared) in
            [("shmiop://", true), ("uiop://", false), ("iiop://127.0.0.1:0", false)]
        {
            let server = Orb::builder().without_environment().listen(url).build().unwrap();
            let screen: Screen = server.root_poa().activate(Mean).unwrap();
            let client = Orb::builder().without_environment().build().unwrap();
            let screen: Screen = client.resolve(&screen.as_object().to_ior_string()).unwrap();
            assert_eq!(screen.loan(640 * 480).unwrap().is_shared(), shared);
            assert_eq!(show_film(&screen, 3, |picture| picture.fill(7)).unwrap(), [7; 3]);
            let own = without_shared_buffers(&screen).unwrap();
            assert!(!own.loan(640 * 480).unwrap().is_shared());
            assert_eq!(show_film(&own, 2, |picture| picture.fill(9)).unwrap(), [9; 2]);
            for poa in [server.root_poa(), slow_cameras(&server.root_poa()).unwrap()] {
                let camera: Camera = poa.activate(GreyCamera).unwrap();
                let camera: Camera = client.resolve(&camera.as_object().to_ior_string()).unwrap();
                assert_eq!(light(&camera).unwrap(), 640 * 480 * 128);
                assert_eq!(camera.shoot(64, 64).unwrap().is_shared(), shared);
            }
            client.shutdown(true).unwrap();
            server.shutdown(true).unwrap();
        }
    }
}
