// Checks of exceptions, attributes and oneways.
#include "same.h"
#include "samples.h"

#include <sstream>

using namespace Interop;

namespace {

// Runs `call`, which has to raise `Exception`, and hands the exception to `inspect`.
template <class Exception, class Call, class Inspect>
void expect_raised(Call call, Inspect inspect) {
    try {
        call();
    } catch (const Exception& e) {
        return inspect(e);
    }
    throw Failure("nothing was raised");
}

template <class Exception>
void check_system(Run& run, Faults_ptr faults, const char* name) {
    run.check(std::string("faults/system_") + name, [&] {
        const CORBA::ULong minors[] = {0, 0x4f4d0001, 0xffffffffu};
        for (int completed = 0; completed < 3; completed++) {
            expect_raised<Exception>(
                [&] { faults->raise_system(name, minors[completed], CORBA::ULong(completed)); },
                [&](const Exception& e) {
                    std::ostringstream got;
                    got << "minor " << std::hex << e.minor() << " completed " << e.completed();
                    require(e.minor() == minors[completed] && int(e.completed()) == completed,
                            got.str());
                });
        }
    });
}

void check_user_exceptions(Run& run, Faults_ptr faults) {
    run.check("faults/none", [&] { faults->raise_user("no such kind"); });
    run.check("faults/empty", [&] {
        expect_raised<Empty>([&] { faults->raise_user("empty"); }, [](const Empty&) {});
    });
    run.check("faults/members", [&] {
        expect_raised<Reason>([&] { faults->raise_user("reason"); }, [](const Reason& e) {
            require(std::string(e.why) == "because" && e.code == -42, "wrong members");
        });
    });
    run.check("faults/struct_member", [&] {
        expect_raised<Shapes::Degenerate>(
            [&] { faults->raise_user("degenerate"); }, [](const Shapes::Degenerate& e) {
                require(e.at.x == 3 && e.at.y == -4 && std::string(e.why) == "flat",
                        "wrong members");
            });
    });
    run.check("faults/rich_members", [&] {
        expect_raised<Detailed>([&] { faults->raise_user("detailed"); }, [](const Detailed& e) {
            require(same(e.who, samples::ada()), "who");
            require(e.tint == Shapes::BLUE, "tint");
            require(e.numbers.length() == 3 && e.numbers[2] == 3, "numbers");
            require(e.choice._d() == -1 && std::string(e.choice.text()) == "chosen", "choice");
        });
    });
    run.check("faults/of_interface", [&] {
        expect_raised<Faults::Nearby>(
            [&] { faults->raise_user("nearby"); }, [](const Faults::Nearby& e) {
                require(e.level == 200 && e.weight == 2.5, "wrong members");
            });
    });
    run.check("faults/result_or_exception", [&] {
        CORBA::Long rest = 0;
        require(faults->divide(-17, 5, rest) == -3 && rest == -2, "wrong quotient");
        expect_raised<Reason>([&] { faults->divide(9, 0, rest); }, [](const Reason& e) {
            require(std::string(e.why) == "division by zero" && e.code == 9, "wrong members");
        });
        require(faults->divide(9, 3, rest) == 3, "no result after an exception");
    });
}

}  // namespace

void check_faults(Run& run) {
    Faults_var faults = run.suite()->fault_tests();
    check_user_exceptions(run, faults);
#define CHECK_SYSTEM(KIND) check_system<CORBA::KIND>(run, faults, #KIND);
    OMNIORB_FOR_EACH_SYS_EXCEPTION(CHECK_SYSTEM)
#undef CHECK_SYSTEM
}

