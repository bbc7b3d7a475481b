package main.options;

import java.util.List;

public class Ruleset {
    public List<String> optionSettings() { return null; }
}
