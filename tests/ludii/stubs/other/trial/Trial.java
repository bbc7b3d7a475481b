package other.trial;

import game.Game;
import gnu.trove.list.array.TLongArrayList;
import java.util.ArrayList;
import java.util.List;
import main.Status;
import other.move.Move;

public class Trial {
    private final List<Move> moves = new ArrayList<>();

    public Trial(Game game) { }

    public List<Move> generateRealMovesList() { return moves; }

    public boolean over() { return false; }

    public Status status() { return null; }

    public TLongArrayList previousState() { return null; }

    public void clearLegalMoves() { }
}
