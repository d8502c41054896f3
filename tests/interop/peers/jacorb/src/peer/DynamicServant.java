package peer;

import Interop.Data.PersonHelper;
import Interop.DynamicHelper;
import Interop.Empty;
import Interop.EmptyHelper;
import Interop.Reason;
import Interop.ReasonHelper;
import org.omg.CORBA.ARG_IN;
import org.omg.CORBA.ARG_INOUT;
import org.omg.CORBA.ARG_OUT;
import org.omg.CORBA.Any;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NVList;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ServerRequest;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.PortableServer.DynamicImplementation;
import org.omg.PortableServer.POA;

/** The servant of {@code Dynamic}, without a skeleton. */
final class DynamicServant extends DynamicImplementation {
    private final ORB orb;
    private int notes;
    private String title = "";

    DynamicServant(ORB orb) {
        this.orb = orb;
    }

    @Override
    public String[] _all_interfaces(POA poa, byte[] id) {
        return new String[] {DynamicHelper.id()};
    }

    @Override
    public synchronized void invoke(ServerRequest request) {
        Any result = orb.create_any();
        switch (request.operation()) {
            case "add":
                Any[] numbers = arguments(request, TCKind.tk_long, TCKind.tk_long);
                result.insert_long(numbers[0].extract_long() + numbers[1].extract_long());
                break;
            case "echo_person":
                echo(request, PersonHelper.type());
                return;
            case "echo_any":
                echo(request, orb.get_primitive_tc(TCKind.tk_any));
                return;
            case "fail":
                fail(request, arguments(request, TCKind.tk_string)[0].extract_string());
                return;
            case "note":
                notes += arguments(request, TCKind.tk_long)[0].extract_long();
                return;
            case "_get_notes":
                arguments(request);
                result.insert_long(notes);
                break;
            case "_get_title":
                arguments(request);
                result.insert_string(title);
                break;
            case "_set_title":
                title = arguments(request, TCKind.tk_string)[0].extract_string();
                return;
            default:
                throw new org.omg.CORBA.BAD_OPERATION(0, CompletionStatus.COMPLETED_NO);
        }
        request.set_result(result);
    }

    private Any[] arguments(ServerRequest request, TCKind... kinds) {
        NVList list = orb.create_list(0);
        Any[] values = new Any[kinds.length];
        for (int i = 0; i < kinds.length; i++) {
            values[i] = add(list, orb.get_primitive_tc(kinds[i]), ARG_IN.value);
        }
        request.arguments(list);
        return values;
    }

    private Any add(NVList list, TypeCode type, int mode) {
        Any value = orb.create_any();
        value.type(type);
        list.add_value("", value, mode);
        return value;
    }

    /** {@code T echo_T(in T a, inout T b, out T c)} */
    private void echo(ServerRequest request, TypeCode type) {
        NVList list = orb.create_list(0);
        Any a = add(list, type, ARG_IN.value);
        Any b = add(list, type, ARG_INOUT.value);
        Any c = add(list, type, ARG_OUT.value);
        request.arguments(list);
        c.read_value(b.create_input_stream(), type);
        b.read_value(a.create_input_stream(), type);
        request.set_result(a);
    }

    private void fail(ServerRequest request, String why) {
        if (why.equals("system")) {
            throw new org.omg.CORBA.NO_PERMISSION(7, CompletionStatus.COMPLETED_NO);
        }
        Any exception = orb.create_any();
        if (why.isEmpty()) {
            EmptyHelper.insert(exception, new Empty());
        } else {
            ReasonHelper.insert(exception, new Reason(why, why.length()));
        }
        request.set_exception(exception);
    }
}
