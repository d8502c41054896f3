package peer;

import static peer.Run.require;

import Interop.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.ObjectHolder;

/** Checks of object references, inheritance, callbacks and any. */
final class RefChecks {
    private RefChecks() {}

    /** The client's callback object, as BEHAVIOUR.md defines it. */
    static final class CallbackServant extends CallbackPOA {
        final AtomicInteger notes = new AtomicInteger();
        final AtomicInteger sum = new AtomicInteger();
        private volatile Callback self;

        @Override
        public String answer(String question) throws Refused {
            if (question.equals("refuse")) {
                throw new Refused(question);
            }
            return "[" + question + "]";
        }

        @Override
        public void note(int number) {
            sum.addAndGet(number);
            notes.incrementAndGet();
        }

        @Override
        public int bounce(Refs other, int depth) {
            return depth <= 0 ? 0 : 1 + other.bounce(self, depth - 1);
        }
    }

    static void refs(Run run) {
        Refs refs = run.suite.reference_tests();
        Base base = refs.make("base", "base one");
        Base bottomAsBase = refs.make("bottom", "bottom one");
        Bottom bottom = BottomHelper.narrow(bottomAsBase);
        run.echo("refs/object", refs, "object", base, null, null, base);
        run.echo("refs/base", refs, "base", base, null, null, base);
        run.echo("refs/derived_as_base", refs, "base", bottomAsBase, null);
        run.echo("refs/derived", refs, "bottom", bottom, null);
        run.echo("refs/sequence", refs, "bases", new Base[0], new Base[] {base, null, bottom});
        run.echo("refs/sequence_of_objects", refs, "objects", new org.omg.CORBA.Object[0],
                new org.omg.CORBA.Object[] {null, base});
        MaybeBase some = new MaybeBase();
        some.target(base);
        MaybeBase none = new MaybeBase();
        none.__default(false);
        run.echo("refs/struct", refs, "tagged", new Tagged("tagged", base), new Tagged("", null));
        run.echo("refs/union", refs, "maybe_base", some, none);
        run.check("refs/nil_result", () -> require(refs.make("none", "x") == null, "not nil"));
        run.check("refs/call_through_server", () -> {
            require(refs.call_base(base, "x").equals("base one.base:x"), "call_base");
            require(refs.call_base(null, "x").equals("nil"), "call_base of nil");
            Base[] all = {base, null, refs.make("bottom", "b")};
            require(refs.call_all(all, "y").equals("base one.base:y,nil,b.base:y"), "call_all");
        });
        run.check("refs/stringify", () -> {
            Base again = BaseHelper.narrow(run.orb.string_to_object(refs.stringify(base)));
            require(again.name().equals("base one"), "name");
            require(run.orb.string_to_object(refs.stringify(null)) == null, "nil is not nil");
        });
        inheritance(run, refs);
    }

    private static void inheritance(Run run, Refs refs) {
        Base made = refs.make("bottom", "deep");
        run.check("inheritance/through_base", () -> {
            require(made.name().equals("deep"), "name");
            require(made.base_operation("x").equals("deep.base:x"), "base_operation");
        });
        run.check("inheritance/narrow", () -> {
            Left left = LeftHelper.narrow(made);
            Right right = RightHelper.narrow(made);
            Bottom bottom = BottomHelper.narrow(made);
            require(left.left_operation("l").equals("deep.left:l"), "left_operation");
            require(right.right_operation("r").equals("deep.right:r"), "right_operation");
            require(bottom.bottom_operation("b").equals("deep.bottom:b"), "bottom_operation");
            require(bottom.base_operation("x").equals("deep.base:x"), "base_operation");
            bottom.weight(12);
            require(left.weight() == 12, "weight");
            Reason e = StateChecks.raised(Reason.class, () -> bottom.right_operation("refuse"));
            require(e.why.equals("refuse") && e.code == 1, "members of Reason");
        });
        run.check("inheritance/narrow_fails", () -> {
            Base plain = refs.make("left", "plain");
            StateChecks.raised(org.omg.CORBA.BAD_PARAM.class, () -> BottomHelper.narrow(plain));
            StateChecks.raised(org.omg.CORBA.BAD_PARAM.class, () -> BasicsHelper.narrow(plain));
        });
        run.check("inheritance/is_a", () -> {
            for (String name : new String[] {"Bottom", "Left", "Right", "Base"}) {
                require(made._is_a("IDL:zorb.test/Interop/" + name + ":1.0"), name);
            }
            require(made._is_a("IDL:omg.org/CORBA/Object:1.0"), "Object");
            require(!made._is_a("IDL:zorb.test/Interop/Basics:1.0"), "Basics");
            require(!made._is_a("IDL:zorb.test/Interop/Bottom:1.1"), "another version");
        });
        run.check("inheritance/pragma_ids", () -> {
            Pinned pinned = refs.pinned_one();
            Versioned versioned = refs.versioned_one();
            require(pinned.pinned_operation() == 37, "pinned_operation");
            require(versioned.pinned_operation() == 37, "inherited pinned_operation");
            require(versioned.versioned_operation() == 25, "versioned_operation");
            require(versioned._is_a("IDL:zorb.test/Interop/Versioned:2.5"), "versioned id");
            require(versioned._is_a("IDL:pinned.example/Pinned:3.7"), "base's pinned id");
            require(!versioned._is_a("IDL:zorb.test/Interop/Versioned:1.0"), "default version");
        });
    }

