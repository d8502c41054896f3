//! The bank of the book's tutorial.
#![forbid(unsafe_code)]

fn main() -> Result<(), zorb::Error> {
    zorb_book_tests::tutorial::server::main()
}
