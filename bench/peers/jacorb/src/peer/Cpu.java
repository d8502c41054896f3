package peer;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time of the process in nanoseconds. Java's own is in steps of 10 ms: the system's
 * account of each thread is added up instead. What an ended thread had used since it was last seen
 * is lost.
 */
final class Cpu {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final Map<String, Long> USED = new HashMap<>();

    private Cpu() {}

    static synchronized long time() {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                try {
                    String line = Files.readString(task.resolve("schedstat"));
                    USED.put(task.toString(), Long.parseLong(line.substring(0, line.indexOf(' '))));
                } catch (IOException e) {
                    // The thread has just ended.
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("no " + TASKS, e);
        }
        return USED.values().stream().mapToLong(Long::longValue).sum();
    }
}
