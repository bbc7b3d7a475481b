package other.action.move;

import game.types.board.SiteType;
import other.action.Action;

public class ActionAdd extends Action {
    public ActionAdd(SiteType type, int to, int what, int count, int state, int rotation, int value, Boolean onStack) { }
}
