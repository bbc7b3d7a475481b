package game.equipment.component;

public class Component {
    private final String name;
    private final int owner;

    public Component(String name, int owner) {
        this.name = name;
        this.owner = owner;
    }

    public String name() { return name; }

    public int owner() { return owner; }
}
