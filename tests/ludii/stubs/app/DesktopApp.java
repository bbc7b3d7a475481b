package app;

import javax.swing.JFrame;

public class DesktopApp {
    public static JFrame frame() { return null; }
}
