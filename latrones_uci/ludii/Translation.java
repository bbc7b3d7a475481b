package latrones;

import game.Game;
import game.equipment.component.Component;
import game.equipment.container.Container;
import game.types.board.SiteType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import other.action.ActionType;
import other.context.Context;
import other.move.Move;
import other.state.container.ContainerState;
import other.topology.TopologyElement;
import other.trial.Trial;

/**
 * Translates between Ludii's games and the texts of the protocol.
 *
 * <p>A <i>ply</i> is a move of the protocol, such as {@code c3e3e1}. An <i>action</i> is one decision in Ludii, which
 * asks for each leg of a chain: {@code c3e3}, then {@code e3e1}; a player who could go on passes. All other plies are
 * one action with the same text: {@code S@d4}, {@code xd5}, {@code pass}. An action that is no ply is {@code +}: in
 * Schadler 2001 the players first agree on the number of soldiers, and raise it or pass.
 */
final class Translation {
    private static final Pattern SIZED =
        Pattern.compile("^(Kowalski|Bell) (\\d+)x(\\d+)$|^(\\d+)x(\\d+) \\((Seega|Kharebga) Rules\\)$");
    private static final Pattern SQUARE = Pattern.compile("[a-p][0-9]+");

    private Translation() { }

    /** Return our name of a game's ruleset; null if it is another game, or is played with options that we lack. */
    static String ruleset(Game game) {
        if (!game.name().equals("Ludus Latrunculorum") || game.metaRules().usesSwapRule()) return null;
        List<String> options = game.description().gameOptions().allOptionStrings(game.getOptions());
        return options.contains("Repetition of states/Yes") ? null : ruleset(options);
    }

    /** Return our name of the ruleset that Ludii's options choose; null if there is none. */
    static String ruleset(List<String> options) {
        for (String option : options) {
            if (option.startsWith("Suggested Variants/")) return ruleset(option.substring(option.indexOf('/') + 1));
        }
        return null;
    }

    /** Return our name of an item of Ludii's option "Suggested Variants", such as "Bell 8x7"; null if there is none. */
    static String ruleset(String variantItem) {
        switch (variantItem) {
            case "Museum Quintana": return "ludii-museum-quintana";
            case "Locus Ludi Piso": return "ludii-piso";
            case "Falkener": return "ludii-falkener";
            case "Schadler 1994": return "ludii-schadler-1994";
            case "Schadler 2001": return "ludii-schadler-2001";
            default:  // Ludii writes rows x columns, we write files x ranks
                String name = SIZED.matcher(variantItem).replaceFirst("ludii-$1$6-$3$5x$2$4");
                return name.startsWith("ludii-") ? name.toLowerCase(Locale.ROOT) : null;
        }
    }

    /** Return the text of an action. No two legal moves of a position have the same. */
    static String text(Context context, Move move) {
        Game game = context.game();
        if (move.isPass()) return "pass";
        if (move.actionType() == ActionType.Select) return "+";
        String to = square(game, move.to());
        if (move.actionType() == ActionType.Remove) return "x" + to;
        if (onBoard(game, move.from())) return square(game, move.from()) + to;
        int slot = move.from() - context.sitesFrom()[context.containerId()[move.from()]];
        return (slot == 0 ? "S@" : "D@") + to;  // Bell's hands have a second slot, for the dux
    }

    /** Return the plies of a game so far; the last one may be the first legs of a chain (see {@link #midTurn}). */
    static List<String> plies(Context context) {
        List<String> plies = new ArrayList<>();
        int moverOfChain = -1;
        for (Move move : context.trial().generateRealMovesList()) {
            String action = text(context, move);
            List<String> squares = squares(action);
            boolean goesOn = move.mover() == moverOfChain;
            if (goesOn && squares.size() == 2) {
                plies.add(plies.remove(plies.size() - 1) + squares.get(1));
            } else if (!goesOn || !action.equals("pass")) {  // a pass that ends a chain is no ply
                plies.add(action);
            }
            moverOfChain = squares.size() == 2 ? move.mover() : -1;
        }
        return plies;
    }

    /** Return whether the mover has made a leg of a chain, and may make another. */
    static boolean midTurn(Context context) {
        List<Move> moves = context.trial().generateRealMovesList();
        return !moves.isEmpty() && isLegOfMover(context, moves.get(moves.size() - 1));
    }

    /** Return a game at its start. */
    static Context start(Game game) {
        Context context = new Context(game, new Trial(game));
        game.start(context);
        return context;
    }

