package peer;

/** The times of calls: a histogram with 256 buckets to the power of two, see PROTOCOL.md. */
final class Times {
    private static final long LONGEST = 1L << 40;

    private final long[] counts = new long[bucket(LONGEST) + 1];
    private long sum;
    private long min = Long.MAX_VALUE;
    private long max;

    static int bucket(long time) {
        long t = Math.min(time, LONGEST);
        int k = Math.max(0, 64 - Long.numberOfLeadingZeros(t) - 9);
        return 256 * k + (int) (t >> k);
    }

    /** So many calls that took so long together. */
    void record(long together, long calls) {
        long time = together / calls;
        counts[bucket(time)]++;
        sum += together;
        min = Math.min(min, time);
        max = Math.max(max, time);
    }

    void add(Times other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        sum += other.sum;
        min = Math.min(min, other.min);
        max = Math.max(max, other.max);
    }

    /** As the keys of an answer. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append("sum_ns=").append(sum).append(" min_ns=").append(min);
        text.append(" max_ns=").append(max).append(" hist=");
        String between = "";
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                text.append(between).append(i).append(':').append(counts[i]);
                between = ",";
            }
        }
        return text.toString();
    }
}
