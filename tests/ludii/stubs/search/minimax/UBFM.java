package search.minimax;

import other.AI;

public abstract class UBFM extends AI { }
