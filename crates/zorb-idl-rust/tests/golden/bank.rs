// Made from IDL by Zorb. Change the IDL instead: changes here are lost.
/// Accounts and what can be done with them.
#[allow(clippy::all, clippy::nursery, clippy::pedantic)]
#[allow(dead_code, nonstandard_style, unreachable_pub)]
pub mod bank {
    /// The most that an account may owe, in cents.
    pub const MAX_OVERDRAFT: i32 = 50000;

    /// The IDL enum `Bank::Currency`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u32)]
    pub enum Currency {
        /// The euro.
        Eur,
        /// The value `USD`.
        Usd,
    }
    ::zorb::codegen::enumeration!(Currency, "IDL:example.org/Bank/Currency:1.0", "Currency", {
        Eur = "EUR", Usd = "USD",
    });

    /// An amount of money.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Money {
        /// In the smallest unit.
        pub cents: i64,
        /// The member `unit`.
        pub unit: Currency,
    }
    ::zorb::codegen::structure!(Money, "IDL:example.org/Bank/Money:1.0", "Money", {
        cents: i64 = "cents", unit: Currency = "unit",
    });

    /// The IDL typedef `Bank::Statement`.
    pub type Statement = Vec<Money>;
    ::zorb::codegen::typedef!(
        StatementAlias,
        "IDL:example.org/Bank/Statement:1.0",
        "Statement",
        Vec<Money>
    );

    /// The IDL union `Bank::Fee`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Fee {
        /// The member `flat_cents`.
        FlatCents(i32),
        /// The member `rate`.
        Rate {
            /// The discriminator.
            label: Currency,
            /// The value.
            value: f64,
        },
    }
    ::zorb::codegen::union!(Fee, "IDL:example.org/Bank/Fee:1.0", "Fee", Currency, {
        FlatCents(i32 = Currency::Eur) "flat_cents",
        Rate { f64 = default } "rate",
    });

    /// The IDL exception `Bank::InsufficientFunds`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct InsufficientFunds {
        /// The member `missing`.
        pub missing: Money,
    }
    ::zorb::codegen::exception!(InsufficientFunds, "IDL:example.org/Bank/InsufficientFunds:1.0", "InsufficientFunds", {
        missing: Money = "missing",
    });

    /// The IDL exception `Bank::Closed`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Closed;
    ::zorb::codegen::exception!(Closed, "IDL:example.org/Bank/Closed:1.0", "Closed", {});

    /// A bank account.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Account(::zorb::ObjectRef);
    ::zorb::codegen::interface!(
        Account(::zorb::ObjectRef),
        "IDL:example.org/Bank/Account:1.0",
        "Account",
        []
    );
    impl Account {
        /// The attribute `owner`.
        pub fn owner(&self) -> ::zorb::Result<String> {
            ::zorb::codegen::invoke!(self, owner "_get_owner", [], [String])
        }

        /// Takes money out.
        pub fn withdraw(
            &self,
            amount: &Money,
        ) -> ::zorb::Result<(Money, Statement), account::WithdrawError> {
            ::zorb::codegen::invoke!(self, withdraw, [Money => amount], [Money, Vec<Money>])
        }

        /// The operation `audit`.
        pub fn audit(&self, terms: &Fee) -> ::zorb::Result<Fee> {
            ::zorb::codegen::invoke!(self, audit, [Fee => terms], [Fee])
        }

        /// The operation `touch`.
        pub fn touch(&self, reason: &str) -> ::zorb::Result<()> {
            ::zorb::codegen::oneway!(self, touch, [String => reason])
        }
    }

    /// Implement this to serve `Bank::Account`.
    pub trait AccountServant: Send + Sync + 'static {
        /// The attribute `owner`.
        fn owner(&self) -> ::zorb::Result<String>;

        /// Takes money out.
        fn withdraw(
            &self,
            amount: &Money,
        ) -> ::zorb::Result<(Money, Statement), account::WithdrawError>;

        /// The operation `audit`.
        fn audit(&self, terms: &Fee) -> ::zorb::Result<Fee>;

        /// The operation `touch`.
        fn touch(&self, reason: &str);
    }
    ::zorb::codegen::skeleton!(Account, AccountServant, {
        0 "_get_owner" owner() [value: String],
        1 "withdraw" withdraw(amount: Money => &amount) [result: Money, recent: Vec<Money>],
        2 "audit" audit(terms: Fee => &terms) [terms_after: Fee],
        3 "touch" touch(reason: String => &reason) oneway,
    });

    /// What belongs to the interface `Bank::Account`.
    pub mod account {
        ::zorb::codegen::raises!(WithdrawError, "Bank::Account::withdraw", {
            InsufficientFunds(super::InsufficientFunds), Closed(super::Closed),
        });
    }

    /// A reference to an object of the IDL interface `Bank::Savings`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Savings(Account);
    ::zorb::codegen::interface!(
        Savings(Account),
        "IDL:example.org/Bank/Savings:1.0",
        "Savings",
        [Account]
    );
    impl Savings {
        /// The attribute `owner`.
        pub fn owner(&self) -> ::zorb::Result<String> {
            self.0.owner()
        }

        /// Takes money out.
        pub fn withdraw(
            &self,
            amount: &Money,
        ) -> ::zorb::Result<(Money, Statement), account::WithdrawError> {
            self.0.withdraw(amount)
        }

        /// The operation `audit`.
        pub fn audit(&self, terms: &Fee) -> ::zorb::Result<Fee> {
            self.0.audit(terms)
        }

        /// The operation `touch`.
        pub fn touch(&self, reason: &str) -> ::zorb::Result<()> {
            self.0.touch(reason)
        }

        /// The attribute `rate`.
        pub fn rate(&self) -> ::zorb::Result<f64> {
            ::zorb::codegen::invoke!(self, rate "_get_rate", [], [f64])
        }

        /// Sets the attribute `rate`.
        pub fn set_rate(&self, value: f64) -> ::zorb::Result<()> {
            ::zorb::codegen::invoke!(self, set_rate "_set_rate", [f64 => &value], [])
        }

        /// The operation `transfer`.
        pub fn transfer(
            &self,
            target: Option<&Account>,
            amount: &Money,
        ) -> ::zorb::Result<Option<Account>, savings::TransferError> {
            ::zorb::codegen::invoke!(
                self,
                transfer,
                [::zorb::codegen::RefArgument<Account> => target, Money => amount],
                [::zorb::codegen::Ref<Account>]
            )
        }
    }

    /// Implement this to serve `Bank::Savings`.
    pub trait SavingsServant: AccountServant {
        /// The attribute `rate`.
        fn rate(&self) -> ::zorb::Result<f64>;

        /// Sets the attribute `rate`.
        fn set_rate(&self, value: f64) -> ::zorb::Result<()>;

        /// The operation `transfer`.
        fn transfer(
            &self,
            target: Option<&Account>,
            amount: &Money,
        ) -> ::zorb::Result<Option<Account>, savings::TransferError>;
    }
    ::zorb::codegen::skeleton!(Savings, SavingsServant, {
        0 "_get_rate" rate() [value: f64],
        1 "_set_rate" set_rate(value: f64 => value) [],
        2 "transfer" transfer(target: ::zorb::codegen::Ref<Account> => target.as_ref(), amount: Money => &amount)
            [result: ::zorb::codegen::Ref<Account>],
    } inherited {
        3..=6 in Account ["_get_owner", "withdraw", "audit", "touch"],
    });

    /// What belongs to the interface `Bank::Savings`.
    pub mod savings {
        ::zorb::codegen::raises!(TransferError, "Bank::Savings::transfer", {
            InsufficientFunds(super::InsufficientFunds),
        });
    }
}
