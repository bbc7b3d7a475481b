package gnu.trove.list.array;

public class TLongArrayList {
    public void clear() { }

    public boolean add(long value) { return true; }
}
