package main.options;

import java.util.List;

public class GameOptions {
    public List<String> allOptionStrings(List<String> selected) { return selected; }
}
