package other.action;

public enum ActionType { Move, Pass, Remove, Select }
