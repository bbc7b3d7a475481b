package other;

import game.Game;
import main.collections.FVector;
import main.collections.FastArrayList;
import other.context.Context;
import other.move.Move;

public abstract class AI {
    protected volatile boolean wantsInterrupt;
    private String friendlyName = "";

    public abstract Move selectAction(Game game, Context context, double seconds, int iterations, int depth);

    public String friendlyName() { return friendlyName; }

    public void setFriendlyName(String name) { friendlyName = name; }

    public void setWantsInterrupt(boolean wanted) { wantsInterrupt = wanted; }

    public Context copyContext(Context other) { return other; }

    public void initAI(Game game, int player) { }

    public void closeAI() { }

    public boolean supportsGame(Game game) { return true; }

    public double estimateValue() { return 0; }

    public String generateAnalysisReport() { return null; }

    public AIVisualisationData aiVisualisationData() { return null; }

    public static class AIVisualisationData {
        private final FVector searchEffort;
        private final FVector valueEstimates;
        private final FastArrayList<Move> moves;

        public AIVisualisationData(FVector searchEffort, FVector valueEstimates, FastArrayList<Move> moves) {
            this.searchEffort = searchEffort;
            this.valueEstimates = valueEstimates;
            this.moves = moves;
        }

        public FVector searchEffort() { return searchEffort; }

        public FVector valueEstimates() { return valueEstimates; }

        public FastArrayList<Move> moves() { return moves; }
    }
}
