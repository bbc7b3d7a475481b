package game;

import game.equipment.Equipment;
import game.equipment.container.board.Board;
import game.rules.Rules;
import game.rules.play.moves.Moves;
import java.util.List;
import main.grammar.Description;
import other.MetaRules;
import other.context.Context;
import other.move.Move;
import other.state.container.ContainerState;

/** A game that is what a test gives it: it knows no rules, and remembers the moves that it is told. */
public class Game {
    public final Moves legal = new Moves();
    public final ContainerState pieces = new ContainerState();  // in all contexts and containers: their sites differ
    private final String name;
    private final List<String> options;
    private final boolean swapRule;
    private final Equipment equipment;

    public Game(String name, List<String> options, boolean swapRule, Equipment equipment) {
        this.name = name;
        this.options = options;
        this.swapRule = swapRule;
        this.equipment = equipment;
    }

    public String name() { return name; }

    public List<String> getOptions() { return options; }

    public Description description() { return new Description(); }

    public MetaRules metaRules() { return new MetaRules(swapRule); }

    public Equipment equipment() { return equipment; }

    public Rules rules() { return null; }

    public Board board() { return (Board) equipment.containers()[0]; }

    public void start(Context context) { }

    public Moves moves(Context context) { return legal; }

    public Move apply(Context context, Move move) {
        context.trial().generateRealMovesList().add(move);
        return move;
    }
}
