//! Checks of large messages, which peers send in fragments, and of many threads.

use super::{Checked, Run, fail, present, same};
use crate::interop::data::Person;
use crate::samples;

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let lists = &present(run.suite.list_types()?)?;
    let texts = &present(run.suite.text_types()?)?;
    let basics = &present(run.suite.basic_types()?)?;
    let octets: Vec<u8> = (0..1_u32 << 20).map(|i| ((i * 31) >> 3) as u8).collect();
    run.echo("load/large_octets", &[octets, vec![]], |a, b| lists.echo_blob(a, b));
    run.check("load/large_string", || {
        let text = texts.repeat("0123456789abcdef", 4096)?;
        same("the length", &text.len(), &65536)?;
        let (result, b, _) = texts.echo_string(&text, "")?;
        same("the result", &result, &text)?;
        same("the inout parameter", &b, &text)
    });
    let doubles: Vec<f64> = (0..20000).map(|i| f64::from(i) * 0.25).collect();
    run.echo("load/large_doubles", &[doubles, vec![]], |a, b| lists.echo_doubles(a, b));
    // Many small items: their boundaries fall on every place in a fragment.
    let persons: Vec<Person> =
        (0..2000).map(|i| Person { name: "n".repeat(i % 37), ..samples::ada() }).collect();
    run.echo("load/many_structs", &[persons, vec![]], |a, b| lists.echo_persons(a, b));
    run.check("load/threads", || {
        let work = |first: i32| -> Checked {
            for number in first..first + 100 {
                let (result, _, c) = basics.echo_long(number, -number)?;
                same("the number", &(result, c), &(number, -number))?;
                let text = format!("{number}{}", ".".repeat((number - first) as usize));
                same("the text", &texts.echo_string(&text, "")?.0, &text)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|thread| scope.spawn(move || work(thread * 1000))).collect();
            let ended = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| fail("a thread panicked")));
            ended.collect()
        })
    });
    Ok(())
}
