package game.rules;

public class Rules {
    public Object[] phases() { return new Object[0]; }
}
