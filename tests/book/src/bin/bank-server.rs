//! The bank of the book's tutorial.

fn main() -> Result<(), zorb::Error> {
    zorb_book_tests::tutorial::server::main()
}
