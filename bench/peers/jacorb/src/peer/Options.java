package peer;

/** The command line; --cpu is done by the launcher, before Java starts its threads. */
final class Options {
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int CANNOT = 3;

    /** Where the server is; of a client only. */
    String address = "";
    int connections = 128;
    /** In octets; 0: the system's. */
    int socketQueue;

    /** Reads the arguments; ends the program when they are wrong. */
    static Options parse(String[] words, boolean client) {
        Options options = new Options();
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (client && !word.startsWith("--") && options.address.isEmpty()) {
                options.address = word;
                continue;
            }
            if (i + 1 == words.length) {
                end(USAGE, word + " is unknown or needs a value");
            }
            String value = words[++i];
            if (word.equals("--transport")) {
                if (!value.equals("iiop")) {
                    end(CANNOT, "there is no transport " + value + " here");
                }
            } else if (word.equals("--cpu")) {
                number(word, value, 0);
            } else if (word.equals("--connections") && !client) {
                options.connections = number(word, value, 1);
            } else if (word.equals("--socket-queue")) {
                options.socketQueue = number(word, value, 1);
            } else if (!word.equals("--path") || client) {
                end(USAGE, "unknown option " + word);
            }
        }
        if (client && options.address.isEmpty()) {
            end(USAGE, "the server's address is missing");
        }
        return options;
    }

    private static int number(String option, String text, int least) {
        try {
            int value = Integer.parseInt(text);
            if (value >= least) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        end(USAGE, option + " has to be a number from " + least + " on");
        return 0;
    }

    static void end(int status, String why) {
        System.err.println("jacorb: " + why);
        System.exit(status);
    }
}
