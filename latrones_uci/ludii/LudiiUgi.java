package latrones;

import game.Game;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import main.Constants;
import main.options.Ruleset;
import other.GameLoader;
import other.context.Context;
import other.move.Move;

/** Ludii's agents as an engine of UGI and UCI: {@code java -cp Ludii.jar:latrones-ludii.jar latrones.LudiiUgi UCT}. */
public final class LudiiUgi {
    private static final String GAME = "/lud/board/war/custodial/Ludus Latrunculorum.lud";
    private static final String PLY = "pass|([SD]@|x)[a-p][0-9]+|([a-p][0-9]+){2,}";
    private static final List<String> LIMITS =
        Arrays.asList("depth", "nodes", "movestogo", "movetime", "wtime", "btime", "winc", "binc");
    private static final PrintStream OUT = System.out;

    private final Map<String, List<String>> rulesets = new TreeMap<>();  // the options of Ludii's game for each
    private Agents agents;
    private String variant = "ludii-kowalski-12x8";
    private boolean repetition;
    private int threads = 1;
    private Game game;  // null until it is loaded
    private Context context;  // null after a position that was rejected
    private List<String> start = new ArrayList<>();  // of the context: "startpos", or "fen" and its fields
    private List<String> plies = new ArrayList<>();  // that led to it
    private Thread search = new Thread();
    private CountDownLatch held = new CountDownLatch(0);  // until the stop of a search without a limit

