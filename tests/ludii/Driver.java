package latrones;

import game.Game;
import game.equipment.Equipment;
import game.equipment.component.Component;
import game.equipment.container.Container;
import game.equipment.container.board.Board;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import other.AI.AIVisualisationData;
import other.action.ActionType;
import other.context.Context;
import other.move.Move;
import other.trial.Trial;

/**
 * Lets a test drive our classes on the stand-ins for Ludii's: reads a command a line, prints a line for each.
 *
 * <p>A game is set up by {@code game}; {@code actions} plays recorded actions, in which {@code >} is after those that
 * the same player follows by another, and {@code pieces} puts pieces on squares ({@code a1=S}) and in hands ({@code
 * hand=16S}), without regard to each other.
 */
final class Driver {
    private static final String PIECES = "SsDd";  // components 1 to 4
    private static final String[] NAMES = {"Vagi1", "Vagi2", "Dux1", "Dux2"};

    private Game game;
    private Context context;
    private LatronesAI agent = new LatronesAI();

    public static void main(String[] arguments) throws Exception {
        Driver driver = new Driver();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println(driver.answer(line.split("\\|")));
        }
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "ruleset": return Translation.ruleset(words[1]);
            case "squares": return String.join(" ", Translation.squares(words[1]));
            case "action": return Translation.action(words[1], Integer.parseInt(words[2]));
            case "exchanged": return Translation.exchanged(words[1]);
            case "game": return newGame(words);
            case "actions": return play(words[1].split(" "));
            case "pieces": return put(words[1].split(" "));
            case "legal": return allow(words[1].split(" "));
            case "agent": return newAgent(words);
            case "init": return init();
            case "select": return select(words);
            case "interrupt": return interruptSoon();
            case "close": agent.closeAI(); return agent.friendlyName();
            case "idle": return idle(words);
            default: throw new IllegalArgumentException(words[0]);
        }
    }

    /** game|NAME|SWAP RULE|FILES|RANKS|HAND SLOTS|OPTION|...: return our name of its ruleset. */
    private String newGame(String[] words) {
        Component[] components = new Component[1 + NAMES.length];
        for (int kind = 1; kind <= NAMES.length; kind++) {
            components[kind] = new Component(NAMES[kind - 1], 2 - kind % 2);
        }
        int slots = Integer.parseInt(words[5]);
        Container board = new Board(Integer.parseInt(words[3]), Integer.parseInt(words[4]));
        Container[] containers = slots == 0 ? new Container[] {board}
            : new Container[] {board, new Container(slots), new Container(slots)};
        List<String> options = Arrays.asList(words).subList(6, words.length);
        game = new Game(words[1], options, Boolean.parseBoolean(words[2]), new Equipment(components, containers));
        context = new Context(game, new Trial(game));
        return Translation.ruleset(game);
    }

    /** Return the plies, whether the mover is in the middle of a turn, and the plies before that turn. */
    private String play(String[] actions) {
        for (String action : actions) {
            boolean goesOn = action.endsWith(">");
            int mover = context.state().mover();
            Move move = move(goesOn ? action.substring(0, action.length() - 1) : action, mover);
            if (!(action + ">").startsWith(Translation.text(context, move))) throw new IllegalStateException(action);
            game.apply(context, move);
            context.state().setMover(goesOn ? mover : 3 - mover);
        }
        return String.join(" ", Translation.plies(context)) + "|" + Translation.midTurn(context) + "|"
            + String.join(" ", Translation.plies(Translation.turnStart(context)));
    }

    private Move move(String action, int mover) {
        List<String> squares = Translation.squares(action);
        if (action.equals("pass")) return new Move(ActionType.Pass, -1, -1, mover);
        if (action.equals("+")) return new Move(ActionType.Select, hand(mover, 'S'), hand(mover, 'S'), mover);
        int from = action.contains("@") ? hand(mover, action.charAt(0)) : site(squares.get(0));
        int to = site(squares.get(squares.size() - 1));
        return new Move(action.startsWith("x") ? ActionType.Remove : ActionType.Move, from, to, mover);
    }

    private int site(String square) {
        int files = game.board().topology().rows(null).get(0).size();
        return square.charAt(0) - 'a' + files * (Integer.parseInt(square.substring(1)) - 1);
    }

    private int hand(int mover, char piece) {
        return context.sitesFrom()[mover] + (piece == 'D' ? 1 : 0);
    }

    /** Return the board with these pieces. */
    private String put(String[] pieces) {
        for (String text : pieces) {
            String[] halves = text.split("=");
            char piece = text.charAt(text.length() - 1);
            boolean bound = Character.toLowerCase(piece) == 'b';
            int kind = 1 + PIECES.indexOf(!bound ? piece : piece == 'B' ? 'S' : 's');
            if (halves[0].equals("hand")) {
                int count = Integer.parseInt(halves[1].substring(0, halves[1].length() - 1));
                game.pieces.put(hand(2 - kind % 2, Character.toUpperCase(piece)), kind, 0, count);
            } else if (halves.length == 2) {
                game.pieces.put(site(halves[0]), kind, bound ? 1 : 0, 1);
            }
        }
        return Translation.board(context);
    }

    private String allow(String[] actions) {
        for (String action : actions) game.legal.moves().add(move(action, context.state().mover()));
        return String.valueOf(game.legal.moves().size());
    }

    private String newAgent(String[] words) {
        agent.closeAI();
        agent = words.length > 1 ? new LatronesAI(Integer.parseInt(words[1])) : new LatronesAI();
        return agent.friendlyName();
    }

    private String init() {
        agent.initAI(game, 1);
        return agent.friendlyName() + "|" + agent.supportsGame(game) + "|" + agent.generateAnalysisReport();
    }

    /** select|SECONDS[|ITERATIONS|DEPTH]: return the action, the report, the value and the arrows. */
    private String select(String[] words) {
        int iterations = words.length > 2 ? Integer.parseInt(words[2]) : -1;
        int depth = words.length > 3 ? Integer.parseInt(words[3]) : -1;
        Move chosen = agent.selectAction(game, context, Double.parseDouble(words[1]), iterations, depth);
        agent.setWantsInterrupt(false);
        StringJoiner arrows = new StringJoiner(" ");
        AIVisualisationData data = agent.aiVisualisationData();
        for (int index = 0; data != null && index < data.moves().size(); index++) {
            arrows.add(Translation.text(context, data.moves().get(index)));
            arrows.add(data.searchEffort().get(index) + " " + data.valueEstimates().get(index));
        }
        return Translation.text(context, chosen) + "|" + agent.generateAnalysisReport() + "|" + agent.estimateValue()
            + "|" + arrows;
    }

    private String interruptSoon() {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(500);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
            agent.setWantsInterrupt(true);
        });
        thread.start();
        return "";
    }

    /** idle|MS|WAIT MS|COMMAND...: start an engine that ends after a time without use; return whether it still runs. */
    private static String idle(String[] words) throws IOException, InterruptedException {
        EngineProcess process = new EngineProcess(EngineProcess.command(), Integer.parseInt(words[1]));
        Thread.sleep(Integer.parseInt(words[2]));
        boolean runs = process.use();
        process.close();
        return String.valueOf(runs);
    }
}
