package main.grammar;

import java.util.List;
import main.options.GameOptions;
import main.options.Ruleset;

public class Description {
    public GameOptions gameOptions() { return new GameOptions(); }

    public List<Ruleset> rulesets() { return null; }
}
