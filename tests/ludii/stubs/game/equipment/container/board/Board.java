package game.equipment.container.board;

import game.equipment.container.Container;
import game.types.board.SiteType;
import other.topology.Topology;

public class Board extends Container {
    private final Topology topology;

    public Board(int files, int ranks) {
        super(files * ranks);
        topology = new Topology(files, ranks);
    }

    public Topology topology() { return topology; }

    public SiteType defaultSite() { return SiteType.Cell; }
}
