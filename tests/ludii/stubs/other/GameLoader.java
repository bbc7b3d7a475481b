package other;

import game.Game;
import java.util.List;

public class GameLoader {
    public static Game loadGameFromName(String name) { return null; }

    public static Game loadGameFromName(String name, List<String> options) { return null; }
}
