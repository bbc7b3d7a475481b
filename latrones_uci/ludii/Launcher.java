package latrones;

import app.DesktopApp;
import app.StartDesktopApp;
import java.awt.EventQueue;
import java.awt.Toolkit;
import manager.ai.AIRegistry;

/** Ludii's player, with our engine at each of its levels in the list of agents. */
public final class Launcher {
    private Launcher() {
    }

    /** Start the player. The arguments are the names of the levels in the list, from level 0 to full strength. */
    public static void main(String[] names) throws Exception {
        try {
            Toolkit.getDefaultToolkit().getScreenSize();
        } catch (Throwable problem) {  // Errors, too
            fail(problem.getMessage().trim().replaceAll("\\s+", " "));
        }
        for (int number = 0; number < names.length; number++) {
            int level = (number + names.length - 1) % names.length;  // full strength comes first
            AIRegistry.registerAI(names[level], () -> new LatronesAI(level), game -> Translation.ruleset(game) != null);
        }
        StartDesktopApp.main(new String[0]);
        EventQueue.invokeAndWait(() -> {
            if (DesktopApp.frame() == null || !DesktopApp.frame().isVisible()) fail("see the errors above");
        });
    }

    /** End with a message and a status, where Ludii would print the error and end with status 0. */
    private static void fail(String problem) {
        System.err.println("cannot open a window: " + problem);
        System.exit(1);
    }
}
