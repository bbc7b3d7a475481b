package game.rules.play.moves;

import main.collections.FastArrayList;
import other.move.Move;

public class Moves {
    private final FastArrayList<Move> moves = new FastArrayList<>();

    public FastArrayList<Move> moves() { return moves; }
}
