package game.equipment.container;

public class Container {
    private final int numSites;

    public Container(int numSites) {
        this.numSites = numSites;
    }

    public int numSites() { return numSites; }
}