    static void callbacks(Run run) throws Exception {
        Refs refs = run.suite.reference_tests();
        CallbackServant servant = new CallbackServant();
        Callback callback = CallbackHelper.narrow(run.poa.servant_to_reference(servant));
        servant.self = callback;
        run.check("callbacks/ask", () ->
                require(refs.ask(callback, "why?").equals("[why?]"), "answer"));
        run.check("callbacks/exception", () -> {
            Refused e = StateChecks.raised(Refused.class, () -> refs.ask(callback, "refuse"));
            require(e.question.equals("refuse"), "question");
        });
        run.check("callbacks/sequence", () -> require(refs.ask_all(
                new Callback[] {callback, callback, callback}, "q").equals("[q],[q],[q]"),
                "answers"));
        run.check("callbacks/oneway", () -> {
            refs._notify(callback, 10);
            StateChecks.await(() -> servant.notes.get() >= 10);
            require(servant.sum.get() == 55, "sum");
        });
        run.check("callbacks/nested", () -> {
            require(refs.bounce(callback, 0) == 0, "depth 0");
            require(refs.bounce(callback, 1) == 1, "depth 1");
            require(refs.bounce(callback, 7) == 7, "depth 7");
        });
        run.check("callbacks/echoed", () -> {
            ObjectHolder b = new ObjectHolder();
            Callback again = CallbackHelper.narrow(
                    refs.echo_object(callback, b, new ObjectHolder()));
            require(again.answer("local").equals("[local]"), "answer");
        });
    }

    static void anys(Run run) {
        Anys anys = run.suite.any_tests();
        Samples samples = new Samples(run.orb);
        for (String kind : samples.anyKinds()) {
            int minor = Samples.isWide(kind) ? 1 : 0;
            run.checkFrom(minor, "anys/make_" + kind, () -> require(
                    Samples.sameAny(anys.make(kind), samples.anyOf(kind)),
                    "another type or value"));
            run.checkFrom(minor, "anys/kind_of_" + kind, () -> {
                String answer = anys.kind_of(samples.anyOf(kind));
                require(answer.equals(kind), "taken for " + answer);
            });
            run.checkFrom(minor, "anys/echo_" + kind, () -> {
                AnyHolder b = new AnyHolder(samples.anyOf("person"));
                AnyHolder c = new AnyHolder();
                Any result = anys.echo_any(samples.anyOf(kind), b, c);
                Any a = samples.anyOf(kind);
                require(Samples.sameAny(result, a), "the result is not a");
                require(Samples.sameAny(b.value, a), "the inout parameter is not a");
                require(Samples.sameAny(c.value, samples.anyOf("person")),
                        "the out parameter is not the old b");
            });
        }
        run.check("anys/unknown", () -> {
            Any other = run.orb.create_any();
            other.insert_long(1);
            require(anys.kind_of(other).equals("unknown"), "taken for something else");
        });
        run.check("anys/reference", () -> {
            Any a = run.orb.create_any();
            BaseHelper.insert(a, run.suite.reference_tests().make("left", "inside"));
            AnyHolder b = new AnyHolder(run.orb.create_any());
            Any result = anys.echo_any(a, b, new AnyHolder());
            require(BaseHelper.extract(result).name().equals("inside"), "another object");
        });
    }
}
