package other.move;

import other.action.ActionType;

public class Move {
    private final ActionType type;
    private final int from;
    private final int to;
    private final int mover;

    public Move(ActionType type, int from, int to, int mover) {
        this.type = type;
        this.from = from;
        this.to = to;
        this.mover = mover;
    }

    public boolean isPass() { return type == ActionType.Pass; }

    public ActionType actionType() { return type; }

    public int from() { return from; }

    public int to() { return to; }

    public int mover() { return mover; }
}
