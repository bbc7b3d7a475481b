package latrones;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process of the engine. It ends when it is closed, when it is not used for a while, and with this program. */
final class EngineProcess {
    private static final String END = "\0";  // follows the last line
    private static final int QUIT_MS = 2000;

    private final String name;
    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final int idleMs;
    private long endsAt;  // closed then if it runs, killed if it is closed
    private boolean closed;
    private String lastLine = "";

    /** Start the engine. Throws an IOException if there is no such program. */
    EngineProcess(List<String> command, int idleMs) throws IOException {
        name = String.join(" ", command);
        this.idleMs = idleMs;
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        use();
        for (Runnable task : Arrays.<Runnable>asList(this::collectLines, this::awaitEnd)) {
            Thread thread = new Thread(task, "latrones-uci");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Return the words of the engine's command: a property, or a file beside the JAR, or the usual name. */
    static List<String> command() throws IOException {
        String words = System.getProperty("latrones.command", "latrones-uci");
        if (System.getProperty("latrones.command") == null && Files.exists(commandFile())) {
            words = new String(Files.readAllBytes(commandFile()), StandardCharsets.UTF_8);
        }
        return Arrays.asList(words.trim().split("\\R"));
    }

    static Path commandFile() throws IOException {
        try {
            Path jar = Paths.get(EngineProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return jar.resolveSibling("latrones-command.txt");
        } catch (URISyntaxException error) {
            throw new IOException(error);
        }
    }

    /** Return whether the process runs; it then does so for another while. */
    synchronized boolean use() {
        if (!closed) endsAt = System.currentTimeMillis() + idleMs;
        return !closed && process.isAlive();
    }

    /** Send commands. A process that has ended does not obey, which {@link #read} reports. */
    synchronized void send(String... commands) {
        try {
            for (String each : commands) {
                input.write(each + "\n");
            }
            input.flush();
        } catch (IOException error) {
            // It has ended.
        }
    }

    /** Return the next line; null if none arrives in this time. Throws an IOException if the process has ended. */
    String read(int ms) throws IOException, InterruptedException {
        use();
        String line = lines.poll(ms, TimeUnit.MILLISECONDS);
        if (END.equals(line)) throw new IOException("'" + name + "' has ended, after '" + lastLine + "'");
        if (line != null) lastLine = line;
        return line;
    }

    /** End the process, and a search that runs. */
    synchronized void close() {
        closed = true;
        endsAt = System.currentTimeMillis() + QUIT_MS;
        send("quit");
    }

    private void collectLines() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
            }
        } catch (IOException error) {
            lines.add(error.toString());
        }
        lines.add(END);
    }

    private void awaitEnd() {
        try {
            while (!process.waitFor(100, TimeUnit.MILLISECONDS)) {
                synchronized (this) {
                    if (System.currentTimeMillis() < endsAt) continue;
                    if (closed) process.destroyForcibly();
                    else close();
                }
            }
        } catch (InterruptedException error) {
            process.destroyForcibly();
        }
    }
}
