package latrones;

import game.Game;
import game.equipment.component.Component;
import game.equipment.container.Container;
import game.types.board.SiteType;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import main.Constants;
import other.action.move.ActionAdd;
import other.action.move.remove.ActionRemove;
import other.context.Context;
import other.move.Move;
import other.topology.TopologyElement;

/** Sets up the position of a FEN in a game of Ludii. */
final class Setup {
    private static final Pattern RUN = Pattern.compile("([SDsd])|([1-9][0-9]*)");

    private Setup() {
    }

    /**
     * Return the game at a position.
     *
     * @param fen the fields of the FEN, two or more
     * @throws IllegalArgumentException if Ludii's board is not that of the FEN afterwards
     */
    static Context at(Game game, List<String> fen) {
        Context context = Translation.start(game);
        List<String> placements = placements(fen.get(0));
        if (fen.get(0).matches(".*\\[.*[0-9].*")) {  // men in hand
            place(context, placements);
        } else {
            replace(context, placements);
            context.setMoverAndImpliedPrevAndNext(fen.get(1).equals("w") ? 1 : 2);
            context.state().setCounter(fen.size() > 2 ? Integer.parseInt(fen.get(2)) : 0);  // of Bell's rules
            if (context.trial().previousState() != null) {  // no history, but this position may not be repeated
                context.trial().previousState().clear();
                context.trial().previousState().add(context.state().stateHash());
            }
            context.trial().clearLegalMoves();
        }
        String reached = Translation.board(context) + (context.state().mover() == 1 ? " w" : " b");
        if (!reached.equals(fen.get(0) + " " + fen.get(1))) {
            throw new IllegalArgumentException("Ludii's position is '" + reached + "'");
        }
        return context;
    }

    /** Return the pieces on a board as placements, such as {@code S@d4}, in lower case for Black's. */
    private static List<String> placements(String board) {
        List<String> placements = new ArrayList<>();
        String[] ranks = board.replaceAll("\\[.*", "").split("/");
        for (int rank = ranks.length; rank >= 1; rank--) {
            char file = 'a';
            Matcher run = RUN.matcher(ranks[ranks.length - rank]);
            while (run.find()) {
                if (run.group(1) == null) {
                    file += Integer.parseInt(run.group(2));
                } else {
                    placements.add(run.group(1) + "@" + file++ + rank);
                }
            }
        }
        return placements;
    }

    /** Place men by legal moves, in the order of the turns: then hands, phases and turn are right, too. */
    private static void place(Context context, List<String> placements) {
        boolean placed = true;
        while (placed) {
            placed = false;
            for (Move move : context.game().moves(context).moves()) {
                String text = Translation.text(context, move);
                String piece = context.state().mover() == 1 ? text : text.replace('S', 's').replace('D', 'd');
                if (placements.remove(piece)) {
                    context.game().apply(context, move);
                    placed = true;
                    break;
                }
            }
        }
    }

    /** Replace all pieces, on the board and in the hands, and begin the last phase of the game. */
    private static void replace(Context context, List<String> placements) {
        Game game = context.game();
        SiteType boardType = game.board().defaultSite();
        Container[] containers = game.equipment().containers();
        for (int container = 0; container < containers.length; container++) {
            SiteType type = container == 0 ? boardType : SiteType.Cell;
            for (int slot = 0; slot < containers[container].numSites(); slot++) {
                int site = context.sitesFrom()[container] + slot;
                while (context.containerState(container).what(site, type) != 0) {
                    ActionRemove.construct(type, site, Constants.UNDEFINED, true).apply(context, false);
                }
            }
        }
        for (TopologyElement site : game.board().topology().getGraphElements(boardType)) {
            String square = "@" + Translation.square(game, site.index());
            for (int number = 1; number < game.equipment().components().length; number++) {
                Component piece = game.equipment().components()[number];
                if (placements.contains(Translation.letter(piece) + square)) {
                    new ActionAdd(boardType, site.index(), number, 1, 0, Constants.UNDEFINED, Constants.UNDEFINED, null)
                        .apply(context, false);
                }
            }
        }
        for (int player = 1; player <= 2; player++) {
            context.state().setPhase(player, game.rules().phases().length - 1);
        }
    }
}
