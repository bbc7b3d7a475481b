package other;

public class MetaRules {
    private final boolean swapRule;

    public MetaRules(boolean swapRule) {
        this.swapRule = swapRule;
    }

    public boolean usesSwapRule() { return swapRule; }
}
