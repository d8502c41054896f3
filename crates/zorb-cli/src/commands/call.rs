//! `zorb call`: calls an operation, with arguments and results in JSON.

mod arguments;
mod interface;
mod signature;
mod types;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use zorb::dynamic::json::{Json, from_any};
use zorb::dynamic::repository::OperationDescription;
use zorb::dynamic::{Mode, NamedValue, Request, RequestError, Response};
use zorb::{ObjectRef, TcKind};

use crate::commands::ior;
use crate::commands::ping::positive_seconds;
use crate::definitions::IdlSource;
use crate::failure::{Failure, OK, Outcome};
use crate::screen;
use types::{NoInterface, Types};

/// Exit status: the operation raised a user exception.
const USER_EXCEPTION: u8 = 3;
/// Exit status: the call failed with a system exception.
const SYSTEM_EXCEPTION: u8 = 4;

/// Call an operation of any object, with arguments and results in JSON
///
/// The types come from IDL files or from an interface repository: from `--ifr`, the initial
/// reference `InterfaceRepository`, or else the repository that the object's server reports
/// (`_interface`). Without an operation, the operations of the object are listed. Attributes are
/// read by their name or `_get_NAME`, and set by `_set_NAME`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb call greeter.ior --idl hello.idl
  zorb call greeter.ior --idl hello.idl say_hello Rust
  zorb call greeter.ior --ifr corbaloc::localhost:2810/InterfaceRepository say_hello Rust
  zorb call corbaloc::localhost:2809/NameService --idl CosNaming.idl resolve '[{\"id\": \"desk\", \"kind\": \"\"}]'
  zorb call account.ior --idl bank.idl transfer --json-file transfer.json

