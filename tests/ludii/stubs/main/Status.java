package main;

public class Status {
    public int winner() { return 0; }
}
