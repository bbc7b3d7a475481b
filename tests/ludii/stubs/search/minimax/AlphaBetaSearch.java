package search.minimax;

import other.AI;

public abstract class AlphaBetaSearch extends AI { }