Arguments are JSON, one for each `in` and `inout` parameter. Quotes are optional for types that are
text (string, char, enum, fixed, object reference). An any is {\"type\": \"long\", \"value\": 5}, a
union {\"member\": value}; octets are base64 or an array of numbers; nil is null.

Exit status: 0 the operation returned, 1 reference or types not found, 2 usage error, 3 user
exception, 4 system exception (exceptions are printed as JSON).")]
pub(crate) struct CallArgs {
    /// Object reference, file that contains one, or `-` for standard input
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// Operation to call; by default the operations are listed
    operation: Option<String>,
    /// Values of the `in` and `inout` parameters, in order
    #[arg(value_name = "ARGUMENT", allow_negative_numbers = true)]
    arguments: Vec<String>,
    /// File with the arguments: a JSON array, or an object with the names of the parameters; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with = "arguments")]
    json_file: Option<PathBuf>,
    #[command(flatten)]
    source: IdlSource,
    /// Reference of an interface repository with the types, or file that contains it
    #[arg(long, value_name = "REFERENCE")]
    ifr: Option<String>,
    /// Interface to use if the reference has no type: its scoped name or repository id
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Timeout of connections and calls, in seconds
    #[arg(short = 'W', long, value_name = "SECONDS", default_value = "10", value_parser = positive_seconds)]
    timeout: Duration,
    /// Result on one line
    #[arg(short, long)]
    compact: bool,
}

pub(crate) fn run(args: &CallArgs, orb: &[String]) -> Outcome {
    let text = ior::load(&args.reference)?;
    let orb = crate::orb::builder()
        .arguments(&mut orb.to_vec())
        .connect_timeout(args.timeout)
        .round_trip_timeout(args.timeout)
        .build()?;
    let object =
        orb.string_to_object(&text)?.ok_or_else(|| Failure::new("the object reference is nil"))?;
    let types = Types::new(&orb, &args.source, args.ifr.as_deref())?;

    if let Some(operation) = args.operation.as_deref().and_then(interface::pseudo_operation) {
        // Every object has these operations, whatever its interface.
        return call(args, &types, &object, &operation);
    }
    let interface = match types.interface_of(&object, args.interface.as_deref()) {
        Ok(interface) => interface,
        Err(NoInterface::Exception(exception)) => return failed(args, exception.into(), &types),
        Err(NoInterface::Failure(failure)) => return Err(failure),
    };
    let Some(name) = &args.operation else {
        screen::print(&signature::listing(&interface, &types))?;
        return Ok(OK);
    };
    let operation = interface::operation(&interface, name)?;
    call(args, &types, &object, &operation)
}

fn call(
    args: &CallArgs,
    types: &Types,
    object: &ObjectRef,
    operation: &OperationDescription,
) -> Outcome {
    let values = match &args.json_file {
        Some(file) => arguments::from_file(file, operation, types)?,
        None => arguments::from_words(&args.arguments, operation, types)?,
    };
    let mut values = values.into_iter();
    let mut request = Request::new(object, &*operation.name).returns(operation.result.clone());
    for parameter in &operation.parameters {
        let (name, mode) = (parameter.name.clone(), parameter.mode);
        let value = if mode.is_sent() { values.next() } else { None };
        let type_code = parameter.type_code.clone();
        request = request.argument(NamedValue { name, mode, type_code, value });
    }
    for exception in &operation.exceptions {
        request = request.raises(exception.clone());
    }
    if !operation.contexts.is_empty() {
        request = request.with_context();
    }
    if operation.oneway {
        return match request.send_oneway() {
            Ok(()) => Ok(OK),
            Err(exception) => failed(args, exception.into(), types),
        };
    }
    match request.invoke() {
        Ok(response) => {
            if response.octets_left > 0 {
                let octets = screen::counted(response.octets_left, "octet");
                screen::print_stderr(&format!(
                    "{}: the reply has {octets} after the values of the IDL: do both sides use the same IDL?",
                    screen::paint(screen::WARNING, "warning"),
                ));
            }
            if let Some(json) = shown(operation, &response)? {
                print(args, &json)?;
            }
            Ok(OK)
        }
        Err(error) => failed(args, error, types),
    }
}

fn print(args: &CallArgs, json: &Json) -> Result<(), Failure> {
    screen::print(&if args.compact { format!("{json}\n") } else { format!("{json:#}\n") })
}

/// The result, or an object with it and the parameters that came back; nothing where there is
/// neither.
fn shown(operation: &OperationDescription, response: &Response) -> Result<Option<Json>, Failure> {
    let json_of = |any| from_any(any).map_err(|error| Failure::from(zorb::Error::from(error)));
    let is_void = operation.result.resolved().kind() == TcKind::Void;
    let result = if is_void { None } else { Some(json_of(&response.result)?) };
    if response.outputs.is_empty() {
        return Ok(result);
    }
    let mut members: Vec<_> =
        result.into_iter().map(|result| ("result".to_owned(), result)).collect();
    for output in &response.outputs {
        if let Some(value) = &output.value {
            debug_assert!(output.mode != Mode::In);
            members.push((output.name.clone(), json_of(value)?));
        }
    }
    Ok(Some(Json::Object(members)))
}

/// Prints an exception; the exit status tells user exceptions from system exceptions.
fn failed(args: &CallArgs, error: RequestError, types: &Types) -> Outcome {
    let text = |text: &str| Json::String(text.to_owned());
    let object = |id: &str, more: Vec<(String, Json)>| {
        let first = ("exception".to_owned(), text(id));
        Json::Object(std::iter::once(first).chain(more).collect())
    };
    let user = |any| -> Outcome {
        let members = from_any(any).map_err(|error| Failure::from(zorb::Error::from(error)))?;
        print(args, &object(any.type_code().id(), vec![("members".to_owned(), members)]))?;
        Ok(USER_EXCEPTION)
    };
    match error {
        RequestError::User(any) => user(&any),
        RequestError::UnknownUser(exception) => {
            // The operation should not raise it; its type may be known all the same.
            let known = types.by_name(exception.id());
            if let Some(any) = known.and_then(|type_code| exception.decode(&type_code).ok()) {
                return user(&any);
            }
            print(args, &object(exception.id(), Vec::new()))?;
            Ok(USER_EXCEPTION)
        }
        RequestError::System(exception) => {
            let (kind, minor) = (exception.kind.name(), exception.minor.0);
            let completed = json!(exception.completed.to_string()).to_string();
            let more = vec![
                ("name".to_owned(), text(kind)),
                ("minor".to_owned(), Json::Word(minor.to_string())),
                ("completed".to_owned(), Json::Word(completed)),
            ];
            print(args, &object(exception.repository_id(), more))?;
            screen::print_failure(&Failure::from(zorb::Error::from(exception)));
            Ok(SYSTEM_EXCEPTION)
        }
        other => Err(Failure::new(other.to_string())),
    }
}