void check_attributes(Run& run) {
    Settings_var settings = run.suite()->new_settings("fresh");
    run.check("attributes/initial", [&] {
        CORBA::String_var label = settings->label(), title = settings->title();
        Settings_var next = settings->next();
        Data::LongSeq_var numbers = settings->numbers();
        require(std::string(label) == "fresh" && std::string(title).empty(), "label, title");
        require(!settings->enabled() && settings->tint() == Shapes::RED, "enabled, tint");
        require(CORBA::is_nil(next) && numbers->length() == 0, "next, numbers");
    });
    run.check("attributes/readonly", [&] {
        CORBA::ULong before = settings->reads();
        settings->number();
        settings->number();
        require(settings->reads() == before + 2, "reads does not count");
    });
    run.check("attributes/simple", [&] {
        settings->number(-5);
        settings->title("a title");
        settings->motto("a motto");
        settings->enabled(true);
        settings->tint(Shapes::BLUE);
        CORBA::String_var title = settings->title(), motto = settings->motto();
        require(settings->number() == -5 && settings->enabled() &&
                    settings->tint() == Shapes::BLUE, "number, enabled, tint");
        require(std::string(title) == "a title" && std::string(motto) == "a motto", "title, motto");
    });
    run.check("attributes/constructed", [&] {
        Shapes::Point origin = {5, -6};
        Data::LongSeq numbers;
        numbers.length(2);
        numbers[0] = 1;
        numbers[1] = 2;
        const Data::Row cells = {1, 2, 3, 4};
        Data::ByLong choice;
        choice.number(9);
        settings->origin(origin);
        settings->owner(samples::ada());
        settings->numbers(numbers);
        settings->cells(cells);
        settings->choice(choice);
        require(same(settings->origin(), origin), "origin");
        Data::Person_var owner = settings->owner();
        require(same(owner.in(), samples::ada()), "owner");
        Data::LongSeq_var numbers_back = settings->numbers();
        require(same(numbers_back.in(), numbers), "numbers");
        Data::Row_var cells_back = settings->cells();
        for (CORBA::ULong i = 0; i < 4; i++) require(cells_back[i] == cells[i], "cells");
        Data::ByLong_var choice_back = settings->choice();
        require(same(choice_back.in(), choice), "choice");
    });
    run.check("attributes/reference", [&] {
        Settings_var other = run.suite()->new_settings("other");
        settings->next(other);
        Settings_var next = settings->next();
        CORBA::String_var label = next->label();
        require(std::string(label) == "other", "next is another object");
        settings->next(Settings::_nil());
        next = settings->next();
        require(CORBA::is_nil(next), "next is not nil");
        other->destroy();
    });
    run.check("attributes/after_destroy", [&] {
        Settings_var doomed = run.suite()->new_settings("doomed");
        doomed->destroy();
        expect_raised<CORBA::OBJECT_NOT_EXIST>([&] { doomed->number(); },
                                               [](const CORBA::OBJECT_NOT_EXIST&) {});
        require(doomed->_non_existent(), "_non_existent is false");
    });
    // omniidl knows no raises clauses on attributes: JacORB's client checks those.
    run.check("attributes/guarded", [&] {
        Guarded_var guarded = run.suite()->guarded_attributes();
        guarded->level(50);
        require(guarded->level() == 50 && guarded->checked() == 50, "level, checked");
        guarded->level(0);
    });
}

void check_events(Run& run) {
    Events_var events = run.suite()->new_events();
    auto wait_for = [&](CORBA::ULong count) {
        await([&] { return events->count() >= count; });
        require(events->count() == count, "more oneways than were sent");
    };
    run.check("events/oneway", [&] {
        events->ping();
        wait_for(1);
    });
    run.check("events/oneway_arguments", [&] {
        Data::LongSeq numbers;
        numbers.length(2);
        numbers[0] = 20;
        numbers[1] = 300;
        events->post(1, "posted", numbers);
        wait_for(2);
        CORBA::String_var text = events->last_text();
        require(events->sum() == 321 && std::string(text) == "posted", "sum, last_text");
    });
    run.check("events/many_oneways", [&] {
        for (int i = 0; i < 200; i++) events->ping();
        wait_for(202);
    });
}
