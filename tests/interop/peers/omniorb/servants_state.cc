// Servants with state or with exceptions: faults, attributes, oneways.
#include "samples.h"
#include "servants.h"

using namespace Interop;

namespace {

class FaultsServant : public POA_Interop::Faults {
public:
    void raise_user(const char* kind) override {
        std::string name = kind;
        if (name == "empty") throw Empty();
        if (name == "reason") throw Reason("because", -42);
        if (name == "degenerate") {
            Shapes::Point at = {3, -4};
            throw Shapes::Degenerate(at, "flat");
        }
        if (name == "detailed") {
            Data::LongSeq numbers;
            numbers.length(3);
            numbers[0] = 1; numbers[1] = 2; numbers[2] = 3;
            Data::ByLong choice;
            choice.text("chosen");
            throw Detailed(samples::ada(), Shapes::BLUE, numbers, choice);
        }
        if (name == "nearby") throw Interop::Faults::Nearby(200, 2.5);
    }

    CORBA::Long divide(CORBA::Long a, CORBA::Long b, CORBA::Long& rest) override {
        if (b == 0) throw Reason("division by zero", a);
        rest = a % b;
        return a / b;
    }

    void raise_system(const char* name, CORBA::ULong minor, CORBA::ULong completed) override {
        auto status = static_cast<CORBA::CompletionStatus>(completed % 3);
#define RAISE_IF_NAMED(KIND) \
        if (strcmp(name, #KIND) == 0) throw CORBA::KIND(minor, status);
        OMNIORB_FOR_EACH_SYS_EXCEPTION(RAISE_IF_NAMED)
#undef RAISE_IF_NAMED
        throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
    }
};

// omniidl does not know raises clauses on attributes: this peer's attributes never raise.
class GuardedServant : public POA_Interop::Guarded {
public:
    CORBA::Long level() override { return level_; }
    void level(CORBA::Long value) override { level_ = value; }
    CORBA::Long checked() override { return level_; }

private:
    CORBA::Long level_ = 0;
};

class SettingsServant : public POA_Interop::Settings {
public:
    SettingsServant(World& world, const std::string& label) : world_(world), label_(label) {
        tint_ = Shapes::RED;
        origin_.x = origin_.y = 0;
        owner_.age = 0;
        owner_.likes = Shapes::RED;
        owner_.place = origin_;
        for (auto& cell : cells_) cell = 0;
        choice_.text("");
    }

    char* label() override { return CORBA::string_dup(label_.c_str()); }
    CORBA::ULong reads() override { return reads_; }
    CORBA::Long number() override { reads_++; return number_; }
    void number(CORBA::Long value) override { number_ = value; }
    char* title() override { return CORBA::string_dup(title_); }
    void title(const char* value) override { title_ = value; }
    char* motto() override { return CORBA::string_dup(motto_); }
    void motto(const char* value) override { motto_ = value; }
    CORBA::Boolean enabled() override { return enabled_; }
    void enabled(CORBA::Boolean value) override { enabled_ = value; }
    Shapes::Colour tint() override { return tint_; }
    void tint(Shapes::Colour value) override { tint_ = value; }
    Shapes::Point origin() override { return origin_; }
    void origin(const Shapes::Point& value) override { origin_ = value; }
    Data::Person* owner() override { return new Data::Person(owner_); }
    void owner(const Data::Person& value) override { owner_ = value; }
    Data::LongSeq* numbers() override { return new Data::LongSeq(numbers_); }
    void numbers(const Data::LongSeq& value) override { numbers_ = value; }
    Data::Row_slice* cells() override { return Data::Row_dup(cells_); }
    void cells(const Data::Row value) override { Data::Row_copy(cells_, value); }
    Data::ByLong* choice() override { return new Data::ByLong(choice_); }
    void choice(const Data::ByLong& value) override { choice_ = value; }
    Settings_ptr next() override { return Interop::Settings::_duplicate(next_); }
    void next(Settings_ptr value) override { next_ = Interop::Settings::_duplicate(value); }

    void destroy() override {
        PortableServer::ObjectId_var id = world_.poa()->servant_to_id(this);
        world_.poa()->deactivate_object(id);
    }

private:
    World& world_;
    std::string label_;
    CORBA::ULong reads_ = 0;
    CORBA::Long number_ = 0;
    CORBA::String_var title_ = CORBA::string_dup("");
    CORBA::String_var motto_ = CORBA::string_dup("");
    CORBA::Boolean enabled_ = false;
    Shapes::Colour tint_;
    Shapes::Point origin_;
    Data::Person owner_;
    Data::LongSeq numbers_;
    Data::Row cells_;
    Data::ByLong choice_;
    Settings_var next_;
};

class EventsServant : public POA_Interop::Events {
public:
    void ping() override {
        std::lock_guard<std::mutex> guard(mutex_);
        count_++;
    }
    void post(CORBA::Long number, const char* text, const Data::LongSeq& numbers) override {
        std::lock_guard<std::mutex> guard(mutex_);
        sum_ += number;
        for (CORBA::ULong i = 0; i < numbers.length(); i++) sum_ += numbers[i];
        last_text_ = text;
        count_++;
    }
    CORBA::ULong count() override {
        std::lock_guard<std::mutex> guard(mutex_);
        return count_;
    }
    CORBA::LongLong sum() override {
        std::lock_guard<std::mutex> guard(mutex_);
        return sum_;
    }
    char* last_text() override {
        std::lock_guard<std::mutex> guard(mutex_);
        return CORBA::string_dup(last_text_.c_str());
    }

private:
    std::mutex mutex_;
    CORBA::ULong count_ = 0;
    CORBA::LongLong sum_ = 0;
    std::string last_text_;
};

}  // namespace

PortableServer::Servant new_faults() { return new FaultsServant; }
PortableServer::Servant new_guarded() { return new GuardedServant; }
PortableServer::Servant new_settings(World& world, const std::string& label) {
    return new SettingsServant(world, label);
}
PortableServer::Servant new_events() { return new EventsServant; }
