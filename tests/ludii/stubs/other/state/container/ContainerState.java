package other.state.container;

import game.types.board.SiteType;
import java.util.HashMap;
import java.util.Map;

public class ContainerState {
    private final Map<Integer, int[]> pieces = new HashMap<>();

    /** Put pieces of a component on a site, in a local state. */
    public void put(int site, int what, int state, int count) { pieces.put(site, new int[] {what, state, count}); }

    public int what(int site, SiteType type) { return value(site, 0); }

    public int state(int site, SiteType type) { return value(site, 1); }

    public int count(int site, SiteType type) { return value(site, 2); }

    private int value(int site, int index) { return pieces.getOrDefault(site, new int[3])[index]; }
}
