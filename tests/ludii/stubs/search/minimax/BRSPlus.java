package search.minimax;

import other.AI;

public abstract class BRSPlus extends AI { }
