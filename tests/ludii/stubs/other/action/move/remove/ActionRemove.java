package other.action.move.remove;

import game.types.board.SiteType;
import other.action.Action;

public class ActionRemove {
    public static Action construct(SiteType type, int to, int level, boolean remove) { return new Action(); }
}
