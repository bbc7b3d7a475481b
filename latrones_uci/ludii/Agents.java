package latrones;

import game.Game;
import java.io.File;
import java.util.List;
import main.collections.FastArrayList;
import other.AI;
import other.context.Context;
import other.move.Move;
import search.mcts.MCTS;
import search.minimax.AlphaBetaSearch;
import search.minimax.BRSPlus;
import search.minimax.UBFM;
import utils.AIFactory;

/** One of Ludii's agents, at each side of a game: it keeps what it has learnt for a side from move to move. */
final class Agents {
    /** Seconds of a search without an end of its own. */
    static final double UNLIMITED_S = 1e6;
    private static final double DEFAULT_S = 1;  // as in Ludii's player
    private static final double LEG_S = 0.05;

    final String name;
    private final AI[] agents = new AI[3];  // by Ludii's number of the player
    private volatile AI searching;

    /** @throws IllegalArgumentException if Ludii has no such agent */
    Agents(String name) {
        this.name = name;
        if (create() == null) {
            throw new IllegalArgumentException("unknown agent '" + name + "'; expected a name of Ludii's, such as "
                + "Alpha-Beta, UCT, MC-GRAVE, BRS+, UBFM, Random");
        }
    }

    private AI create() {
        try {  // Ludii takes other names for those of files, and reads such a file without end
            return name.isEmpty() || new File(name).exists() ? null : AIFactory.createAI(name);
        } catch (RuntimeException notAName) {
            return null;
        }
    }

    /** Forget the game. */
    void close() {
        for (int player = 1; player <= 2; player++) {
            if (agents[player] != null) {
                agents[player].closeAI();
                agents[player] = null;
            }
        }
    }

    /** Prepare a search for the side to move, which {@link #stop} may end from now on. */
    void prepare(Context context, int threads) {
        int player = context.state().mover();
        if (agents[player] == null) {
            agents[player] = create();
            if (agents[player] instanceof MCTS) {
                ((MCTS) agents[player]).setNumThreads(threads);
            }
            agents[player].initAI(context.game(), player);
        }
        searching = agents[player];
        searching.setWantsInterrupt(false);
    }

    void stop() {
        if (searching != null) {
            searching.setWantsInterrupt(true);
        }
    }

    /**
     * Return the seconds of a search, given those of its limits (0 for none): {@link #UNLIMITED_S} if it ends by another
     * limit, or by a stop. Depth counts for searches of alpha-beta, iterations for those of trees; else a second is all.
     */
    double seconds(double seconds, int depth, int iterations) {
        boolean countsDepth = searching instanceof AlphaBetaSearch || searching instanceof BRSPlus;
        boolean countsIterations = searching instanceof MCTS || searching instanceof UBFM;
        boolean limited = depth > 0 || iterations > 0;
        boolean ends = limited ? depth > 0 && countsDepth || iterations > 0 && countsIterations
            : countsDepth || countsIterations;  // by a stop
        return seconds > 0 ? seconds : ends ? UNLIMITED_S : DEFAULT_S;
    }

    /** Return the ply that the agent chooses after {@link #prepare}; it is asked for each leg of a chain. */
    String choose(Context position, double seconds, int depth, int iterations) {
        long deadlineNs = System.nanoTime() + (long) (seconds * 1e9);
        Context context = new Context(position);
        Game game = context.game();
        int player = context.state().mover();
        String ply = null;
        do {
            double left = (deadlineNs - System.nanoTime()) / 1e9;
            FastArrayList<Move> legal = game.moves(context).moves();
            Move move = legal.size() == 1 ? legal.get(0) : searching.selectAction(
                game, searching.copyContext(context), ply == null ? left : Math.max(LEG_S, left), iterations, depth);
            if (ply != null && move.isPass()) {
                break;
            }
            String action = Translation.text(context, move);
            List<String> squares = Translation.squares(action);
            ply = ply == null ? action : ply + squares.get(1);
            game.apply(context, move);
        } while (!context.trial().over() && context.state().mover() == player && Translation.midTurn(context));
        return ply;
    }

    /** Return what the agent tells of its last search, in one line; null if it tells nothing. */
    String report() {
        String report = searching.generateAnalysisReport();
        return report == null ? null : report.trim().replaceAll("\\s+", " ");
    }
}
