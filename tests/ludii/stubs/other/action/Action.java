package other.action;

import other.context.Context;

public class Action {
    public Action apply(Context context, boolean store) { return this; }
}
