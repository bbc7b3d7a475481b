package other.topology;

public class TopologyElement {
    private final int index;
    private final int col;
    private final int row;

    public TopologyElement(int index, int col, int row) {
        this.index = index;
        this.col = col;
        this.row = row;
    }

    public int index() { return index; }

    public int col() { return col; }

    public int row() { return row; }
}
