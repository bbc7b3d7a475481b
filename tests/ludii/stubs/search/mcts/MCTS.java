package search.mcts;

import other.AI;

public abstract class MCTS extends AI {
    public void setNumThreads(int threads) { }
}
