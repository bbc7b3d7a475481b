package latrones;

import game.Game;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import main.collections.FVector;
import main.collections.FastArrayList;
import other.AI;
import other.context.Context;
import other.move.Move;

/**
 * The engine latrones-uci as an agent of Ludii.
 *
 * <p>Ludii makes objects that never play, and forgets others without closing them. So the constructor starts nothing,
 * and an engine without work ends by itself. Nothing is remembered of a game: each search is sent the whole of it.
 */
public class LatronesAI extends AI {
    private static final int FULL_STRENGTH = 20;
    private static final int SOLDIERS = 16;  // of each side in Schadler 2001, before they are raised
    private static final int IDLE_MS = 120_000;
    private static final int ANSWER_MS = 30_000;  // for an answer, beyond the time of a search
    private static final int MAX_MS = 1_000_000_000;
    private static final Pattern INFO = Pattern.compile("info depth (\\d+) .*multipv (\\d+) score (cp|mate) (-?\\d+)"
        + "(?: \\w+bound)? wdl (\\d+) \\d+ (\\d+) .*time (\\d+) pv (.+)");
    private static final AIVisualisationData NO_ARROWS =
        new AIVisualisationData(new FVector(0), new FVector(0), new FastArrayList<>());

    private final String name;
    private final int level;
    private EngineProcess engine;
    private String ruleset;  // that the engine plays
    private Map<String, Move> legal;  // of the search
    private int made;  // legs of the turn, before the search
    private String remark;  // on the search
    private volatile double value;
    private volatile String report;
    private volatile AIVisualisationData arrows;

    /** Play at full strength. */
    public LatronesAI() {
        this(FULL_STRENGTH);
    }

    /** Play at a level, from 0 for a beginner to 20 for full strength. */
    public LatronesAI(int level) {
        this.level = level;
        name = level < FULL_STRENGTH ? "latrones-uci " + level : "latrones-uci";  // Ludii cuts longer ones
        setFriendlyName(name);
    }

    @Override
    public boolean supportsGame(Game game) {
        return Translation.ruleset(game) != null;
    }

    /** Start the engine, so that it is ready when a move is asked for. */
    @Override
    public void initAI(Game game, int playerID) {
        value = 0;
        try {
            if (supportsGame(game)) start(Translation.ruleset(game), 0);
        } catch (IOException error) {
            report = name + ": " + error.getMessage();  // and again, when it is to move
        }
    }

    @Override
    public synchronized void closeAI() {
        if (engine != null) engine.close();
        engine = null;
    }

    @Override
    public double estimateValue() {
        return value;
    }

    @Override
    public String generateAnalysisReport() {
        return report;
    }

    @Override
    public AIVisualisationData aiVisualisationData() {
        return arrows;
    }

    /** Return the engine's move; a random one, with the reason in the report, if there is none. */
    @Override
    public Move selectAction(Game game, Context context, double maxSeconds, int maxIterations, int maxDepth) {
        report = null;
        arrows = null;
        FastArrayList<Move> moves = game.moves(context).moves();
        if (moves.size() == 1) return moves.get(0);
        try {
            legal = new HashMap<>();
            for (Move move : moves) {
                legal.put(Translation.text(context, move), move);
            }
            if (legal.containsKey("+")) return legal.get("pass");  // agree with the usual number of soldiers
            return choose(context, maxSeconds, maxIterations, maxDepth);
        } catch (IOException | InterruptedException | RuntimeException error) {
            closeAI();
            String reason = error instanceof IOException ? error.getMessage() : error.toString();
            report = name + " played a random move: " + reason;
            return moves.get(ThreadLocalRandom.current().nextInt(moves.size()));
        }
    }

    private Move choose(Context context, double seconds, int nodes, int depth)
            throws IOException, InterruptedException {
        List<String> plies = Translation.plies(context);
        boolean midTurn = Translation.midTurn(context);
        List<String> path = midTurn ? Translation.squares(plies.remove(plies.size() - 1)) : Collections.emptyList();
        made = Math.max(0, path.size() - 1);
        int agreed = 0;  // plies of Schadler 2001's agreement; who is the first to place then is White for the engine
        while (agreed < plies.size() && (plies.get(agreed).equals("+") || plies.get(agreed).equals("pass"))) {
            agreed++;
        }
        boolean exchanged = agreed % 2 == 1;
        String board = Translation.board(midTurn ? Translation.turnStart(context) : context);
        boolean white = (context.state().mover() == 1) != exchanged;
        String position = (exchanged ? Translation.exchanged(board) : board) + (white ? " w " : " b ");

        int raises = Collections.frequency(plies.subList(0, agreed), "+");
        EngineProcess process = start(Translation.ruleset(context.game()), raises);
        String history = "startpos moves " + String.join(" ", plies.subList(agreed, plies.size()));
        List<String> shown = ask(process, ANSWER_MS, "readyok", "position " + history, "d", "isready");
        check(shown, "info string error option:");  // of the start
        boolean edited = !field(shown, "Fen:").startsWith(position);  // by hand; or Ludii judges otherwise
        remark = edited ? " (position sent as FEN)" : "";
        if (edited) {
            shown = ask(process, ANSWER_MS, "readyok", "position fen " + position + "0 1", "d", "isready");
            check(shown, "info string error");
        }

        String[] all = field(shown, "Moves:").split(" ");
        List<String> candidates = new ArrayList<>();
        for (String ply : all) {
            boolean goesOn = Collections.indexOfSubList(Translation.squares(ply), path) == 0;
            if (goesOn && legal.containsKey(Translation.action(ply, made))) candidates.add(ply);
        }
        if (candidates.isEmpty()) throw new IOException("no legal move in common with Ludii in '" + position + "'");
        String best = candidates.get(0);
        if (candidates.size() > 1) {
            String only = candidates.size() < all.length ? " searchmoves " + String.join(" ", candidates) : "";
            best = search(process, seconds, nodes, depth, only);
        }
        Move move = legal.get(Translation.action(best, made));
        if (move == null) throw new IOException("'" + best + "' is not legal in Ludii");
        return move;
    }