    private LudiiUgi(Agents agents) {
        this.agents = agents;
        for (Ruleset each : GameLoader.loadGameFromName(GAME).description().rulesets()) {
            String name = Translation.ruleset(each.optionSettings());
            if (name != null && !name.contains("schadler")) {  // ours correct a mistake of Ludii's
                rulesets.put(name, each.optionSettings());
            }
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.setOut(System.err);  // where Ludii's own messages go
        try {
            new LudiiUgi(new Agents(arguments.length == 0 ? "Alpha-Beta" : arguments[0])).run();
            System.exit(0);
        } catch (IllegalArgumentException unknown) {
            System.err.println(unknown.getMessage());
            System.exit(2);
        }
    }

    private static void say(String line) {
        synchronized (OUT) {
            OUT.print(line + "\n");
            OUT.flush();
        }
    }

    /** A command that is not obeyed. */
    private static final class Rejected extends RuntimeException {
        private static final long serialVersionUID = 1;

        Rejected(String code, String message) {
            super(code + ": " + message);
        }
    }

    // ---------------------------------------------------------------- commands

    private void run() throws IOException, InterruptedException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = input.readLine()) != null && !line.trim().equals("quit")) {
            line = line.trim();
            String[] words = line.split("\\s+");
            try {
                obey(line, words);
            } catch (RuntimeException failure) {
                String cause = failure instanceof Rejected ? failure.getMessage() : "internal: " + failure;
                say("info string error " + cause);
                if (words[0].equals("go") && held.getCount() == 0) {
                    say("bestmove 0000");
                } else if (words[0].equals("query") && context == null) {
                    say(line.endsWith("result") ? "response none" : "response true");
                }
            }
        }
        if (line != null || held.getCount() > 0) {
            stop();
        }
        search.join();
    }

    private void obey(String line, String[] words) throws InterruptedException {
        if (words[0].equals("stop")) {
            stop();
        } else if (words[0].equals("isready") && search.isAlive()) {
            say("readyok");
        } else if (!line.isEmpty()) {
            if (held.getCount() > 0) {
                throw new Rejected("busy", "a search is running; send 'stop' first");
            }
            search.join();
            obeyIdle(line, words);
        }
    }

    private void obeyIdle(String line, String[] words) {
        switch (words[0]) {
            case "uci":
            case "ugi":
                greet(words[0]);
                break;
            case "setoption":
                setOption(line);
                break;
            case "isready":
                load();  // before a clock runs
                say("readyok");
                break;
            case "ucinewgame":
            case "uginewgame":
            case "newgame":
                begin(Collections.singletonList("startpos"));
                break;
            case "position":
                setPosition(line, Arrays.asList(words));
                break;
            case "go":
                go(line, words);
                break;
            case "query":
                query(line);
                break;
            default:
                throw new Rejected("unknown-command", "'" + line + "': unknown command");
        }
    }

    private void greet(String dialect) {
        say("id name Ludii " + Constants.LUDEME_VERSION + " " + agents.name + "\nid author the authors of Ludii");
        String variants = String.join(" var ", rulesets.keySet());
        say("option name UCI_Variant type combo default " + variant + " var " + variants);
        say("option name Agent type string default " + agents.name);
        say("option name Repetition type check default " + repetition);
        say("option name Threads type spin default " + threads + " min 1 max 256\n" + dialect + "ok");
    }

    private void setOption(String line) {
        String[] parts = line.replaceFirst("setoption\\s+name\\s+", "").split("\\s+value\\s*", 2);
        String value = parts.length < 2 ? "" : parts[1];
        if (parts[0].equalsIgnoreCase("UCI_Variant")) {
            check(rulesets.containsKey(value), "unknown variant '" + value + "'; expected one of " + rulesets.keySet());
            variant = value;
        } else if (parts[0].equalsIgnoreCase("Agent")) {
            try {
                Agents others = new Agents(value);
                agents.close();
                agents = others;
            } catch (IllegalArgumentException unknown) {
                throw new Rejected("option", unknown.getMessage());
            }
        } else if (parts[0].equalsIgnoreCase("Repetition")) {
            check(value.matches("true|false"), "option Repetition takes true or false, not '" + value + "'");
            repetition = value.equals("true");
        } else if (parts[0].equalsIgnoreCase("Threads")) {
            int number = value.matches("[0-9]{1,3}") ? Integer.parseInt(value) : 0;
            check(number >= 1 && number <= 256, "option Threads takes 1..256, not '" + value + "'");
            threads = number;
        } else {
            throw new Rejected("option", "unknown option '" + parts[0] + "'");
        }
        game = null;
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new Rejected("option", message);
        }
    }

    // ---------------------------------------------------------------- positions

    private void load() {
        if (game == null) {
            List<String> options = new ArrayList<>(rulesets.get(variant));
            if (repetition) {
                Collections.replaceAll(options, "Repetition of states/No", "Repetition of states/Yes");
            }
            game = GameLoader.loadGameFromName(GAME, options);
            begin(Collections.singletonList("startpos"));
        }
    }

    private void begin(List<String> words) {
        load();
        agents.close();
        context = null;
        try {
            context = words.size() == 1 ? Translation.start(game) : Setup.at(game, words.subList(1, words.size()));
        } catch (IllegalArgumentException wrong) {
            String fen = String.join(" ", words.subList(1, words.size()));
            throw new Rejected("fen", "FEN '" + fen + "': " + wrong.getMessage());
        }
        start = new ArrayList<>(words);
        plies.clear();
    }

    private void setPosition(String line, List<String> words) {
        load();
        int end = words.contains("moves") ? words.indexOf("moves") : words.size();
        List<String> from = words.subList(1, end);
        List<String> wanted = words.subList(Math.min(end + 1, words.size()), words.size());
        if (!String.join(" ", from).matches("startpos|fen \\S+ [wb]( [0-9]{1,4}){0,2}")) {
            context = null;
            throw new Rejected("syntax", "'" + line + "': expected startpos, or fen and a FEN, and moves");
        }
        boolean goesOn = context != null && from.equals(start) && wanted.size() >= plies.size()
            && wanted.subList(0, plies.size()).equals(plies);
        if (!goesOn) {
            begin(from);
        }
        for (String ply : wanted.subList(plies.size(), wanted.size())) {
            boolean wellFormed = ply.matches(PLY);
            if (!wellFormed || !play(ply)) {
                context = null;
                throw wellFormed ? new Rejected("illegal-move", "move '" + ply + "' is not legal in '" + line + "'")
                    : new Rejected("malformed-move", "move '" + ply + "': expected a form such as 'd1d5' or 'S@d4'");
            }
            plies.add(ply);
        }
    }

    /** Play a ply, and the pass that ends a chain which could go on; return whether Ludii allows it. */
    private boolean play(String ply) {
        int player = context.state().mover();
        int legs = Math.max(1, Translation.squares(ply).size() - 1);
        boolean legal = true;
        for (int made = 0; legal && made < legs; made++) {
            legal = act(Translation.action(ply, made));
        }
        boolean ends = context.trial().over() || context.state().mover() != player || !Translation.midTurn(context);
        return legal && (ends || act("pass"));
    }

    private boolean act(String action) {
        if (!context.trial().over()) {
            for (Move move : game.moves(context).moves()) {
                if (Translation.text(context, move).equals(action)) {
                    game.apply(context, move);
                    return true;
                }
            }
        }
        return false;
    }

    private void requirePosition() {
        load();
        if (context == null) {
            throw new Rejected("no-position", "no position: the last 'position' command was rejected");
        }
    }

    private void query(String line) {
        requirePosition();
        boolean over = context.trial().over();
        if (line.matches("query\\s+p1turn")) {
            say("response " + (context.state().mover() == 1));
        } else if (line.matches("query\\s+gameover")) {
            say("response " + over);
        } else if (line.matches("query\\s+result")) {
            int winner = over ? context.trial().status().winner() : -1;
            say("response " + (!over ? "none" : winner == 0 ? "draw" : "p" + winner + "win"));
        } else {
            throw new Rejected("syntax", "'" + line + "': expected one of p1turn, gameover, result");
        }
    }

    // ---------------------------------------------------------------- searches

    private void go(String line, String[] words) {
        requirePosition();
        Map<String, Integer> limits = new HashMap<>();
        boolean infinite = words.length == 1;
        for (int word = 1; word < words.length; word++) {
            String name = words[word].replace("p1", "w").replace("p2", "b");
            if (name.equals("infinite")) {
                infinite = true;
            } else if (LIMITS.contains(name) && word + 1 < words.length && words[word + 1].matches("-?[0-9]{1,9}")) {
                limits.put(name, Integer.parseInt(words[++word]));
            } else {
                throw new Rejected("limits", "'" + line + "': unexpected '" + words[word]
                    + "'; expected infinite, or one of " + LIMITS + " and a number");
            }
        }
        for (String name : LIMITS.subList(0, 3)) {
            if (limits.getOrDefault(name, 1) < 1) {
                throw new Rejected("limits", "'" + line + "': " + name + " needs a number from 1");
            }
        }
        if (context.trial().over() || game.moves(context).moves().isEmpty()) {
            say("info string the game is over\nbestmove 0000");
            return;
        }
        int depth = infinite ? -1 : limits.getOrDefault("depth", -1);
        int iterations = infinite ? -1 : limits.getOrDefault("nodes", -1);
        agents.prepare(context, threads);
        double allowed = infinite ? 0 : secondsOf(limits);
        double seconds = agents.seconds(allowed, depth, iterations);
        if (!infinite && allowed == 0 && seconds < Agents.UNLIMITED_S) {
            say("info string " + agents.name + " has no such limit; it searches for " + seconds + " s at most");
        }
        held = new CountDownLatch(infinite ? 1 : 0);
        search = new Thread(() -> search(seconds, depth, iterations));
        search.start();
    }

    /** Return the seconds that the limits leave for a move, 0 for any number; a little less than they allow. */
    private double secondsOf(Map<String, Integer> limits) {
        String color = context.state().mover() == 1 ? "w" : "b";
        double ms = limits.getOrDefault("movetime", Integer.MAX_VALUE);
        if (limits.containsKey(color + "time")) {
            double clock = limits.get(color + "time");
            double share = clock / Math.min(limits.getOrDefault("movestogo", 30), 30);
            ms = Math.min(ms, Math.min(clock / 2, share + 0.75 * limits.getOrDefault(color + "inc", 0)));
        }
        return ms == Integer.MAX_VALUE ? 0 : Math.max(0.001, Math.max(0.75 * ms, ms - 50) / 1000);
    }

    private void search(double seconds, int depth, int iterations) {
        String ply = "0000";
        try {
            ply = agents.choose(context, seconds, depth, iterations);
            if (agents.report() != null) {
                say("info string " + agents.report());
            }
            held.await();
        } catch (InterruptedException | RuntimeException failure) {
            say("info string error internal: " + failure);
        }
        say("bestmove " + ply);
    }

    private void stop() {
        agents.stop();
        held.countDown();
    }
}
