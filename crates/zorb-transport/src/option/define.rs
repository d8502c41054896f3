//! The macros that define options.

/// Defines options: a struct with a field for each, whose [`Default`] contains the defaults; their
/// [table](crate::OptionSpec), `OPTIONS`; an [`OptionSet`](crate::OptionSet), which parses and
/// formats them; and a typed setter for each on the builder of the ORB.
///
/// ```text
/// options! {
///     /// Documentation of the struct.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct SemaphoreOptions of "OWNER", set by (trait SetSemaphoreOptions) {
///         /// What the option does: the help of every table.
///         "OptionName" option_name: Type = DEFAULT, LEAST..=MOST, "UNIT";
///     }
/// }
/// ```
///
/// Numbers and durations have a range and a unit. The field's name, which is also the key in files,
/// is the option's name in snake case. The types are those of [`OptionValue`](crate::OptionValue).
/// The setters are methods of a trait that every [`SetOption`](crate::SetOption) implements. Option
/// names are unique in an ORB, so start them with the name of the protocol or extension.
#[macro_export]
macro_rules! options {
    // The setters only, where the builder is in another module.
    (
        @setters $setters:tt
        $(#[$meta:meta])*
        $vis:vis struct $Set:ident of $owner:literal, set by $elsewhere:tt {
            $(
                $(#[doc = $help:literal])+
                $name:literal $field:ident: $outer:ident $(<$inner:ident>)? = $default:expr
                    $(, $least:literal..=$most:expr $(, $unit:literal)?)?;
            )*
        }
    ) => {
        $crate::__option_setters! {
            $setters $vis $Set
            $(
                [$($help)+] $name ($($($unit)?)?) $field ($outer $(<$inner>)?)
            )*
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $Set:ident of $owner:literal, set by $setters:tt {
            $(
                $(#[doc = $help:literal])+
                $name:literal $field:ident: $outer:ident $(<$inner:ident>)? = $default:expr
                    $(, $least:literal..=$most:expr $(, $unit:literal)?)?;
            )*
        }
    ) => {
        $(#[$meta])*
        $vis struct $Set {
            $(
                $(#[doc = $help])+
                #[doc = ""]
                #[doc = concat!("Option `", $name, "`, default `", stringify!($default), "`.")]
                pub $field: $outer $(<$inner>)?,
            )*
        }

        impl $Set {
            /// The table of these options.
            $vis const OPTIONS: &'static [$crate::OptionSpec] = &[$({
                $crate::check_key($name, stringify!($field));
                $crate::OptionSpec {
                    owner: $owner,
                    name: $name,
                    key: stringify!($field),
                    kind: <$outer $(<$inner>)? as $crate::OptionValue>::KIND
                        .within(&[$(($least, $most))?]),
                    unit: concat!("", $($($unit)?)?),
                    help: concat!($($help),+).trim_ascii(),
                    default: || {
                        let value: $outer $(<$inner>)? = $default;
                        $crate::OptionValue::text(&value, concat!("", $($($unit)?)?))
                    },
                }
            }),*];
        }

        impl Default for $Set {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $crate::OptionSet for $Set {
            fn specs(&self) -> &'static [$crate::OptionSpec] {
                Self::OPTIONS
            }

            fn take(&mut self, spec: &$crate::OptionSpec, text: &str) -> Result<(), String> {
                match spec.name {
                    $($name => $crate::OptionValue::take(&mut self.$field, text, spec),)*
                    _ => Err("there is no such option".to_owned()),
                }
            }

            fn clear(&mut self, spec: &$crate::OptionSpec) {
                match spec.name {
                    $($name => $crate::OptionValue::clear(&mut self.$field),)*
                    _ => {}
                }
            }

            fn text(&self, spec: &$crate::OptionSpec) -> String {
                match spec.name {
                    $($name => $crate::OptionValue::text(&self.$field, spec.unit),)*
                    _ => String::new(),
                }
            }

            fn boxed(&self) -> Box<dyn $crate::OptionSet> {
                Box::new(self.clone())
            }
        }

        $crate::__option_setters! {
            $setters $vis $Set
            $(
                [$($help)+] $name ($($($unit)?)?) $field ($outer $(<$inner>)?)
            )*
        }
    };
}

/// Options with keywords as values: defines the keywords of an enum's variants, also for `Display`.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Arm {
///     Left,
///     Right,
/// }
///
/// zorb_transport::option_words!(Arm { "left" => Left, "right" => Right });
/// ```
#[macro_export]
macro_rules! option_words {
    ($Type:ident { $($word:literal => $variant:ident),+ $(,)? }) => {
        impl $crate::OptionValue for $Type {
            const KIND: $crate::OptionKind = $crate::OptionKind::OneOf(&[$($word),+]);

            fn take(&mut self, text: &str, spec: &$crate::OptionSpec) -> Result<(), String> {
                *self = $crate::word(text, &[$(($word, Self::$variant)),+], spec)?;
                Ok(())
            }

            fn text(&self, _: &str) -> String {
                self.to_string()
            }
        }

        impl ::core::fmt::Display for $Type {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $word,)+
                })
            }
        }
    };
}

