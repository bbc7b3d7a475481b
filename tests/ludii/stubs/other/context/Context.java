package other.context;

import game.Game;
import game.equipment.container.Container;
import other.state.State;
import other.state.container.ContainerState;
import other.trial.Trial;

public class Context {
    private final Game game;
    private final Trial trial;
    private final State state = new State();

    public Context(Game game, Trial trial) {
        this.game = game;
        this.trial = trial;
    }

    public Context(Context other) { this(other.game, other.trial); }

    public Game game() { return game; }

    public Trial trial() { return trial; }

    public State state() { return state; }

    public ContainerState containerState(int container) { return game.pieces; }

    public void setMoverAndImpliedPrevAndNext(int mover) { state.setMover(mover); }

    /** Return the first site of each container. */
    public int[] sitesFrom() {
        Container[] containers = game.equipment().containers();
        int[] first = new int[containers.length];
        for (int container = 1; container < containers.length; container++) {
            first[container] = first[container - 1] + containers[container - 1].numSites();
        }
        return first;
    }

    /** Return the container of each site. */
    public int[] containerId() {
        Container[] containers = game.equipment().containers();
        int last = containers.length - 1;
        int[] found = new int[sitesFrom()[last] + containers[last].numSites()];
        for (int container = 0; container <= last; container++) {
            for (int slot = 0; slot < containers[container].numSites(); slot++) {
                found[sitesFrom()[container] + slot] = container;
            }
        }
        return found;
    }
}
