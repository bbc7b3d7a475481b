package main.grammar;

import main.options.GameOptions;

public class Description {
    public GameOptions gameOptions() { return new GameOptions(); }
}
