package peer;

/**
 * What a peer is known to get wrong: see PEERS.md. A listed check that passes is a failure, so
 * that the list stays true.
 */
final class Known {
    private Known() {}

    private static final String WIDE_BOUND =
            "JacORB's skeleton reads a bounded wstring argument as a narrow string";
    private static final String NO_MEMBER =
            "JacORB loses the discriminator of a union without a member";
    private static final String ANY_BOUND = "JacORB loses the bound of a string in an any";
    private static final String ATTRIBUTE_RAISES =
            "omniidl knows no raises clauses on attributes";
    private static final String WIDE_1_1 =
            "omniORB has no wide transmission code set in GIOP 1.1";

    private static final String NATIVE_TEXT =
            "JacORB sends text of GIOP 1.0 in its native code set, UTF-8";
    private static final String LARGE_1_1 =
            "omniORB closes the connection on what is large in GIOP 1.1";
    private static final String WCHAR_ALIGNMENT =
            "JacORB does not align a wchar of GIOP 1.1 that it reads";
    private static final String LONG_LONG_LABEL = "JacORB has no long long labels in TypeCodes";
    private static final String LEADING_ZEROS =
            "JacORB leaves the leading zeros of a decimal number out";
    private static final String FIXED_IN_ANY =
            "JacORB cannot compare anys of decimal numbers that no typedef names";
    private static final String LONG_DOUBLE = "JacORB's long double is a double";
    private static final String KIND_ID = "JacORB has another repository id for this type's switch";
    private static final String EXCEPTION_IN_ANY =
            "omniORB knows no repository id before an exception in an any";
    private static final String LOST_LIMITS =
            "omniORB's skeleton cannot return a union with a decimal number";

    private static final String ANY_VALUE =
            "JacORB sends a value of any type by classes that Java has no more";
    private static final String UNNAMED_IN_ANY =
            "JacORB needs the repository ids of values in an any, where its TypeCode tells the type";
    private static final String NO_CUSTOM_VALUES = "omniidl knows no custom valuetypes";
    private static final String BOXES =
            "JacORB's skeleton misreads a value box that is an argument";
    private static final String TRUNCATION =
            "JacORB takes a value inside what it cuts off for the next argument";

