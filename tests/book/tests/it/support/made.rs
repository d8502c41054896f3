//! Generated parts of pages.

use std::sync::Mutex;

use super::pages::{read, write};

/// Serializes writes to pages.
static WRITING: Mutex<()> = Mutex::new(());

/// Compares the text between `<!-- NAME -->` and `<!-- end -->` with `made`, or replaces it.
pub(crate) fn check(page: &str, name: &str, made: &str) {
    let _writing = WRITING.lock();
    let text = read(page);
    let begin = format!("<!-- {name} -->\n");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page}: no {begin}"));
    let (present, after) = rest.split_once("<!-- end -->").unwrap();
    let wanted = format!("\n{made}\n");
    if std::env::var_os("UPDATE_BOOK").is_some() {
        write(page, &format!("{before}{begin}{wanted}<!-- end -->{after}"));
    } else {
        assert!(present == wanted, "{page}: {name} is out of date; it should be\n{made}");
    }
}
