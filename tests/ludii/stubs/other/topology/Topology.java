package other.topology;

import game.types.board.SiteType;
import java.util.ArrayList;
import java.util.List;

public class Topology {
    private final List<TopologyElement> cells = new ArrayList<>();
    private final List<List<TopologyElement>> rows = new ArrayList<>();

    public Topology(int files, int ranks) {
        for (int rank = 0; rank < ranks; rank++) {
            rows.add(new ArrayList<>());
            for (int file = 0; file < files; file++) {
                cells.add(new TopologyElement(cells.size(), file, rank));
                rows.get(rank).add(cells.get(cells.size() - 1));
            }
        }
    }

    public List<? extends TopologyElement> getGraphElements(SiteType type) { return cells; }

    public List<List<TopologyElement>> rows(SiteType type) { return rows; }
}