    /** Return the position before the legs that the mover has made in this turn. */
    static Context turnStart(Context context) {
        List<Move> moves = context.trial().generateRealMovesList();
        int kept = moves.size();
        while (kept > 0 && isLegOfMover(context, moves.get(kept - 1))) kept--;
        Context start = start(context.game());
        for (Move move : moves.subList(0, kept)) context.game().apply(start, move);
        return start;
    }

    /** Return the squares of a ply, in order. */
    static List<String> squares(String ply) {
        List<String> squares = new ArrayList<>();
        for (Matcher matcher = SQUARE.matcher(ply); matcher.find(); ) squares.add(matcher.group());
        return squares;
    }

    /** Return the action that plays a ply on after the legs that are {@code made}; the pass that ends it after all. */
    static String action(String ply, int made) {
        List<String> squares = squares(ply);
        if (squares.size() < 2) return ply;
        return made + 1 < squares.size() ? squares.get(made) + squares.get(made + 1) : "pass";
    }

    /** Return pieces and hands as in a FEN, such as {@code 8/8/3s4/8/8/8/8/8[16S15s]}. */
    static String board(Context context) {
        Game game = context.game();
        List<List<TopologyElement>> rows = game.board().topology().rows(game.board().defaultSite());
        StringJoiner ranks = new StringJoiner("/");
        for (int rank = rows.size() - 1; rank >= 0; rank--) {
            StringBuilder text = new StringBuilder();
            int empty = 0;
            for (TopologyElement site : rows.get(rank)) {
                String piece = pieceOn(context, site.index());
                if (!piece.isEmpty() && empty > 0) text.append(empty);
                text.append(piece);
                empty = piece.isEmpty() ? empty + 1 : 0;
            }
            ranks.add(empty > 0 ? text.append(empty) : text);
        }
        return ranks + hands(context);
    }

    /** Return a board with the colours of all pieces exchanged. */
    static String exchanged(String board) {
        StringBuilder text = new StringBuilder();
        for (char piece : board.toCharArray()) {
            text.append(Character.isUpperCase(piece) ? Character.toLowerCase(piece) : Character.toUpperCase(piece));
        }
        return text.toString().replaceAll("\\[([0-9sd]+[sd])([0-9SD]+)\\]", "[$2$1]");  // White's hand comes first
    }

    private static String pieceOn(Context context, int site) {
        SiteType type = context.game().board().defaultSite();
        int what = context.containerState(0).what(site, type);
        if (what == 0) return "";
        Component piece = context.game().equipment().components()[what];
        // Schadler's soldiers, which can be bound, are the pieces whose state means something.
        boolean bound = piece.name().startsWith("Vagi") && context.containerState(0).state(site, type) == 1;
        return String.valueOf(!bound ? letter(piece) : piece.owner() == 1 ? 'B' : 'b');
    }

    private static String hands(Context context) {
        Container[] containers = context.game().equipment().containers();
        int[] counts = new int[128];
        for (int container = 1; container < containers.length; container++) {
            ContainerState state = context.containerState(container);
            int first = context.sitesFrom()[container];
            for (int site = first; site < first + containers[container].numSites(); site++) {
                int what = state.what(site, SiteType.Cell);
                if (what == 0) continue;
                counts[letter(context.game().equipment().components()[what])] += state.count(site, SiteType.Cell);
            }
        }
        StringBuilder text = new StringBuilder();
        for (char piece : "SDsd".toCharArray()) {
            if (counts[piece] > 0) text.append(counts[piece]).append(piece);
        }
        return containers.length == 1 ? "" : "[" + (text.length() == 0 ? "-" : text) + "]";
    }

    /** Return the letter of a piece in a FEN, if it is not bound. */
    static char letter(Component piece) {
        char letter = piece.name().startsWith("Dux") ? 'D' : 'S';
        return piece.owner() == 1 ? letter : Character.toLowerCase(letter);
    }

    private static boolean isLegOfMover(Context context, Move move) {
        return move.mover() == context.state().mover() && squares(text(context, move)).size() == 2;
    }

    private static boolean onBoard(Game game, int site) {
        return site < sites(game).size();  // hands have the numbers after those of the board
    }

    static String square(Game game, int site) {
        if (!onBoard(game, site)) return "?";  // only where a board was edited by hand
        TopologyElement element = sites(game).get(site);
        return (char) ('a' + element.col()) + String.valueOf(element.row() + 1);
    }

    private static List<? extends TopologyElement> sites(Game game) {
        return game.board().topology().getGraphElements(game.board().defaultSite());
    }
}
