package peer;

/** A command of the harness. */
final class Command {
    /** The program cannot do it. */
    static final class Unsupported extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unsupported(String what) {
            super(what);
        }
    }

    /** It was tried and went wrong. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String what) {
            super(what);
        }
    }

    boolean flood;
    String operation;
    int payload;
    long calls;
    long warm;
    long batch = 1;
    int threads = 1;
    boolean shared;

    static Command parse(String line) {
        String[] words = line.split(" ");
        Command command = new Command();
        if (!words[0].equals("run") && !words[0].equals("flood")) {
            throw new Failure("there is no command '" + words[0] + "'");
        }
        if (words.length < 4) {
            throw new Failure("OPERATION, PAYLOAD or CALLS is missing");
        }
        command.flood = words[0].equals("flood");
        command.operation = words[1];
        command.payload = (int) number("PAYLOAD", words[2], 0, 64 << 20);
        command.calls = number("CALLS", words[3], 1, 0xffff_ffffL);
        for (int i = 4; i < words.length; i++) {
            if (command.flood) {
                throw new Failure("flood has no keys");
            }
            String[] pair = words[i].split("=", 2);
            String value = pair.length == 2 ? pair[1] : "";
            switch (pair[0]) {
                case "warm": command.warm = number(pair[0], value, 0, 0xffff_ffffL); break;
                case "batch": command.batch = number(pair[0], value, 1, command.calls); break;
                case "threads": command.threads = (int) number(pair[0], value, 1, 4096); break;
                case "shared": command.shared = number(pair[0], value, 0, 1) == 1; break;
                default: throw new Unsupported("run has no key '" + pair[0] + "'");
            }
        }
        if (command.calls % command.batch != 0) {
            throw new Failure("CALLS is no multiple of batch");
        }
        return command;
    }

    private static long number(String name, String text, long least, long most) {
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new Failure(name + " has to be a number from " + least + " to " + most);
    }
}
