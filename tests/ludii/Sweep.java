import game.Game;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import main.options.Ruleset;
import org.json.JSONObject;
import other.AI;
import other.GameLoader;
import other.context.Context;
import other.move.Move;
import other.trial.Trial;
import utils.AIFactory;
import utils.RandomAI;

/**
 * Plays our agent, which Ludii loads from a JAR, against random moves: in each ruleset, with each colour, one game.
 *
 * <p>Usage: Sweep JAR SECONDS MAX_ACTIONS [RULESET ...]. Prints a line for each game; a failure is an exception, or a
 * random move of ours.
 */
public final class Sweep {
    private static final String GAME = "/lud/board/war/custodial/Ludus Latrunculorum.lud";

    public static void main(String[] arguments) {
        JSONObject agent = new JSONObject().put("algorithm", "From JAR").put("JAR File", arguments[0])
            .put("Class Name", "latrones.LatronesAI");
        List<String> wanted = Arrays.asList(arguments).subList(3, arguments.length);
        for (Ruleset ruleset : GameLoader.loadGameFromName(GAME).description().rulesets()) {
            if (!wanted.isEmpty() && wanted.stream().noneMatch(ruleset.heading()::contains)) continue;
            Game game = GameLoader.loadGameFromName(GAME, new ArrayList<>(ruleset.optionSettings()));
            for (int ours = 1; ours <= 2; ours++) {
                AI ai = AIFactory.fromJson(new JSONObject().put("AI", agent));
                System.out.println(ruleset.heading() + ", P" + ours + ": " + (ai.supportsGame(game)
                    ? play(game, ai, ours, Double.parseDouble(arguments[1]), Integer.parseInt(arguments[2]))
                    : "not supported"));
            }
        }
        System.exit(0);
    }

    private static String play(Game game, AI ai, int ours, double seconds, int maxActions) {
        AI[] players = new AI[] {null, new RandomAI(), new RandomAI()};
        players[ours] = ai;
        Context context = new Context(game, new Trial(game));
        game.start(context);
        for (int player = 1; player <= 2; player++) {
            players[player].initAI(game, player);
        }
        int decisions = 0;
        int legs = 0;
        int fens = 0;
        int failures = 0;
        String first = "";
        int last = 0;
        while (!context.trial().over() && context.trial().numMoves() < maxActions) {
            int mover = context.state().mover();
            Move move = players[mover].selectAction(game, ai.copyContext(context), seconds, -1, -1);
            String report = mover == ours ? ai.generateAnalysisReport() : null;
            if (mover == ours) {
                decisions++;
                legs += last == ours ? 1 : 0;
            }
            if (report != null && report.contains("FEN")) {
                fens++;
            }
            if (report != null && report.contains("random")) {
                failures++;
                first = first.isEmpty() ? "; first " + context.trial().numMoves() + ": " + report : first;
            }
            last = mover;
            game.apply(context, move);
        }
        ai.closeAI();
        String end = context.trial().over() ? "winner P" + context.trial().status().winner() : "unfinished";
        return failures + " failures, " + end + ", " + context.trial().numMoves() + " actions, ours " + decisions
            + " of which " + legs + " in a row, " + fens + " searched by FEN" + first;
    }
}