    /** Return the best ply. The limits are Ludii's: none if they are not above 0, and a second if there are none. */
    private String search(EngineProcess process, double seconds, int nodes, int depth, String only)
            throws IOException, InterruptedException {
        int unlimited = nodes > 0 || depth > 0 ? MAX_MS : 1000;
        int ms = seconds > 0 ? (int) Math.min(MAX_MS, Math.ceil(1000 * seconds)) : unlimited;
        String go = "go movetime " + ms + (nodes > 0 ? " nodes " + nodes : "") + (depth > 0 ? " depth " + depth : "");
        List<String> answers = ask(process, ms + ANSWER_MS, "bestmove ", go + only);
        check(answers, "info string error");
        return field(answers, "bestmove").split(" ")[0];
    }

    /** Return the engine; start it, with its options, unless it runs. What it answers to them is read later. */
    private synchronized EngineProcess start(String variant, int raises) throws IOException {
        if (variant == null) throw new IOException("the engine does not play this game, or not with these options");
        String wanted = raises > 0 ? variant + "-raised-" + raises : variant;
        if (engine != null && engine.use() && wanted.equals(ruleset)) return engine;
        closeAI();
        List<String> command = EngineProcess.command();
        try {
            engine = new EngineProcess(command, IDLE_MS);
        } catch (IOException error) {
            setFriendlyName(name + " (not found: " + String.join(" ", command) + ")");
            throw new IOException(error.getMessage() + "; install latrones-uci, or write the words of its command, each"
                + " on a line, to " + EngineProcess.commandFile());
        }
        setFriendlyName(name);
        ruleset = wanted;
        engine.send("setoption name VariantSet value ludii");
        if (raises > 0) {
            Path file = Files.createTempFile("latrones", ".toml");
            file.toFile().deleteOnExit();
            String text = "[" + wanted + "]\nparent = \"" + variant + "\"\nhand = " + (SOLDIERS + raises) + "\n";
            Files.write(file, text.getBytes(StandardCharsets.UTF_8));
            engine.send("setoption name VariantPath value " + file);
        }
        engine.send("setoption name UCI_Variant value " + wanted, "setoption name Skill Level value " + level,
            "setoption name UCI_ShowWDL value true", "setoption name MultiPV value 3");  // for the arrows
        return engine;
    }

    /** Send commands; return the answers up to the last one, which begins as given. An interrupt stops a search. */
    private List<String> ask(EngineProcess process, int ms, String last, String... commands)
            throws IOException, InterruptedException {
        process.send(commands);
        List<String> answers = new ArrayList<>();
        long end = System.currentTimeMillis() + ms;
        boolean stopped = false;
        while (answers.isEmpty() || !answers.get(answers.size() - 1).startsWith(last)) {
            if (wantsInterrupt && !stopped) process.send("stop");
            stopped = wantsInterrupt;
            String line = process.read(20);
            if (line == null && System.currentTimeMillis() > end) {
                throw new IOException("the engine does not answer '" + commands[0] + "'");
            } else if (line != null) {
                answers.add(line);
                show(line);
            }
        }
        return answers;
    }

    private static void check(List<String> answers, String error) throws IOException {
        String message = field(answers, error);
        if (!message.isEmpty()) throw new IOException("the engine reports " + message);
    }

    /** Return the rest of the first answer that begins with a name; empty if there is none. */
    private static String field(List<String> answers, String name) {
        for (String line : answers) {
            if (line.startsWith(name)) return line.substring(name.length()).trim();
        }
        return "";
    }

    /** Take a line of the search for the report, the face beside the player's name, and the arrows on the board. */
    private void show(String line) {
        Matcher info = INFO.matcher(line);
        Move move = info.matches() ? legal.get(Translation.action(info.group(8).split(" ")[0], made)) : null;
        if (move == null) return;
        float expected = (Integer.parseInt(info.group(5)) - Integer.parseInt(info.group(6))) / 1000f;
        boolean first = info.group(2).equals("1") || arrows == null;
        if (first) {
            int score = Integer.parseInt(info.group(4));
            String text = info.group(3).equals("cp") ? String.format(Locale.ROOT, "%+.2f soldiers", score / 100.0)
                : score > 0 ? "win in " + score : "loss in " + -score;
            report = String.format(Locale.ROOT, "%s: depth %s, %s, %s, %.1f s%s", name, info.group(1), text,
                info.group(8), Integer.parseInt(info.group(7)) / 1000.0, remark);
            value = expected;
        }
        AIVisualisationData before = first ? NO_ARROWS : arrows;  // not changed: Ludii draws it in another thread
        if (before.moves().contains(move)) return;  // two chains that begin alike
        FastArrayList<Move> moves = new FastArrayList<>(before.moves());
        moves.add(move);
        arrows = new AIVisualisationData(before.searchEffort().append(1f / moves.size()),
            before.valueEstimates().append(expected), moves);
    }
}
