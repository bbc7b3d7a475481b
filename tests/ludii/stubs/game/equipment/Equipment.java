package game.equipment;

import game.equipment.component.Component;
import game.equipment.container.Container;

public class Equipment {
    private final Component[] components;
    private final Container[] containers;

    public Equipment(Component[] components, Container[] containers) {
        this.components = components;
        this.containers = containers;
    }

    public Component[] components() { return components; }

    public Container[] containers() { return containers; }
}
