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

    /** Check, server ("*": any), GIOP minor version ("*": any), reason. */
    private static final String[][] LIST = {
        {"wides/bounded", "JacORB", "*", WIDE_BOUND},
        {"unions/ulong_no_member", "*", "*", NO_MEMBER},
        {"unions/ushort_no_member", "*", "*", NO_MEMBER},
        {"anys/make_bounded", "*", "*", ANY_BOUND},
        {"anys/kind_of_bounded", "JacORB", "*", ANY_BOUND},
        {"anys/echo_bounded", "*", "*", ANY_BOUND},
        {"attributes/guarded_set_raises", "omniORB", "*", ATTRIBUTE_RAISES},
        {"attributes/guarded_get_raises", "omniORB", "*", ATTRIBUTE_RAISES},
        {"wides/wchar", "omniORB", "1", WIDE_1_1},
        {"wides/wstring", "omniORB", "1", WIDE_1_1},
        {"wides/wstring_beyond_bmp", "omniORB", "1", WIDE_1_1},
        {"wides/bounded", "omniORB", "1", WIDE_1_1},
        {"wides/sequence", "omniORB", "1", WIDE_1_1},
        {"wides/constants", "omniORB", "1", WIDE_1_1},
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
