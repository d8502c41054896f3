zorb::include_idl!("hello");

fn main() -> Result<(), zorb::Error> {
    let orb = zorb::Orb::new()?;
    let greeter: hello::Greeter = orb.resolve("corbaloc::127.0.0.1:2809/greeter")?;
    println!("{}", greeter.say_hello("Rust")?);
    Ok(())
}
