//! Compiles the IDL of the book's examples.

fn main() {
    zorb_build::compile("idl/clock.idl");
    zorb_build::Config::new().ami("Clock").combined("clock_ami").compile(&["idl/clock.idl"]);
    let handlers = zorb_build::Config::new().ami("Clock").reply_handlers();
    handlers.combined("clock_handlers").compile(&["idl/clock.idl"]);
    zorb_build::compile("idl/bank.idl");
    zorb_build::compile("idl/mapping.idl");
    zorb_build::compile("idl/health.idl");
    zorb_build::compile("idl/plant.idl");
    zorb_build::compile("idl/radar.idl");
    zorb_build::compile("idl/survey.idl");
    zorb_build::Config::new().loaned("Film::Camera").compile(&["idl/film.idl"]);
}
