package other.state;

public class State {
    private int mover = 1;

    public int mover() { return mover; }

    public void setMover(int mover) { this.mover = mover; }

    public void setPhase(int player, int phase) { }

    public void setCounter(int counter) { }

    public long stateHash() { return 0; }
}
