//! Structs that are sent often and change little.

use zorb::{Interface as _, Premarshalled, Wire as _};

zorb::include_idl!("radar");
use radar::{Display, Track};

/// Shows a track at each of these heights, and returns how many the display has shown.
pub fn follow(display: &Display, track: Track, heights: &[f64]) -> zorb::Result<u32> {
    let mut track = Premarshalled::new(track);
    let mut shown = 0;
    for height in heights {
        *track.member(|track| &mut track.height) = *height;
        let reply: zorb::Result<u32> =
            display.as_object().invoke("show", |writer| track.write(writer), u32::read);
        shown = reply?;
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use zorb::{CharCodeSet, Orb};

    use super::radar::DisplayServant;
    use super::*;

    /// Keeps what it shows.
    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<Track>>>);

    impl DisplayServant for Screen {
        fn show(&self, track: &Track) -> zorb::Result<u32> {
            let mut shown = self.0.lock().unwrap();
            shown.push(track.clone());
            Ok(shown.len() as u32)
        }
    }

    fn track() -> Track {
        Track {
            number: 7,
            label: "gr\u{fc}n".to_owned(),
            latitude: 48.2,
            longitude: 16.4,
            height: 100.0,
        }
    }

    /// Passes a display of another ORB to `calls`, for each of several protocols and code sets.
    fn with_displays(calls: impl Fn(&Display, &Mutex<Vec<Track>>)) {
        let builder = || Orb::builder().without_environment();
        let client = builder().build().unwrap();
        for url in ["iiop://127.0.0.1:0", "lite+iiop://127.0.0.1:0"] {
            for set in [CharCodeSet::Utf8, CharCodeSet::Latin1] {
                let server = builder().listen(url).native_char_code_set(set).build().unwrap();
                let screen = Screen::default();
                let display: Display = server.root_poa().activate(screen.clone()).unwrap();
                let display = client.resolve(&display.to_ior_string()).unwrap();
                calls(&display, &screen.0);
            }
        }
    }

    #[test]
    fn each_height_is_shown() {
        with_displays(|display, shown| {
            assert_eq!(follow(display, track(), &[1.0, 2.0, 3.0]).unwrap(), 3);
            let expected = [1.0, 2.0, 3.0].map(|height| Track { height, ..track() });
            assert_eq!(*shown.lock().unwrap(), expected);
        });
    }

    #[test]
    fn servants_get_what_changed() {
        let track = std::cell::RefCell::new(Premarshalled::new(track()));
        with_displays(|display, shown| {
            for step in 0..24_u32 {
                let mut track = track.borrow_mut();
                // Labels of many lengths move what is behind them.
                match step % 4 {
                    0 => *track.member(|track| &mut track.number) += 1,
                    1 => track.member(|track| &mut track.label).push('\u{e4}'),
                    2 => track.value_mut().latitude += 0.5,
                    _ => *track.member(|track| &mut track.longitude) -= 0.5,
                }
                let write = |writer: &mut zorb::CdrWriter<'_>| track.write(writer);
                let count: zorb::Result<u32> = display.as_object().invoke("show", write, u32::read);
                assert_eq!(count.unwrap(), step + 1);
                assert_eq!(shown.lock().unwrap().last(), Some(track.value()));
            }
        });
    }
}
