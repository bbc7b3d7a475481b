package main;

public class Constants {
    public static final int UNDEFINED = -1;
    public static final String LUDEME_VERSION = "";
}
