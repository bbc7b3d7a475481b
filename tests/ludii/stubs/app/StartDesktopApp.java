package app;

public class StartDesktopApp {
    public static void main(String[] arguments) { }
}
