package other.trial;

import game.Game;
import java.util.ArrayList;
import java.util.List;
import other.move.Move;

public class Trial {
    private final List<Move> moves = new ArrayList<>();

    public Trial(Game game) { }

    public List<Move> generateRealMovesList() { return moves; }
}