/// The setters of [`options!`], as methods of a trait or a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __option_setters {
    ((elsewhere) $($rest:tt)*) => {};
    (
        (trait $Setters:ident) $vis:vis $Set:ident
        $([$($help:literal)+] $name:literal $unit:tt $field:ident ($($type:tt)+))*
    ) => {
        #[doc = concat!("Sets the options of [`", stringify!($Set), "`] on the builder of an ORB.")]
        $vis trait $Setters: $crate::SetOption {
            $($crate::__option_setter! { [] [$($help)+] $name $unit $field $($type)+ })*
        }

        impl<B: $crate::SetOption> $Setters for B {}
    };
    (
        (impl $($target:tt)*) $vis:vis $Set:ident
        $([$($help:literal)+] $name:literal $unit:tt $field:ident ($($type:tt)+))*
    ) => {
        #[doc = concat!("Setters of the options of [`", stringify!($Set), "`].")]
        impl $($target)* {
            $($crate::__option_setter! { [pub] [$($help)+] $name $unit $field $($type)+ })*
        }
    };
}

/// One setter, whose parameter suits the option's type.
#[doc(hidden)]
#[macro_export]
macro_rules! __option_setter {
    ([$($vis:ident)?] [$($help:literal)+] $name:literal ($($unit:literal)?) $field:ident String) => {
        $(#[doc = $help])+
        #[doc = ""]
        #[doc = concat!("Sets the option `", $name, "`.")]
        #[must_use]
        $($vis)? fn $field(self, value: impl Into<String>) -> Self {
            $crate::SetOption::set_option(self, $name, value.into())
        }
    };
    ([$($vis:ident)?] [$($help:literal)+] $name:literal () $field:ident Vec<String>) => {
        $(#[doc = $help])+
        #[doc = ""]
        #[doc = concat!("Sets the option `", $name, "`, or adds to it when called again.")]
        #[must_use]
        $($vis)? fn $field<V: Into<String>>(self, values: impl IntoIterator<Item = V>) -> Self {
            let values: Vec<String> = values.into_iter().map(Into::into).collect();
            $crate::SetOption::set_option(self, $name, $crate::OptionValue::text(&values, ""))
        }
    };
    ([$($vis:ident)?] [$($help:literal)+] $name:literal () $field:ident PublishRules) => {
        $crate::__option_setter! { [$($vis)?] [$($help)+] $name () $field Vec<String> }
    };
    ([$($vis:ident)?] [$($help:literal)+] $name:literal () $field:ident NameValuePairs) => {
        $(#[doc = $help])+
        #[doc = ""]
        #[doc = concat!("Sets the option `", $name, "` for `name`.")]
        #[must_use]
        $($vis)? fn $field(self, name: &str, value: &str) -> Self {
            $crate::SetOption::set_option(self, $name, format!("{name}={value}"))
        }
    };
    ([$($vis:ident)?] [$($help:literal)+] $name:literal ($unit:literal) $field:ident Option<Duration>) => {
        $(#[doc = $help])+
        #[doc = ""]
        #[doc = concat!("Sets the option `", $name, "`, rounded up to whole ", $unit, ".")]
        #[must_use]
        $($vis)? fn $field(self, value: impl Into<Option<::core::time::Duration>>) -> Self {
            let value: Option<::core::time::Duration> = value.into();
            $crate::SetOption::set_option(self, $name, $crate::OptionValue::text(&value, $unit))
        }
    };
    ([$($vis:ident)?] [$($help:literal)+] $name:literal ($($unit:literal)?) $field:ident $($type:tt)+) => {
        $(#[doc = $help])+
        #[doc = ""]
        #[doc = concat!("Sets the option `", $name, "`" $(, ", in ", $unit)?, ".")]
        #[must_use]
        $($vis)? fn $field(self, value: $($type)+) -> Self {
            let value = $crate::OptionValue::text(&value, concat!("", $($unit)?));
            $crate::SetOption::set_option(self, $name, value)
        }
    };
}