    /** Check, server ("*": any), GIOP minor version ("*": any), reason. */
    private static final String[][] LIST = {
        {"wides/bounded", "JacORB", "*", WIDE_BOUND},
        {"unions/ulong_no_member", "*", "*", NO_MEMBER},
        {"unions/ushort_no_member", "*", "*", NO_MEMBER},
        {"anys/make_bounded", "*", "*", ANY_BOUND},
        {"anys/kind_of_bounded", "JacORB", "*", ANY_BOUND},
        {"anys/echo_bounded", "*", "*", ANY_BOUND},
        {"anys/make_text", "Zorb", "0", NATIVE_TEXT},
        {"anys/kind_of_text", "Zorb", "0", NATIVE_TEXT},
        {"load/large_octets", "omniORB", "1", LARGE_1_1},
        {"load/large_string", "omniORB", "1", LARGE_1_1},
        {"load/large_doubles", "omniORB", "1", LARGE_1_1},
        {"load/many_structs", "omniORB", "1", LARGE_1_1},
        {"anys/make_sign", "*", "1", WCHAR_ALIGNMENT},
        {"anys/kind_of_sign", "JacORB", "1", WCHAR_ALIGNMENT},
        {"types/type_sign", "JacORB", "1", WCHAR_ALIGNMENT},
        {"anys/echo_sign", "*", "1", WCHAR_ALIGNMENT},
        {"wide_types/struct", "*", "1", WCHAR_ALIGNMENT},
        {"anys/make_by_longlong", "omniORB", "*", LONG_LONG_LABEL},
        {"anys/make_by_longlong", "Zorb", "*", LONG_LONG_LABEL},
        {"anys/kind_of_by_longlong", "omniORB", "*", LONG_LONG_LABEL},
        {"anys/kind_of_by_longlong", "Zorb", "*", LONG_LONG_LABEL},
        {"anys/echo_by_longlong", "omniORB", "*", LONG_LONG_LABEL},
        {"anys/echo_by_longlong", "Zorb", "*", LONG_LONG_LABEL},
        {"types/type_by_longlong", "omniORB", "*", LONG_LONG_LABEL},
        {"types/type_by_longlong", "Zorb", "*", LONG_LONG_LABEL},
        {"types/type_bounded", "JacORB", "*", ANY_BOUND},
        {"decimals/zeros_price", "*", "*", LEADING_ZEROS},
        {"decimals/zeros_even_digits", "*", "*", LEADING_ZEROS},
        {"decimals/zeros_fraction", "*", "*", LEADING_ZEROS},
        {"decimals/zeros_widest", "*", "*", LEADING_ZEROS},
        {"decimals/zeros_finest", "*", "*", LEADING_ZEROS},
        {"anys/make_price", "Zorb", "*", FIXED_IN_ANY},
        {"anys/make_exact", "Zorb", "*", FIXED_IN_ANY},
        {"anys/make_digit", "Zorb", "*", FIXED_IN_ANY},
        {"anys/make_widest", "Zorb", "*", FIXED_IN_ANY},
        {"anys/make_finest", "Zorb", "*", FIXED_IN_ANY},
        {"long_doubles/widen", "Zorb", "*", LONG_DOUBLE},
        {"long_doubles/narrow", "Zorb", "*", LONG_DOUBLE},
        {"anys/kind_of_by_kind", "omniORB", "*", KIND_ID},
        {"anys/make_reason", "omniORB", "*", EXCEPTION_IN_ANY},
        {"anys/kind_of_reason", "omniORB", "*", EXCEPTION_IN_ANY},
        {"anys/echo_reason", "omniORB", "*", EXCEPTION_IN_ANY},
        {"types/type_reason", "omniORB", "*", EXCEPTION_IN_ANY},
        {"anys/make_empty", "omniORB", "*", EXCEPTION_IN_ANY},
        {"anys/kind_of_empty", "omniORB", "*", EXCEPTION_IN_ANY},
        {"anys/echo_empty", "omniORB", "*", EXCEPTION_IN_ANY},
        {"types/type_empty", "omniORB", "*", EXCEPTION_IN_ANY},
        {"decimals/union", "omniORB", "*", LOST_LIMITS},
        {"values/base", "*", "*", ANY_VALUE},
        {"values/any", "*", "*", ANY_VALUE},
        {"values/abstract_value", "*", "*", ANY_VALUE},
        {"valuetypes/abstract", "*", "*", ANY_VALUE},
        {"value_anys/plain", "*", "*", ANY_VALUE},
        {"value_anys/box", "*", "*", ANY_VALUE},
        {"value_anys/cycle", "*", "*", ANY_VALUE},
        {"value_anys/derived", "*", "*", ANY_VALUE},
        {"value_anys/shared_members", "omniORB", "*", UNNAMED_IN_ANY},
        {"values/custom", "omniORB", "*", NO_CUSTOM_VALUES},
        {"values/box", "JacORB", "*", BOXES},
        {"values/box_of_sequence", "JacORB", "*", BOXES},
        {"values/null_box", "JacORB", "*", BOXES},
        {"values/truncated", "JacORB", "*", TRUNCATION},
        {"attributes/guarded_set_raises", "omniORB", "*", ATTRIBUTE_RAISES},
        {"attributes/guarded_get_raises", "omniORB", "*", ATTRIBUTE_RAISES},
        {"wides/wchar", "omniORB", "1", WIDE_1_1},
        {"wides/wstring", "omniORB", "1", WIDE_1_1},
        {"wides/wstring_beyond_bmp", "omniORB", "1", WIDE_1_1},
        {"wides/bounded", "omniORB", "1", WIDE_1_1},
        {"wides/sequence", "omniORB", "1", WIDE_1_1},
        {"wides/constants", "omniORB", "1", WIDE_1_1},
        {"anys/make_wchar", "omniORB", "1", WIDE_1_1},
        {"anys/kind_of_wchar", "omniORB", "1", WIDE_1_1},
        {"anys/echo_wchar", "omniORB", "1", WIDE_1_1},
        {"anys/make_wstring", "omniORB", "1", WIDE_1_1},
        {"anys/kind_of_wstring", "omniORB", "1", WIDE_1_1},
        {"anys/echo_wstring", "omniORB", "1", WIDE_1_1},
        {"anys/kind_of_sign", "omniORB", "1", WIDE_1_1},
        {"anys/make_wide_code", "omniORB", "1", WIDE_1_1},
        {"anys/kind_of_wide_code", "omniORB", "1", WIDE_1_1},
        {"anys/echo_wide_code", "omniORB", "1", WIDE_1_1},
        {"types/type_wchar", "omniORB", "1", WIDE_1_1},
        {"types/type_wstring", "omniORB", "1", WIDE_1_1},
        {"types/type_sign", "omniORB", "1", WIDE_1_1},
        {"types/type_wide_code", "omniORB", "1", WIDE_1_1},
        {"wide_types/array", "omniORB", "1", WIDE_1_1},
        {"wide_types/sequence", "omniORB", "1", WIDE_1_1},
        {"wide_types/union", "omniORB", "1", WIDE_1_1},
        {"wide_types/exception", "omniORB", "1", WIDE_1_1},
    };

    /** Why this check cannot pass against this server, or null. */
    static String reason(String check, String server, int minor) {
        for (String[] known : LIST) {
            if (known[0].equals(check) && matches(known[1], server)
                    && matches(known[2], Integer.toString(minor))) {
                return known[3];
            }
        }
        return null;
    }

    private static boolean matches(String pattern, String value) {
        return pattern.equals("*") || pattern.equals(value);
    }
}
